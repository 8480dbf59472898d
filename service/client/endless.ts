import { DeferredPictures } from './deferred-pictures.js';
import { nextFrame } from './frames.js';
import { groupRows, markLastRow, regroupWhenResized } from './row-groups.js';
import { itemsOf, photoList, photosChanged, readPage, whenPhotosChange } from './photo-pages.js';

/** How far below the window the next page is loaded: four windows. */
const AHEAD = '400%';

/** The most pages that are loaded again when the browser comes back to the list. */
const MAX_RESTORED = 40;

/** How many photos are added in one frame. A phone lays out no more in time. */
const PORTION = 15;

/** What a history entry remembers of a list. */
interface Remembered {
  readonly pages: number;
  readonly top: number;
}

/** Loads the next pages of the list while the reader scrolls. */
export class EndlessList {
  private loading: Promise<void> | undefined;
  private list: HTMLUListElement | undefined;
  /** The ids of the photos that the list has shown, and its last heading. */
  private known = new Set<string | undefined>();
  private month: string | undefined;
  /** Whether pages are loaded again that nobody scrolls through. */
  private isRestoring = false;
  /** How many pages the list shows. */
  private pages = 1;
  private readonly pictures = new DeferredPictures();
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
    whenPhotosChange(() => {
      this.watch();
    });
    addEventListener('pagehide', () => {
      // A page on its way may already be in view. A list that is not complete again has nothing new to remember.
      const pages = this.pages + (this.loading === undefined ? 0 : 1);
      const place = this.isRestoring ? remembered() : { pages, top: scrollY };
      // The viewer has its own mark.
      history.replaceState({ ...(history.state as object | null), ...place }, '');
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
    if (list !== undefined) {
      this.follow(list);
    }
    showEnd(list?.dataset['next'] === undefined);
    if (list?.dataset['next'] !== undefined) {
      // An empty list is a search that continues.
      this.observer.observe(list.lastElementChild ?? list);
    }
  }

  /** Prepares for a list that has replaced another one. */
  private follow(list: HTMLUListElement): void {
    if (list !== this.list) {
      this.list = list;
      this.known = new Set(itemsOf(list).map(({ dataset }) => dataset['id']));
      this.month = monthsOf(list).at(-1);
      markLastRow(list);
      regroupWhenResized(list);
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
      const added = await this.append(list, await readPage(address));
      if (list.isConnected) {
        this.pages += 1;
        form?.classList.remove('ended');
        photosChanged(added);
      }
    } catch {
      // The links to the next page appear.
      form?.classList.add('ended');
      showEnd(true);
    }
  }

  /** Adds the photos of the next page to the list, as long as the list is shown, and returns them. */
  private async append(list: HTMLUListElement, page: Document): Promise<HTMLLIElement[]> {
    const next = photoList(page);
    const items = [...(next?.children ?? [])].filter(
      (item): item is HTMLLIElement => item instanceof HTMLLIElement,
    );
    const month = (next && monthsOf(next).at(-1)) ?? this.month;
    const added: HTMLLIElement[] = [];
    for (let from = 0; from === 0 || from < items.length; from += PORTION) {
      // Adding and grouping in one frame moves nothing.
      await this.pause();
      if (!list.isConnected) {
        return added;
      }
      this.follow(list);
      const portion = items.slice(from, from + PORTION).filter((item) => !this.isRepeated(item));
      const photos = portion.filter((item) => 'id' in item.dataset);
      this.pictures.add(list, photos);
      list.append(...portion);
      groupRows(list);
      markLastRow(list);
      added.push(...photos);
      for (const { dataset } of photos) {
        this.known.add(dataset['id']);
      }
    }
    // What is below the list may appear in the frame after the one in which it moved.
    await this.pause();
    this.month = month;
    goOn(list, page);
    return added;
  }

  private async pause(): Promise<void> {
    if (!this.isRestoring) {
      await nextFrame();
    }
  }

  /** Whether a photo, or the heading of its month, is already in the list. */
  private isRepeated({ classList, dataset, textContent }: HTMLLIElement): boolean {
    return classList.contains('month')
      ? textContent.trim() === this.month
      : this.known.has(dataset['id']);
  }

  /** After a way back, as many pages as before, at the same place. */
  private async restore(): Promise<void> {
    const { pages, top } = remembered();
    this.isRestoring = true;
    for (let count = 1; count < Math.min(pages, MAX_RESTORED); count += 1) {
      await this.load();
    }
    this.isRestoring = false;
    if (pages > 1) {
      scrollTo({ top, behavior: 'instant' });
    }
  }
}

/** Where the list goes on after a page, or that it ends there. */
function goOn(list: HTMLUListElement, page: Document): void {
  const address = photoList(page)?.dataset['next'];
  if (address === undefined) {
    delete list.dataset['next'];
  } else {
    list.dataset['next'] = address;
  }
  if (list.querySelector('li[data-id]') !== null) {
    [...(list.closest('form')?.children ?? [])]
      .find((child) => child.classList.contains('empty'))
      ?.remove();
  } else if (address === undefined) {
    // Nothing was found to the end.
    list.closest('form')?.replaceWith(...page.querySelectorAll('main > .empty'));
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

/** The headings of a list. */
function monthsOf(list: HTMLUListElement): string[] {
  return [...list.querySelectorAll('.month')].map(({ textContent }) => textContent.trim());
}
