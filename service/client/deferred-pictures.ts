import { nextFrame } from './frames.js';

/** How often the speed of the reader is looked at, in milliseconds. */
const LOOK_MS = 100;

/** Pictures load below this speed, in windows per look: five windows in a second. */
const MAX_SPEED = 0.5;

/** How far from the window pictures load. */
const NEAR = '100%';

/** How many pictures begin to load in one frame. */
const PER_FRAME = 3;

/**
 * Loads pictures near the window, unless the reader scrolls so fast that they would only be seen in passing. A jump to the
 * end of a long list loads the pictures there, and none on the way.
 */
export class DeferredPictures {
  private readonly near = new Set<Element>();
  private isFollowing = false;
  private readonly observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        this.near[isIntersecting ? 'add' : 'delete'](target);
      }
      if (!this.isFollowing) {
        void this.follow();
      }
    },
    { rootMargin: `${NEAR} 0px` },
  );

  /** @param items photos that are not in the page yet */
  add(items: readonly HTMLElement[]): void {
    for (const box of items.flatMap((item) => [...item.querySelectorAll('.picture')])) {
      const image = box.querySelector('img');
      if (image !== null) {
        hold(image);
        this.observer.observe(box);
      }
    }
  }

  /** Loads the pictures near the window as soon as the reader is slow. */
  private async follow(): Promise<void> {
    this.isFollowing = true;
    while (this.near.size > 0) {
      const top = scrollY;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      if (Math.abs(scrollY - top) < MAX_SPEED * innerHeight) {
        await this.load();
      }
    }
    this.isFollowing = false;
  }

  /** Loads what is near now, a few in each frame. */
  private async load(): Promise<void> {
    const boxes = [...this.near];
    for (let from = 0; from < boxes.length; from += PER_FRAME) {
      for (const box of boxes.slice(from, from + PER_FRAME).filter((one) => this.near.has(one))) {
        this.near.delete(box);
        this.observer.unobserve(box);
        release(box.querySelector('img'));
      }
      await nextFrame();
    }
  }
}

/** The address of a picture, whether it loads already or not. */
export function sourceOf(image: HTMLImageElement): string {
  return image.dataset['src'] ?? image.src;
}

/** Takes its addresses from a picture, so that the browser does not load it. */
function hold(image: HTMLImageElement): void {
  image.dataset['srcset'] = image.srcset;
  image.dataset['src'] = image.getAttribute('src') ?? '';
  image.removeAttribute('srcset');
  image.removeAttribute('src');
}

/** Gives a picture its addresses back, if it has none. The choice comes first, so that the browser loads one picture. */
function release(image: HTMLImageElement | null): void {
  const { src, srcset = '' } = image?.dataset ?? {};
  if (image === null || src === undefined) {
    return;
  }
  image.srcset = srcset;
  image.src = src;
  delete image.dataset['src'];
  delete image.dataset['srcset'];
}
