import type PhotoSwipe from 'photoswipe';

/** What a slide of the viewer needs to play a film. */
export interface Film {
  readonly address: string;
  readonly frameRate: string;
  readonly poster: string;
  readonly name: string;
}

/** Browsers draw the frame at this time, in seconds, where there is no poster. */
const FIRST_FRAME = '#t=0.1';

/** The film of an item of a list; undefined for a picture, and where it does not play. */
export function filmOf({ dataset }: HTMLElement): Film | undefined {
  const { film, frameRate = '', preview = '', name = '' } = dataset;
  return film === undefined ? undefined : { address: film, frameRate, poster: preview, name };
}

/**
 * Shows films in the viewer with the player of the browser. Only the film on the screen is loaded.
 * @param problem the sentence for a film that does not play, which `player.ts` shows
 */
export function showFilms(pswp: PhotoSwipe, problem: string): void {
  pswp.on('contentLoad', (event) => {
    const film = filmIn(event.content.data);
    if (film !== undefined) {
      event.preventDefault();
      event.content.element = playerOf(film, problem);
      event.content.state = 'loaded';
      event.content.onLoaded();
    }
  });
  pswp.on('contentActivate', ({ content }) => {
    const film = filmIn(content.data);
    const video = videoIn(content.element);
    if (film !== undefined && video !== undefined) {
      video.src = film.poster === '' ? film.address + FIRST_FRAME : film.address;
    }
  });
  for (const name of ['contentDeactivate', 'contentDestroy'] as const) {
    pswp.on(name, ({ content }) => {
      const video = videoIn(content.element);
      if (video?.hasAttribute('src') === true) {
        // Ends the request for its bytes.
        video.removeAttribute('src');
        video.load();
      }
    });
  }
  pswp.addFilter('useContentPlaceholder', (uses, { data }) =>
    filmIn(data) === undefined ? uses : false,
  );
  // The pointer belongs to the controls of the film and to its time line.
  pswp.on('pointerDown', (event) => {
    const { target } = event.originalEvent;
    if (target instanceof Element && target.closest('.film, .time-line') !== null) {
      event.preventDefault();
    }
  });
}

function playerOf({ frameRate, poster, name }: Film, problem: string): HTMLDivElement {
  const player = document.createElement('div');
  player.className = 'pswp__content viewer-film';
  const video = document.createElement('video');
  video.controls = true;
  video.muted = true;
  video.playsInline = true;
  video.preload = 'metadata';
  video.setAttribute('aria-label', name);
  if (frameRate !== '') {
    video.dataset['frameRate'] = frameRate;
  }
  if (poster !== '') {
    video.poster = poster;
  }
  player.dataset['player'] = '';
  const sentence = document.createElement('p');
  sentence.className = 'player-problem';
  sentence.setAttribute('role', 'status');
  sentence.hidden = true;
  sentence.textContent = problem;
  const box = document.createElement('div');
  box.className = 'film';
  box.append(video);
  player.append(box, sentence);
  return player;
}

function videoIn(element: Element | undefined): HTMLVideoElement | undefined {
  return element?.querySelector('video') ?? undefined;
}

function filmIn(data: object): Film | undefined {
  const { element } = data as { element?: unknown };
  return element instanceof HTMLElement ? filmOf(element) : undefined;
}
