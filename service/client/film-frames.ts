import { lineAt, timeAt } from './time-line.js';
import { clock } from './player.js';

/** How many frames the picture of a film has side by side, and the shape of each, as in `frames.ts` of the service. */
const COUNT = 10;
const SHAPE = 16 / 9;

/** Shows the frames of a film while the pointer moves over its tile, or over the time line of its player. */
export function showFrames(): void {
  const frame = document.createElement('div');
  frame.className = 'film-frame';
  const time = document.createElement('span');
  frame.append(time);
  const show = (place: Element, source: string, part: number): void => {
    const index = Math.min(COUNT - 1, Math.max(0, Math.floor(part * COUNT)));
    frame.style.backgroundImage = `url(${JSON.stringify(source)})`;
    frame.style.backgroundPositionX = `${(100 * index) / (COUNT - 1)}%`;
    if (frame.parentElement !== place) {
      place.append(frame);
    }
  };
  document.addEventListener('pointermove', (event) => {
    const { target, clientX, pointerType } = event;
    const tile =
      target instanceof Element && pointerType === 'mouse'
        ? target.closest<HTMLElement>('li[data-frames] .picture')
        : null;
    const line = pointerType === 'mouse' ? lineAt(event) : undefined;
    const strip = line?.querySelector('img');
    if (line !== undefined && strip) {
      const { left, width } = line.getBoundingClientRect();
      const seconds = timeAt(line, clientX);
      time.textContent = clock(seconds, 0);
      frame.style.width = '';
      frame.style.left = `${Math.min(width - 80, Math.max(80, clientX - left))}px`;
      show(line, strip.src, seconds / Number(line.dataset['duration']));
    } else if (tile !== null) {
      const { left, width, height } = tile.getBoundingClientRect();
      time.textContent = '';
      // A frame has bars where the film has another shape; the tile cuts them off.
      frame.style.width = `${Math.max(width, height * SHAPE)}px`;
      frame.style.left = '';
      const frames = tile.closest<HTMLElement>('li')?.dataset['frames'] ?? '';
      show(tile, frames, (clientX - left) / width);
    } else {
      frame.remove();
    }
  });
  document.addEventListener('pointerleave', () => {
    frame.remove();
  });
}
