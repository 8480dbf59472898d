import { markup } from '../pages/html.js';
import { page, problemBox, type Page } from '../pages/layout.js';
import { sentence, waiting } from '../pages/sentence.js';
import { PHOTOS } from '../photos/paths.js';

/** For a link that does not work. The page does not tell whether it ever did. */
export function linkGonePage(): Page {
  return page(
    'linkGoneTitle',
    (speech) =>
      markup`<h1>${speech.text('linkGoneTitle')}</h1>
        ${problemBox(speech, sentence('linkGone'))}
        <p>${speech.linked('usedItYourself', PHOTOS.root)}</p>`,
  );
}

/** For somebody who has to wait, because too many links were opened that do not work, or one was answered too often. */
export function tooManyLinksPage(waitSeconds: number): Page {
  return page(
    'didNotWork',
    (speech) =>
      markup`<h1>${speech.text('didNotWork')}</h1>
        ${problemBox(speech, sentence('tooManyRequests', { time: waiting(waitSeconds) }))}`,
  );
}
