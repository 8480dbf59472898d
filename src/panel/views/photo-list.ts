import { element, replaceChildren, setShown, setText } from '../dom.js';
import type { View, ViewContext } from '../view.js';
import { photoRow, type PhotoRow } from './photo-row.js';

/** Rows drawn at most: what is beyond them is said in a line. */
const MOST_ROWS = 100;

/** The photos of the list, those at its head first. */
export function photoListView(context: ViewContext): View {
  const rows = element('div', { class: 'photos' });
  const more = element('div', { class: 'detail' });
  let drawn = new Map<string, PhotoRow>();
  let drawnKey = '';

  return {
    root: element('div', {}, [rows, more]),
    update({ summary }) {
      const items = context.photos(0, MOST_ROWS);
      const next = new Map(
        items.map(({ record: { id } }) => [id, drawn.get(id) ?? photoRow(context, id)]),
      );
      for (const item of items) next.get(item.record.id)?.update(item);
      const key = [...next.keys()].join(' ');
      if (key !== drawnKey)
        replaceChildren(
          rows,
          [...next.values()].map((row) => row.root),
        );
      drawn = next;
      drawnKey = key;

      const { waiting, uploading, uploaded, failed } = summary;
      const hidden = waiting + uploading + uploaded + failed - items.length;
      setShown(more, hidden > 0);
      setText(more, context.strings.morePhotos(hidden));
    },
  };
}
