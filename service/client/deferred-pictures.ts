import { nextFrame } from './frames.js';

/** How often the speed of the reader is looked at, in milliseconds. */
const LOOK_MS = 100;

/** Pictures load below this speed, in windows per look: five windows in a second. */
const MAX_SPEED = 0.5;

/** How far above and below the window pictures load, in windows. */
const NEAR = 1;

/** How many pictures begin to load in one frame. */
const PER_FRAME = 3;

/**
 * Loads pictures near the window, unless the reader scrolls so fast that they would only be seen in passing. A jump to the
 * end of a long list loads the pictures there, and none on the way.
 */
export class DeferredPictures {
  private list: HTMLUListElement | undefined;
  private isFollowing = false;
  /** Whether other pictures may be near the window since the last look. */
  private isDue = false;
  // An IntersectionObserver would compare ten thousand pictures with the window in each frame.
  private readonly resized = new ResizeObserver(() => {
    void this.follow();
  });

  constructor() {
    addEventListener('scroll', () => void this.follow(), { passive: true });
  }

  /** @param items photos that are added to the end of the list in this frame */
  add(list: HTMLUListElement, items: readonly HTMLElement[]): void {
    for (const link of items.flatMap((item) => [
      ...item.querySelectorAll<HTMLElement>('.picture'),
    ])) {
      hold(link);
    }
    if (list !== this.list) {
      this.list = list;
      this.resized.disconnect();
      this.resized.observe(list);
    }
  }

  /** Loads the pictures near the window as soon as the reader is slow. */
  private async follow(): Promise<void> {
    this.isDue = true;
    if (this.isFollowing) {
      return;
    }
    this.isFollowing = true;
    while (this.isDue) {
      this.isDue = false;
      const top = scrollY;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      if (Math.abs(scrollY - top) < MAX_SPEED * innerHeight) {
        await this.load();
      } else {
        this.isDue = true;
      }
    }
    this.isFollowing = false;
  }

  /** Loads what is near now, a few in each frame. */
  private async load(): Promise<void> {
    const links = this.list?.isConnected === true ? heldNear(this.list) : [];
    for (let from = 0; from < links.length; from += PER_FRAME) {
      for (const link of links.slice(from, from + PER_FRAME).filter(isNear)) {
        release(link);
      }
      await nextFrame();
    }
  }
}

/** The links near the window whose pictures are held. A group of rows is skipped as a whole. */
function heldNear(list: HTMLUListElement): HTMLElement[] {
  return [...list.children]
    .filter(isNear)
    .flatMap((item) => [...item.querySelectorAll<HTMLElement>('.picture[data-image]')])
    .filter(isNear);
}

function isNear(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > -NEAR * innerHeight && top < (1 + NEAR) * innerHeight;
}

/** The picture of a photo; a copy where it is held. */
export function pictureOf(item: Element): HTMLImageElement | undefined {
  const link = item.querySelector<HTMLElement>('.picture');
  return link?.querySelector('img') ?? (link ? heldIn(link) : undefined);
}

/** Takes the picture out of a link, which keeps its markup. Chromium adds six nodes to a picture that does not load yet. */
function hold(link: HTMLElement): void {
  const image = link.querySelector('img');
  if (image !== null) {
    link.dataset['image'] = image.outerHTML;
    link.ariaLabel = image.alt;
    image.remove();
  }
}

function release(link: HTMLElement): void {
  const image = heldIn(link);
  if (image !== undefined) {
    delete link.dataset['image'];
    link.ariaLabel = null;
    link.prepend(image);
  }
}

/** What is in a template does not load. */
function heldIn(link: HTMLElement): HTMLImageElement | undefined {
  const template = document.createElement('template');
  template.innerHTML = link.dataset['image'] ?? '';
  return template.content.querySelector('img') ?? undefined;
}
