import { ACCOUNT_EVENTS } from '../accounts/events.js';
import type { Account } from '../accounts/accounts.js';
import type { PasswordChanges } from '../passwords/password-changes.js';
import type { PasswordCheck } from '../passwords/password-check.js';
import { newPasswordProblem, readPasswordEntry } from '../passwords/password-rules.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import type { CsrfTokens } from '../csrf/csrf.js';
import { html, verbatim } from '../../kernel/html-tag.js';
import { page, errorBox, type Page } from '../../kernel/html/layout.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import type { OpenPageHandler, SessionUser } from '../session/authenticated-request.js';
import type { Audit } from '../accounts/audit.js';
import type { OneTimeLink } from './one-time-link.js';
import { isTicked, newPasswordFields, checkbox } from './password-fields.js';
import type { AuthenticatorApps } from '../second-factor/authenticator-apps.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import { PEOPLE_PATHS } from '../../site/addresses/people-paths.js';

export interface ResetPageDeps {
  readonly link: OneTimeLink;
  readonly passwordChanges: PasswordChanges;
  readonly passwords: PasswordCheck;
  readonly formTokens: CsrfTokens;
  readonly authenticators: AuthenticatorApps;
  readonly audit: Audit;
}

/** Why the page is shown again. */
interface Refusal {
  readonly status: number;
  readonly problem: Message;
}

/** The page of an opened link to choose a new password. Choosing one signs this browser in, and all others out. */
export function resetPage(deps: ResetPageDeps): OpenPageHandler {
  return async (context, { session }) => {
    const { form } = context;
    const { link, passwordChanges } = deps;
    const opened = await link.open(context, (token) => passwordChanges.findReset(token));
    if (opened === undefined) {
      return;
    }
    const { token, found: account } = opened;
    const csrf = session.linkCsrf('reset', account.id);
    const refusal =
      form === undefined
        ? { status: 200, problem: undefined }
        : await choose(deps, { context, session, account, token, csrf }, form);
    if (refusal !== undefined) {
      sendPage(context, refusal.status, shownPage(account, csrf, refusal.problem));
    }
  };
}

/** Sets the password. @returns why it was not set; undefined when the answer has been sent. */
async function choose(
  deps: ResetPageDeps,
  about: {
    readonly context: BufferedContext;
    readonly session: SessionUser['session'];
    readonly account: Account;
    readonly token: string;
    readonly csrf: string;
  },
  form: URLSearchParams,
): Promise<Refusal | undefined> {
  const { context, account } = about;
  const { request, response } = context;
  if (!deps.formTokens.matches(form.get('csrf'), about.csrf)) {
    return { status: 403, problem: message('answerOnceMore') };
  }
  const entry = readPasswordEntry(form);
  const problem = newPasswordProblem(entry, account);
  if (problem !== undefined) {
    return { status: 400, problem };
  }
  const made = await deps.passwords.hash(entry.password, request);
  if (!('hash' in made)) {
    return made;
  }
  const endings = { browsers: true, apps: isTicked(form, 'end_apps') };
  const isDone = await deps.passwordChanges.reset(about.token, made.hash, endings, (transaction) =>
    deps.audit(
      response,
      ACCOUNT_EVENTS.passwordReset,
      { by: account.id, user: account.id },
      transaction,
    ),
  );
  if (!isDone) {
    deps.link.sendGone(context);
    return undefined;
  }
  deps.passwords.remember(request, response, {
    username: account.username,
    passwordHash: made.hash,
  });
  deps.link.end(response);
  if (await deps.authenticators.isOn(account.id)) {
    // The link replaces the password only, not the code of the authenticator app.
    sendRedirect(response, SETTINGS.signIn);
  } else {
    await about.session.signIn(account.id);
    sendRedirect(response, `${PEOPLE_PATHS.account}?flash=passwordChanged`);
  }
  return undefined;
}

function shownPage(account: Account, csrf: string, problem: Message | undefined): Page {
  return page(
    'chooseNewPassword',
    (translator) =>
      html`<h1>${translator.t('chooseNewPassword')}</h1>
        <p class="soft">
          ${translator.html('usernameIs', { username: html`<strong>${verbatim(account.username)}</strong>` })}
        </p>
        ${errorBox(translator, problem)}
        <form method="post" action="${PEOPLE_PATHS.reset}">
          ${csrfField({ csrf })}
          <input
            type="text"
            name="username"
            value="${account.username}"
            autocomplete="username"
            hidden
          />
          ${newPasswordFields(translator)} ${checkbox(translator, 'end_apps', 'endAppsToo', false)}
          <p class="small soft">${translator.t('browsersSignedOut')}</p>
          <button type="submit">${translator.t('saveAndSignIn')}</button>
        </form>`,
  );
}
