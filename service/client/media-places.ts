import { ANSWERED } from './answers.js';

/** How long the pin of a moment is shown, in seconds. */
const MOMENT_SECONDS = 2;

/** Leads from comments to their page or time in place, and gives new ones the page and the time that are shown. */
export function followPlaces(): void {
  followPages();
  followTimes();
}

/** The page of a document that is shown is `data-page` of the parent of its picture. */
function followPages(): void {
  const place = document.querySelector<HTMLElement>(':is(.frame, .large)[data-page]');
  if (place === null) {
    return;
  }
  const update = (): void => {
    showPage(place.dataset['page'] ?? '1');
  };
  new MutationObserver(update).observe(place, { attributeFilter: ['data-page'] });
  document.addEventListener(ANSWERED, update);
  document.addEventListener('click', (event) => {
    const link = linkAt(event, 'a.place[data-page]');
    const turn = document.querySelector<HTMLElement>(
      `nav.pages a[data-page="${link?.dataset['page'] ?? ''}"]`,
    );
    if (link !== undefined && turn !== null) {
      event.preventDefault();
      turn.click();
    }
  });
}

/** Shows the pins of a page, and makes it that of a new comment. */
function showPage(page: string): void {
  for (const pin of document.querySelectorAll<SVGElement>('.pins [data-page]')) {
    pin.classList.toggle('now', pin.dataset['page'] === page);
  }
  for (const field of document.querySelectorAll<HTMLInputElement>(
    '.answers :is([name="shown"], [name="page"])',
  )) {
    field.value = page;
  }
  const label = document.querySelector<HTMLElement>('.write [name="page"] ~ [data-words]');
  if (label !== null) {
    label.textContent = (label.dataset['words'] ?? '').replace('{page}', page);
  }
}

/** The player is that of the viewer, or that of the page. */
function player(): HTMLVideoElement | undefined {
  const selector =
    document.querySelector('.pswp') === null
      ? '[data-player] video'
      : '.pswp__item[aria-hidden="false"] video';
  return document.querySelector<HTMLVideoElement>(selector) ?? undefined;
}

function followTimes(): void {
  document.addEventListener('click', (event) => {
    const video = player();
    const link = linkAt(event, 'a.place[data-start]');
    if (video !== undefined && link !== undefined) {
      event.preventDefault();
      video.currentTime = Number(link.dataset['start']);
      video.scrollIntoView({ block: 'nearest' });
      return;
    }
    const button = linkAt(event, 'button.take-time');
    const field = document.querySelector<HTMLInputElement>(
      `.write input[name="${button?.dataset['field'] ?? ''}"]`,
    );
    if (video !== undefined && field !== null) {
      field.value = clock(video.currentTime, 3);
    }
  });
  // Events of players do not bubble.
  for (const name of ['timeupdate', 'seeked', 'loadedmetadata']) {
    document.addEventListener(name, showTime, { capture: true });
  }
  document.addEventListener(ANSWERED, showTime);
  window.addEventListener('hashchange', goToHash);
  goToHash();
  showTime();
}

function linkAt({ target }: Event, selector: string): HTMLElement | SVGElement | undefined {
  const found = target instanceof Element ? target.closest(selector) : null;
  return found instanceof HTMLElement || found instanceof SVGElement ? found : undefined;
}

/** Seeks to the time of the address, such as `#t=42.5`. */
function goToHash(): void {
  const video = player();
  const time = /^#t=(\d+(?:\.\d+)?)/.exec(location.hash)?.[1];
  if (video !== undefined && time !== undefined) {
    video.currentTime = Number(time);
  }
}

/** Shows the time of the player on the buttons, and the pins of that time. */
function showTime(): void {
  const video = player();
  if (video === undefined) {
    return;
  }
  const { currentTime } = video;
  for (const button of document.querySelectorAll<HTMLButtonElement>('button.take-time')) {
    button.hidden = false;
    button.textContent = (button.dataset['words'] ?? '').replace('{time}', clock(currentTime, 0));
  }
  for (const pin of document.querySelectorAll<SVGElement>('.pins [data-start]')) {
    const [start, end] = [Number(pin.dataset['start']), Number(pin.dataset['end'])];
    const last = Math.max(end, start + MOMENT_SECONDS);
    pin.classList.toggle('now', currentTime >= start - 0.1 && currentTime <= last);
  }
}

/** A time as players show it, such as `0:42` or `0:42.500`. @param digits of the part of a second; none: left out */
function clock(seconds: number, digits: 0 | 3): string {
  const milliseconds = Math.floor(seconds * 1000);
  const whole = Math.floor(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const padded = (number: number, length: number): string => String(number).padStart(length, '0');
  const parts = hours > 0 ? [hours, padded(minutes, 2)] : [minutes];
  const text = [...parts, padded(whole % 60, 2)].join(':');
  return digits === 0 ? text : `${text}.${padded(milliseconds % 1000, digits)}`;
}
