import type { EventAbout } from '../../kernel/events/event.js';
import { COMPANY_EVENTS } from './events.js';
import { INVITATION_EVENTS } from '../invitations/events.js';
import { ACCOUNT_EVENTS } from '../accounts/events.js';
import { validateName, MAX_NAME_LENGTH, usernameProblem } from '../accounts/names.js';
import type { Account, Accounts } from '../accounts/accounts.js';
import type { Audit } from '../accounts/audit.js';
import type { CompanyIdentities, JoinMethod, NewCompanyUser } from './identities.js';
import type { IdentityProvider, IdentityProviders } from './identity-providers.js';
import type { CsrfTokens } from '../csrf/csrf.js';
import type { Invitations } from '../invitations/invitations.js';
import type { OpenPageHandler, SessionUser } from '../session/authenticated-request.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import { COMPANY_PATHS } from '../../site/addresses/company-paths.js';
import { PEOPLE_PATHS } from '../../site/addresses/people-paths.js';
import { PHOTOS } from '../../site/addresses/photo-paths.js';
import type { Queryable } from '../../kernel/database/database.js';
import { companyProblemPage, linkAccountPage, newcomerPage } from './company-pages.js';
import type { NewcomerIdentity } from './company-sign-in.js';
import type { SealedCookie } from './sealed-cookie.js';

export interface NewcomerDeps {
  readonly providers: IdentityProviders;
  readonly identities: CompanyIdentities;
  readonly invitations: Invitations;
  readonly accounts: Accounts;
  readonly newcomer: SealedCookie<NewcomerIdentity>;
  readonly formTokens: CsrfTokens;
  readonly audit: Audit;
}

/** A newcomer on the page. */
interface Visit {
  readonly context: BufferedContext;
  readonly session: SessionUser['session'];
  readonly identity: NewcomerIdentity;
  readonly provider: IdentityProvider;
  /** How the user may become a member; undefined if they may not. */
  readonly entrance: JoinMethod | undefined;
  /** The user who has signed in with their own password or passkey since the company confirmed them. */
  readonly account: Account | undefined;
}

/**
 * The page for a company account that does not open an account here yet. It is the same whether or not the address of
 * the user is known here. An existing account is linked only after its own sign-in, so that a provider cannot take over
 * accounts.
 */
export function newcomerAccount(deps: NewcomerDeps): OpenPageHandler {
  return async (context, { session, account }) => {
    const identity = deps.newcomer.get(context.request);
    const provider = identity && (await deps.providers.of(identity.workspaceId));
    if (identity === undefined || provider?.issuer !== identity.issuer) {
      sendPage(context, 400, companyProblemPage(message('companyTooOld'), COMPANY_PATHS.find));
      return;
    }
    const hasJustSignedIn =
      session.company === undefined &&
      session.csrf !== identity.sessionBefore &&
      (session.signedInAt ?? 0) >= identity.since;
    const visit = {
      context,
      session,
      identity,
      provider,
      entrance: await entranceOf(deps, identity, provider),
      account: hasJustSignedIn ? account : undefined,
    };
    const csrf = session.linkCsrf('company', `${identity.workspaceId} ${identity.subject}`);
    const { form } = context;
    if (form === undefined) {
      show(visit, csrf);
    } else if (deps.formTokens.matches(form.get('csrf'), csrf)) {
      await decide(deps, visit, form.get('decision'));
    } else {
      show(visit, csrf, message('answerOnceMore'));
    }
  };
}

/** How a newcomer may become a member: with their invitation, or because the company confirmed its domain. */
async function entranceOf(
  { invitations }: NewcomerDeps,
  { workspaceId, email, invitation }: NewcomerIdentity,
  { admits, domains }: IdentityProvider,
): Promise<JoinMethod | undefined> {
  if (invitation !== undefined) {
    const found = await invitations.find(invitation);
    if (found?.workspaceId === workspaceId) {
      return { invitation };
    }
  }
  const domain = email.slice(email.lastIndexOf('@') + 1);
  const isOfCompany = domains.some(({ name, isConfirmed }) => isConfirmed && name === domain);
  return admits === 'domain' && isOfCompany ? 'domain' : undefined;
}

