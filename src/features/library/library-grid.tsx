import type { VNode } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  Control,
  edgesOf,
  FileName,
  Icon,
  VisuallyHidden,
  type KeyPress,
} from '../../ui/controls.js';
import { lengthText } from '../../ui/file-length.js';
import { useLook } from '../../ui/window.js';
import {
  bottomOf,
  CAPTION_PX,
  GAP_PX,
  justifiedRows,
  type Tile,
  type TileRow,
} from './justified-rows.js';
import type { LibraryFile } from './library-file.js';
import type { Context, Props } from './panel.js';
import { ShapedPicture } from './shaped-picture.js';

/** What is assumed where nothing can be measured. CSS pixels. */
const ASSUMED = { width: 206, height: 400 };
/** Rows in the page beyond either edge of the visible area. */
const MARGIN_ROWS = 1;
/** Two presses within this time are a double click. Milliseconds. */
const DOUBLE_CLICK_MS = 500;
/** The next page is loaded when fewer screens than this are left. */
const SCREENS_LEFT = 2;

/** Files as tiles. Only rows in view are in the page. */
export function LibraryGrid({
  context,
  state,
  scroller,
  chosen,
  choose,
  showDetails,
  place,
}: Props & {
  /** The element in which the tiles scroll. */
  readonly scroller: () => HTMLElement | null;
  /** The id of the chosen file; null when none is. */
  readonly chosen: string | null;
  readonly choose: (file: LibraryFile) => void;
  readonly showDetails: (file: LibraryFile) => void;
  /** What a double click does. */
  readonly place: (file: LibraryFile) => void;
}): VNode {
  const { files, hasMore, isLoading, error } = state.library;
  const root = useRef<HTMLElement | null>(null);
  const wantsFocus = useRef(false);
  /** When a tile was last pressed. Hosts document no event for a double click. */
  const pressedAt = useRef(Number.NEGATIVE_INFINITY);
  const [width, setWidth] = useState(ASSUMED.width);
  const [from, setFrom] = useState(0);
  const [to, setTo] = useState(0);
  const rows = useMemo(() => justifiedRows(files, width), [files, width]);

  const look = (): void => {
    const list = root.current;
    const area = scroller();
    if (!list || !area) {
      return;
    }
    const height = area.clientHeight || ASSUMED.height;
    const hidden = edgesOf(area).top - edgesOf(list).top;
    setWidth(list.clientWidth || ASSUMED.width);
    setFrom(rowAt(rows, hidden) - MARGIN_ROWS);
    setTo(rowAt(rows, hidden + height) + MARGIN_ROWS);
    const last = rows[rows.length - 1];
    const isNearEnd = !last || bottomOf(last) < hidden + height * (1 + SCREENS_LEFT);
    if (isNearEnd && hasMore && !isLoading && !error) {
      context.actions.loadMoreFiles();
    }
  };
  useLook(context.clock, look, true);

  const at = chosen === null ? -1 : files.findIndex(({ id }) => id === chosen);
  useLayoutEffect(() => {
    const row = rows.find(({ tiles }) => tiles.some(({ index }) => index === at));
    const [list, area] = [root.current, scroller()];
    if (row && list && area) {
      const top = edgesOf(list).top - edgesOf(area).top + area.scrollTop + row.top;
      if (top < area.scrollTop) {
        area.scrollTop = top;
      } else if (top + row.height + CAPTION_PX > area.scrollTop + area.clientHeight) {
        area.scrollTop = top + row.height + CAPTION_PX - area.clientHeight;
      }
      look();
    }
  }, [chosen, width]);
  useLayoutEffect(() => {
    const tile = wantsFocus.current ? root.current?.querySelector('.tile.chosen') : null;
    if (tile) {
      wantsFocus.current = false;
      (tile as HTMLElement).focus();
    }
  });

  const press = (file: LibraryFile): void => {
    const now = context.clock.now();
    const isSecond = now - pressedAt.current < DOUBLE_CLICK_MS;
    pressedAt.current = now;
    if (file.id !== chosen) {
      choose(file);
    } else if (isSecond && state.placing.canPlace) {
      place(file);
    } else {
      showDetails(file);
    }
  };
  const move = (event: KeyPress): void => {
    const area = scroller();
    const screen = area && area.clientHeight > 0 ? area.clientHeight : ASSUMED.height;
    const target = targetOf(event.key, rows, Math.max(0, at), files.length, screen);
    const file = target === null ? undefined : files[at < 0 ? 0 : target];
    if (file) {
      event.preventDefault();
      wantsFocus.current = true;
      choose(file);
    }
  };
  const first = Math.max(0, Math.min(from, rows.length - 1));
  const shown = rows.slice(first, Math.max(first, to) + 1);
  const [top, last] = [shown[0], shown[shown.length - 1]];
  const end = rows[rows.length - 1];
  return (
    <div
      class="library-list"
      ref={(element: unknown) => {
        root.current = element as HTMLElement | null;
      }}
      onKeyDown={move}
    >
      <div style={{ height: `${top?.top ?? 0}px` }} />
      {shown.map((row) => (
        <div
          key={row.tiles[0]?.file.id}
          class="tile-row"
          style={{ height: `${row.height + CAPTION_PX}px` }}
        >
          {row.tiles.map((tile, place) => (
            <FileTile
              key={tile.file.id}
              {...{ context, tile }}
              height={row.height}
              isLast={place === row.tiles.length - 1}
              isChosen={tile.file.id === chosen}
              press={() => {
                press(tile.file);
              }}
            />
          ))}
        </div>
      ))}
      <div style={{ height: `${last && end ? bottomOf(end) - bottomOf(last) : 0}px` }} />
    </div>
  );
}

