import { html, type Html } from '../../../kernel/html-tag.js';
import type { Translator } from '../../../kernel/i18n/translator.js';
import { PHOTOS } from '../../../site/addresses/photo-paths.js';
import {
  FRAME_RATE_NAMES,
  isTimed,
  MARKER_FORMAT_NAMES,
  type Feedback,
} from '../../feedback/index.js';
import type { Photo } from '../data/photo.js';

/** The form that saves the comments of a film as markers; undefined where no comment has a time. */
export function markerForm(
  translator: Translator,
  { id, media }: Photo,
  answers: readonly Feedback[],
): Html | undefined {
  if (!answers.some(isTimed)) {
    return undefined;
  }
  const isKnown = media?.kind === 'video' && media.frameRate !== undefined;
  return html`<details id="markers">
    <summary>${translator.t('markers')}</summary>
    <p class="soft small">${translator.t('markersText')}</p>
    <form method="get" action="${PHOTOS.markers(id)}" class="answer-filter">
      <label
        >${translator.t('timeCodeStart')}
        <input
          name="start"
          size="11"
          maxlength="12"
          placeholder="01:00:00:00"
          pattern="\\d\\d:\\d\\d:\\d\\d[:;.]\\d{2,3}"
          translate="no"
        />
      </label>
      <label
        >${translator.t('frameRate')}
        <select name="rate" ${isKnown ? undefined : html`required`}>
          <option value="">${isKnown ? translator.t('asInFile') : ''}</option>
          ${FRAME_RATE_NAMES.map((name) => html`<option>${name}</option>`)}
        </select>
      </label>
      <p class="exports">
        ${MARKER_FORMAT_NAMES.map(
          ({ format, name }) =>
            html`<button type="submit" class="quiet small" name="format" value="${format}">
              ${name}
            </button>`,
        )}
      </p>
    </form>
  </details>`;
}
