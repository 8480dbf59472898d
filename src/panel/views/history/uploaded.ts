import type { UploadedPhoto } from '../../../uploads/history/upload-history.js';
import { box, buttonRow, element, setShown, textBox } from '../../dom.js';
import { receiptText } from '../../receipt.js';
import type { PanelState, View, ViewContext } from '../../view.js';
import { copyButton } from '../common/copy-button.js';
import { uploadedRow, type UploadedRow } from './uploaded-row.js';
import { virtualList, type VirtualList } from '../common/virtual-list.js';
import { selectableText } from '../common/selectable-text.js';

/** Heights of rows in CSS pixels, as the style sheet sets them. */
const ROW_PX = 80;
/** The height of one line of buttons. A panel narrower than `WIDE_PX` needs two lines. CSS pixels. */
const OPTIONS_PX = 40;
const WIDE_PX = 330;

/**
 * The history of uploaded photos, below the list. It is collapsed at first, and can be searched, copied and cleared.
 * Next to it is the button for all photos of the workspace. That button is always there: colleagues and other computers
 * send photos, too.
 * @param scroller  the element that scrolls it, together with everything above it
 */
export function uploadedSection(context: ViewContext, scroller: HTMLElement): View {
  const { strings, actions, button } = context;
  let photos: readonly UploadedPhoto[] = [];
  let seen: Pick<PanelState, 'history' | 'account' | 'session'> | null = null;
  let isOpen = false;
  const inside = contentSection(context, scroller, select);
  const toggle = button('quiet', '', () => {
    unfold(!isOpen);
  });
  const all = button('quiet', strings.allPhotos, () => actions.openPhotos());
  const root = box('delivered', [buttonRow([toggle, all]), inside.root]);
  setShown(inside.root, false);

  function unfold(wanted: boolean): void {
    isOpen = wanted;
    setShown(inside.root, isOpen);
    if (!isOpen) {
      inside.clear();
    }
    select();
  }

  /** Selects the photos to be shown, and shows them. */
  function select(): void {
    setShown(toggle.root, photos.length > 0);
    toggle.setLabel(
      isOpen ? strings.close : strings.fill('delivered', { count: strings.number(photos.length) }),
    );
    if (isOpen) {
      inside.select(photos);
    }
  }

  return {
    root,
    update({ history, account, session }) {
      const isSame =
        seen?.history === history && seen.account === account && seen.session === session;
      if (isSame) {
        // Changes above the rows may have moved them.
        if (isOpen) {
          inside.draw();
        }
        return;
      }
      seen = { history, account, session };
      photos = context.delivered();
      unfold(isOpen && photos.length > 0);
    },
    leave() {
      photos = [];
      seen = null;
      unfold(false);
    },
  };
}

/** The collapsed content: the search, the tools, and the photos that were found. */
interface ContentSection {
  readonly root: HTMLElement;
  /** Shows the photos whose names match the search. */
  select(photos: readonly UploadedPhoto[]): void;
  draw(): void;
  clear(): void;
}

/** Makes that part. @param onSearch  called when the search text changes */
function contentSection(
  context: ViewContext,
  scroller: HTMLElement,
  onSearch: () => void,
): ContentSection {
  const { strings } = context;
  let shown: readonly UploadedPhoto[] = [];
  const rows = deliveredRows(context, scroller);
  const search = searchField(strings.searchName, onSearch);
  const none = textBox('detail', strings.noneFound);
  const tools = deliveredTools(context, () => shown);
  return {
    root: box('delivered-inside', [
      textBox('text strong', strings.receiptTitle),
      textBox('detail', strings.deliveredText),
      search.root,
      ...tools.parts,
      none,
      rows.root,
    ]),
    select(photos) {
      shown = found(photos, search.text());
      setShown(none, shown.length === 0);
      rows.show(shown);
    },
    draw() {
      rows.show(shown);
    },
    clear() {
      search.clear();
      tools.hide();
      rows.clear();
      shown = [];
    },
  };
}

function deliveredRows(
  context: ViewContext,
  scroller: HTMLElement,
): Pick<VirtualList<UploadedPhoto>, 'root' | 'show' | 'clear'> {
  const open = new Set<string>();
  const rows: VirtualList<UploadedPhoto> = virtualList<UploadedPhoto, UploadedRow>(
    context,
    scroller,
    {
      keyOf: ({ id }) => id,
      heightOf: ({ id }, widthPx) =>
        ROW_PX + (open.has(id) ? OPTIONS_PX * (widthPx >= WIDE_PX ? 1 : 2) : 0),
      make: (photo) =>
        uploadedRow(context, photo, () => {
          if (!open.delete(photo.id)) {
            open.add(photo.id);
          }
          rows.draw();
        }),
      update: (row, { id }) => {
        row.update(open.has(id));
      },
      needsWidth: () => open.size > 0,
    },
  );
  return {
    root: rows.root,
    show: (photos) => {
      rows.show(photos);
    },
    clear() {
      open.clear();
      rows.clear();
    },
  };
}

/** The buttons that copy and clear the list. A text that the clipboard refuses is shown, to be copied by hand. */
function deliveredTools(
  context: ViewContext,
  photos: () => readonly UploadedPhoto[],
): { readonly parts: readonly HTMLElement[]; hide(): void } {
  const { strings, host, uploads, clock, button } = context;
  const text = selectableText();
  const copy = copyButton(context, 'action', strings.copyList, async () => {
    const receipt = receiptText(strings, photos(), clock.now());
    text.hide();
    try {
      await host.copyText(receipt);
    } catch (error) {
      // Only when the message about the refusal is shown above the text: then getting the focus scrolls the text into
      // view.
      clock.startTimer(0, () => {
        text.show(receipt);
      });
      throw error;
    }
  });
  const clear = button('action', strings.clearList, () => uploads.clearHistory());
  return {
    parts: [buttonRow([copy, clear]), text.root],
    hide: () => {
      text.hide();
    },
  };
}

/** A field to search in; `onInput` is called with every change. */
function searchField(
  label: string,
  onInput: () => void,
): { readonly root: HTMLElement; text(): string; clear(): void } {
  const field = element('sp-textfield', {
    class: 'search',
    attributes: { placeholder: label },
  }) as HTMLElement & { value?: unknown };
  field.addEventListener('input', onInput);
  return {
    root: field,
    text: () => (typeof field.value === 'string' ? field.value : ''),
    clear: () => {
      field.value = '';
    },
  };
}

/** The photos whose names contain the search text, in upper or lower case; all of them for an empty text. */
function found(photos: readonly UploadedPhoto[], typed: string): readonly UploadedPhoto[] {
  const wanted = comparable(typed.trim());
  return wanted === '' ? photos : photos.filter(({ name }) => comparable(name).includes(wanted));
}

/** A text without its case, and with accents encoded in one way (NFC): file systems encode them in two. */
function comparable(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
