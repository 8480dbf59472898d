import { itemsOf, photoList, photosChanged, readPage } from './photo-pages.js';

/** The first and the longest pause between two looks for new pictures, in milliseconds. */
const FIRST_PAUSE_MS = 2000;
const MAX_PAUSE_MS = 30_000;

/** After so many looks without a new picture, no more are made. */
const MAX_LOOKS = 20;

/** How often the top of the list is compared, in milliseconds. */
const NEWS_PAUSE_MS = 60_000;

/** Shows pictures that were being made when the page was read, and reports new photos. */
export class Arrivals {
  private looks = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether pictures of the list are still being made. */
  private isWaiting = false;

  start(): void {
    this.changed();
    document.addEventListener('visibilitychange', () => {
      this.plan();
    });
  }

  /** @param added the photos that were added to the end of the list, if nothing else has changed */
  changed(added?: readonly HTMLLIElement[]): void {
    // A long list is not searched again for each page.
    this.isWaiting =
      added === undefined
        ? document.querySelector('.photos [data-waiting]') !== null
        : this.isWaiting || added.some(({ dataset }) => dataset['waiting'] !== undefined);
    this.plan();
  }

  /** Looks again soon; not while nobody sees the page. */
  private plan(): void {
    clearTimeout(this.timer);
    if (document.visibilityState !== 'visible' || photoList() === undefined) {
      return;
    }
    const pause =
      this.isWaiting && this.looks < MAX_LOOKS
        ? Math.min(FIRST_PAUSE_MS * 1.5 ** this.looks, MAX_PAUSE_MS)
        : NEWS_PAUSE_MS;
    this.timer = setTimeout(() => {
      void this.look().finally(() => {
        this.plan();
      });
    }, pause);
  }

  /** Reads the page again. */
  private async look(): Promise<void> {
    const list = photoList();
    if (list === undefined) {
      return;
    }
    this.looks += 1;
    const page = await readPage(location.pathname + location.search).catch(() => undefined);
    const fresh = page && photoList(page);
    if (fresh === undefined) {
      return;
    }
    const shown = new Map(itemsOf(list).map((item) => [item.dataset['id'], item]));
    let hasArrived = false;
    for (const item of itemsOf(fresh)) {
      const old = shown.get(item.dataset['id']);
      if (old?.dataset['waiting'] !== undefined && item.dataset['waiting'] === undefined) {
        hasArrived = true;
        showPicture(old, item);
      }
    }
    showNews(
      list,
      itemsOf(fresh).some(({ dataset }) => !shown.has(dataset['id'])),
    );
    if (hasArrived) {
      this.looks = 0;
      photosChanged();
    }
  }
}

/** Gives an item its picture. Its place keeps its shape, so that no other photo moves. */
function showPicture(old: HTMLElement, item: HTMLElement): void {
  const picture = item.querySelector('.picture');
  if (picture !== null) {
    old.querySelector('.picture')?.replaceWith(picture);
  }
  for (const name of ['width', 'height', 'preview']) {
    old.dataset[name] = item.dataset[name] ?? '';
  }
  delete old.dataset['waiting'];
  old.classList.add('arrived');
}

function showNews(list: HTMLElement, hasNews: boolean): void {
  const template = document.querySelector<HTMLTemplateElement>('template.news-template');
  if (!hasNews || template === null || document.querySelector('.news') !== null) {
    return;
  }
  const news = template.content.cloneNode(true);
  list.before(news);
  document.querySelector('.news button')?.addEventListener('click', () => {
    location.reload();
  });
}
