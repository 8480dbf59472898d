import { INVITATION_EVENTS } from '../invitations/events.js';
import { ACCOUNT_EVENTS } from '../accounts/events.js';
import type { ServerResponse } from 'node:http';
import type { Account, Accounts } from '../accounts/accounts.js';
import type { Invitation, Invitations } from '../invitations/invitations.js';
import type { PasswordCheck } from '../passwords/password-check.js';
import type { CompanySignIn } from '../company/index.js';
import { COMPANY_QUERY } from '../../site/addresses/company-paths.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import type { RateLimiter } from '../../kernel/rate-limit/rate-limiter.js';
import type { CsrfTokens } from '../csrf/csrf.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import { page, errorBox, type Page } from '../../kernel/html/layout.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import { signedInAs } from './signed-in-as.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { PHOTOS } from '../../site/addresses/photo-paths.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import type { OpenPageHandler, SessionUser } from '../session/authenticated-request.js';
import { displayNameField } from './account-page.js';
import type { Queryable } from '../../kernel/database/database.js';
import type { Audit } from '../accounts/audit.js';
import { tooManyLinksPage } from './link-pages.js';
import { ROLE_WORDS } from '../accounts/role-words.js';
import { createUser, readUserEntry, type UserEntry } from './new-user.js';
import type { OneTimeLink } from './one-time-link.js';
import { newPasswordFields } from './password-fields.js';
import { PEOPLE_PATHS } from '../../site/addresses/people-paths.js';

export interface InvitationPageDeps {
  readonly link: OneTimeLink;
  readonly invitations: Invitations;
  readonly accounts: Accounts;
  readonly passwords: PasswordCheck;
  readonly formTokens: CsrfTokens;
  readonly limit: RateLimiter;
  readonly audit: Audit;
  readonly companySignIn: Pick<CompanySignIn, 'isSetUp' | 'begin'>;
}

/** The visitor of an invitation page. */
interface Guest {
  readonly context: BufferedContext;
  readonly user: SessionUser;
  readonly invitation: Invitation;
  /** The secret of the link. */
  readonly token: string;
}

/** How the page is shown: for the first time (no problem), or again with a problem and the entries. */
interface Showing {
  readonly status: number;
  readonly problem?: Message;
  readonly entry?: UserEntry;
}

/** How often one invitation may be answered in 15 minutes, because an answer reveals whether a username exists. */
const MAX_ANSWERS = 30;

/** The page of an opened invitation: shows who invites to which workspace, and takes the answer (Join or No). */
export function invitationPage(deps: InvitationPageDeps): OpenPageHandler {
  return async (context, visitor) => {
    const { link, invitations } = deps;
    const opened = await link.open(context, (token) => invitations.find(token));
    if (opened === undefined) {
      return;
    }
    const { token, found: invitation } = opened;
    if (context.query.get(COMPANY_QUERY.name) === COMPANY_QUERY.value) {
      const after = { to: PEOPLE_PATHS.invitation, invitation: token };
      await deps.companySignIn.begin(context, invitation.workspaceId, after);
    } else {
      const { company } = visitor.session;
      // A company's session reaches no other workspace: its user signs in with their own password or passkey to join it.
      const isReached = company === undefined || company === invitation.workspaceId;
      const user = isReached ? visitor : { ...visitor, account: undefined };
      await receive(deps, { context, user, invitation, token });
    }
  };
}

async function receive(deps: InvitationPageDeps, guest: Guest): Promise<void> {
  const { context, user, invitation } = guest;
  const { session, account } = user;
  const { form } = context;
  const csrf = session.linkCsrf('invitation', invitation.id);
  const isMember =
    account !== undefined &&
    (await deps.accounts.workspacesOf(account.id)).some(({ id }) => id === invitation.workspaceId);
  const showing =
    form === undefined ? { status: 200 } : await answer(deps, guest, form, { csrf, isMember });
  if (showing !== undefined) {
    const withCompany =
      account === undefined && (await deps.companySignIn.isSetUp(invitation.workspaceId));
    const shown = { invitation, account, csrf, isMember, withCompany, ...showing };
    sendPage(context, showing.status, shownPage(shown));
  }
}

