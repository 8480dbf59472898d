import { block, element, replaceChildren, setAttribute, topOf } from '../dom.js';
import type { ViewContext } from '../view.js';

/** What a list of rows knows of its entries. */
export interface RowKind<Item, Row extends { readonly root: HTMLElement }> {
  keyOf(item: Item): string;
  /** CSS pixels; follows from the entry and the width alone. @param widthPx  0 where nothing can be measured */
  heightOf(item: Item, widthPx: number): number;
  make(item: Item): Row;
  update(row: Row, item: Item): void;
  /** Whether a height depends on the width just now. */
  needsWidth(): boolean;
}

export interface RowWindow<Item> {
  readonly root: HTMLElement;
  show(items: readonly Item[]): void;
  /** Draws the same entries again: something else about them has changed. */
  draw(): void;
  /** Takes all rows out of the page. */
  clear(): void;
}

/** Up to this many rows all are drawn; of a longer list those in sight. */
const MOST_DRAWN = 60;
/** Rows this far out of sight are drawn too. CSS pixels. */
const MARGIN_PX = 600;
/** The host documents no event for scrolling, so a long list looks where it stands this often. Milliseconds. */
const LOOK_EVERY_MS = 100;
/** Where nothing can be measured. */
const ASSUMED_HEIGHT_PX = 400;

/**
 * Rows one below the other. However many they are, only those in sight are in the page: a row's height follows from its
 * entry alone, so the place of each is known without drawing it.
 * @param scroller  what the rows scroll in, together with what stands above them
 */
// oxlint-disable-next-line max-lines-per-function -- one state, which all of it shares
export function rowWindow<Item, Row extends { readonly root: HTMLElement }>(
  { clock, onFault }: Pick<ViewContext, 'clock' | 'onFault'>,
  scroller: HTMLElement,
  kind: RowKind<Item, Row>,
): RowWindow<Item> {
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
      } catch (fault) {
        onFault(fault);
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

/** How large a list and what it scrolls in are, and how far it is scrolled. CSS pixels. */
interface Size {
  readonly width: number;
  readonly height: number;
  readonly scrolled: number;
}

/** Measure before or after changes, not in between: each measurement makes the host lay the whole panel out at once. */
function measured(root: HTMLElement, scroller: HTMLElement): Size {
  // The host's offsets of elements are always 0: only rectangles tell where one stands.
  const scrolled = topOf(scroller) - topOf(root);
  return { width: root.clientWidth, height: scroller.clientHeight, scrolled };
}

/** The rows that are in the page, and in the place of the others the room that these would take. */
function rowsInPage<Item, Row extends { readonly root: HTMLElement }>(
  kind: RowKind<Item, Row>,
): {
  readonly root: HTMLElement;
  /** Draws the rows that touch the range from `from` to `to`, in CSS pixels. */
  draw(items: readonly Item[], widthPx: number, from: number, to: number): void;
  clear(): void;
} {
  const above = element('div');
  const rows = block('rows');
  const below = element('div');
  let drawn = new Map<string, Row>();
  let drawnKey = '';
  return {
    root: block('photos', [above, rows, below]),
    draw(items, widthPx, from, to) {
      const heightOf = (item: Item): number => kind.heightOf(item, widthPx);
      const { inSight, abovePx, belowPx } = findInSight(items, heightOf, from, to);
      const next = new Map<string, Row>();
      for (const item of inSight) {
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

/** The entries whose rows touch the range from `from` to `to`, and how high all rows above and below it are. */
function findInSight<Item>(
  items: readonly Item[],
  heightOf: (item: Item) => number,
  from: number,
  to: number,
): { readonly inSight: readonly Item[]; readonly abovePx: number; readonly belowPx: number } {
  const inSight: Item[] = [];
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
