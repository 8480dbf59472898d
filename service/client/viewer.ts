import type PhotoSwipe from 'photoswipe';
import type { Padding, Point, SlideData } from 'photoswipe';
import { pictureOf } from './deferred-pictures.js';
import { FilmStrip, hasStrip, STRIP_HEIGHT } from './film-strip.js';
import { itemsOf, PHOTOS_CHANGED } from './photo-pages.js';
import { filmOf, showFilms } from './viewer-film.js';

/** What the viewer shows at the moment. */
export interface Shown {
  readonly item: HTMLLIElement;
  /** The page of a document, from 1. */
  readonly page: number;
  /** The place for further buttons. */
  readonly buttons: HTMLElement;
  readonly pswp: PhotoSwipe;
}

interface ViewerOptions {
  /** Loads the next page of the list, if it has one. */
  readonly loadNext?: () => Promise<void>;
  /** Called for each photo that the viewer shows, and when its picture has arrived. */
  readonly show?: (shown: Shown) => void;
}

/** So many photos before the end of the list, the next page is loaded. */
const AHEAD = 20;

/** The most pages that are loaded to find the photo that an address names. */
const MAX_SEARCHED = 20;

/** The longest side of a preview, in pixels. */
const PREVIEW_SIDE = 2048;

/** Browsers limit how often the address may change. */
const ADDRESS_PAUSE_MS = 250;

/**
 * Shows the photos of a list large. Its place is in the address as `#photo=ID`, so that Back closes it and a reload opens
 * it again. The page holds its words in a template, see `viewer-template.ts`.
 */
