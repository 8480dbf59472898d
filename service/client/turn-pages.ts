import { ANSWERED, drawn } from './answers.js';

/**
 * Turns the pages of a document in place: by its strip, its arrows, and the arrow keys, which go on to the next photo behind the last
 * page. Without this script each page is a link. The strip is made by `page-strip.ts`.
 */
export function turnPages(): void {
  const strip = document.querySelector<HTMLElement>('nav.pages');
  const place = document.querySelector<HTMLElement>(':is(.frame, .large)[data-page]');
  const image = place?.querySelector<HTMLImageElement>(':is(.picture, figure) img');
  if (strip === null || place === null || !image) {
    return;
  }
  const pages = new Pages(strip, place, image);
  document.addEventListener('keydown', (event) => {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (direction !== undefined && !isBusy(event) && pages.turn(direction)) {
      event.preventDefault();
    }
  });
  strip.addEventListener('click', (event) => {
    const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event;
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a') : null;
    if (link === null || button !== 0 || ctrlKey || metaKey || shiftKey || altKey) {
      return;
    }
    event.preventDefault();
    const { turn } = link.dataset;
    if (turn === undefined) {
      pages.show(Number(link.dataset['page']));
    } else {
      pages.turn(turn === 'next' ? 1 : -1);
    }
  });
  pages.center('instant');
  document.addEventListener(ANSWERED, () => {
    pages.showComments();
  });
}

/** How many pages behind and before the current one are loaded and decoded ahead. Most readers go forward. */
const AHEAD = [1, 2, -1] as const;

/** The longer side of a page, in pixels. A tile that is there while a page is made has another size. */
const PAGE_SIDE = 2048;

/** A picture of a page that is loaded or being loaded. */
interface PagePicture {
  readonly image: HTMLImageElement;
  /** Resolves to whether it is a picture of the page, and not a tile. */
  readonly decoded: Promise<boolean>;
  isDecoded: boolean;
}

class Pages {
  /** By page. Only those near the current one are kept: one takes 12 MB of memory. */
  private readonly pictures = new Map<number, PagePicture>();
  private readonly links: readonly HTMLAnchorElement[];
  private readonly status: HTMLElement | null;
  private current: number;

  constructor(
    private readonly strip: HTMLElement,
    private readonly place: HTMLElement,
    private readonly image: HTMLImageElement,
  ) {
    this.links = [...strip.querySelectorAll<HTMLAnchorElement>('a[data-page]')];
    this.status = strip.querySelector<HTMLElement>('[role="status"]');
    this.current = Number(place.dataset['page']) || 1;
    void this.preload();
  }

  /** Shows the next page, or the one before. @returns whether there is one */
  turn(direction: number): boolean {
    return this.show(this.current + direction);
  }

  /** Shows a page, from 1. @returns whether there is one */
  show(page: number): boolean {
    const link = this.links[page - 1];
    if (link === undefined) {
      return false;
    }
    this.current = page;
    for (const one of this.links) {
      one.removeAttribute('aria-current');
    }
    link.setAttribute('aria-current', 'page');
    this.place.dataset['page'] = String(page);
    if (this.status !== null) {
      const text = this.status.dataset['text'] ?? '';
      this.status.textContent = text.replace('{number}', String(page));
    }
    for (const turn of this.strip.querySelectorAll<HTMLAnchorElement>('a[data-turn]')) {
      const target = this.links[page - 1 + (turn.dataset['turn'] === 'next' ? 1 : -1)];
      turn.hidden = target === undefined;
      turn.href = target?.href ?? '';
    }
    history.replaceState(history.state, '', link.href);
    this.center('smooth');
    void this.load(page, link);
    return true;
  }

  /** Shows how many comments the pages have, after a new one. */
  showComments(): void {
    const [marks] = drawn(document, '.page-marks');
    if (!(marks instanceof HTMLElement)) {
      return;
    }
    for (const link of this.links) {
      const page = link.dataset['page'] ?? '';
      const mark = marks.querySelector<HTMLElement>(`[data-page="${page}"]`);
      for (const name of ['title', 'data-comments']) {
        const value = mark?.getAttribute(name);
        if (typeof value === 'string') {
          link.setAttribute(name, value);
        } else {
          link.removeAttribute(name);
        }
      }
    }
  }

  /** Brings the current page to the middle of the strip. */
  center(behavior: ScrollBehavior): void {
    const link = this.links[this.current - 1];
    const list = link?.closest('ol');
    if (link === undefined || !list) {
      return;
    }
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const left = link.offsetLeft + link.offsetWidth / 2 - list.clientWidth / 2;
    list.scrollTo({ left, behavior: isStill ? 'instant' : behavior });
  }

  /** The picture before stays until the new one is there. One that is decoded is shown at once. */
  private async load(page: number, link: HTMLAnchorElement): Promise<void> {
    const { image } = this;
    const picture = this.picture(page);
    if (picture === undefined) {
      return;
    }
    if (!picture.isDecoded) {
      image.classList.add('turning');
      if (!(await picture.decoded)) {
        // Another turn to this page loads it again.
        this.pictures.delete(page);
      }
      if (this.current !== page) {
        return;
      }
    }
    image.classList.remove('turning');
    image.removeAttribute('srcset');
    image.removeAttribute('sizes');
    image.width = picture.image.naturalWidth;
    image.height = picture.image.naturalHeight;
    // Otherwise the browser may paint an empty page first.
    image.decoding = 'sync';
    image.src = picture.image.src;
    image.alt = `${document.querySelector('h1')?.textContent.trim() ?? ''}, ${link.ariaLabel ?? ''}`;
    this.place.querySelector('a.picture')?.setAttribute('href', picture.image.src);
    void this.preload();
  }

  /** Loads and decodes the pages near the current one, the next one first, until the reader turns again. */
  private async preload(): Promise<void> {
    const { current } = this;
    const near = AHEAD.map((step) => current + step);
    for (const page of this.pictures.keys()) {
      if (page !== current && !near.includes(page)) {
        this.pictures.delete(page);
      }
    }
    for (const page of near) {
      if (this.current !== current) {
        return;
      }
      await this.picture(page)?.decoded;
    }
  }

  /** The picture of a page; undefined where there is no such page. */
  private picture(page: number): PagePicture | undefined {
    const preview = this.links[page - 1]?.dataset['preview'];
    const known = this.pictures.get(page);
    if (preview === undefined || known !== undefined) {
      return known;
    }
    const image = new Image();
    image.src = preview;
    const picture: PagePicture = {
      image,
      isDecoded: false,
      decoded: image.decode().then(
        () => {
          picture.isDecoded = Math.max(image.naturalWidth, image.naturalHeight) === PAGE_SIDE;
          return picture.isDecoded;
        },
        () => false,
      ),
    };
    this.pictures.set(page, picture);
    return picture;
  }
}

function isBusy({
  target,
  altKey,
  ctrlKey,
  metaKey,
  shiftKey,
  defaultPrevented,
}: KeyboardEvent): boolean {
  const isTyping = target instanceof Element && target.closest('input, select, textarea') !== null;
  const isOpen = document.querySelector('.pswp') !== null;
  return isTyping || isOpen || defaultPrevented || altKey || ctrlKey || metaKey || shiftKey;
}
