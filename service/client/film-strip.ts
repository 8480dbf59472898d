import type PhotoSwipe from 'photoswipe';
import type { Point } from 'photoswipe';

/** The smallest window that has room for the strip, as in `viewer.css`. */
const LEAST = { width: 900, height: 560 };

/** The room of the strip, and the distance from one of its pictures to the next, in pixels, as in `viewer.css`. */
export const STRIP_HEIGHT = 80;
const STEP = 64;

/** The photos of the list. */
interface Photos {
  count(): number;
  /** The address of a thumbnail. */
  picture(index: number): string | undefined;
}

/** Whether a window shows the strip. */
export function hasStrip({ x, y }: Point): boolean {
  return x >= LEAST.width && y >= LEAST.height;
}

/**
 * Small pictures of the whole list below the photo, for the pointer: keys and assistive technology have Previous and Next.
 * It creates only those near the ones in view.
 */
export class FilmStrip {
  private readonly strip = document.createElement('div');
  private readonly track = document.createElement('div');
  private readonly shown = new Map<number, HTMLImageElement>();
  private current = -1;

  constructor(
    private readonly pswp: PhotoSwipe,
    private readonly photos: Photos,
  ) {
    const { strip, track } = this;
    track.className = 'viewer-track';
    strip.className = 'viewer-strip pswp__hide-on-close';
    strip.setAttribute('aria-hidden', 'true');
    // Without it, a container that scrolls is a stop of the tabulator key.
    strip.tabIndex = -1;
    strip.append(track);
    // The focus stays where it is.
    strip.addEventListener('mousedown', (event) => {
      event.preventDefault();
    });
    strip.addEventListener('click', ({ target }) => {
      const index = target instanceof HTMLElement ? target.dataset['index'] : undefined;
      if (index !== undefined) {
        pswp.goTo(Number(index));
      }
    });
    // The viewer would zoom or move the photo.
    strip.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault();
        event.stopPropagation();
        strip.scrollLeft += event.deltaX + event.deltaY;
      },
      { passive: false },
    );
    strip.addEventListener('scroll', () => {
      this.draw();
    });
    pswp.on('resize', () => {
      this.show(this.current, 'instant');
    });
  }

  register(): void {
    this.pswp.element?.append(this.strip);
  }

  /** Marks a photo and brings it to the middle. */
  show(index: number, behavior: ScrollBehavior = 'smooth'): void {
    const { strip, track } = this;
    const isFirst = this.current === -1;
    this.current = index;
    const count = this.photos.count();
    strip.hidden = count < 2;
    track.style.width = `${count * STEP}px`;
    const isStill = isFirst || matchMedia('(prefers-reduced-motion: reduce)').matches;
    const left = (index + 0.5) * STEP - strip.clientWidth / 2;
    strip.scrollTo({ left, behavior: isStill ? 'instant' : behavior });
    this.draw();
  }

  /** Creates the pictures in view and as many on each side; removes the others. */
  private draw(): void {
    const { strip, track, shown } = this;
    const { scrollLeft, clientWidth } = strip;
    const first = Math.max(0, Math.floor((scrollLeft - clientWidth) / STEP));
    const end = Math.min(this.photos.count(), Math.ceil((scrollLeft + 2 * clientWidth) / STEP));
    for (const [index, image] of shown) {
      if (index < first || index >= end) {
        image.remove();
        shown.delete(index);
      }
    }
    for (let index = first; index < end; index += 1) {
      let image = shown.get(index);
      if (image === undefined) {
        image = document.createElement('img');
        image.alt = '';
        image.decoding = 'async';
        image.dataset['index'] = String(index);
        image.style.left = `${index * STEP}px`;
        shown.set(index, image);
        track.append(image);
      }
      const source = this.photos.picture(index) ?? '';
      if (image.getAttribute('src') !== source && source !== '') {
        image.src = source;
      }
      image.classList.toggle('current', index === this.current);
    }
  }
}
