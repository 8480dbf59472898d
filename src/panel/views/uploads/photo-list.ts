import type { UploadItem } from '../../../uploads/queue/upload-item.js';
import { needsConfirmation } from '../../../uploads/queue/photo-record.js';
import { connectionStatus } from '../../connection-status.js';
import type { View, ViewContext } from '../../view.js';
import { hasOptions, photoRow, type PhotoRow } from './photo-row.js';
import { virtualList, type VirtualList } from '../common/virtual-list.js';

/** Heights of rows in CSS pixels, as the style sheet sets them. */
const ROW_PX = 60;
/** The height of one line of buttons. A panel narrower than `WIDE_PX` needs two lines. CSS pixels. */
const OPTIONS_PX = 40;
const WIDE_PX = 250;
/** The same limit for a photo in doubt, whose buttons have longer labels. */
const WIDE_HELD_PX = 290;

/** The order: photos that need the user, running uploads, waiting ones, uploaded ones. */
const ORDER = ['failed', 'uploading', 'waiting', 'uploaded'] as const;

/**
 * The photos of the list.
 * @param scroller  the element that scrolls the list, together with everything above it
 */
export function photoListView(context: ViewContext, scroller: HTMLElement): View {
  const open = new Set<string>();
  let isSending = true;
  const isOpen = (item: UploadItem): boolean => open.has(item.record.id) && hasOptions(item);
  const rows: VirtualList<UploadItem> = virtualList<UploadItem, PhotoRow>(context, scroller, {
    keyOf: ({ record }) => record.id,
    heightOf: (item, widthPx) => rowHeight(item, isOpen(item), widthPx),
    make: ({ record }) =>
      photoRow(context, record, () => {
        if (!open.delete(record.id)) {
          open.add(record.id);
        }
        rows.draw();
      }),
    update: (row, item) => {
      row.update(item, isOpen(item), isSending);
    },
    needsWidth: () => open.size > 0,
  });

  return {
    root: rows.root,
    update(state) {
      isSending = connectionStatus(state) === 'connected';
      const all = context.photos();
      for (const id of [...open]) {
        if (!all.some(({ record }) => record.id === id)) {
          open.delete(id);
        }
      }
      rows.show(ORDER.flatMap((phase) => all.filter((item) => item.phase === phase)));
    },
    leave() {
      open.clear();
      rows.clear();
    },
  };
}

/** The height of a row in CSS pixels. It is computed from the photo and the panel's width, without drawing. */
function rowHeight({ phase, record }: UploadItem, isOpen: boolean, widthPx: number): number {
  if (!isOpen) {
    return ROW_PX;
  }
  const wide = needsConfirmation(record.failure) ? WIDE_HELD_PX : WIDE_PX;
  // While a photo is being uploaded, it has only one button.
  const isOneLine = phase === 'uploading' || widthPx >= wide;
  return ROW_PX + (isOneLine ? OPTIONS_PX : 2 * OPTIONS_PX);
}
