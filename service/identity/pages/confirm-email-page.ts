import { ACCOUNT_EVENTS } from '../accounts/events.js';
import type { Audit } from '../accounts/audit.js';
import type { EmailAddresses, EmailConfirmation } from '../accounts/email-addresses.js';
import type { CsrfTokens } from '../csrf/csrf.js';
import type { OpenPageHandler } from '../session/authenticated-request.js';
import { sendPage } from '../../kernel/http/responses.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { html, verbatim } from '../../kernel/html-tag.js';
import { errorBox, page, type Page } from '../../kernel/html/layout.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import { PEOPLE_PATHS } from '../../site/addresses/people-paths.js';
import { PHOTOS } from '../../site/addresses/photo-paths.js';
import type { OneTimeLink } from './one-time-link.js';

export interface ConfirmEmailPageDeps {
  readonly link: OneTimeLink;
  readonly emailAddresses: EmailAddresses;
  readonly formTokens: CsrfTokens;
  readonly audit: Audit;
}

/**
 * The page of an opened link to confirm an e-mail address. Programs that scan mail open links, so opening it changes
 * nothing. No sign-in is needed: people read mail on other devices.
 */
export function confirmEmailPage(deps: ConfirmEmailPageDeps): OpenPageHandler {
  return async (context, { session }) => {
    const { response, form, locale } = context;
    const { link, emailAddresses, formTokens, audit } = deps;
    const opened = await link.open(context, (token) => emailAddresses.find(token));
    if (opened === undefined) {
      return;
    }
    const { token, found } = opened;
    const csrf = session.linkCsrf('email', `${found.accountId} ${found.email}`);
    if (form === undefined) {
      sendPage(context, 200, shownPage(found, csrf, undefined));
      return;
    }
    if (!formTokens.matches(form.get('csrf'), csrf)) {
      sendPage(context, 403, shownPage(found, csrf, message('answerOnceMore')));
      return;
    }
    const result = await emailAddresses.confirm(token, locale.language, (transaction, id) =>
      audit(response, ACCOUNT_EVENTS.emailChanged, { by: id, user: id }, transaction),
    );
    if (result === 'gone') {
      deps.link.sendGone(context);
      return;
    }
    link.end(response);
    if (result === 'taken') {
      sendPage(context, 409, takenPage());
      return;
    }
    sendPage(context, 200, confirmedPage(result));
  };
}

function shownPage(
  { username, email }: EmailConfirmation,
  csrf: string,
  problem: Message | undefined,
): Page {
  return page(
    'confirmEmail',
    (translator) =>
      html`<h1>${translator.t('confirmEmail')}</h1>
        <p>
          ${translator.html('confirmEmailText', {
            username: html`<strong>${verbatim(username)}</strong>`,
            email: html`<strong>${verbatim(email)}</strong>`,
          })}
        </p>
        ${errorBox(translator, problem)}
        <form method="post" action="${PEOPLE_PATHS.confirmEmail}">
          ${csrfField({ csrf })}
          <button type="submit">${translator.t('confirmAddress')}</button>
        </form>`,
  );
}

function takenPage(): Page {
  return page(
    'didNotWork',
    (translator) =>
      html`<h1>${translator.t('didNotWork')}</h1>
        ${errorBox(translator, message('emailTaken'))}`,
  );
}

function confirmedPage({ username, email }: EmailConfirmation): Page {
  return page(
    'confirmEmail',
    (translator) =>
      html`<h1>${translator.t('confirmEmail')}</h1>
        <p class="good" role="status">${translator.t('emailConfirmed')}</p>
        <p>${translator.html('confirmEmailText', { username, email })}</p>
        <p><a class="button" href="${PHOTOS.root}">${translator.t('done')}</a></p>`,
  );
}
