import { Members, type SessionGuard } from '../../identity/index.js';
import type { Database } from '../../kernel/database/database.js';
import { getAndPost, type Route } from '../../kernel/http/router.js';
import { PEOPLE_PATHS } from '../../site/addresses/people-paths.js';
import { memberList, type MemberListDeps } from './member-list.js';
import { memberPage } from './member-page.js';
import { newInvitation, revokeInvitation, type NewInvitationDeps } from './new-invitation.js';
import { visibilitySetting } from './visibility-setting.js';

export interface MemberRoutesDeps extends Omit<MemberListDeps, 'members'>, NewInvitationDeps {
  readonly guard: SessionGuard;
  readonly database: Database;
  readonly invitations: MemberListDeps['invitations'];
}

/** The pages about the members of a workspace and their invitations. */
export function memberRoutes(deps: MemberRoutesDeps): Route[] {
  const { guard, database, audit } = deps;
  const members = new Members(database);
  return [
    guard.page(PEOPLE_PATHS.people, { GET: memberList({ ...deps, members }) }),
    guard.page(PEOPLE_PATHS.visibility, { POST: visibilitySetting({ database, audit }) }),
    guard.page(PEOPLE_PATHS.newInvitation, getAndPost(newInvitation(deps))),
    guard.page(PEOPLE_PATHS.invitations, { POST: revokeInvitation(deps) }),
    guard.page(PEOPLE_PATHS.member(':id'), getAndPost(memberPage({ members, audit }))),
  ];
}
