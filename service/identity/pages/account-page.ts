import { ACCOUNT_EVENTS } from '../accounts/events.js';
import type { Account, Accounts } from '../accounts/accounts.js';
import { MAX_NAME_LENGTH, validateName } from '../accounts/names.js';
import type { CompanyIdentities, LinkedCompany } from '../company/identities.js';
import type { EmailAddresses, EmailState } from '../accounts/email-addresses.js';
import type { PasswordHelp } from '../passwords/password-help.js';
import type { PasswordChanges } from '../passwords/password-changes.js';
import type { PasswordCheck, PasswordProblem } from '../passwords/password-check.js';
import { newPasswordProblem, readPasswordEntry } from '../passwords/password-rules.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import { errorBox, type Page } from '../../kernel/html/layout.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { renderShell, type PageShell } from '../session/page-shell.js';
import type { AuthenticatedRequest, PageHandler } from '../session/authenticated-request.js';
import type { Audit } from '../accounts/audit.js';
import { changeCompanyLinks, choosePasswordForm, companyLinks } from './company-links.js';
import { isTicked, newPasswordFields, passwordField, checkbox } from './password-fields.js';
import { emailSection } from './email-page.js';
import { PEOPLE_PATHS } from '../../site/addresses/people-paths.js';
import { ownSignIn, SETTINGS } from '../../site/addresses/settings-paths.js';
import { reachOf } from '../session/reach.js';

export interface AccountPageDeps {
  readonly accounts: Accounts;
  readonly passwords: PasswordCheck;
  readonly passwordChanges: PasswordChanges;
  readonly identities: CompanyIdentities;
  readonly emailAddresses: EmailAddresses;
  readonly help: PasswordHelp;
  readonly audit: Audit;
  /** The demo account. Its password is public, so it cannot be changed. Undefined if there is none. */
  readonly demoUsername: string | undefined;
}

/** Why a form changed nothing. */
interface Refusal extends Omit<PasswordProblem, 'status'> {
  readonly status: 400 | PasswordProblem['status'];
}

/** Shows users their account and changes their name or password. */
export function accountPage(deps: AccountPageDeps): PageHandler {
  return async (context) => {
    const { response, form, account, shell, session } = context;
    const action = form?.get('action');
    const reach = reachOf(context);
    const isLimited = session.company !== undefined;
    if (form !== undefined && isLimited) {
      sendRedirect(response, ownSignIn(PEOPLE_PATHS.account));
      return;
    }
    const companyPage = form && (await changeCompanyLinks(deps, context, form));
    if (companyPage !== undefined) {
      sendRedirect(response, companyPage);
      return;
    }
    const displayName = form?.get('display_name')?.trim() ?? account.displayName;
    const refusal =
      form === undefined
        ? undefined
        : action === 'password'
          ? await changePassword(deps, context, form)
          : await rename(deps, context, action === 'name' ? displayName : '');
    if (form !== undefined && refusal === undefined) {
      sendRedirect(
        response,
        `${PEOPLE_PATHS.account}?flash=${action === 'password' ? 'passwordChanged' : 'saved'}`,
      );
      return;
    }
    if (refusal?.retryAfterSeconds !== undefined) {
      response.setHeader('Retry-After', String(refusal.retryAfterSeconds));
    }
    const email = deps.help.sendsMail ? await deps.emailAddresses.of(account.id) : undefined;
    const page = shownPage(shell, {
      account,
      email,
      displayName,
      nameProblem: action === 'password' ? undefined : refusal?.problem,
      passwordProblem: action === 'password' ? refusal?.problem : undefined,
      isDemo: account.username === deps.demoUsername,
      linked: await deps.identities.of(reach),
      isLimited,
      canWiden: isLimited && (await deps.identities.hasOwnSignIn(account.id)),
      hasPassword: await deps.accounts.hasPassword(account.id),
    });
    sendPage(context, refusal?.status ?? 200, page);
  };
}

async function rename(
  { accounts, audit }: AccountPageDeps,
  { response, account }: AuthenticatedRequest,
  displayName: string,
): Promise<Refusal | undefined> {
  const problem = validateName(displayName, MAX_NAME_LENGTH);
  if (problem !== undefined) {
    return { status: 400, problem: message('nameYourself', { problem }) };
  }
  await accounts.rename(account.id, displayName, (transaction) =>
    audit(response, ACCOUNT_EVENTS.renamed, { by: account.id, user: account.id }, transaction),
  );
  return undefined;
}

/**
 * Changes the password of a user who enters the old one. The browser stays signed in, with a new session
 * identifier; other sessions and apps end if the form requests it.
 */
async function changePassword(
  deps: AccountPageDeps,
  { request, response, account, session }: AuthenticatedRequest,
  form: URLSearchParams,
): Promise<Refusal | undefined> {
  const { accounts, passwords, passwordChanges, audit } = deps;
  if (account.username === deps.demoUsername) {
    return { status: 400, problem: message('demoPasswordStays') };
  }
  // The cheap check comes first, so that a mistake in the new password uses up none of the user's attempts.
  const problem = newPasswordProblem(readPasswordEntry(form), account);
  if (problem !== undefined) {
    return { status: 400, problem };
  }
  const from = await accounts.passwordHash(account.id);
  const old = form.get('password') ?? '';
  const check = await passwords.attempt(account.username, old, { request, response });
  if (!('account' in check) || from === undefined) {
    return 'account' in check || check.status === 401 ? OLD_IS_WRONG : check;
  }
  const made = await passwords.hash(readPasswordEntry(form).password, request);
  if (!('hash' in made)) {
    return made;
  }
  const endings = { browsers: isTicked(form, 'end_browsers'), apps: isTicked(form, 'end_apps') };
  const isDone = await passwordChanges.change(
    account.id,
    { from, to: made.hash },
    endings,
    (transaction) =>
      audit(
        response,
        ACCOUNT_EVENTS.passwordChanged,
        { by: account.id, user: account.id },
        transaction,
      ),
  );
  if (!isDone) {
    return OLD_IS_WRONG;
  }
  await session.signIn(account.id);
  return undefined;
}