export class Viewer {
  private pswp: PhotoSwipe | undefined;
  private isOpening = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: ViewerOptions = {}) {}

  start(): void {
    document.addEventListener('click', (event) => {
      const item = pictureAt(event);
      if (item !== undefined && template() !== undefined) {
        event.preventDefault();
        void this.open(item);
      }
    });
    addEventListener('popstate', () => void this.followAddress());
    void this.followAddress();
  }

  /** Opens the viewer with a photo of a list. */
  async open(item: HTMLLIElement): Promise<void> {
    if (this.pswp !== undefined || this.isOpening) {
      return;
    }
    // A way back must not move the list: the reader may have gone on to photos further down.
    history.scrollRestoration = 'manual';
    history.pushState({ ...stateObject(), isViewer: true }, '', addressOf(item));
    await this.show(item);
  }

  private async followAddress(): Promise<void> {
    const id = photoInAddress();
    if (id === undefined) {
      history.scrollRestoration = 'auto';
      this.pswp?.close();
      return;
    }
    if (this.pswp !== undefined || this.isOpening || template() === undefined) {
      return;
    }
    const item = await this.find(id);
    if (item !== undefined && photoInAddress() === id) {
      await this.show(item);
    } else if (item === undefined) {
      leaveAddress();
    }
  }

  /** The photo may be further down than the pages that are loaded. */
  private async find(id: string): Promise<HTMLLIElement | undefined> {
    for (let pages = 0; pages <= MAX_SEARCHED; pages += 1) {
      const found = itemsOf(document).find(({ dataset }) => dataset['id'] === id);
      const list = document.querySelector<HTMLElement>('ul.photos[data-next]');
      const { loadNext } = this.options;
      if (found !== undefined || list === null || loadNext === undefined) {
        return found;
      }
      const before = list.dataset['next'];
      await loadNext();
      if (list.dataset['next'] === before) {
        break;
      }
    }
    return undefined;
  }

  private async show(item: HTMLLIElement): Promise<void> {
    const list = item.closest<HTMLElement>('ul.photos');
    const content = template()?.content.cloneNode(true);
    if (list === null || !(content instanceof DocumentFragment)) {
      return;
    }
    this.isOpening = true;
    const early = keysPressed();
    try {
      const { default: Swipe } = await import('./swipe.js');
      const words = template()?.dataset ?? {};
      const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
      const slides = slidesOf(list);
      const pswp = new Swipe({
        index: slides.findIndex((one) => one.item === item && one.page === pageShown(item)),
        mainClass: 'viewer',
        bgOpacity: 1,
        loop: false,
        zoom: false,
        close: false,
        counter: false,
        returnFocus: false,
        // With a place of the pointer, PhotoSwipe leaves the focus on the page.
        initialPointerPos: null,
        initialZoomLevel: 'fit',
        secondaryZoomLevel: 1,
        maxZoomLevel: 4,
        paddingFn: (size) => paddingIn(size, slides.length > 1),
        arrowPrevTitle: words['previous'] ?? '',
        arrowNextTitle: words['next'] ?? '',
        errorMsg: words['problem'] ?? '',
        ...(isStill && { showHideAnimationType: 'none', zoomAnimationDuration: false }),
      });
      this.pswp = pswp;
      this.connect(pswp, list, content);
      pswp.on('initialZoomInEnd', () => {
        this.catchUp(pswp, early.end());
      });
      pswp.init();
    } catch {
      early.end();
      // The page of the photo shows it, too.
      location.assign(item.querySelector<HTMLAnchorElement>('a.picture')?.href ?? location.href);
    } finally {
      this.isOpening = false;
    }
  }

  /** Connects PhotoSwipe with the list and with the bar. */
  private connect(pswp: PhotoSwipe, list: HTMLElement, content: DocumentFragment): void {
    let slides = slidesOf(list);
    const shapes = new Map<string, Size>();
    pswp.addFilter('numItems', () => slides.length);
    pswp.addFilter('itemData', (_data, index) => dataOf(slides[index], shapes));
    pswp.addFilter('placeholderSrc', (_source, { data }) => data.msrc ?? false);
    pswp.addFilter('thumbEl', (_element, { element }) => placeOf(element) ?? document.body);
    showFilms(pswp, template()?.dataset['filmProblem'] ?? '');
    const bar = new Bar(pswp, content);
    const strip = new FilmStrip(pswp, {
      count: () => slides.length,
      picture: (index) => thumbnailOf(slides[index]),
    });
    const update = (): void => {
      const slide = slides[pswp.currIndex];
      if (slide === undefined) {
        return;
      }
      const { item, page } = slide;
      const items = itemsOf(list);
      bar.show(slide, items.indexOf(item) + 1, countOf(list, items.length));
      strip.show(pswp.currIndex);
      this.planAddress(item);
      this.options.show?.({ item, page, buttons: bar.buttons, pswp });
      if (pswp.currIndex >= slides.length - AHEAD && list.dataset['next'] !== undefined) {
        void this.options.loadNext?.();
      }
    };
    const refresh = (): void => {
      const before = slides.length;
      if (!list.isConnected) {
        pswp.close();
        return;
      }
      slides = slidesOf(list);
      if (slides.length > before) {
        pswp.refreshSlideContent(before);
      }
      strip.show(pswp.currIndex);
      const current = slides[pswp.currIndex];
      if (pswp.currSlide?.data.src !== dataOf(current, shapes).src) {
        pswp.refreshSlideContent(pswp.currIndex);
      }
    };
    document.addEventListener(PHOTOS_CHANGED, refresh);
    pswp.on('uiRegister', () => {
      bar.register();
      strip.register();
    });
    // The shape of a page is known when its picture has come.
    const fit = ({ slide, element }: Content): void => {
      const { src = '', msrc, width, height } = slide?.data ?? {};
      const isPage = element instanceof HTMLImageElement && msrc === undefined && src !== '';
      if (slide === undefined || !isPage || element.naturalWidth === 0 || shapes.has(src)) {
        return;
      }
      const shape = { width: element.naturalWidth, height: element.naturalHeight };
      shapes.set(src, shape);
      if (shape.width !== width || shape.height !== height) {
        pswp.refreshSlideContent(slide.index);
      }
    };
    pswp.on('loadComplete', ({ content }) => {
      fit(content);
    });
    pswp.on('contentAppend', ({ content }) => {
      // Not while PhotoSwipe appends it.
      queueMicrotask(() => {
        fit(content);
      });
    });
    pswp.on('change', update);
    pswp.on('zoomPanUpdate', () => {
      bar.showZoom();
    });
    pswp.on('close', () => {
      document.removeEventListener(PHOTOS_CHANGED, refresh);
      this.close(slides[pswp.currIndex]?.item);
    });
  }

  /** PhotoSwipe ignores keys and the way back until it has opened. */
  private catchUp(pswp: PhotoSwipe, keys: readonly string[]): void {
    if (keys.includes('Escape') || photoInAddress() === undefined) {
      pswp.close();
      return;
    }
    for (const key of keys) {
      if (key === 'ArrowLeft') {
        pswp.prev();
      } else if (key === 'ArrowRight') {
        pswp.next();
      } else {
        document.dispatchEvent(new KeyboardEvent('keydown', { key }));
      }
    }
  }

  private planAddress(item: HTMLLIElement): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.pswp !== undefined && photoInAddress() !== undefined) {
        history.replaceState(history.state, '', addressOf(item));
      }
    }, ADDRESS_PAUSE_MS);
  }

  private close(item: HTMLLIElement | undefined): void {
    const { pswp } = this;
    this.pswp = undefined;
    clearTimeout(this.timer);
    item?.scrollIntoView({ block: 'nearest', behavior: 'instant' });
    pswp?.on('destroy', () => {
      item?.querySelector<HTMLElement>('a.picture')?.focus({ preventScroll: true });
    });
    if (photoInAddress() !== undefined) {
      leaveAddress();
    }
  }
}

