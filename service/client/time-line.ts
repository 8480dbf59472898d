import { player } from './player.js';

/** Lets a click on the time line of a film seek, and shows the time of its player there. */
export function followTimeLine(): void {
  document.addEventListener('click', (event) => {
    const line = lineAt(event);
    const video = player();
    if (line !== undefined && video !== undefined && !event.defaultPrevented) {
      video.currentTime = timeAt(line, event.clientX);
    }
  });
  // Events of players do not bubble.
  for (const name of ['timeupdate', 'seeked', 'loadedmetadata']) {
    document.addEventListener(name, showNow, { capture: true });
  }
}

/** Shows the time of the player on its time line. */
export function showNow(): void {
  const { currentTime = 0 } = player() ?? {};
  for (const line of document.querySelectorAll<HTMLElement>('.time-line')) {
    const part = currentTime / Number(line.dataset['duration']);
    const units = line.querySelector('svg')?.viewBox.baseVal.width ?? 0;
    line.querySelector('.now')?.setAttribute('x', String(Math.min(1, part) * units));
  }
}

/** The time line that an event is on. */
export function lineAt({ target }: Event): HTMLElement | undefined {
  const line = target instanceof Element ? target.closest<HTMLElement>('.time-line') : null;
  return line ?? undefined;
}

/** The time that a point of the window has on a time line, in seconds. */
export function timeAt(line: HTMLElement, x: number): number {
  const { left, width } = line.getBoundingClientRect();
  const part = Math.min(1, Math.max(0, (x - left) / width));
  return part * Number(line.dataset['duration']);
}
