import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Accounts } from '../accounts/accounts.js';
import { Invitations } from '../accounts/invitations.js';
import { Members } from '../accounts/members.js';
import { PasswordChanges } from '../accounts/password-changes.js';
import type { PasswordCheck } from '../accounts/password-check.js';
import type { Database } from '../database/database.js';
import type { ClientAddress } from '../http/client-address.js';
import type { RouteMatch } from '../http/route-table.js';
import type { WholeRequest } from '../http/whole-request.js';
import type { AttemptLimit } from '../limits/attempt-limit.js';
import type { Log } from '../log.js';
import type { FormTokens } from '../oauth/form-tokens.js';
import type { VisitHandler } from '../visits/visit.js';
import type { Visitor, Visits } from '../visits/visits.js';
import { accountPage } from './account-page.js';
import { auditInto } from './audit.js';
import { invitationPage } from './invitation-page.js';
import { memberList } from './member-list.js';
import { memberPage } from './member-page.js';
import { newInvitation, revokeInvitation } from './new-invitation.js';
import { OneTimeLink } from './one-time-link.js';
import { PEOPLE } from './paths.js';
import { resetPage } from './reset-page.js';

/** The longest time between the check of a password and the new session, in milliseconds; it usually takes a few. */
const SETTLE_MS = 1000;

export interface PeoplePagesParts {
  readonly visits: Visits;
  readonly database: Database;
  readonly accounts: Accounts;
  readonly passwords: PasswordCheck;
  readonly formTokens: FormTokens;
  readonly limit: AttemptLimit;
  readonly addressOf: ClientAddress;
  readonly baseUrl: string;
  readonly log: Log;
  readonly now: () => Date;
  /** See `AccountPageParts`. */
  readonly demoUsername: string | undefined;
}

/** Answers the requests to the page of a link that somebody was given, whether or not anybody is signed in. */
type LinkHandler = (
  request: WholeRequest,
  response: ServerResponse,
  visitor: Visitor,
) => Promise<void>;

/**
 * The pages about people: one's own account, who is in a workspace, invitations, and the links that are given to
 * people. Pages without scripts; every POST carries an anti-forgery token.
 */
export class PeoplePages {
  private readonly visits: Visits;
  /** For people who are signed in. */
  private readonly pages: ReadonlyMap<string, VisitHandler>;
  /** For everybody who has the link. */
  private readonly links: ReadonlyMap<string, LinkHandler>;

  constructor(parts: PeoplePagesParts) {
    const { database, now } = parts;
    const audit = auditInto(parts.log);
    const invitations = new Invitations(database, now);
    const members = new Members(database);
    const passwordChanges = new PasswordChanges(database, now, () => sleep(SETTLE_MS));
    const links = { ...parts, isSecure: parts.baseUrl.startsWith('https:') };
    const inviting = { invitations, audit, baseUrl: parts.baseUrl };
    this.visits = parts.visits;
    this.pages = new Map<string, VisitHandler>([
      [PEOPLE.account, accountPage({ ...parts, passwordChanges, audit })],
      [PEOPLE.people, memberList(members, invitations)],
      [PEOPLE.member(':id'), memberPage({ members, audit })],
      [PEOPLE.newInvitation, newInvitation(inviting)],
      [PEOPLE.invitations, revokeInvitation(inviting)],
    ]);
    const invitationLink = new OneTimeLink(
      { path: PEOPLE.invitation, cookie: 'cws_invite', prefix: 'svc_inv_' },
      links,
    );
    const resetLink = new OneTimeLink(
      { path: PEOPLE.reset, cookie: 'cws_reset', prefix: 'svc_rst_' },
      links,
    );
    this.links = new Map<string, LinkHandler>([
      [PEOPLE.invitation, invitationPage({ ...parts, link: invitationLink, invitations, audit })],
      [PEOPLE.reset, resetPage({ ...parts, link: resetLink, passwordChanges, audit })],
    ]);
  }

  /** Answers a GET or POST of one of these pages. */
  async handle(request: WholeRequest, response: ServerResponse, match: RouteMatch): Promise<void> {
    const { path } = match.route;
    const visitor = await this.visits.meet(request, response);
    const link = this.links.get(path);
    if (link !== undefined) {
      await link(request, response, visitor);
      return;
    }
    const visit = this.visits.admit(visitor, request, response, match);
    if (visit !== undefined) {
      await this.pages.get(path)?.(visit);
    }
  }
}
