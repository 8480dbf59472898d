import { queueMail } from '../mail/outgoing-mail.js';
import { contactLink, type PasswordHelp } from '../passwords/password-help.js';
import type { OpenPageHandler } from '../session/authenticated-request.js';
import type { CsrfTokens } from '../csrf/csrf.js';
import type { Queryable } from '../../kernel/database/database.js';
import { widestNetwork } from '../../kernel/http/request/client-address.js';
import { sendPage } from '../../kernel/http/responses.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { html, type Html } from '../../kernel/html-tag.js';
import { errorBox, page, type Page } from '../../kernel/html/layout.js';
import { message, waitDuration, type Message } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { MAX_ADDRESS_LENGTH } from '../../kernel/mail/mail-address.js';
import { PEOPLE_PATHS } from '../../site/addresses/people-paths.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import type { RateLimiter } from '../../kernel/rate-limit/rate-limiter.js';

/** Requests for a link in 15 minutes: from one address, from its wider network. */
const MAX_PER_ADDRESS = 10;
const MAX_PER_NETWORK = 100;

export interface ForgotPageDeps {
  readonly database: Queryable;
  readonly formTokens: CsrfTokens;
  readonly limit: RateLimiter;
  readonly now: () => Date;
  readonly help: PasswordHelp;
}

/**
 * Sends a link for a new password to users who enter their name or address. Whether there is such a user is looked up when
 * the mail is sent, so the answer and its time are the same for everybody.
 */
export function forgotPage(deps: ForgotPageDeps): OpenPageHandler {
  return async (context, { session }) => {
    const { form, response, clientAddress, locale } = context;
    if (!deps.help.sendsMail) {
      sendPage(context, 200, noMailPage(deps.help.contact));
      return;
    }
    const csrf = session.signInCsrf();
    const login = form?.get('login')?.trim() ?? '';
    if (form === undefined) {
      sendPage(context, 200, formPage(csrf, login, undefined));
      return;
    }
    if (!deps.formTokens.matches(form.get('csrf'), csrf)) {
      sendPage(context, 403, formPage(csrf, login, message('answerOnceMore')));
      return;
    }
    const taken = await deps.limit.consume([
      { key: ['reset mails from address', clientAddress], max: MAX_PER_ADDRESS },
      { key: ['reset mails from network', widestNetwork(clientAddress)], max: MAX_PER_NETWORK },
    ]);
    if ('waitSeconds' in taken) {
      response.setHeader('Retry-After', String(taken.waitSeconds));
      const time = waitDuration(taken.waitSeconds);
      sendPage(context, 429, formPage(csrf, login, message('tooManyRequests', { time })));
      return;
    }
    // No user has such a name, and PostgreSQL refuses some of its characters.
    if (login.length <= MAX_ADDRESS_LENGTH && !/\p{Cc}|\p{Cs}/u.test(login)) {
      const mail = { kind: 'password_reset', recipient: '', about: { login } } as const;
      await queueMail(deps.database, { ...mail, locale: locale.language }, deps.now());
    }
    sendPage(context, 200, sentPage(deps.help.contact));
  };
}

function formPage(csrf: string, login: string, problem: Message | undefined): Page {
  return page(
    'forgotPassword',
    (translator) =>
      html`<h1>${translator.t('forgotPassword')}</h1>
        <p class="soft">${translator.t('forgotText')}</p>
        ${errorBox(translator, problem)}
        <form method="post" action="${PEOPLE_PATHS.forgotPassword}">
          ${csrfField({ csrf })}
          <label for="login">${translator.t('usernameOrEmail')}</label>
          <input
            id="login"
            name="login"
            type="text"
            value="${login}"
            maxlength="${String(MAX_ADDRESS_LENGTH)}"
            autocomplete="username"
            autocapitalize="none"
            autocorrect="off"
            spellcheck="false"
            required
            autofocus
          />
          <button type="submit">${translator.t('sendLink')}</button>
        </form>
        ${backLink(translator)}`,
  );
}

function sentPage(contact: string | undefined): Page {
  return page(
    'checkMail',
    (translator) =>
      html`<h1>${translator.t('checkMail')}</h1>
        <p role="status">${translator.t('resetMailSent', { time: { amount: 1, unit: 'hour' } })}</p>
        <p class="small soft">
          ${translator.t('noMailCame')}
          ${contact && translator.html('helpFrom', { contact: contactLink(contact) })}
        </p>
        ${backLink(translator)}`,
  );
}

function noMailPage(contact: string | undefined): Page {
  return page(
    'forgotPassword',
    (translator) =>
      html`<h1>${translator.t('forgotPassword')}</h1>
        <p>${translator.t('forgotNoMail')}</p>
        ${
          contact &&
          html`<p>${translator.html('helpContactIs', { contact: contactLink(contact) })}</p>`
        }
        ${backLink(translator)}`,
  );
}

function backLink(translator: Translator): Html {
  return html`<p class="small">
    <a href="${SETTINGS.signIn}">${translator.t('backToSignIn')}</a>
  </p>`;
}
