import { nextFrame } from './frames.js';

/** How many photos a group has at least. */
const GROUP_SIZE = 60;

/** How many photos at the end of the list stay outside: the rows there may still change. */
const LOOSE = 40;

/**
 * Keeps long lists fast: puts whole rows of photos into groups, whose layout and painting the browser skips while they are
 * far from the window. The rows stay where they are.
 */
export function groupRows(list: HTMLUListElement): void {
  const loose = [...fromTheEnd(list)].reverse();
  if (loose.length < GROUP_SIZE + LOOSE) {
    return;
  }
  const tops = loose.map((item) => topOf(item));
  const end = loose.length - LOOSE;
  let from = 0;
  for (let index = GROUP_SIZE; index <= end; index += 1) {
    const [top = 0, before = 0] = [tops[index], tops[index - 1]];
    if (index - from >= GROUP_SIZE && top > before) {
      makeGroup(list, loose.slice(from, index), top - (tops[from] ?? 0));
      from = index;
    }
  }
}

/** Groups the rows of a list again after its width has changed. */
export function regroupWhenResized(list: HTMLUListElement): void {
  let width = list.clientWidth;
  new ResizeObserver(() => {
    if (list.clientWidth === width || !list.isConnected) {
      return;
    }
    width = list.clientWidth;
    for (const group of list.querySelectorAll(':scope > .group')) {
      group.replaceWith(...(group.firstElementChild?.children ?? []));
    }
    groupRows(list);
    markLastRow(list);
  }).observe(list);
}

/**
 * Marks the photos of the last row, which change their sizes when the next page is added. They are invisible until then, and
 * for the frame in which they move.
 */
export function markLastRow(list: HTMLUListElement): void {
  for (const item of lastRow(list)) {
    item.classList.add('last-row');
  }
  void nextFrame().then(() => {
    const row = new Set(lastRow(list));
    for (const item of fromTheEnd(list)) {
      item.classList.toggle('last-row', row.has(item));
    }
  });
}

/** The photos of the last row; none below a heading. */
function lastRow(list: HTMLUListElement): HTMLElement[] {
  const row: HTMLElement[] = [];
  for (const item of fromTheEnd(list)) {
    if (!('id' in item.dataset) || item.offsetTop !== (row[0] ?? item).offsetTop) {
      break;
    }
    row.push(item);
  }
  return row;
}

/** What is in no group, the last one first. All of a long list would be searched in each frame otherwise. */
function* fromTheEnd(list: HTMLUListElement): Generator<HTMLElement> {
  let item = list.lastElementChild;
  while (item instanceof HTMLElement && !item.classList.contains('group')) {
    yield item;
    item = item.previousElementSibling;
  }
}

/** @param height with the gap to the next row */
function makeGroup(list: HTMLUListElement, items: readonly Element[], height: number): void {
  const next = items.at(-1)?.nextElementSibling ?? null;
  const group = document.createElement('li');
  group.className = next?.classList.contains('month') === true ? 'group ends' : 'group';
  const rows = document.createElement('ul');
  const gap = Number.parseFloat(getComputedStyle(list).rowGap);
  rows.append(...items);
  group.append(rows);
  group.style.setProperty('contain-intrinsic-block-size', `auto ${height - gap}px`);
  list.insertBefore(group, next);
}

/** Where a photo or a heading begins. */
function topOf(item: Element): number {
  // A heading and its place in the list are one, see gallery.css.
  const box = item.classList.contains('month') ? item.firstElementChild : item;
  const { top } = (box ?? item).getBoundingClientRect();
  return box === item || box === null
    ? top
    : top - Number.parseFloat(getComputedStyle(box).marginTop);
}
