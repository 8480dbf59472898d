import { html } from '../../../kernel/html-tag.js';
import { page, errorBox, type Page } from '../../../kernel/html/layout.js';
import type { Message } from '../../../kernel/i18n/message.js';
import { PHOTOS } from '../../../site/addresses/photo-paths.js';

/** The page for a photo that does not exist or that the user may not see. */
export function photoNotFoundPage(): Page {
  return page(
    'noPhotoTitle',
    (translator) =>
      html`<h1>${translator.t('noPhotoTitle')}</h1>
        <p>${translator.t('noPhotoText')}</p>
        <p><a class="button" href="${PHOTOS.root}">${translator.t('openPhotos')}</a></p>`,
  );
}

/** The page with the reason why a photo action failed. */
export function photoErrorPage(problem: Message): Page {
  return page(
    'didNotWork',
    (translator) =>
      html`<h1>${translator.t('didNotWork')}</h1>
        ${errorBox(translator, problem)}
        <p><a class="button" href="${PHOTOS.root}">${translator.t('openPhotos')}</a></p>`,
  );
}