/** The bar above the photo. Its elements and words come from the template. */
class Bar {
  readonly buttons: HTMLElement;
  private readonly name: HTMLElement;
  private readonly count: HTMLElement;
  private readonly zoom: HTMLElement;
  private readonly download: HTMLElement;
  private readonly page: HTMLElement;

  constructor(
    private readonly pswp: PhotoSwipe,
    private readonly content: DocumentFragment,
  ) {
    this.buttons = part(content, '.viewer-buttons');
    this.name = part(content, '.viewer-name');
    this.count = part(content, '.viewer-count');
    this.zoom = part(content, '.viewer-zoom');
    this.download = part(content, 'a.viewer-download');
    this.page = part(content, 'a.viewer-page');
    part(content, '.viewer-close').addEventListener('click', () => {
      // PhotoSwipe does not close before it has opened.
      if (pswp.opener.isOpening) {
        pswp.on('initialZoomInEnd', () => {
          pswp.close();
        });
      }
      pswp.close();
    });
    this.zoom.addEventListener('click', () => {
      pswp.toggleZoom();
    });
  }

  /** PhotoSwipe adds the bar to its element, before the arrows: that is the order of the tabulator key. */
  register(): void {
    const { element } = this.pswp;
    element?.setAttribute('aria-modal', 'true');
    this.pswp.ui?.registerElement({
      name: 'viewer-bar',
      className: 'viewer-bar',
      appendTo: 'root',
      order: 0,
      onInit: (bar) => {
        bar.append(this.content);
      },
    });
  }

  show({ item, page: shown }: Slide, number: number, count: string): void {
    const { name = '', download = '', page = '', pages } = item.dataset;
    this.pswp.element?.setAttribute('aria-label', name);
    this.name.textContent = name;
    this.name.title = name;
    const { text = '', pageText = '' } = this.count.dataset;
    const place = filled(text, number, count);
    this.count.textContent =
      pages === undefined ? place : `${place} · ${filled(pageText, shown, pages)}`;
    setLink(this.download, download);
    setLink(this.page, page);
    this.showZoom();
  }

  /** The picture at its own size, one pixel of it for each of the window. Nothing to choose when it is smaller than the window. */
  showZoom(): void {
    const slide = this.pswp.currSlide;
    const isLarger = slide !== undefined && slide.zoomLevels.fit < 1;
    this.zoom.hidden = !isLarger;
    this.zoom.setAttribute('aria-pressed', String(isLarger && slide.currZoomLevel >= 1));
  }
}

/** Keeps the keys for the viewer that are pressed until `end` is called, which returns them. */
function keysPressed(): { end(): readonly string[] } {
  const keys: string[] = [];
  const listening = new AbortController();
  document.addEventListener(
    'keydown',
    (event) => {
      const { key, target, altKey, ctrlKey, metaKey, shiftKey } = event;
      const isPlain = !altKey && !ctrlKey && !metaKey && !shiftKey;
      // What is typed into a comment or a name is not for the picture.
      if (target instanceof Element && target.closest('aside, dialog, input, textarea') !== null) {
        return;
      }
      if (isPlain && ['ArrowLeft', 'ArrowRight', 'Escape'].includes(key)) {
        event.preventDefault();
        keys.push(key);
      } else if (isPlain && /^[0-5px]$/i.test(key)) {
        keys.push(key);
      }
    },
    { capture: true, signal: listening.signal },
  );
  return {
    end() {
      listening.abort();
      return keys;
    },
  };
}

function setLink(link: HTMLElement, address: string): void {
  link.hidden = address === '';
  if (address !== '') {
    link.setAttribute('href', address);
  }
}

/** @throws {Error} when the template lacks this part. */
function part(content: DocumentFragment, selector: string): HTMLElement {
  const found = content.querySelector<HTMLElement>(selector);
  if (found === null) {
    throw new Error(`The template of the viewer lacks ${selector}.`);
  }
  return found;
}

function template(): HTMLTemplateElement | undefined {
  return document.querySelector<HTMLTemplateElement>('template.viewer-template') ?? undefined;
}

/** The photo whose picture was clicked, unless the click was for another tab or a menu. */
function pictureAt(event: MouseEvent): HTMLLIElement | undefined {
  const { target, button, ctrlKey, metaKey, shiftKey, altKey, defaultPrevented } = event;
  const isPlain = button === 0 && !ctrlKey && !metaKey && !shiftKey && !altKey;
  const link = target instanceof Element ? target.closest('ul.photos li[data-id] a.picture') : null;
  const item =
    isPlain && !defaultPrevented ? link?.closest<HTMLLIElement>('li[data-id]') : undefined;
  return item ?? undefined;
}

/** Where the picture of a photo is: it, or its link as long as it does not load. */
function placeOf(item: Element | undefined): HTMLElement | undefined {
  const link = item?.querySelector<HTMLElement>('.picture') ?? undefined;
  return link?.querySelector('img') ?? link;
}

