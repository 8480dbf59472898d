import type { PageShell } from '../../../identity/index.js';
import { html, type Html } from '../../../kernel/html-tag.js';
import type { Translator } from '../../../kernel/i18n/translator.js';
import { PHOTOS } from '../../../site/addresses/photo-paths.js';
import { isOneProject, type PhotoQuery } from '../data/photo-query.js';

/**
 * The button to upload photos, with the words for its script: `service/client/uploads.ts`. Without a script it is not
 * shown.
 */
export function uploadControl(
  translator: Translator,
  shell: PageShell,
  { workspace, project }: PhotoQuery,
): Html {
  const counts = { done: '{done}', count: '{count}' };
  return html`<div
    class="upload"
    data-endpoint="${PHOTOS.uploads}"
    data-csrf="${shell.csrf}"
    data-workspace="${workspace.id}"
    ${isOneProject(project) ? html`data-project="${project}"` : undefined}
    data-running="${translator.t('uploadsRunning', counts)}"
    data-done="${translator.t('uploadsDone', counts)}"
    data-drop="${translator.t('dropToUpload')}"
    data-waits="${translator.t('uploadWaits')}"
    data-uploaded="${translator.t('uploaded')}"
    data-known="${translator.t('alreadyUploaded')}"
    data-offline="${translator.t('noConnection')}"
    data-no-room="${translator.t('uploadNoRoom')}"
    data-service-full="${translator.t('uploadServiceFull')}"
    data-too-large="${translator.t('uploadTooLarge')}"
    data-no-project="${translator.t('projectGone')}"
    data-signed-out="${translator.t('uploadSignedOut')}"
    data-unreadable="${translator.t('uploadUnreadable')}"
    data-failed="${translator.t('didNotWorkSentence')}"
    data-again="${translator.t('tryAgain')}"
    data-send-again="${translator.t('uploadAgain')}"
    data-cancel="${translator.t('cancel')}"
    data-close="${translator.t('done')}"
  >
    <label class="button quiet"><input type="file" multiple />${translator.t('upload')}</label>
  </div>`;
}
