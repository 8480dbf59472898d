import { html, type Html } from '../../../platform/html-tag.js';
import type { Translator } from '../../../platform/i18n/translator.js';
import { PHOTOS } from '../../../platform/paths/photo-paths.js';
import { SHARES } from '../../../platform/paths/share-paths.js';
import { moveFields, type Project } from '../../projects/index.js';

/** What can be done with the selected photos of a list. */
export function selectionBar(translator: Translator, projects: readonly Project[]): Html {
  return html`<div class="selection-bar">
    <p class="small soft">${translator.t('withChosen')}</p>
    <p class="pager">
      <button type="submit" formaction="${PHOTOS.zip}" class="quiet small">
        ${translator.t('downloadZip')}
      </button>
      <button type="submit" formaction="${SHARES.new}" class="quiet small">
        ${translator.t('shareByLink')}
      </button>
      <button type="submit" name="action" value="trash" class="danger small">
        ${translator.t('moveToTrash')}
      </button>
    </p>
    ${moveFields(translator, projects)}
  </div>`;
}