/** Handles the form. @returns how to show the page again; undefined when the answer has been sent. */
async function answer(
  deps: InvitationPageDeps,
  guest: Guest,
  form: URLSearchParams,
  { csrf, isMember }: { csrf: string; isMember: boolean },
): Promise<Showing | undefined> {
  const { context, invitation } = guest;
  const { response } = context;
  const { session, account } = guest.user;
  if (!deps.formTokens.matches(form.get('csrf'), csrf)) {
    return { status: 403, problem: message('answerOnceMore') };
  }
  const decision = form.get('decision');
  if (decision === 'no') {
    deps.link.end(response);
    sendPage(context, 200, notJoinedPage(invitation.workspaceName));
    return undefined;
  }
  if (decision === 'switch' && account !== undefined) {
    await session.signOut();
    sendRedirect(response, PEOPLE_PATHS.invitation);
    return undefined;
  }
  const taken = await deps.limit.consume([
    { key: ['answers to invitation', invitation.id], max: MAX_ANSWERS },
  ]);
  if ('waitSeconds' in taken) {
    response.setHeader('Retry-After', String(taken.waitSeconds));
    sendPage(context, 429, tooManyLinksPage(taken.waitSeconds));
    return undefined;
  }
  if (account === undefined) {
    return decision === 'create'
      ? create(deps, guest, readUserEntry(form))
      : { status: 400, problem: message('cannotBeDone') };
  }
  if (decision !== 'join' || isMember) {
    return { status: 400, problem: message('cannotBeDone') };
  }
  return join(deps, guest, account);
}

/** Joins the workspace as the signed-in user. */
async function join(
  deps: InvitationPageDeps,
  { context, invitation, token }: Guest,
  account: Account,
): Promise<Showing | undefined> {
  const result = await deps.invitations.join(token, account.id, joined(deps, context, invitation));
  if (result === 'member already') {
    return { status: 409, problem: message('cannotBeDone') };
  }
  if (result === 'gone') {
    deps.link.sendGone(context);
    return undefined;
  }
  welcome(deps, context.response, invitation);
  return undefined;
}

/** Creates an account, joins the workspace and signs the user in. */
async function create(
  deps: InvitationPageDeps,
  guest: Guest,
  entry: UserEntry,
): Promise<Showing | undefined> {
  const { context, user, invitation, token } = guest;
  const { request, response } = context;
  const made = await createUser(deps, request, entry);
  if ('problem' in made) {
    if (made.retryAfterSeconds !== undefined) {
      response.setHeader('Retry-After', String(made.retryAfterSeconds));
    }
    return { status: made.status, problem: made.problem, entry };
  }
  const result = await deps.invitations.joinAsNew(token, made, async (transaction, accountId) => {
    await deps.audit(
      response,
      ACCOUNT_EVENTS.added,
      { by: accountId, user: accountId },
      transaction,
    );
    await joined(deps, context, invitation)(transaction, accountId);
  });
  if (result === 'taken') {
    return { status: 400, problem: message('usernameTaken'), entry };
  }
  if (result === 'gone') {
    deps.link.sendGone(context);
    return undefined;
  }
  const { accountId } = result;
  await user.session.signIn(accountId);
  deps.passwords.remember(request, response, made);
  welcome(deps, response, invitation);
  return undefined;
}

/** Records that a user has joined, in the transaction in which they join. */
function joined(
  { audit }: InvitationPageDeps,
  { response }: BufferedContext,
  { id, workspaceId: workspace, role }: Invitation,
): (transaction: Queryable, accountId: string) => Promise<void> {
  return (transaction, by) =>
    audit(
      response,
      INVITATION_EVENTS.joined,
      { by, workspace, ids: { role, invitation: id } },
      transaction,
    );
}

/** Leads a new member to the photos of the workspace. */
function welcome(
  { link }: InvitationPageDeps,
  response: ServerResponse,
  { workspaceId }: Invitation,
): void {
  link.end(response);
  const query = new URLSearchParams({ workspace: workspaceId, flash: 'joined' });
  sendRedirect(response, `${PHOTOS.root}?${query.toString()}`);
}

