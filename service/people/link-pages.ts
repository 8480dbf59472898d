import { markup } from '../pages/html.js';
import { page, problemBox, type Page } from '../pages/layout.js';
import { sentence, waiting } from '../pages/sentence.js';
import { PHOTOS } from '../photos/paths.js';

/** For a link that is good for nothing: nobody is told whether it ever was. */
export function linkGonePage(): Page {
  return page(
    'linkGoneTitle',
    (speech) =>
      markup`<h1>${speech.text('linkGoneTitle')}</h1>
        ${problemBox(speech, sentence('linkGone'))}
        <p>${speech.linked('usedItYourself', PHOTOS.root)}</p>`,
  );
}

/** For whoever opened too many links that were good for nothing. */
export function tooManyLinksPage(waitSeconds: number): Page {
  return page(
    'didNotWork',
    (speech) =>
      markup`<h1>${speech.text('didNotWork')}</h1>
        ${problemBox(speech, sentence('tooManyRequests', { time: waiting(waitSeconds) }))}`,
  );
}
