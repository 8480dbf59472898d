import { ACCOUNT_EVENTS } from '../accounts/events.js';
import type { Audit } from '../accounts/audit.js';
import type { EmailAddresses, EmailState } from '../accounts/email-addresses.js';
import type { PasswordHelp } from '../passwords/password-help.js';
import type { PasswordCheck } from '../passwords/password-check.js';
import type { AuthenticatedRequest, PageHandler } from '../session/authenticated-request.js';
import { renderShell, type PageShell } from '../session/page-shell.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import { errorBox, type Page } from '../../kernel/html/layout.js';
import { message, waitDuration, type Message } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { MAX_ADDRESS_LENGTH, readMailAddress } from '../../kernel/mail/mail-address.js';
import { PEOPLE_PATHS } from '../../site/addresses/people-paths.js';
import type { RateLimiter } from '../../kernel/rate-limit/rate-limiter.js';
import { passwordField } from './password-fields.js';

/** Links to confirm an address: of one user, to one address, in a day. */
const MAX_PER_USER = 10;
const MAX_PER_EMAIL = 5;
const DAY_SECONDS = 24 * 3600;

export interface EmailPageDeps {
  readonly emailAddresses: EmailAddresses;
  readonly passwords: PasswordCheck;
  readonly limit: RateLimiter;
  readonly audit: Audit;
  readonly demoUsername: string | undefined;
  readonly help: PasswordHelp;
}

/** Why nothing was changed. */
interface Refusal {
  readonly status: 400 | 401 | 429 | 503;
  readonly problem: Message;
  readonly retryAfterSeconds?: number;
}

/** Lets users change or remove their e-mail address, with their password: the address gives access to the account. */
export function emailPage(deps: EmailPageDeps): PageHandler {
  return async (context) => {
    const { response, form, account, shell } = context;
    // Without mail no address can be confirmed.
    if (!deps.help.sendsMail) {
      sendRedirect(response, PEOPLE_PATHS.account);
      return;
    }
    const isRemoval = form?.get('action') === 'remove';
    const refusal = form === undefined ? undefined : await change(deps, context, form, isRemoval);
    if (form !== undefined && refusal === undefined) {
      const done = isRemoval ? 'emailRemoved' : 'emailLinkSent';
      sendRedirect(response, `${PEOPLE_PATHS.account}?flash=${done}`);
      return;
    }
    if (refusal?.retryAfterSeconds !== undefined) {
      response.setHeader('Retry-After', String(refusal.retryAfterSeconds));
    }
    const state = await deps.emailAddresses.of(account.id);
    const shown = {
      state,
      username: account.username,
      typed: form?.get('email') ?? '',
      problem: refusal?.problem,
      isDemo: account.username === deps.demoUsername,
    };
    sendPage(context, refusal?.status ?? 200, formPage(shell, shown));
  };
}

async function change(
  { emailAddresses, passwords, limit, audit, demoUsername }: EmailPageDeps,
  { request, response, account, locale }: AuthenticatedRequest,
  form: URLSearchParams,
  isRemoval: boolean,
): Promise<Refusal | undefined> {
  // The password of this account is public.
  if (account.username === demoUsername) {
    return { status: 400, problem: message('demoEmailNone') };
  }
  const email = readMailAddress(form.get('email') ?? '');
  if (!isRemoval && email === undefined) {
    return { status: 400, problem: message('emailRule', { example: 'ada@example.com' }) };
  }
  const password = form.get('password') ?? '';
  const check = await passwords.attempt(account.username, password, { request, response });
  if (!('account' in check) || check.account.id !== account.id) {
    return 'account' in check || check.status === 401
      ? { status: 401, problem: message('oldPasswordWrong') }
      : check;
  }
  if (isRemoval || email === undefined) {
    await emailAddresses.remove(account.id, (transaction) =>
      audit(
        response,
        ACCOUNT_EVENTS.emailChanged,
        { by: account.id, user: account.id },
        transaction,
      ),
    );
    return undefined;
  }
  const window = { windowSeconds: DAY_SECONDS };
  const taken = await limit.consume([
    { key: ['confirmation mails of user', account.id], max: MAX_PER_USER, ...window },
    { key: ['confirmation mails to', email.toLowerCase()], max: MAX_PER_EMAIL, ...window },
  ]);
  if ('waitSeconds' in taken) {
    const time = waitDuration(taken.waitSeconds);
    return {
      status: 429,
      problem: message('tooManyRequests', { time }),
      retryAfterSeconds: taken.waitSeconds,
    };
  }
  await emailAddresses.request(account.id, email, locale.language);
  return undefined;
}

/** The section of the account page. */
export function emailSection(translator: Translator, { email, pending }: EmailState): Html {
  const label = translator.t(email === undefined ? 'addEmail' : 'changeEmail');
  return html`<h2>${translator.t('email')}</h2>
    <p>
      ${email === undefined ? translator.t('emailNone') : html`<strong>${verbatim(email)}</strong>`}
    </p>
    ${pending && html`<p class="soft">${translator.html('emailPending', { email: pending })}</p>`}
    <p><a class="button quiet" href="${PEOPLE_PATHS.email}">${label}</a></p>`;
}

function formPage(
  shell: PageShell,
  about: {
    state: EmailState;
    username: string;
    typed: string;
    problem: Message | undefined;
    isDemo: boolean;
  },
): Page {
  return renderShell(
    'email',
    'account',
    shell,
    (translator) =>
      html`<h1>${translator.t('email')}</h1>
        ${errorBox(translator, about.problem)}
        ${
          about.isDemo
            ? html`<p>${translator.t('demoEmailNone')}</p>`
            : form(translator, shell, about)
        }`,
  );
}

function form(
  translator: Translator,
  shell: PageShell,
  { state, username, typed }: { state: EmailState; username: string; typed: string },
): Html {
  const hasAddress = state.email !== undefined || state.pending !== undefined;
  return html`<p class="soft">${translator.t('emailText')}</p>
    <form method="post" action="${PEOPLE_PATHS.email}">
      ${csrfField(shell)}
      <input type="text" name="username" value="${username}" autocomplete="username" hidden />
      <label for="email">${translator.t('email')}</label>
      <input
        id="email"
        name="email"
        type="email"
        value="${typed === '' ? (state.pending ?? state.email ?? '') : typed}"
        maxlength="${String(MAX_ADDRESS_LENGTH)}"
        autocomplete="email"
        required
      />
      ${passwordField(translator, 'password', 'oldPassword', 'current-password')}
      <div class="actions">
        <button type="submit">${translator.t('sendLink')}</button>
        ${
          hasAddress
            ? html`<button type="submit" name="action" value="remove" class="danger" formnovalidate>
                ${translator.t('removeEmail')}
              </button>`
            : undefined
        }
      </div>
    </form>`;
}