function show(
  { context, identity, provider, entrance, account }: Visit,
  csrf: string,
  problem?: Message,
): void {
  const view = { csrf, workspaceName: provider.workspaceName, email: identity.email, problem };
  const page =
    account === undefined
      ? newcomerPage({ ...view, mayJoin: entrance !== undefined })
      : linkAccountPage({
          ...view,
          accountName: account.displayName,
          username: account.username,
        });
  sendPage(context, problem === undefined ? 200 : 403, page);
}

async function decide(deps: NewcomerDeps, visit: Visit, decision: string | null): Promise<void> {
  const { context, account, entrance } = visit;
  if (decision === 'no') {
    deps.newcomer.delete(context.response);
    sendRedirect(context.response, PHOTOS.root);
  } else if (decision === 'create' && entrance !== undefined) {
    await create(deps, visit, entrance);
  } else if (decision === 'link' && account !== undefined) {
    await link(deps, visit, account);
  } else {
    sendPage(context, 400, companyProblemPage(message('cannotBeDone'), COMPANY_PATHS.link));
  }
}

async function create(deps: NewcomerDeps, visit: Visit, entrance: JoinMethod): Promise<void> {
  const { context, identity, session } = visit;
  const { response } = context;
  const { workspaceId: workspace } = identity;
  const also = async (transaction: Queryable, id: string): Promise<void> => {
    const [by, user] = [id, id];
    const details = { method: 'company' } as const;
    await deps.audit(response, ACCOUNT_EVENTS.added, { by, user, details }, transaction);
    await deps.audit(
      response,
      INVITATION_EVENTS.joined,
      { by, workspace, ids: roleOf(entrance) },
      transaction,
    );
  };
  const user = newUserOf(identity);
  const accountId = await deps.identities.register(identity, user, entrance, also);
  if (accountId === undefined) {
    const again = COMPANY_PATHS.start(workspace);
    sendPage(context, 409, companyProblemPage(message('companyTooOld'), again));
    return;
  }
  await session.signIn(accountId, workspace);
  welcome(deps, visit, 'joined');
}

async function link(deps: NewcomerDeps, visit: Visit, account: Account): Promise<void> {
  const { context, identity, entrance } = visit;
  const { workspaceId: workspace } = identity;
  const [by, user] = [account.id, account.id];
  const isMember = (await deps.accounts.workspacesOf(account.id)).some(
    ({ id }) => id === workspace,
  );
  const isDone = await deps.identities.link(
    identity,
    account.id,
    isMember ? undefined : entrance,
    async (transaction) => {
      const { response } = context;
      if (!isMember) {
        await deps.audit(
          response,
          INVITATION_EVENTS.joined,
          { by, workspace, ids: roleOf(entrance) },
          transaction,
        );
      }
      await deps.audit(response, COMPANY_EVENTS.linked, { by, user, workspace }, transaction);
    },
  );
  if (!isDone) {
    const problem = message('linkNoMember', { workspace: visit.provider.workspaceName });
    sendPage(context, 403, companyProblemPage(problem, COMPANY_PATHS.link));
    return;
  }
  welcome(deps, visit, 'companyLinked');
}

/** Users of a domain become members; an invitation states the role, and its own event has it. */
function roleOf(entrance: JoinMethod | undefined): EventAbout {
  return entrance === 'domain' ? { role: 'member' } : {};
}

function welcome({ newcomer }: NewcomerDeps, { context, identity }: Visit, flash: string): void {
  newcomer.delete(context.response);
  const query = new URLSearchParams({ workspace: identity.workspaceId, flash });
  // The invitation has been used.
  const isOver = identity.to === PHOTOS.root || identity.to === PEOPLE_PATHS.invitation;
  sendRedirect(context.response, isOver ? `${PHOTOS.root}?${query.toString()}` : identity.to);
}

/** The names of a new user, from what the company states. A name that cannot be shown is replaced. */
function newUserOf({ email, name }: NewcomerIdentity): NewCompanyUser {
  const local = email.slice(0, email.lastIndexOf('@'));
  const plain = local
    .replace(/[^a-z0-9._-]/g, '')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 50);
  const namePart = usernameProblem(plain) === undefined ? plain : 'member';
  const displayName = [name, local].find(
    (one) => one !== undefined && validateName(one, MAX_NAME_LENGTH) === undefined,
  );
  return { namePart, displayName: displayName ?? namePart };
}
