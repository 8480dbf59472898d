import { markup } from '../pages/html.js';
import { page, problemBox, type Page } from '../pages/layout.js';
import { message, waitDuration } from '../pages/message.js';
import { PHOTOS } from '../photos/paths.js';

/** For a link that does not work. The page does not tell whether it ever did. */
export function linkGonePage(): Page {
  return page(
    'linkGoneTitle',
    (translator) =>
      markup`<h1>${translator.t('linkGoneTitle')}</h1>
        ${problemBox(translator, message('linkGone'))}
        <p>${translator.withLink('usedItYourself', PHOTOS.root)}</p>`,
  );
}

/** For somebody who has to wait, because too many links were opened that do not work, or one was answered too often. */
export function tooManyLinksPage(waitSeconds: number): Page {
  return page(
    'didNotWork',
    (translator) =>
      markup`<h1>${translator.t('didNotWork')}</h1>
        ${problemBox(translator, message('tooManyRequests', { time: waitDuration(waitSeconds) }))}`,
  );
}
