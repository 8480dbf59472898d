import { markup } from '../pages/html.js';
import { page, problemBox, type Page } from '../pages/layout.js';
import type { Sentence } from '../pages/sentence.js';
import { PHOTOS } from './paths.js';

/** For the address of a photo that is not there, or that the person may not see. */
export function noPhotoPage(): Page {
  return page(
    'noPhotoTitle',
    (speech) =>
      markup`<h1>${speech.text('noPhotoTitle')}</h1>
        <p>${speech.text('noPhotoText')}</p>
        <p><a class="button" href="${PHOTOS.root}">${speech.text('openPhotos')}</a></p>`,
  );
}

/** Says why something about photos cannot be done now. */
export function photoProblemPage(problem: Sentence): Page {
  return page(
    'didNotWork',
    (speech) =>
      markup`<h1>${speech.text('didNotWork')}</h1>
        ${problemBox(speech, problem)}
        <p><a class="button" href="${PHOTOS.root}">${speech.text('openPhotos')}</a></p>`,
  );
}
