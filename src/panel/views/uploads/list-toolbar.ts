import { box, buttonRow, setShown, setText, textBox } from '../../dom.js';
import type { View, ViewContext } from '../../view.js';

/**
 * The buttons for the list as a whole. While photos are on it at least one of the two is shown, so that the list does
 * not move when the first or the last photo is uploaded.
 */
export function listToolbar({ strings, uploads, button }: ViewContext): View {
  const clear = button('action', strings.clearArrived, () => uploads.clearArrived());
  const removeAll = button('action', strings.removeAll, () => uploads.removeAll());
  const root = buttonRow([removeAll, clear]);
  return {
    root,
    update({ summary }) {
      const { waiting, uploading, failed, uploaded } = summary;
      setShown(clear.root, uploaded > 0);
      setShown(removeAll.root, waiting + uploading + failed > 0);
    },
  };
}

/** Confirms a removal, with a button that undoes it. Stays visible wherever the list is scrolled to. */
export function undoSection({ strings, uploads, button }: ViewContext): View {
  const text = textBox('undo-text');
  const undo = button('action', strings.undo, () => uploads.undoRemoval());
  const root = box('undo', [text, undo.root]);
  setShown(root, false);
  return {
    root,
    update({ uploadState: { removal } }) {
      setShown(root, removal !== null);
      if (removal) {
        setText(text, strings.count('removedCount', removal.photos));
      }
    },
    focus: () => {
      undo.focus();
    },
  };
}
