import { html, type Html } from '../../../kernel/html-tag.js';
import type { Translator } from '../../../kernel/i18n/translator.js';
import { pinsOver, timeLine, type Feedback } from '../../feedback/index.js';
import type { Photo } from '../data/photo.js';
import { playedAs } from '../files/play.js';

/** Browsers draw the frame at this time, in seconds, where there is no poster: the first one is often black. */
const FIRST_FRAME = 0.1;

/** How large a player is before its film is known, in pixels. */
const USUAL_SIDES = { width: 1280, height: 720 } as const;

type Film = Pick<Photo, 'name' | 'mediaType' | 'media' | 'width' | 'height' | 'preview'>;

/** What a player shows. */
export interface PlayerView {
  /** Where the film is; undefined where it must not play. */
  readonly film: string | undefined;
  /** Where its poster is, and the poster as a picture, which is shown where the film does not play. */
  readonly poster: string;
  readonly image: Html;
  /** Shown over the film and on its time line; undefined next to another version. */
  readonly answers?: readonly Feedback[];
  /** Of the page with the player. */
  readonly address?: string;
  /** Where the picture with its frames is, if there is one. */
  readonly frames?: string | undefined;
  /** At which it begins, in seconds. */
  readonly time?: number | undefined;
}

export function isVideo({ media }: Pick<Photo, 'media'>): boolean {
  return media?.kind === 'video';
}

/**
 * The player of a film: that of the browser, which works without scripts. `service/client/player.ts` adds keys. A film that
 * no browser plays has its poster and a sentence.
 */
export function player(translator: Translator, film: Film, view: PlayerView): Html {
  const { image, answers = [], address = '', frames } = view;
  const source = playedAs(film) === undefined ? undefined : view.film;
  const problem = (isHidden: boolean): Html =>
    html`<p class="player-problem" role="status" ${isHidden ? html`hidden` : undefined}>
      ${translator.t('videoNotPlayable')}
    </p>`;
  if (source === undefined) {
    return html`<div class="player">${image} ${problem(false)}</div>`;
  }
  return html`<div class="player" data-player>
    <div class="film">${video(film, source, view)} ${pinsOver(answers, film)}</div>
    ${timeLine(translator, answers, { ...film, address, frames })} ${problem(true)}
    <details class="player-keys soft">
      <summary>${translator.t('keyboard')}</summary>
      <p>${translator.t('playerKeys')}</p>
    </details>
  </div>`;
}

/** The element that plays a film. A script reads its frame rate. A time hides the poster, so that its frame is seen. */
function video(
  { name, media, width, height, preview }: Film,
  source: string,
  { poster, time }: PlayerView,
): Html {
  const { frameRate } = media?.kind === 'video' ? media : {};
  const hasPoster = preview !== undefined && time === undefined;
  const fragment = hasPoster ? '' : `#t=${time ?? FIRST_FRAME}`;
  return html`<video
    src="${source}${fragment}"
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
