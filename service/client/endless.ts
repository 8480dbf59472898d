import { groupRows, markLastRow, regroupWhenResized } from './row-groups.js';
import { itemsOf, photoList, photosChanged, PHOTOS_CHANGED, readPage } from './photo-pages.js';

/** How far below the window the next page is loaded: four windows. */
const AHEAD = '400%';

/** The most pages that are loaded again when the browser comes back to the list. */
const MOST_RESTORED = 40;

/** What a history entry remembers of a list. */
interface Remembered {
  readonly pages: number;
  readonly top: number;
}

/** Loads the next pages of the list while the reader scrolls. */
export class EndlessList {
  private loading: Promise<void> | undefined;
  private list: HTMLUListElement | undefined;
  /** How many pages the list shows. */
  private pages = 1;
  private readonly observer: IntersectionObserver;

  constructor() {
    this.observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) {
          void this.load();
        }
      },
      { rootMargin: `0px 0px ${AHEAD} 0px` },
    );
  }

  start(): void {
    void this.restore().then(() => {
      this.watch();
    });
    // Another list, for instance of a search.
    document.addEventListener(PHOTOS_CHANGED, () => {
      this.watch();
    });
    addEventListener('pagehide', () => {
      const remembered: Remembered = { pages: this.pages, top: scrollY };
      // The viewer has its own mark.
      history.replaceState({ ...(history.state as object | null), ...remembered }, '');
    });
  }

  /** The list begins again. */
  reset(): void {
    this.pages = 1;
  }

  /** Observes the last photo. */
  private watch(): void {
    this.observer.disconnect();
    const list = photoList();
    if (list !== undefined && list !== this.list) {
      this.list = list;
      markLastRow(list);
      regroupWhenResized(list);
    }
    showEnd(list?.dataset['next'] === undefined);
    if (list?.dataset['next'] !== undefined) {
      // An empty list is a search that continues.
      this.observer.observe(list.lastElementChild ?? list);
    }
  }

  /** Loads the next page, if there is one. */
  load(): Promise<void> {
    this.loading ??= this.loadNext().finally(() => {
      this.loading = undefined;
    });
    return this.loading;
  }

  private async loadNext(): Promise<void> {
    const list = photoList();
    const address = list?.dataset['next'];
    if (list === undefined || address === undefined) {
      return;
    }
    const form = list.closest('form');
    try {
      const page = await readPage(address);
      if (list.isConnected) {
        append(list, page);
        groupRows(list);
        markLastRow(list);
        this.pages += 1;
        form?.classList.remove('ended');
        photosChanged();
      }
    } catch {
      // The links to the next page appear.
      form?.classList.add('ended');
      showEnd(true);
    }
  }

  /** After a way back, as many pages as before, at the same place. */
  private async restore(): Promise<void> {
    const { pages, top } = remembered();
    for (let count = 1; count < Math.min(pages, MOST_RESTORED); count += 1) {
      await this.load();
    }
    if (pages > 1) {
      scrollTo({ top, behavior: 'instant' });
    }
  }
}

/** What is below the list stays invisible until the last page: a reader who is faster than the pages would see it move. */
function showEnd(isEnd: boolean): void {
  document.documentElement.classList.toggle('goes-on', !isEnd);
}

function remembered(): Remembered {
  const state: unknown = history.state;
  if (typeof state === 'object' && state !== null && 'pages' in state && 'top' in state) {
    return { pages: Number(state.pages), top: Number(state.top) };
  }
  return { pages: 1, top: 0 };
}

/** Adds the photos of the next page to a list. */
function append(list: HTMLUListElement, page: Document): void {
  const added = photoList(page);
  const known = new Set(itemsOf(list).map(({ dataset }) => dataset['id']));
  const lastMonth = [...list.querySelectorAll('.month')].at(-1)?.textContent.trim();
  const items = [...(added?.children ?? [])].filter((item) => {
    const isRepeatedMonth =
      item.classList.contains('month') && item.textContent.trim() === lastMonth;
    return !isRepeatedMonth && !known.has((item as HTMLElement).dataset['id']);
  });
  list.append(...items);
  const next = added?.dataset['next'];
  if (next === undefined) {
    delete list.dataset['next'];
  } else {
    list.dataset['next'] = next;
  }
  if (itemsOf(list).length > 0) {
    document.querySelector('.several > .empty')?.remove();
  } else if (next === undefined) {
    // Nothing was found to the end.
    list.closest('form')?.replaceWith(...page.querySelectorAll('main > .empty'));
  }
}
