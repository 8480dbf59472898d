import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Clock } from '../util/clock.js';
import { edgesOf } from './controls.js';

/** Up to this many rows are all drawn; of a longer list only those in view are. */
const MAX_DRAWN = 60;
/** Rows drawn beyond either edge of the visible area. */
const MARGIN_ROWS = 12;
/** The host documents no event for scrolling, so a long list measures its place this often. Milliseconds. */
const LOOK_EVERY_MS = 100;
/** The height that is assumed where nothing can be measured. */
const ASSUMED_HEIGHT_PX = 400;

export interface WindowProps<Item> {
  readonly clock: Clock;
  readonly items: readonly Item[];
  /** Height of each row in CSS pixels, as the style sheet sets it. */
  readonly rowPx: number;
  /** The element in which the rows scroll, together with everything above them. */
  readonly scroller: () => HTMLElement | null;
  /** Draws a row, with a key. */
  readonly row: (item: Item) => VNode;
  /** The place to which the list is scrolled when it changes; null for none. */
  readonly showIndex?: number | null;
}

/** Rows of one height, one below the other. Of a long list, only rows in view are in the page. */
export function WindowedRows<Item>({
  clock,
  items,
  rowPx,
  scroller,
  row,
  showIndex = null,
}: WindowProps<Item>): VNode {
  const root = useRef<HTMLElement | null>(null);
  const [from, setFrom] = useState(0);
  const [visible, setVisible] = useState(Math.ceil(ASSUMED_HEIGHT_PX / rowPx));
  const isLong = items.length > MAX_DRAWN;

  useLook(
    clock,
    () => {
      const list = root.current;
      const area = scroller();
      if (!isLong) {
        setFrom(0);
      } else if (list && area) {
        const hidden = Math.floor((edgesOf(area).top - edgesOf(list).top) / rowPx);
        setFrom(Math.max(0, hidden));
        setVisible(Math.ceil((area.clientHeight || ASSUMED_HEIGHT_PX) / rowPx) + 1);
      }
    },
    isLong,
  );

  useLayoutEffect(() => {
    const list = root.current;
    const area = scroller();
    if (showIndex === null || !list || !area) {
      return;
    }
    const top = edgesOf(list).top - edgesOf(area).top + area.scrollTop + showIndex * rowPx;
    if (top < area.scrollTop || top + rowPx > area.scrollTop + area.clientHeight) {
      area.scrollTop = Math.max(0, top - rowPx);
    }
  }, [showIndex]);

  const first = isLong ? Math.max(0, Math.min(from - MARGIN_ROWS, items.length - 1)) : 0;
  const last = isLong ? Math.min(items.length, from + visible + MARGIN_ROWS) : items.length;
  return (
    <div
      class="photos"
      ref={(element: unknown) => {
        root.current = element as HTMLElement | null;
      }}
    >
      <div style={{ height: `${first * rowPx}px` }} />
      <div class="rows">{items.slice(first, last).map(row)}</div>
      <div style={{ height: `${(items.length - last) * rowPx}px` }} />
    </div>
  );
}

/**
 * Calls `look` after the first drawing and after each change of `isRepeated`, and regularly while that is true: hosts have no
 * event for scrolling or for another size.
 */
export function useLook(clock: Clock, look: () => void, isRepeated: boolean): void {
  const newest = useRef(look);
  newest.current = look;
  useLayoutEffect(() => {
    let stop = (): void => undefined;
    const repeat = (): void => {
      newest.current();
      if (isRepeated) {
        stop = clock.startTimer(LOOK_EVERY_MS, repeat);
      }
    };
    repeat();
    return () => {
      stop();
    };
  }, [isRepeated]);
}
