import { box, element, replaceChildren, setAttribute, topOf } from '../../dom.js';
import type { ViewContext } from '../../view.js';

/** What a list of rows has to know of its entries. */
export interface RowKind<Item, Row extends { readonly root: HTMLElement }> {
  keyOf(item: Item): string;
  /** In CSS pixels; depends only on the entry and the width. @param widthPx  0 where nothing can be measured */
  heightOf(item: Item, widthPx: number): number;
  make(item: Item): Row;
  update(row: Row, item: Item): void;
  /** Whether any height depends on the width at the moment. */
  needsWidth(): boolean;
}

export interface VirtualList<Item> {
  readonly root: HTMLElement;
  show(items: readonly Item[]): void;
  /** Draws the same entries again, because something else about them has changed. */
  draw(): void;
  /** Takes all rows out of the page. */
  clear(): void;
}

/** Up to this many rows are all drawn; of a longer list only those in view are. */
const MOST_DRAWN = 60;
/** Rows up to this far out of view are drawn, too. CSS pixels. */
const MARGIN_PX = 600;
/** The host documents no event for scrolling, so a long list measures its place this often. Milliseconds. */
const LOOK_EVERY_MS = 100;
/** The height that is assumed where nothing can be measured. */
const ASSUMED_HEIGHT_PX = 400;

/**
 * Rows one below the other. In a long list only visible rows are in the page: a row's height follows from its entry and
 * the panel's width, so its position is known without drawing it.
 * @param scroller  the element in which the rows scroll, together with everything above them
 */
export function virtualList<Item, Row extends { readonly root: HTMLElement }>(
  { clock, onUnexpectedError }: Pick<ViewContext, 'clock' | 'onUnexpectedError'>,
  scroller: HTMLElement,
  kind: RowKind<Item, Row>,
): VirtualList<Item> {
  const page = rowsInPage(kind);
  let items: readonly Item[] = [];
  let looking = false;
  let size: Size = { width: 0, height: 0, scrolled: 0 };

  function look(): void {
    looking = true;
    clock.startTimer(LOOK_EVERY_MS, () => {
      looking = false;
      if (items.length <= MOST_DRAWN) {
        return;
      }
      look();
      try {
        const before = size;
        size = measured(page.root, scroller);
        if (size.scrolled !== before.scrolled || size.height !== before.height) {
          draw();
        }
      } catch (error) {
        onUnexpectedError(error);
      }
    });
  }

  function draw(): void {
    const isLong = items.length > MOST_DRAWN;
    if (!looking && (isLong || kind.needsWidth())) {
      size = measured(page.root, scroller);
    }
    const height = size.height > 0 ? size.height : ASSUMED_HEIGHT_PX;
    const from = isLong ? size.scrolled - MARGIN_PX : -Infinity;
    const to = isLong ? size.scrolled + height + MARGIN_PX : Infinity;
    page.draw(items, size.width, from, to);
  }

  return {
    root: page.root,
    show(shown) {
      items = shown;
      draw();
      if (items.length > MOST_DRAWN && !looking) {
        look();
      }
    },
    draw,
    clear() {
      page.clear();
      items = [];
    },
  };
}

/** The width of a list, the height of what it scrolls in, and how far it is scrolled. CSS pixels. */
interface Size {
  readonly width: number;
  readonly height: number;
  readonly scrolled: number;
}

/** Measures. Call before or after changes, not in between: each measurement makes the host lay out the whole panel. */
function measured(root: HTMLElement, scroller: HTMLElement): Size {
  // The host's offsets of elements are always 0: only rectangles tell where an element is.
  const scrolled = topOf(scroller) - topOf(root);
  return { width: root.clientWidth, height: scroller.clientHeight, scrolled };
}

/** The rows that are in the page, with empty room in place of the others. */
function rowsInPage<Item, Row extends { readonly root: HTMLElement }>(
  kind: RowKind<Item, Row>,
): {
  readonly root: HTMLElement;
  /** Draws the rows that touch the range from `from` to `to`, in CSS pixels. */
  draw(items: readonly Item[], widthPx: number, from: number, to: number): void;
  clear(): void;
} {
  const above = element('div');
  const rows = box('rows');
  const below = element('div');
  let drawn = new Map<string, Row>();
  let drawnKey = '';
  return {
    root: box('photos', [above, rows, below]),
    draw(items, widthPx, from, to) {
      const heightOf = (item: Item): number => kind.heightOf(item, widthPx);
      const { visible, abovePx, belowPx } = visibleItems(items, heightOf, from, to);
      const next = new Map<string, Row>();
      for (const item of visible) {
        const row = drawn.get(kind.keyOf(item)) ?? kind.make(item);
        next.set(kind.keyOf(item), row);
        kind.update(row, item);
        setAttribute(row.root, 'style', `height: ${heightOf(item)}px`);
      }
      setAttribute(above, 'style', `height: ${abovePx}px`);
      setAttribute(below, 'style', `height: ${belowPx}px`);
      const key = [...next.keys()].join(' ');
      if (key !== drawnKey) {
        arrange(rows, drawn, next);
      }
      drawn = next;
      drawnKey = key;
    },
    clear() {
      replaceChildren(rows, []);
      drawn = new Map();
      drawnKey = '';
    },
  };
}

/** The entries whose rows touch the range from `from` to `to`, and the heights of all rows above and below it. */
function visibleItems<Item>(
  items: readonly Item[],
  heightOf: (item: Item) => number,
  from: number,
  to: number,
): { readonly visible: readonly Item[]; readonly abovePx: number; readonly belowPx: number } {
  const visible: Item[] = [];
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
      visible.push(item);
    }
    top += rowPx;
  }
  return { visible, abovePx, belowPx };
}

/** Brings rows into order. Does not move rows that are in place already, because a moved row loses the focus. */
function arrange<Row extends { readonly root: HTMLElement }>(
  rows: HTMLElement,
  drawn: ReadonlyMap<string, Row>,
  next: ReadonlyMap<string, Row>,
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
