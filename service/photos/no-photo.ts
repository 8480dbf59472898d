import { markup } from '../pages/html.js';
import { page, problemBox, type Page } from '../pages/layout.js';
import type { Message } from '../pages/message.js';
import { PHOTOS } from './paths.js';

/** For the address of a photo that is not there, or that the person may not see. */
export function noPhotoPage(): Page {
  return page(
    'noPhotoTitle',
    (translator) =>
      markup`<h1>${translator.t('noPhotoTitle')}</h1>
        <p>${translator.t('noPhotoText')}</p>
        <p><a class="button" href="${PHOTOS.root}">${translator.t('openPhotos')}</a></p>`,
  );
}

/** Says why something about photos cannot be done now. */
export function photoProblemPage(problem: Message): Page {
  return page(
    'didNotWork',
    (translator) =>
      markup`<h1>${translator.t('didNotWork')}</h1>
        ${problemBox(translator, problem)}
        <p><a class="button" href="${PHOTOS.root}">${translator.t('openPhotos')}</a></p>`,
  );
}
