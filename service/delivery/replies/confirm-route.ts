import { html } from '../../kernel/html-tag.js';
import { page, type Page } from '../../kernel/html/layout.js';
import { equalTexts } from '../../kernel/hash.js';
import { OPEN, permit } from '../../kernel/http/permission.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendPage } from '../../kernel/http/responses.js';
import type { Route } from '../../kernel/http/router.js';
import type { MailLinks } from '../../kernel/mail/mail-declaration.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import { notFoundPage } from '../../site/error-pages.js';
import { confirmProof, type ReplyLink, type ReplyMailDeps } from './reply-mails.js';
import type { SubscriptionTable } from './subscription-table.js';

export interface ConfirmRepliesDeps extends Pick<ReplyMailDeps, 'linkOf'> {
  readonly subscriptions: SubscriptionTable;
  readonly proof: MailLinks['proof'];
}

/**
 * The page that confirms the address of a guest. Programs that scan mail open links, so opening it changes nothing. The form
 * sends to the address of the page, which has the proof.
 */
export function confirmRepliesRoute({ subscriptions, linkOf, proof }: ConfirmRepliesDeps): Route {
  const answer = async (context: BufferedContext): Promise<void> => {
    const { query, form } = context;
    const share = query.get('share') ?? '';
    const subscription = await subscriptions.of(share, query.get('guest') ?? '');
    const isProven =
      subscription !== undefined &&
      equalTexts(query.get('proof') ?? '', confirmProof(proof, subscription));
    const link = isProven ? await linkOf(share) : undefined;
    if (!isProven || link === undefined) {
      sendPage(context, 404, notFoundPage());
    } else if (form === undefined && subscription.confirmedAt === undefined) {
      sendPage(context, 200, confirmPage(link));
    } else {
      await subscriptions.confirm(subscription);
      sendPage(context, 200, confirmedPage(link));
    }
  };
  return {
    path: SHARES.confirmReplies,
    kind: 'public-link',
    handlers: permit(OPEN, { GET: answer, POST: answer }),
  };
}

function confirmPage({ studio }: ReplyLink): Page {
  return page(
    'repliesTitle',
    (translator) =>
      html`<h1>${translator.t('repliesTitle')}</h1>
        <p>${translator.html('repliesConfirmText', { studio })}</p>
        <form method="post">
          <button type="submit">${translator.t('confirmAddress')}</button>
        </form>`,
  );
}

function confirmedPage({ path }: ReplyLink): Page {
  return page(
    'repliesConfirmed',
    (translator) =>
      html`<h1>${translator.t('repliesConfirmed')}</h1>
        <p><a class="button" href="${path}">${translator.t('photos')}</a></p>`,
  );
}
