import { ANSWERED, POINTING } from './answers.js';
import { clock, player } from './player.js';
import { showNow } from './time-line.js';

/** How long the pin of a moment is shown, in seconds. */
const MOMENT_SECONDS = 2;

/** Until when a film counts as not begun: browsers draw a frame of its first moments. */
const FIRST_SECONDS = 0.2;

/** Leads from comments to their page or time in place, and gives new ones the page and the time that are shown. */
export function followPlaces(): void {
  followPins();
  followPages();
  followTimes();
}

/** A pin of the shown picture is marked in place. Links to pages and times are followed as such, too. */
function followPins(): void {
  document.addEventListener('click', (event) => {
    const link = linkAt(event, 'a.place[href*="#pin-"]');
    if (!(link instanceof HTMLAnchorElement)) {
      return;
    }
    const id = link.hash.slice(1);
    const pins = [...document.querySelectorAll('.pins g')];
    for (const pin of pins) {
      pin.classList.toggle('pointed', pin.id === id);
    }
    const shown = pins.findLast((pin) => pin.id === id);
    if (shown !== undefined && link.matches(':not([data-page], [data-start])')) {
      event.preventDefault();
      shown.scrollIntoView({ block: 'nearest' });
    }
  });
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
export function showPage(page: string): void {
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
  document.addEventListener(POINTING, takeTime);
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element && target.matches('.write textarea')) {
      takeTime();
    }
  });
  showTime();
}

function linkAt({ target }: Event, selector: string): HTMLElement | SVGElement | undefined {
  const found = target instanceof Element ? target.closest(selector) : null;
  return found instanceof HTMLElement || found instanceof SVGElement ? found : undefined;
}

/**
 * Stops the film, and makes its time that of a new comment, once for each comment: who clears the field means the whole film. So
 * does who has not left the first frame.
 */
function takeTime(): void {
  const video = player();
  const field = document.querySelector<HTMLInputElement>('.write input[name="start"]');
  const isTaken = field?.form?.dataset['hasTime'] !== undefined;
  if (video === undefined || !field?.form || isTaken || video.currentTime <= FIRST_SECONDS) {
    return;
  }
  video.pause();
  field.form.dataset['hasTime'] = '';
  if (field.value === '') {
    field.value = clock(video.currentTime, 3);
  }
}

/** Shows the time of the player on the buttons and on the time line, and the pins of that time. */
export function showTime(): void {
  showNow();
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
