import type { TestBrowser } from '../../support/browser-client.js';
import { TestBrowser as Browser } from '../../support/browser-client.js';
import { addUser, addWorkspace, elementText, openSettings } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import type { TestService } from '../../support/running-service.js';
import { useService } from '../../support/use-service.js';

/** Makes an invitation by the pages, as an owner does; returns the path of the link, with its secret. */
export async function invite(
  service: TestService,
  owner: TestUser,
  workspace: string,
  role: 'owner' | 'member' = 'member',
): Promise<string> {
  const browser = await openSettings(service, owner, '/settings/people/invitations/new');
  const page = await browser.submit('Create link', { workspace, role });
  return elementText(page, 'link').replace(service.baseUrl, '');
}

/** A browser that opened this link, signed in or anonymous. */
export async function openLink(
  service: TestService,
  link: string,
  user?: TestUser,
): Promise<TestBrowser> {
  const browser =
    user === undefined
      ? new Browser(service.baseUrl)
      : await openSettings(service, user, '/settings/account');
  await browser.open(link);
  return browser;
}

let count = 0;

/** The form fields of a new user. */
export function newUserForm(): Record<string, string> {
  count += 1;
  const password = `four words for guest ${count}`;
  return {
    username: `Guest-${count}`,
    display_name: `Guest ${count}`,
    new_password: password,
    new_password_again: password,
  };
}

/** The members of a workspace: roles by account id. */
export async function membersOf(
  service: Pick<TestService, 'database'>,
  workspace: string,
): Promise<Record<string, string>> {
  const rows = await service.database.query<{ account_id: string; role: string }>(
    'SELECT account_id, role FROM workspace_members WHERE workspace_id = $1',
    [workspace],
  );
  return Object.fromEntries(rows.map((row) => [row.account_id, row.role]));
}

/** A workspace, its owner and a user without a workspace. */
export interface Inviting {
  readonly workspaceId: string;
  readonly owner: TestUser;
  readonly guest: TestUser;
}

/** A new workspace for one test, without counted attempts. */
export async function newInviting(service: TestService): Promise<Inviting> {
  await service.database.query('DELETE FROM attempts');
  const workspaceId = await addWorkspace(service, 'North Studio');
  const owner = await addUser(service, { [workspaceId]: 'owner' });
  const guest = await addUser(service, {});
  return { workspaceId, owner, guest };
}

/** A service that trusts one proxy for client addresses. */
export function useInvitingService(now: () => Date): TestService {
  return useService({ now, trustedProxies: 1 });
}
