import type { UploadItem } from '../../uploads/upload-item.js';
import { isDoubt } from '../../uploads/photo-record.js';
import { block, element, replaceChildren, setAttribute, topOf } from '../dom.js';
import { standingOf } from '../standing.js';
import type { View, ViewContext } from '../view.js';
import { hasOptions, photoRow, type PhotoRow } from './photo-row.js';

/** Up to this many photos all rows are drawn; of a longer list those in sight. */
const MOST_DRAWN = 60;
/** Heights of rows in CSS pixels, as the style sheet sets them. */
const ROW_PX = 60;
/** One line of buttons; a narrow panel needs two. */
const OPTIONS_PX = 40;
const WIDE_PX = 250;
/** For what can be done about a file that was held back, whose words are long. */
const WIDE_HELD_PX = 290;
/** Rows this far out of sight are drawn too. CSS pixels. */
const MARGIN_PX = 600;
/** The host documents no event for scrolling, so a long list looks where it stands this often. Milliseconds. */
const LOOK_EVERY_MS = 100;
/** Where nothing can be measured. */
const ASSUMED_HEIGHT_PX = 400;

/** What concerns the person first, then what is going on, then what is to come, then what is done. */
const ORDER = ['failed', 'uploading', 'waiting', 'uploaded'] as const;

/**
 * The photos of the list. However many they are, only those in sight are in the page: a row's height follows
 * from its photo alone, so the place of each is known without drawing it.
 * @param scroller  what the list scrolls in, together with what stands above it
 */
export function photoListView(
  context: ViewContext,
  scroller: HTMLElement,
): View & { readonly root: HTMLElement } {
  const above = element('div');
  const rows = block('rows');
  const below = element('div');
  const root = block('photos', [above, rows, below]);
  const open = new Set<string>();
  let items: readonly UploadItem[] = [];
  let isSending = true;
  let drawn = new Map<string, PhotoRow>();
  let drawnKey = '';
  let looking = false;
  let size = { width: 0, height: 0, scrolled: 0 };

  /** Measure before or after changes, not in between: each measurement makes the host lay the whole panel out at once. */
  function measure(): void {
    // The host's offsets of elements are always 0: only rectangles tell where one stands.
    const scrolled = topOf(scroller) - topOf(root);
    size = { width: root.clientWidth, height: scroller.clientHeight, scrolled };
  }

  function look(): void {
    looking = true;
    context.clock.startTimer(LOOK_EVERY_MS, () => {
      looking = false;
      if (items.length <= MOST_DRAWN) {
        return;
      }
      look();
      try {
        const before = size;
        measure();
        if (size.scrolled !== before.scrolled || size.height !== before.height) {
          draw();
        }
      } catch (fault) {
        context.onFault(fault);
      }
    });
  }

  function draw(): void {
    const isLong = items.length > MOST_DRAWN;
    if (!looking && (isLong || open.size > 0)) {
      measure();
    }
    const isOpen = (item: UploadItem): boolean => open.has(item.record.id) && hasOptions(item);
    const heightOf = (item: UploadItem): number => rowHeight(item, isOpen(item), size.width);
    const height = size.height > 0 ? size.height : ASSUMED_HEIGHT_PX;
    const from = isLong ? size.scrolled - MARGIN_PX : -Infinity;
    const to = isLong ? size.scrolled + height + MARGIN_PX : Infinity;
    const { inSight, abovePx, belowPx } = findInSight(items, heightOf, from, to);

    const next = new Map(
      inSight.map(({ record }) => [
        record.id,
        drawn.get(record.id) ??
          photoRow(context, record, () => {
            if (!open.delete(record.id)) {
              open.add(record.id);
            }
            draw();
          }),
      ]),
    );
    for (const item of inSight) {
      const row = next.get(item.record.id);
      row?.update(item, isOpen(item), isSending);
      if (row) {
        setAttribute(row.root, 'style', `height: ${heightOf(item)}px`);
      }
    }
    setAttribute(above, 'style', `height: ${abovePx}px`);
    setAttribute(below, 'style', `height: ${belowPx}px`);
    const key = [...next.keys()].join(' ');
    if (key !== drawnKey) {
      arrange(rows, drawn, next);
    }
    drawn = next;
    drawnKey = key;
  }

  return {
    root,
    update(state) {
      isSending = standingOf(state) === 'connected';
      const all = context.photos();
      items = ORDER.flatMap((phase) => all.filter((item) => item.phase === phase));
      for (const id of [...open]) {
        if (!all.some(({ record }) => record.id === id)) {
          open.delete(id);
        }
      }
      draw();
      if (items.length > MOST_DRAWN && !looking) {
        look();
      }
    },
    leave() {
      open.clear();
      replaceChildren(rows, []);
      drawn = new Map();
      drawnKey = '';
      items = [];
    },
  };
}

/** The height of a row in CSS pixels; it follows from the photo alone. */
function rowHeight({ phase, record }: UploadItem, isOpen: boolean, widthPx: number): number {
  if (!isOpen) {
    return ROW_PX;
  }
  const wide = isDoubt(record.failure) ? WIDE_HELD_PX : WIDE_PX;
  // There is one button alone while a photo is on its way.
  const isOneLine = phase === 'uploading' || widthPx >= wide;
  return ROW_PX + (isOneLine ? OPTIONS_PX : 2 * OPTIONS_PX);
}

/** The photos whose rows touch the range from `from` to `to`, and how high all rows above and below it are. */
function findInSight(
  items: readonly UploadItem[],
  heightOf: (item: UploadItem) => number,
  from: number,
  to: number,
): { readonly inSight: readonly UploadItem[]; readonly abovePx: number; readonly belowPx: number } {
  const inSight: UploadItem[] = [];
  let top = 0;
  let abovePx = 0;
  let belowPx = 0;
  for (const item of items) {
    const rowPx = heightOf(item);
    if (top + rowPx < from) {
      abovePx += rowPx;
    } else if (top > to) {
      belowPx += rowPx;
    } else {
      inSight.push(item);
    }
    top += rowPx;
  }
  return { inSight, abovePx, belowPx };
}

/** Brings rows into order, leaving those in place that are: a row that is moved loses the focus. */
function arrange(
  rows: HTMLElement,
  drawn: ReadonlyMap<string, PhotoRow>,
  next: ReadonlyMap<string, PhotoRow>,
): void {
  for (const [id, row] of drawn) {
    if (!next.has(id)) {
      row.root.remove();
    }
  }
  let place: Node | null = rows.firstChild;
  for (const { root: row } of next.values()) {
    if (row === place) {
      place = place.nextSibling;
    } else {
      rows.insertBefore(row, place);
    }
  }
}
