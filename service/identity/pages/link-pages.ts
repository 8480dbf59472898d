import { html } from '../../kernel/html-tag.js';
import { page, errorBox, type Page } from '../../kernel/html/layout.js';
import { message, waitDuration } from '../../kernel/i18n/message.js';
import { PHOTOS } from '../../site/addresses/photo-paths.js';

/** For a link that does not work. The page does not reveal whether it ever did. */
export function linkExpiredPage(): Page {
  return page(
    'linkGoneTitle',
    (translator) =>
      html`<h1>${translator.t('linkGoneTitle')}</h1>
        ${errorBox(translator, message('linkGone'))}
        <p>${translator.withLink('usedItYourself', PHOTOS.root)}</p>`,
  );
}

/** For a browser without the cookie of the link: it keeps none, or the address was copied from another browser. */
export function linkNotOpenedPage(): Page {
  return page(
    'linkNotOpenedTitle',
    (translator) =>
      html`<h1>${translator.t('linkNotOpenedTitle')}</h1>
        ${errorBox(translator, message('linkNotOpened'))}
        <p>${translator.t('linkNotOpenedCookies')}</p>`,
  );
}

/** The page for a client over a limit: too many invalid links opened, or one link answered too often. */
export function tooManyLinksPage(waitSeconds: number): Page {
  return page(
    'didNotWork',
    (translator) =>
      html`<h1>${translator.t('didNotWork')}</h1>
        ${errorBox(translator, message('tooManyRequests', { time: waitDuration(waitSeconds) }))}`,
  );
}