const OLD_IS_WRONG: Refusal = { status: 401, problem: message('oldPasswordWrong') };

/** "Account": the name that others see, and the password. */
function shownPage(
  shell: PageShell,
  about: {
    account: Account;
    /** Undefined for a service without mail. */
    email: EmailState | undefined;
    displayName: string;
    nameProblem: Message | undefined;
    passwordProblem: Message | undefined;
    isDemo: boolean;
    linked: readonly LinkedCompany[];
    hasPassword: boolean;
    /** Whether the session reaches one workspace only, and cannot change how its user signs in. */
    isLimited: boolean;
    /** Whether the user of a limited session has a sign-in of their own, which opens everything. */
    canWiden: boolean;
  },
): Page {
  const { account, linked, hasPassword } = about;
  return renderShell(
    'account',
    'account',
    shell,
    (translator) =>
      html`<h1>${translator.t('account')}</h1>
        <p class="soft">
          ${translator.html('usernameIs', { username: html`<strong>${verbatim(account.username)}</strong>` })}
        </p>
        ${
          about.isLimited
            ? reachBox(translator, shell.workspace?.name ?? '', about.canWiden)
            : undefined
        }
        <ul class="links">
          ${
            about.isLimited
              ? undefined
              : html`<li>
                  <a href="${SETTINGS.secondFactors}">${translator.t('signInSettings')}</a>
                </li>`
          }
          <li><a href="${SETTINGS.browsers}">${translator.t('browsers')}</a></li>
          <li><a href="${SETTINGS.ownActivity}">${translator.t('ownActivity')}</a></li>
        </ul>
        ${about.isLimited ? undefined : nameForm(translator, shell, about)}
        ${about.isLimited ? undefined : about.email && emailSection(translator, about.email)}
        ${companyLinks(translator, shell, linked, hasPassword && !about.isLimited)}
        ${about.isLimited ? undefined : passwordSection(translator, shell, about)}`,
  );
}

function nameForm(
  translator: Translator,
  shell: PageShell,
  about: { readonly displayName: string; readonly nameProblem: Message | undefined },
): Html {
  return html`${errorBox(translator, about.nameProblem)}
    <form method="post" action="${PEOPLE_PATHS.account}">
      ${csrfField(shell)}
      <input type="hidden" name="action" value="name" />
      ${displayNameField(translator, about.displayName)}
      <button type="submit">${translator.t('saveChanges')}</button>
    </form>`;
}

function passwordSection(
  translator: Translator,
  shell: PageShell,
  about: {
    readonly account: Account;
    readonly passwordProblem: Message | undefined;
    readonly isDemo: boolean;
    readonly hasPassword: boolean;
  },
): Html {
  const { account, hasPassword } = about;
  return html`<h2>${translator.t(hasPassword ? 'changePassword' : 'password')}</h2>
    ${errorBox(translator, about.passwordProblem)}
    ${
      about.isDemo
        ? html`<p>${translator.t('demoPasswordStays')}</p>`
        : hasPassword
          ? passwordForm(translator, shell, account.username)
          : choosePasswordForm(translator, shell)
    }`;
}

/** Explains what a session reaches that a company opened. @param canWiden whether the user has an own sign-in */
function reachBox(translator: Translator, workspace: string, canWiden: boolean): Html {
  return html`<div class="box">
    <p>${translator.html('companyReach', { workspace })}</p>
    ${
      canWiden
        ? html`<p>
            <a class="button quiet" href="${ownSignIn(PEOPLE_PATHS.account)}"
              >${translator.t('useOwnSignIn')}</a
            >
          </p>`
        : undefined
    }
  </div>`;
}

/** The field for the name that others see. */
export function displayNameField(translator: Translator, displayName: string): Html {
  return html`<label for="display_name">${translator.t('displayName')}</label>
    <input
      id="display_name"
      name="display_name"
      type="text"
      value="${displayName}"
      maxlength="${String(MAX_NAME_LENGTH)}"
      autocomplete="name"
      required
    />`;
}

function passwordForm(translator: Translator, shell: PageShell, username: string): Html {
  return html`<form method="post" action="${PEOPLE_PATHS.account}">
    ${csrfField(shell)}
    <input type="hidden" name="action" value="password" />
    <input type="text" name="username" value="${username}" autocomplete="username" hidden />
    ${passwordField(translator, 'password', 'oldPassword', 'current-password')}
    ${newPasswordFields(translator)} ${checkbox(translator, 'end_browsers', 'signOutOthers', true)}
    ${checkbox(translator, 'end_apps', 'endAppsToo', false)}
    <button type="submit">${translator.t('changePassword')}</button>
  </form>`;
}
