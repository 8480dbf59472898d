/** How far the arrow keys and J and L go, in seconds. */
const ARROW_SECONDS = 5;
const FAR_SECONDS = 10;

/** The frame rate of a film that does not give its own. */
const USUAL_FRAME_RATE = 25;

const SPEEDS = [0.25, 0.5, 1, 1.5, 2, 4] as const;

/** The parent of the film and of its sentence, for browsers that cannot play it. */
const PLAYER = '[data-player]';

type Key = (video: HTMLVideoElement) => void;

const seek =
  (seconds: number): Key =>
  (video) => {
    const end = Number.isFinite(video.duration) ? video.duration : Infinity;
    video.currentTime = Math.min(end, Math.max(0, video.currentTime + seconds));
  };

/** Goes to the middle of the next frame or of the one before, so that rounding does not show another one. */
const step =
  (frames: 1 | -1): Key =>
  (video) => {
    video.pause();
    const rate = Number(video.dataset['frameRate']) || USUAL_FRAME_RATE;
    const frame = Math.floor(video.currentTime * rate + 1e-6);
    const last = Number.isFinite(video.duration) ? Math.ceil(video.duration * rate) - 1 : Infinity;
    video.currentTime = (Math.min(last, Math.max(0, frame + frames)) + 0.5) / rate;
  };

const changeSpeed =
  (by: 1 | -1): Key =>
  (video) => {
    const at = SPEEDS.findIndex((speed) => speed >= video.playbackRate);
    video.playbackRate = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))] ?? 1;
  };

const togglePlaying: Key = (video) => {
  if (video.paused) {
    void video.play().catch(() => undefined);
  } else {
    video.pause();
  }
};

const toggleFullScreen: Key = (video) => {
  const change =
    document.fullscreenElement === null ? video.requestFullscreen() : document.exitFullscreen();
  void change.catch(() => undefined);
};

/** What keys do while a film has the focus. Letters count in either case. */
const KEYS: Readonly<Record<string, Key>> = {
  ' ': togglePlaying,
  k: togglePlaying,
  j: seek(-FAR_SECONDS),
  l: seek(FAR_SECONDS),
  ArrowLeft: seek(-ARROW_SECONDS),
  ArrowRight: seek(ARROW_SECONDS),
  ',': step(-1),
  '.': step(1),
  '<': changeSpeed(-1),
  '>': changeSpeed(1),
  m: (video) => {
    video.muted = !video.muted;
  },
  f: toggleFullScreen,
};

/**
 * Adds keys to the films of the page, also to those that come later, and a sentence to those that do not play. Only a film
 * with the focus takes keys: elsewhere they belong to the page and the viewer.
 */
export function playFilms(): void {
  document.addEventListener('keydown', pressKey, { capture: true });
  // These events do not bubble.
  document.addEventListener('error', ({ target }) => showProblem(target), { capture: true });
  for (const video of document.querySelectorAll('video')) {
    if (video.error !== null || isWithoutPicture(video)) {
      showProblem(video);
    }
  }
  document.addEventListener(
    'loadedmetadata',
    ({ target }) => {
      if (target instanceof HTMLVideoElement && isWithoutPicture(target)) {
        showProblem(target);
      }
    },
    { capture: true },
  );
  compareFilms();
}

function pressKey(event: KeyboardEvent): void {
  const { target, altKey, ctrlKey, metaKey } = event;
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const key = KEYS[name];
  if (target instanceof HTMLVideoElement && key !== undefined && !altKey && !ctrlKey && !metaKey) {
    event.preventDefault();
    event.stopPropagation();
    key(target);
  }
}

/** A browser that has the sound of a film but not its codec of pictures plays it without them. */
function isWithoutPicture(video: HTMLVideoElement): boolean {
  return video.readyState >= HTMLMediaElement.HAVE_METADATA && video.videoWidth === 0;
}

function showProblem(target: EventTarget | null): void {
  const video = target instanceof HTMLVideoElement ? target : undefined;
  const problem = video?.closest(PLAYER)?.querySelector<HTMLElement>('.player-problem');
  if (problem?.hidden === true) {
    problem.hidden = false;
  }
}

/** Both films of a comparison play, stop, seek and change their speed together. */
function compareFilms(): void {
  const films = [...document.querySelectorAll<HTMLVideoElement>('.comparison.films video')];
  if (films.length !== 2) {
    return;
  }
  for (const film of films) {
    const other = films.find((one) => one !== film);
    if (other === undefined) {
      continue;
    }
    const follow = (): void => {
      // The other one may be longer, and plays on.
      const isOver = film.ended && other.currentTime >= film.duration;
      if (Math.abs(other.currentTime - film.currentTime) > MAX_APART && !isOver) {
        other.currentTime = Math.min(film.currentTime, other.duration || film.currentTime);
      }
    };
    film.addEventListener('play', () => {
      follow();
      void other.play().catch(() => undefined);
    });
    film.addEventListener('pause', () => {
      if (!film.ended) {
        other.pause();
        follow();
      }
    });
    film.addEventListener('seeked', follow);
    film.addEventListener('ratechange', () => {
      other.playbackRate = film.playbackRate;
    });
  }
}

/** How far apart two films may be that play together, in seconds: about one frame. */
const MAX_APART = 0.04;

/** The player is that of the viewer, or that of the page. */
export function player(): HTMLVideoElement | undefined {
  const selector =
    document.querySelector('.pswp') === null
      ? '[data-player] video'
      : '.pswp__item[aria-hidden="false"] video';
  return document.querySelector<HTMLVideoElement>(selector) ?? undefined;
}

/** A time as players show it, such as `0:42` or `0:42.500`. @param digits of the part of a second; none: left out */
export function clock(seconds: number, digits: 0 | 3): string {
  const milliseconds = Math.floor(seconds * 1000);
  const whole = Math.floor(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const padded = (number: number, length: number): string => String(number).padStart(length, '0');
  const parts = hours > 0 ? [hours, padded(minutes, 2)] : [minutes];
  const text = [...parts, padded(whole % 60, 2)].join(':');
  return digits === 0 ? text : `${text}.${padded(milliseconds % 1000, digits)}`;
}
