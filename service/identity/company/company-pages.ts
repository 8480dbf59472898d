import { html, verbatim } from '../../kernel/html-tag.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { errorBox, page, type Page } from '../../kernel/html/layout.js';
import type { Message } from '../../kernel/i18n/message.js';
import { COMPANY_PATHS } from '../../site/addresses/company-paths.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';

/** For a sign-in with a company account that cannot go on. @param again the address that begins once more. */
export function companyProblemPage(problem: Message, again: string): Page {
  return page(
    'companyNotSignedIn',
    (translator) =>
      html`<h1>${translator.t('companyNotSignedIn')}</h1>
        ${errorBox(translator, problem)}
        <p><a class="button" href="${again}">${translator.t('tryAgain')}</a></p>`,
  );
}

/** The form to enter an address or a domain of a company. */
export function findCompanyPage(about: {
  readonly csrf: string;
  /** The page to go to after the sign-in. */
  readonly to: string;
  /** What was entered before; empty for nothing. */
  readonly entry: string;
  readonly problem: Message | undefined;
}): Page {
  const to = new URLSearchParams({ to: about.to }).toString();
  return page(
    'companySignIn',
    (translator) =>
      html`<h1>${translator.t('companySignIn')}</h1>
        <p class="soft">${translator.t('companySignInText')}</p>
        ${errorBox(translator, about.problem)}
        <form method="post" action="${COMPANY_PATHS.find}?${to}">
          ${csrfField(about)}
          <label for="company">${translator.t('companyAddress')}</label>
          <input
            id="company"
            name="company"
            type="text"
            inputmode="email"
            value="${about.entry}"
            maxlength="254"
            autocomplete="email"
            autocapitalize="none"
            autocorrect="off"
            spellcheck="false"
            required
            autofocus
          />
          <button type="submit">${translator.t('continue')}</button>
        </form>
        <p><a href="${SETTINGS.signIn}?${to}">${translator.t('companyInstead')}</a></p>`,
  );
}

/**
 * Names the site at which the user signs in. The way there is a link: a form must not lead to another site
 * (`form-action`).
 */
export function leaveForCompanyPage(about: {
  /** The host of the provider. */
  readonly host: string;
  /** The address that starts the sign-in. */
  readonly start: string;
}): Page {
  return page(
    'companySignIn',
    (translator) =>
      html`<h1>${translator.t('companySignIn')}</h1>
        <p>${translator.t('companyLeaveText')}</p>
        <p class="box"><code translate="no">${about.host}</code></p>
        <p><a class="button" href="${about.start}">${translator.t('continue')}</a></p>`,
  );
}

/** What a newcomer may do, and the words that name both sides. */
export interface NewcomerView {
  readonly csrf: string;
  readonly workspaceName: string;
  /** The confirmed address at the company. */
  readonly email: string;
}

/** Lets a newcomer choose between a new account and one that they have. */
export function newcomerPage(
  about: NewcomerView & {
    /** Whether the user may become a member. */
    readonly mayJoin: boolean;
    readonly problem: Message | undefined;
  },
): Page {
  const to = new URLSearchParams({ to: COMPANY_PATHS.link }).toString();
  const { workspaceName: workspace, email, mayJoin } = about;
  return page(
    'companyAccount',
    (translator) =>
      html`<h1>${translator.html('newcomerHeading', { workspace })}</h1>
        <p>${translator.html('newcomerText', { email })}</p>
        ${errorBox(translator, about.problem)}
        ${
          mayJoin
            ? html`<form method="post" action="${COMPANY_PATHS.link}">
                ${csrfField(about)}
                <button type="submit" name="decision" value="create">
                  ${translator.t('newcomerCreate')}
                </button>
              </form>`
            : html`<p class="box">${translator.t('newcomerNotInvited')}</p>`
        }
        <h2>${translator.t('newcomerHaveAccount')}</h2>
        <p class="soft small">${translator.t('newcomerHaveAccountText')}</p>
        <p>
          <a class="button quiet" href="${SETTINGS.signIn}?${to}"
            >${translator.t('newcomerSignIn')}</a
          >
        </p>`,
  );
}

/** The question, right after a sign-in, whether the company account is to open the user's account. */
export function linkAccountPage(
  about: NewcomerView & {
    readonly accountName: string;
    readonly username: string;
    readonly problem: Message | undefined;
  },
): Page {
  const { email, workspaceName: workspace, accountName: name, username } = about;
  return page(
    'companyAccount',
    (translator) =>
      html`<h1>${translator.t('linkHeading')}</h1>
        ${errorBox(translator, about.problem)}
        <dl>
          <dt>${translator.t('companyAccount')}</dt>
          <dd>${verbatim(email)}<br /><span class="soft small">${verbatim(workspace)}</span></dd>
          <dt>${translator.t('linkAccount')}</dt>
          <dd>${verbatim(name)}<br /><span class="soft small">${verbatim(username)}</span></dd>
        </dl>
        <p class="box small">${translator.html('linkWarning', { workspace })}</p>
        <form method="post" action="${COMPANY_PATHS.link}">
          ${csrfField(about)}
          <div class="choices">
            <button type="submit" name="decision" value="no" class="quiet">
              ${translator.t('cancel')}
            </button>
            <button type="submit" name="decision" value="link">
              ${translator.t('linkAccounts')}
            </button>
          </div>
        </form>`,
  );
}