function FileTile({
  context,
  tile: { file, width },
  height,
  isLast,
  isChosen,
  press,
}: {
  readonly context: Context;
  readonly tile: Tile;
  readonly height: number;
  readonly isLast: boolean;
  readonly isChosen: boolean;
  readonly press: () => void;
}): VNode {
  const { strings, on } = context;
  const { name, length, version, approval } = file;
  return (
    <Control
      class={isChosen ? 'tile chosen' : 'tile'}
      on={on}
      press={press}
      style={{ width: `${width}px`, marginRight: isLast ? '0px' : `${GAP_PX}px` }}
    >
      <div class="tile-picture" style={{ width: `${width}px`, height: `${height}px` }}>
        <ShapedPicture {...{ context, file }} frame={{ width, height }} />
        {length && <div class="tile-mark length">{lengthMark(strings, length)}</div>}
        {version !== null && version > 1 && <div class="tile-mark version">{`v${version}`}</div>}
        {approval && (
          <div class={approval.isCurrent ? 'tile-approved' : 'tile-approved past'}>
            <Icon name="done" />
            <VisuallyHidden
              text={strings.fill('approvedVersion', { version: String(approval.version) })}
            />
          </div>
        )}
        <div class="tile-frame">{isChosen && <VisuallyHidden text={strings.selected} />}</div>
      </div>
      <FileName name={name} class="tile-name" />
    </Control>
  );
}

/** The pages as a number alone, a duration as it is. */
function lengthMark(
  strings: Context['strings'],
  length: NonNullable<LibraryFile['length']>,
): string {
  return length.kind === 'pages' ? strings.number(length.pages) : lengthText(strings, length);
}

/** The row at a distance from the top, or the nearest. */
function rowAt(rows: readonly TileRow[], y: number): number {
  let [low, high] = [0, rows.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = rows[middle];
    if (row && bottomOf(row) <= y) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** The place in the list to which a key leads; null for other keys. @param screen  height of the visible area */
function targetOf(
  key: string,
  rows: readonly TileRow[],
  at: number,
  count: number,
  screen: number,
): number | null {
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, at - 1);
    case 'ArrowRight':
      return Math.min(count - 1, at + 1);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    case 'ArrowUp':
      return besides(rows, at, (row) => row - 1);
    case 'ArrowDown':
      return besides(rows, at, (row) => row + 1);
    case 'PageUp':
      return besides(rows, at, (row, top) => Math.min(row - 1, rowAt(rows, top - screen)));
    case 'PageDown':
      return besides(rows, at, (row, top) => Math.max(row + 1, rowAt(rows, top + screen)));
    default:
      return null;
  }
}

/** The tile of another row that is nearest to this one. */
function besides(
  rows: readonly TileRow[],
  at: number,
  rowOf: (row: number, top: number) => number,
): number {
  const from = rows.findIndex(({ tiles }) => tiles.some(({ index }) => index === at));
  const to = rows[Math.max(0, Math.min(rows.length - 1, rowOf(from, rows[from]?.top ?? 0)))];
  const middle = middles(rows[from]).find(({ index }) => index === at)?.x ?? 0;
  const [nearest] = middles(to).sort(
    (one, other) => Math.abs(one.x - middle) - Math.abs(other.x - middle),
  );
  return nearest?.index ?? at;
}

function middles(row: TileRow | undefined): { readonly index: number; readonly x: number }[] {
  let left = 0;
  return (row?.tiles ?? []).map(({ index, width }) => {
    const x = left + width / 2;
    left += width + GAP_PX;
    return { index, x };
  });
}
