import { html, type Html } from '../../../kernel/html-tag.js';
import type { Translator } from '../../../kernel/i18n/translator.js';
import { timeText } from '../../feedback/index.js';
import type { Photo } from '../data/photo.js';

/** How many pages a document has, or how long a video is, on its tile; undefined for a picture, and while it is not known. */
export function mediaBadge(
  translator: Translator,
  { media }: Pick<Photo, 'media'>,
): Html | undefined {
  if (media?.kind === 'document') {
    return html`<p class="media">${pageCount(translator, media.pages)}</p>`;
  }
  return media?.duration === undefined
    ? undefined
    : html`<p class="media">${durationText(media.duration)}</p>`;
}

/** How many pages a document has, such as "24 pages". */
function pageCount(translator: Translator, pages: number): string {
  return pages === 1 ? translator.t('onePage') : translator.t('pageCount', { count: pages });
}

/** A duration as a player shows it, such as `1:32` or `2:05:00`. @param seconds at least one second is shown */
export function durationText(seconds: number): string {
  return timeText(Math.max(1, Math.round(seconds)) * 1000);
}