/** The invitation, for signed-in and anonymous visitors. */
function shownPage(about: {
  invitation: Invitation;
  account: Account | undefined;
  csrf: string;
  isMember: boolean;
  /** Whether the user may use the account of the company. */
  withCompany: boolean;
  problem?: Message;
  entry?: UserEntry;
}): Page {
  const { invitation, account } = about;
  const workspace = invitation.workspaceName;
  return page('invitation', (translator) => {
    const heading = translator.html('joinHeading', { workspace });
    const top = html`<h1>${heading}</h1>
      ${errorBox(translator, about.problem)}`;
    if (account === undefined) {
      return html`${top} ${details(translator, invitation)}
        ${
          about.withCompany
            ? html`<p>
                <a class="button" href="${PEOPLE_PATHS.invitation}?${WITH_COMPANY}"
                  >${translator.t('useCompanyAccount')}</a
                >
              </p>`
            : undefined
        }
        ${newUserForm(translator, about)}
        <p>${translator.withLink('haveAnAccount', `${SETTINGS.signIn}?${SIGN_IN_QUERY}`)}</p>
        ${noForm(translator, about.csrf)}`;
    }
    const { csrf } = about;
    const { displayName: accountName, username } = account;
    return html`${top} ${signedInAs(translator, { csrf, accountName, username })}
    ${
      about.isMember
        ? html`<p>${translator.html('memberAlready', { workspace })}</p>
            <p><a class="button" href="${PHOTOS.root}">${translator.t('openPhotos')}</a></p>`
        : html`${details(translator, invitation)}
            <form method="post" action="${PEOPLE_PATHS.invitation}">
              ${csrfField(about)}
              <div class="choices">
                <button type="submit" name="decision" value="no" class="quiet">
                  ${translator.t('no')}
                </button>
                <button type="submit" name="decision" value="join">${translator.t('join')}</button>
              </div>
            </form>`
    }`;
  });
}

const WITH_COMPANY = `${COMPANY_QUERY.name}=${COMPANY_QUERY.value}`;

const SIGN_IN_QUERY = new URLSearchParams({ to: PEOPLE_PATHS.invitation }).toString();

function details(translator: Translator, { workspaceName, invitedBy, role }: Invitation): Html {
  return html`<dl>
    <dt>${translator.t('inTheWorkspace')}</dt>
    <dd>${verbatim(workspaceName)}</dd>
    <dt>${translator.t('invitedByLabel')}</dt>
    <dd>${invitedBy === undefined ? translator.t('theOperators') : verbatim(invitedBy)}</dd>
    <dt>${translator.t('role')}</dt>
    <dd>${translator.t(ROLE_WORDS[role])}</dd>
  </dl>`;
}

function newUserForm(
  translator: Translator,
  { csrf, entry }: { csrf: string; entry?: UserEntry },
): Html {
  return html`<h2>${translator.t('newAccount')}</h2>
    <form method="post" action="${PEOPLE_PATHS.invitation}">
      ${csrfField({ csrf })}
      <label for="username">${translator.t('username')}</label>
      <input
        id="username"
        name="username"
        type="text"
        value="${entry?.username ?? ''}"
        maxlength="64"
        autocomplete="username"
        autocapitalize="none"
        autocorrect="off"
        spellcheck="false"
        required
      />
      ${displayNameField(translator, entry?.displayName ?? '')} ${newPasswordFields(translator)}
      <button type="submit" name="decision" value="create">${translator.t('createAndJoin')}</button>
    </form>`;
}

function noForm(translator: Translator, csrf: string): Html {
  return html`<form method="post" action="${PEOPLE_PATHS.invitation}">
    ${csrfField({ csrf })}
    <button type="submit" name="decision" value="no" class="quiet">${translator.t('no')}</button>
  </form>`;
}

/** The page after the answer No. */
function notJoinedPage(workspace: string): Page {
  return page(
    'notJoined',
    (translator) =>
      html`<h1>${translator.t('notJoined')}</h1>
        <p>${translator.html('notJoinedText', { workspace })}</p>
        <p class="soft small">${translator.t('mayClose')}</p>`,
  );
}
