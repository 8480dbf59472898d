import { html, type Html } from '../../../kernel/html-tag.js';
import type { Translator } from '../../../kernel/i18n/translator.js';
import type { Photo } from '../data/photo.js';
import { playedAs } from '../files/play.js';

/** Browsers draw the frame at this time, in seconds, where there is no poster: the first one is often black. */
const FIRST_FRAME = '#t=0.1';

/** How large a player is before its film is known, in pixels. */
const USUAL_SIDES = { width: 1280, height: 720 } as const;

type Film = Pick<Photo, 'name' | 'mediaType' | 'media' | 'width' | 'height' | 'preview'>;

/** Where a film and its poster are. */
export interface PlayerAddresses {
  /** Undefined where it must not play. */
  readonly film: string | undefined;
  readonly poster: string;
}

export function isVideo({ media }: Pick<Photo, 'media'>): boolean {
  return media?.kind === 'video';
}

/**
 * The player of a film: that of the browser, which works without scripts. `service/client/player.ts` adds keys. A film that
 * no browser plays has its poster and a sentence.
 * @param poster shown where the film does not play
 */
export function player(
  translator: Translator,
  film: Film,
  addresses: PlayerAddresses,
  poster: Html,
): Html {
  const source = playedAs(film) === undefined ? undefined : addresses.film;
  const problem = (isHidden: boolean): Html =>
    html`<p class="player-problem" role="status" ${isHidden ? html`hidden` : undefined}>
      ${translator.t('videoNotPlayable')}
    </p>`;
  if (source === undefined) {
    return html`<div class="player">${poster} ${problem(false)}</div>`;
  }
  return html`<div class="player" data-player>
    ${video(film, source, addresses.poster)} ${problem(true)}
    <details class="player-keys soft">
      <summary>${translator.t('keyboard')}</summary>
      <p>${translator.t('playerKeys')}</p>
    </details>
  </div>`;
}

/** The element that plays a film. A script reads its frame rate. */
function video(
  { name, media, width, height, preview }: Film,
  source: string,
  poster: string,
): Html {
  const { frameRate } = media?.kind === 'video' ? media : {};
  const hasPoster = preview !== undefined;
  return html`<video
    src="${hasPoster ? source : `${source}${FIRST_FRAME}`}"
    controls
    muted
    playsinline
    preload="metadata"
    width="${String(width ?? USUAL_SIDES.width)}"
    height="${String(height ?? USUAL_SIDES.height)}"
    ${hasPoster ? html`poster="${poster}"` : undefined}
    ${frameRate === undefined ? undefined : html`data-frame-rate="${String(frameRate)}"`}
    aria-label="${name}"
    translate="no"
  ></video>`;
}
