import { beforeEach, describe, expect, it } from '@jest/globals';
import { Invitations } from '../../../../service/identity/invitations/invitations.js';
import { TestBrowser } from '../../support/browser-client.js';
import { addUser, openSettings } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import {
  invite,
  membersOf,
  newInviting,
  newUserForm,
  openLink,
  useInvitingService,
} from './inviting.js';

describe('an invitation', () => {
  let workspaceId: string;
  let owner: TestUser;
  let guest: TestUser;
  let clock = Date.now();

  const service = useInvitingService(() => new Date(clock));
  beforeEach(async () => {
    clock += 20_000;
    ({ workspaceId, owner, guest } = await newInviting(service));
  });

  const size = async (): Promise<number> =>
    Object.keys(await membersOf(service, workspaceId)).length;

  it('a user with an account joins once and sees workspace, inviter and role', async () => {
    const link = await invite(service, owner, workspaceId, 'owner');
    const browser = await openLink(service, link, guest);
    expect(browser.page.text).toMatch(/Join North Studio\?.*Invited by Person \d+ Role Owner/);
    const again = browser.copy();
    again.show(browser.page);

    const page = await browser.submit('Join');

    expect(page.text).toContain('You have joined the workspace');
    expect(await membersOf(service, workspaceId)).toMatchObject({ [guest.accountId]: 'owner' });
    expect((await again.submit('Join')).status).toBe(404);
    const late = await openLink(service, link, await addUser(service, {}));
    expect([late.page.status, late.page.text]).toEqual([
      404,
      expect.stringContaining('This link has expired'),
    ]);
    expect(service.logLines).toContainEqual(
      expect.objectContaining({ action: 'joined', by: guest.accountId, role: 'owner' }),
    );
  });

  it.each(['.', '>', '%20', '/', '%E2%80%8B', '"', '_'])(
    'opens with the tail that a program added to the address: %s',
    async (tail) => {
      const link = await invite(service, owner, workspaceId);
      const browser = await openLink(service, link + tail);
      expect(browser.page.text).toContain('Join North Studio?');
    },
  );

  it('is to be opened once more in a browser without its cookie', async () => {
    const browser = new TestBrowser(service.baseUrl);
    const page = await browser.open('/invite');
    expect([page.status, page.text]).toEqual([
      404,
      expect.stringContaining('Open the link once more'),
    ]);
    expect(page.text).toContain('keeps no cookies for this address');
    const wrong = await browser.open('/invite?token=svc_inv_x');
    expect(wrong.text).toContain('This link has expired');
  });

  it('a new user creates an account and is signed in under a new session', async () => {
    const browser = await openLink(service, await invite(service, owner, workspaceId));
    const entry = newUserForm();
    const before = browser.cookie('cws_session');

    const page = await browser.submit('Create account and join', entry);

    expect(page.text).toContain('You have joined the workspace');
    expect(browser.cookie('cws_session')).not.toBe(before);
    const account = await browser.open('/settings/account');
    expect(account.text).toContain(`Username: ${(entry['username'] ?? '').toLowerCase()}`);
    const elsewhere = new TestBrowser(service.baseUrl);
    await elsewhere.open('/settings/people');
    const { username = '', new_password: password = '' } = entry;
    const signedIn = await elsewhere.submit('Sign in', { username, password });
    expect(signedIn.text).toContain('Workspace: North Studio');
    expect(await size()).toBe(2);
  });

  it.each([
    ['username', 'a', 'A username has 2 to 64'],
    ['username', 'анна', 'A username has 2 to 64'],
    ['display_name', 'Ann\u200ba', 'must not contain invisible characters'],
    ['new_password_again', 'another one altogether', 'do not match'],
    ['new_password', 'short', 'at least 10 characters'],
  ])('creates no account whose %s is %j', async (name, value, words) => {
    const browser = await openLink(service, await invite(service, owner, workspaceId));

    const page = await browser.submit('Create account and join', {
      ...newUserForm(),
      [name]: value,
    });

    expect([page.status, page.text]).toEqual([400, expect.stringContaining(words)]);
    expect(await size()).toBe(1);
  });

  it('refuses a taken username and stays valid', async () => {
    const browser = await openLink(service, await invite(service, owner, workspaceId));

    const entry = newUserForm();
    const username = owner.username.toUpperCase();
    const taken = await browser.submit('Create account and join', { ...entry, username });
    expect([taken.status, taken.text]).toEqual([400, expect.stringContaining('is taken')]);
    const page = await browser.submit('Create account and join', entry);

    expect(page.text).toContain('You have joined');
  });

  it('admits one of many simultaneous answers', async () => {
    const link = await invite(service, owner, workspaceId);
    const signedIn = await Promise.all(
      Array.from({ length: 4 }, async () => openLink(service, link, await addUser(service, {}))),
    );
    const outsiders = await Promise.all(Array.from({ length: 3 }, () => openLink(service, link)));

    const pages = await Promise.all([
      ...signedIn.map((browser) => browser.submit('Join')),
      ...outsiders.map((browser) => browser.submit('Create account and join', newUserForm())),
    ]);

    expect(pages.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(pages.filter(({ status }) => status === 404)).toHaveLength(6);
    expect(await size()).toBe(2);
    // Nobody was added who did not join.
    const left = await service.database.query(
      `SELECT username FROM accounts WHERE username LIKE 'guest-%' AND NOT EXISTS (
         SELECT 1 FROM workspace_members WHERE account_id = accounts.id)`,
    );
    expect(left).toEqual([]);
  });

  it('admits one of many users who opened the link before the first joined', async () => {
    const invitations = new Invitations(service.database, () => new Date(clock));
    const link = await invite(service, owner, workspaceId);
    const token = new URL(link, service.baseUrl).searchParams.get('token') ?? '';
    const users = await Promise.all(Array.from({ length: 4 }, () => addUser(service, {})));

    const results = await Promise.all(
      users.map(({ accountId }) => invitations.join(token, accountId)),
    );

    expect(results.sort()).toEqual(['gone', 'gone', 'gone', 'joined']);
    expect(await size()).toBe(2);
  });

  it('stays valid after a taken username or an answer of a member', async () => {
    const invitations = new Invitations(service.database, () => new Date(clock));
    const link = await invite(service, owner, workspaceId);
    const token = new URL(link, service.baseUrl).searchParams.get('token') ?? '';
    const name = { username: guest.username, displayName: 'Guest', passwordHash: 'hash' };

    expect(await invitations.joinAsNew(token, name)).toBe('taken');
    expect(await invitations.join(token, owner.accountId)).toBe('member already');
    expect(await membersOf(service, workspaceId)).toEqual({ [owner.accountId]: 'owner' });
    expect(await invitations.join(token, guest.accountId)).toBe('joined');
  });

  it('is valid for seven days or until it is revoked', async () => {
    const browser = await openLink(service, await invite(service, owner, workspaceId), guest);
    const settings = await openSettings(service, owner, '/settings/people');
    expect(settings.page.text).toContain('Open invitations Member');

    clock += 7 * 24 * 3600_000 - 60_000;
    await browser.open('/invite');
    expect(browser.page.text).toContain('Join North Studio?');
    clock += 60_001;
    expect((await browser.submit('Join')).status).toBe(404);

    const revoked = await openLink(service, await invite(service, owner, workspaceId), guest);
    await settings.open('/settings/people');
    expect((await settings.submit('Revoke')).text).toContain('Invitation revoked');
    expect((await revoked.submit('Join')).status).toBe(404);
    expect(await size()).toBe(1);
  });

  it('is refused above a hundred open invitations in a workspace', async () => {
    const invitations = new Invitations(service.database, () => new Date(clock));
    await invitations.create({ workspaceId, role: 'member', invitedBy: owner.accountId });
    // Like this one.
    await service.database.query(
      `INSERT INTO invitations (id, token_sha256, workspace_id, role, invited_by, created_at, expires_at)
       SELECT 'one-of-many-' || n, 'one-of-many-' || n, workspace_id, role, invited_by, created_at, expires_at
         FROM invitations, generate_series(2, 99) AS n WHERE workspace_id = $1`,
      [workspaceId],
    );
    expect(await invite(service, owner, workspaceId)).toMatch(/^\/invite\?token=/);

    const browser = await openSettings(service, owner, '/settings/people/invitations/new');
    const page = await browser.submit('Create link', { workspace: workspaceId, role: 'member' });

    expect([page.status, page.text]).toEqual([400, expect.stringMatching(/100 .*open/)]);
    expect(await invitations.of(workspaceId)).toHaveLength(100);
    await invitations.revoke(workspaceId, (await invitations.of(workspaceId))[0]?.id ?? '');
    expect(await invite(service, owner, workspaceId)).toMatch(/^\/invite\?token=/);
  });

  it('stays valid when the answer is No', async () => {
    const link = await invite(service, owner, workspaceId);
    const browser = await openLink(service, link, guest);

    expect((await browser.submit('Decline')).text).toContain('You have not joined');
    expect((await browser.open('/invite')).status).toBe(404);
    await browser.open(link);

    expect((await browser.submit('Join')).status).toBe(200);
  });

  /** Answers with a form made by hand; gives the status. */
  const answerBy = async (browser: TestBrowser, decision: string): Promise<number> => {
    const answer = await fetch(browser.page.url, {
      method: 'POST',
      headers: { cookie: browser.allCookies },
      body: new URLSearchParams({ csrf: browser.csrf, decision }),
    });
    await answer.arrayBuffer();
    return answer.status;
  };

  it('does not add a signed-in user without confirmation', async () => {
    const browser = await openLink(service, await invite(service, owner, workspaceId), guest);

    for (const decision of ['create', '', 'Join'])
      expect(await answerBy(browser, decision)).toBe(400);
    expect(await size()).toBe(1);
    expect(await answerBy(browser, 'join')).toBe(200);
  });

  it('accepts thirty answers in a quarter of an hour', async () => {
    const browser = await openLink(service, await invite(service, owner, workspaceId), guest);
    for (let count = 0; count < 30; count += 1) expect(await answerBy(browser, '')).toBe(400);

    expect(await answerBy(browser, 'join')).toBe(429);
    clock += 900_000;
    expect(await answerBy(browser, 'join')).toBe(200);
  });

  it('changes nothing for an existing member', async () => {
    const link = await invite(service, owner, workspaceId, 'member');
    const browser = await openLink(service, link, owner);

    expect(browser.page.text).toContain('You already belong to North Studio');
    expect(await membersOf(service, workspaceId)).toEqual({ [owner.accountId]: 'owner' });
    const other = await openLink(service, link, guest);
    expect((await other.submit('Join')).status).toBe(200);
  });

  it('leads a signed-out user to the sign-in and back to the invitation', async () => {
    const link = await invite(service, owner, workspaceId);
    const browser = await openLink(service, link);
    const href = /href="([^"]*sign-in[^"]*)"/.exec(browser.page.markup)?.[1] ?? '';
    await browser.open(href);
    const { username, password } = guest;

    const page = await browser.submit('Sign in', { username, password });

    expect(new URL(page.url).pathname).toBe('/invite');
    expect(page.text).toContain(`Signed in as`);
    expect((await browser.submit('Join')).text).toContain('You have joined');
  });

  it('lets a signed-in user switch to another account', async () => {
    const link = await invite(service, owner, workspaceId);
    const browser = await openLink(service, link, guest);

    const page = await browser.submit('Use another account');

    expect(page.text).toContain('New here?');
  });
});
