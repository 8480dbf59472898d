import type PhotoSwipe from 'photoswipe';
import {
  ANSWERED,
  drawMarks,
  drawn,
  noConnection,
  parse,
  setHeart,
  type Answered,
  type Reply,
} from './answers.js';
import { nextAttempt, request } from './connection.js';
import { readDraft, restoreDraft, withoutSent, type Draft } from './drafts.js';
import { showPage, showTime } from './media-places.js';
import type { Shown } from './viewer.js';

/** The size of the sheet, as in `share.css`. */
const SHEET_WIDTH = 340;
const SHEET_HEIGHT = 0.56;
const PHONE_WIDTH = 640;

/** The button that each key presses. */
const MARKS: ReadonlyMap<string, string> = new Map([
  ...['1', '2', '3', '4', '5'].map((count) => [count, `star${count}`] as const),
  ['0', 'unstar'],
  ['p', 'favourite'],
  ['x', 'unfavourite'],
]);

/** The number of a photo, which all its versions have. */
function numberOf(item: HTMLLIElement): string {
  return item.id.replace(/^photo-/, '');
}

/** @returns undefined when the text is not that of the service */
function panelIn(text: string): HTMLElement | undefined {
  try {
    return parse((JSON.parse(text) as Reply).panel ?? '');
  } catch {
    return undefined;
  }
}

/** The answers to a photo that are not known, with the form for a comment. */
function emptyPanel(item: HTMLLIElement): HTMLElement | undefined {
  const template = document.querySelector<HTMLTemplateElement>('template.empty-answers');
  const panel = template?.content.firstElementChild?.cloneNode(true);
  if (!(panel instanceof HTMLElement)) {
    return undefined;
  }
  const photo = numberOf(item);
  panel.dataset['photo'] = photo;
  panel.querySelector('[name="version"]')?.setAttribute('value', item.dataset['id'] ?? '');
  panel.querySelector('[name="comment"]')?.setAttribute('value', photo);
  return panel;
}

/** The answers of guests in the viewer: a heart in its bar, and a sheet with approval and comments. */
export class AnswerSheet {
  private shown: Shown | undefined;
  private sheet: HTMLElement | undefined;
  /** Counts the requests. Only the answer to the last one is shown. */
  private requested = 0;
  private isLoading = false;
  /** The comments that the guest has begun, by the photo's number. */
  private readonly drafts = new Map<string, Draft>();
  /** The answers as they were last shown, by the photo's number. */
  private readonly former = new Map<string, HTMLElement>();
  /** The room that the viewer leaves around a picture without the sheet. */
  private padding: PhotoSwipe['options']['paddingFn'];

  constructor() {
    document.addEventListener(ANSWERED, (event) => {
      const { photo, sent } = (event as CustomEvent<Answered>).detail;
      const draft = this.drafts.get(photo);
      if (draft !== undefined && sent !== undefined) {
        this.drafts.set(photo, withoutSent(draft, sent));
      }
      this.update();
      this.drawPins();
      if (this.isLoading) {
        // What is on its way may be older.
        void this.load();
      }
    });
  }

  /** Called for each photo of the viewer. */
  show(shown: Shown): void {
    const isNew = this.shown?.item !== shown.item || this.shown.pswp !== shown.pswp;
    this.shown = shown;
    if (shown.buttons.childElementCount === 0) {
      this.begin(shown);
    }
    if (isNew) {
      this.update();
      if (this.sheet !== undefined) {
        void this.load();
      }
    } else if (this.sheet !== undefined) {
      this.drawPins();
    }
  }

  /** A new viewer has an empty bar. */
  private begin({ buttons, pswp }: Shown): void {
    const template = document.querySelector<HTMLTemplateElement>('template.answer-buttons');
    if (template === null) {
      return;
    }
    this.sheet = undefined;
    buttons.append(template.content.cloneNode(true));
    buttons.querySelector('.talk')?.addEventListener('click', () => {
      if (this.sheet === undefined) {
        void this.open();
      } else {
        this.close();
      }
    });
    // PhotoSwipe takes keys for itself: arrows in a comment must not change the photo.
    pswp.on('keydown', (event) => {
      const { target } = event.originalEvent;
      if (target instanceof Element && target.closest('.answer-sheet') !== null) {
        event.preventDefault();
        if (event.originalEvent.key === 'Escape') {
          this.close();
          buttons.querySelector<HTMLElement>('.talk')?.focus();
        }
        return;
      }
      if (this.mark(event.originalEvent)) {
        event.preventDefault();
      }
    });
    pswp.on('close', () => {
      this.keepDraft();
      this.padding = undefined;
      this.sheet = undefined;
      this.shown = undefined;
      document.documentElement.classList.remove('pointing');
    });
    pswp.on('imageSizeChange', () => {
      this.drawPins();
    });
  }