function sourceOf(image: HTMLImageElement): string {
  return image.getAttribute('src') ?? '';
}

/** A photo, or a page of a document. */
interface Slide {
  readonly item: HTMLLIElement;
  /** From 1. */
  readonly page: number;
}

/** The content of a slide, as PhotoSwipe describes it. */
interface Content {
  readonly slide?: { readonly data: SlideData; readonly index: number } | undefined;
  readonly element: HTMLElement | undefined;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The photos of a list; a document with each of its pages. */
function slidesOf(list: ParentNode): Slide[] {
  return itemsOf(list).flatMap((item) =>
    Array.from({ length: Number(item.dataset['pages'] ?? 1) }, (_, index) => ({
      item,
      page: index + 1,
    })),
  );
}

/** The page that the page of a document shows; 1 in lists. */
function pageShown(item: HTMLLIElement): number {
  return Number(item.closest<HTMLElement>('.frame[data-page]')?.dataset['page'] ?? 1);
}

/** @param secondPage the address of a picture of page 2 */
function addressOfPage(secondPage: string, page: number): string {
  const address = new URL(secondPage, location.href);
  address.searchParams.set('n', String(page));
  return address.href;
}

function thumbnailOf(slide: Slide | undefined): string | undefined {
  const { pageThumbnail } = slide?.item.dataset ?? {};
  if (slide !== undefined && slide.page > 1 && pageThumbnail !== undefined) {
    return addressOfPage(pageThumbnail, slide.page);
  }
  const image = slide && pictureOf(slide.item);
  return image && sourceOf(image);
}

/**
 * What PhotoSwipe needs to show a photo: its preview, or its thumbnail as long as it has none.
 * @param shapes the sizes of pages that were loaded; others have that of the first page
 */
function dataOf(slide: Slide | undefined, shapes: ReadonlyMap<string, Size>): SlideData {
  const item = slide?.item;
  const image = item && pictureOf(item);
  if (slide === undefined || item === undefined || image === undefined) {
    return {};
  }
  const { name = '', preview = '', pagePreview = '' } = item.dataset;
  const width = Number(image.getAttribute('width')) || image.naturalWidth || PREVIEW_SIDE;
  const height = Number(image.getAttribute('height')) || image.naturalHeight || PREVIEW_SIDE;
  const scale = Math.min(1, PREVIEW_SIDE / Math.max(width, height));
  const size = { width: Math.round(width * scale), height: Math.round(height * scale) };
  if (slide.page !== pageShown(item)) {
    const src = slide.page === 1 ? preview : addressOfPage(pagePreview, slide.page);
    return { src, ...size, ...shapes.get(src), alt: name, element: item };
  }
  if (slide.page > 1) {
    return { src: addressOfPage(pagePreview, slide.page), ...size, alt: name, element: item };
  }
  return {
    src: preview === '' ? sourceOf(image) : preview,
    msrc: image.currentSrc === '' ? sourceOf(image) : image.currentSrc,
    ...size,
    alt: name,
    element: item,
    // A film is no picture that can be zoomed.
    ...(filmOf(item) !== undefined && { type: 'html' as const }),
    thumbCropped: true,
  };
}

function filled(text: string, number: number, count: string): string {
  return text.replace('{number}', String(number)).replace('{count}', count);
}

/** How many photos the list has; with `+` when that is not known. */
function countOf(list: HTMLElement, loaded: number): string {
  const { total, next } = list.dataset;
  // What was uploaded since then may make the list longer.
  return next === undefined ? String(loaded) : (total ?? `${loaded}+`);
}

/** Leaves room for the bar and the film strip, and for arrows where there is plenty. */
function paddingIn({ x, y }: Point, isSeveral: boolean): Padding {
  if (x <= 640) {
    return { top: 52, bottom: 56, left: 0, right: 0 };
  }
  const side = y > 500 ? 64 : 0;
  const below = y > 500 ? 28 : 0;
  const bottom = isSeveral && hasStrip({ x, y }) ? STRIP_HEIGHT : below;
  return { top: 60, bottom, left: side, right: side };
}

function addressOf({ dataset }: HTMLLIElement): string {
  return `#photo=${dataset['id'] ?? ''}`;
}

function photoInAddress(): string | undefined {
  return /^#photo=([\w-]{1,64})$/.exec(location.hash)?.[1];
}

function stateObject(): object {
  const state: unknown = history.state;
  return typeof state === 'object' && state !== null ? state : {};
}

/** Takes the photo out of the address: by the way back, if the viewer has added the entry. */
function leaveAddress(): void {
  if ('isViewer' in stateObject()) {
    history.back();
  } else {
    history.replaceState(history.state, '', location.pathname + location.search);
  }
}
