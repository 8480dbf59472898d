import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { appendEvent } from '../../../service/app/events.js';
import { ACCOUNT_EVENTS } from '../../../service/identity/accounts/events.js';
import { SECOND_FACTOR_EVENTS } from '../../../service/identity/second-factor/events.js';
import type { EventDeclaration } from '../../../service/kernel/events/event.js';
import type { TestBrowser } from '../support/browser-client.js';
import { addUser, addWorkspace, openSettings, type TestUser } from '../support/users.js';
import { useService } from '../support/use-service.js';

const NEW = 'heron lamp quarter';

describe('notices', () => {
  const service = useService();
  let workspaceId: string;
  let user: TestUser;
  let browser: TestBrowser;

  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
  });
  beforeEach(async () => {
    user = await addUser(service, { [workspaceId]: 'owner' });
    browser = await openSettings(service, user, '/settings/account');
  });

  const happens = (declaration: EventDeclaration, { accountId }: TestUser) =>
    appendEvent(service.database, {
      ...{ happenedAt: new Date(), declaration, workspaceId: undefined, accountId, by: accountId },
      about: {},
    });
  const textAt = async (path: string, one = browser): Promise<string> =>
    (await one.open(path)).text;

  it('are shown to the user of the event only, until they dismiss them', async () => {
    const other = await addUser(service, { [workspaceId]: 'owner' });
    const theirs = await openSettings(service, other, '/settings/account');
    await happens(SECOND_FACTOR_EVENTS.passkeyRemoved, user);

    expect(await textAt('/settings/apps')).toContain('A passkey was removed');
    expect(await textAt('/settings/apps', theirs)).not.toContain('A passkey was removed');

    const ids = browser.page.forms.flatMap(({ fields }) => fields['ids'] ?? []).join(' ');
    await happens(SECOND_FACTOR_EVENTS.passkeyRemoved, other);
    await theirs.open('/settings/apps');
    await theirs.submit('Dismiss', { ids });
    expect(await textAt('/settings/apps')).toContain('A passkey was removed');
    await browser.submit('Dismiss');
    expect(browser.page.text).not.toContain('A passkey was removed');
    expect(await textAt('/settings/apps', theirs)).toContain('A passkey was removed');
  });

  it('are not made of harmless events', async () => {
    await happens(ACCOUNT_EVENTS.renamed, user);
    expect(browser.page.text).not.toContain('Dismiss');
    expect(await textAt('/settings/apps')).not.toContain('Dismiss');
  });

  it('name a sign-in with the password in a new browser, and no other', async () => {
    const { username, password } = user;
    const elsewhere = await openSettings(service, user, '/settings/account');
    expect(elsewhere.page.text).toContain('New sign-in');
    await elsewhere.submit('Dismiss');

    await elsewhere.submit('Sign out');
    await elsewhere.open('/settings/account');
    await elsewhere.submit('Sign in', { username, password });

    expect(elsewhere.page.text).toContain(`Username: ${username}`);
    expect(elsewhere.page.text).not.toContain('New sign-in');
  });

  it('follow a changed password and a new token', async () => {
    await browser.submit('Change password', {
      ...{ password: user.password, new_password: NEW, new_password_again: NEW },
    });
    expect(await textAt('/settings/apps')).toContain('Your password was changed');
    await browser.open('/settings/developer/tokens/new');
    const token = { name: 'Script', scope: 'uploads:read', workspace: workspaceId };
    await browser.submit('Create token', token);
    expect(await textAt('/settings/apps')).toContain('A token was created: Script');
  });
});

describe('a change whose event cannot be stored', () => {
  const service = useService();

  it.each([
    ['/settings/account', 'Save changes', { display_name: 'Zoe' }],
    ['/settings/developer/tokens/new', 'Create token', { name: 'Script', scope: 'uploads:read' }],
    ['/settings/people/invitations/new', 'Create link', {}],
    ['/settings/people', 'Let all members see all files', { confirm: 'yes' }],
  ])('is not made: %s', async (path, label, values) => {
    const { database } = service;
    const workspaceId = await addWorkspace(service, 'North Studio');
    const user = await addUser(service, { [workspaceId]: 'owner' });
    const browser = await openSettings(service, user, path);
    const state = (): Promise<object[]> =>
      database.query(
        `SELECT display_name, members_see_all,
                (SELECT count(*)::integer FROM personal_access_tokens WHERE account_id = accounts.id) AS tokens,
                (SELECT count(*)::integer FROM invitations WHERE invited_by = accounts.id) AS invitations
           FROM accounts, workspaces WHERE accounts.id = $1 AND workspaces.id = $2`,
        [user.accountId, workspaceId],
      );
    const before = await state();
    await database.query(
      'ALTER TABLE audit_events ADD CONSTRAINT no_events CHECK (false) NOT VALID',
    );
    const field = path === '/settings/account' ? {} : { workspace: workspaceId };

    const page = await browser.submit(label, { ...field, ...values });

    await database.query('ALTER TABLE audit_events DROP CONSTRAINT no_events');
    expect(page.status).toBe(500);
    expect(await state()).toEqual(before);
  });
});
