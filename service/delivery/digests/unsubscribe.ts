import { html, type Html } from '../../kernel/html-tag.js';
import { page, type Page } from '../../kernel/html/layout.js';
import { OPEN, permit } from '../../kernel/http/permission.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendPage } from '../../kernel/http/responses.js';
import type { Route } from '../../kernel/http/router.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import type { MailLinks } from '../../kernel/mail/mail-declaration.js';
import type { GuestAddresses } from '../../library/index.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import { notFoundPage } from '../../site/error-pages.js';
import type { DigestTable } from './digest-table.js';
import { readUnsubscribe } from './unsubscribe-token.js';

export interface UnsubscribeDeps {
  readonly digests: DigestTable;
  readonly guestAddresses: Pick<GuestAddresses, 'end'>;
  /** The mails with replies to addresses that guests entered. */
  readonly replies: {
    stop(shareId: string, key: string): Promise<void>;
    allow(shareId: string, key: string): Promise<void>;
  };
  readonly proof: MailLinks['proof'];
}

/**
 * The page that a mail about feedback leads to. A POST ends the mails about the link, also from a mail program
 * ([RFC 8058](https://www.rfc-editor.org/rfc/rfc8058)), or about all links.
 */
export function unsubscribeRoute({
  digests,
  guestAddresses,
  replies,
  proof,
}: UnsubscribeDeps): Route {
  const answer = async (context: BufferedContext): Promise<void> => {
    const recipient = readUnsubscribe(context.query, proof);
    if (recipient === undefined) {
      sendPage(context, 404, notFoundPage());
    } else if (context.form === undefined) {
      sendPage(context, 200, unsubscribePage('account' in recipient));
    } else if ('guest' in recipient) {
      await guestAddresses.end(recipient.share, recipient.guest);
      sendPage(context, 200, unsubscribedPage());
    } else if ('replies' in recipient) {
      const { share, replies: key } = recipient;
      const isAgain = context.form.has('again');
      await (isAgain ? replies.allow(share, key) : replies.stop(share, key));
      sendPage(context, 200, isAgain ? allowedPage() : unsubscribedPage(allowForm));
    } else {
      const { account, share } = recipient;
      await digests.optOut(account, context.form.has('all') ? '' : share);
      sendPage(
        context,
        200,
        unsubscribedPage((translator) => html`<p>${translator.t('unsubscribedHint')}</p>`),
      );
    }
  };
  return {
    path: SHARES.unsubscribe,
    kind: 'public-link',
    handlers: permit(OPEN, { GET: answer, POST: answer }),
  };
}

/** The forms send to the address of the page, which has the proof. */
function unsubscribePage(isUser: boolean): Page {
  return page(
    'unsubscribeTitle',
    (translator) =>
      html`<h1>${translator.t('unsubscribeTitle')}</h1>
        <p>${translator.t(isUser ? 'unsubscribeText' : 'unsubscribeGuestText')}</p>
        <form method="post">
          <button type="submit" name="link" value="1">${translator.t('unsubscribeLink')}</button>
          ${
            isUser
              ? html`<button type="submit" name="all" value="1" class="quiet">
                  ${translator.t('unsubscribeAll')}
                </button>`
              : undefined
          }
        </form>`,
  );
}

function unsubscribedPage(more?: (translator: Translator) => Html): Page {
  return page(
    'unsubscribed',
    (translator) =>
      html`<h1>${translator.t('unsubscribed')}</h1>
        ${more?.(translator)}`,
  );
}

/** Lets guests enter the address again. */
function allowForm(translator: Translator): Html {
  return html`<form method="post">
    <button type="submit" name="again" value="1" class="quiet">
      ${translator.t('repliesAllow')}
    </button>
  </form>`;
}

function allowedPage(): Page {
  return page(
    'unsubscribeTitle',
    (translator) =>
      html`<h1>${translator.t('unsubscribeTitle')}</h1>
        <p>${translator.t('repliesAllowed')}</p>`,
  );
}