  /** The keys 1 to 5 give stars and 0 removes them. P marks a favourite, and X removes it. */
  private mark({ key, altKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
    const form = this.shown?.buttons.querySelector('form');
    const name = altKey || ctrlKey || metaKey ? undefined : MARKS.get(key.toLowerCase());
    if (this.shown === undefined || name === undefined || !form) {
      return false;
    }
    const button = document.createElement('button');
    button.name = name;
    button.value = numberOf(this.shown.item);
    button.hidden = true;
    form.append(button);
    form.requestSubmit(button);
    button.remove();
    return true;
  }

  private async open(): Promise<void> {
    const sheet = document.createElement('aside');
    sheet.className = 'answer-sheet';
    this.sheet = sheet;
    // The viewer would zoom.
    sheet.addEventListener('wheel', (event) => {
      event.stopPropagation();
    });
    this.shown?.pswp.element?.append(sheet);
    this.setExpanded(true);
    await this.load();
    sheet.querySelector<HTMLElement>('button:not(.heart-word)')?.focus();
  }

  private close(): void {
    this.keepDraft();
    this.sheet?.remove();
    this.sheet = undefined;
    this.setExpanded(false);
    this.drawPins();
  }

  private setExpanded(isOpen: boolean): void {
    this.shown?.buttons.querySelector('.talk')?.setAttribute('aria-expanded', String(isOpen));
    this.shown?.pswp.element?.classList.toggle('has-sheet', isOpen);
    this.makeRoom(isOpen);
  }

  /** The sheet is beside the picture, or below it on a phone. */
  private makeRoom(isOpen: boolean): void {
    const { pswp } = this.shown ?? {};
    if (pswp === undefined) {
      return;
    }
    this.padding ??= pswp.options.paddingFn;
    const padding = this.padding;
    pswp.options.paddingFn = (viewport, data, index) => {
      const given = { top: 0, bottom: 0, left: 0, right: 0, ...padding?.(viewport, data, index) };
      if (!isOpen) {
        return given;
      }
      return viewport.x > PHONE_WIDTH
        ? { ...given, right: given.right + SHEET_WIDTH }
        : { ...given, bottom: given.bottom + viewport.y * SHEET_HEIGHT };
    };
    pswp.updateSize(true);
  }

  private async load(): Promise<void> {
    this.requested += 1;
    const { requested } = this;
    const address = this.shown?.item.dataset['answers'];
    if (address === undefined) {
      return;
    }
    this.isLoading = true;
    const received = await request(address, { headers: { accept: 'application/json' } });
    const { item } = this.shown ?? {};
    if (item === undefined || requested !== this.requested) {
      return;
    }
    if (received === undefined || received.status === 429 || received.status >= 500) {
      this.showOffline(item);
      void nextAttempt().then(() => {
        if (this.sheet !== undefined && requested === this.requested) {
          void this.load();
        }
      });
      return;
    }
    const panel = received.status === 200 ? panelIn(received.text) : undefined;
    if (panel === undefined) {
      // The link has ended, the photo is gone, or something else has answered: the page of the photo has the reason.
      location.assign(item.querySelector<HTMLAnchorElement>('a.picture')?.href ?? location.href);
      return;
    }
    this.isLoading = false;
    this.showPanel(panel);
  }

  /** What is known of the answers, or the form for a comment alone. */
  private showOffline(item: HTMLLIElement): void {
    const { sheet } = this;
    if (sheet === undefined) {
      return;
    }
    const shown = sheet.querySelector<HTMLElement>('.answers')?.dataset['photo'];
    const panel =
      shown === numberOf(item) ? undefined : (this.former.get(numberOf(item)) ?? emptyPanel(item));
    if (panel !== undefined) {
      this.showPanel(panel);
    }
    if (sheet.querySelector('.no-connection') === null) {
      sheet.prepend(noConnection());
    }
  }

  private showPanel(panel: HTMLElement): void {
    this.keepDraft();
    this.sheet?.replaceChildren(panel);
    const draft = this.drafts.get(panel.dataset['photo'] ?? '');
    if (draft !== undefined) {
      restoreDraft(panel, draft);
    }
    this.drawPins();
  }

  private keepDraft(): void {
    const panel = this.sheet?.querySelector<HTMLElement>('.answers');
    if (panel) {
      const photo = panel.dataset['photo'] ?? '';
      this.former.set(photo, panel);
      this.drafts.set(photo, readDraft(panel));
    }
  }

  /** The heart is that of the tile. */
  private update(): void {
    if (this.shown === undefined) {
      return;
    }
    const { item, buttons } = this.shown;
    const heart = buttons.querySelector<HTMLButtonElement>('.heart');
    if (heart !== null) {
      const tile = item.querySelector('.heart');
      heart.value = numberOf(item);
      setHeart(heart, tile?.getAttribute('aria-pressed') === 'true');
    }
  }

  /** The pins of the comments, over the picture or the film with its time line. */
  private drawPins(): void {
    const { pswp, page = 1 } = this.shown ?? {};
    const slide = pswp?.currSlide;
    const element = slide?.content.element;
    if (element?.querySelector('.film')) {
      drawMarks(element, this.sheet);
      showTime();
      return;
    }
    slide?.container.querySelector('.pins')?.remove();
    const [drawing] = drawn(this.sheet, '.pins');
    if (element !== undefined && drawing instanceof SVGElement) {
      drawing.style.width = element.style.width;
      drawing.style.height = element.style.height;
      slide?.container.append(drawing);
    }
    if (this.shown?.item.dataset['pages'] !== undefined) {
      showPage(String(page));
    }
  }
}
