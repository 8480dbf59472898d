import { beforeEach, describe, expect, it } from '@jest/globals';
import { Members } from '../../../../service/identity/access/members.js';
import { ConnectedApps } from '../../../../service/oauth/tokens/connected-apps.js';
import { approveDevice, type TestBrowser } from '../../support/browser-client.js';
import { poll, refresh, startDevice, tokensOf } from '../../support/oauth-client.js';
import {
  addUser,
  addWorkspace,
  connectAs,
  elementText,
  openSettings,
  send,
  type TestUser,
} from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { photo } from '../../support/tus-client.js';

describe('the members of a workspace', () => {
  let workspaceId: string;
  let owner: TestUser;
  let member: TestUser;

  const service = useService();
  beforeEach(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    member = await addUser(service, { [workspaceId]: 'member' });
  });

  const roles = async (): Promise<Record<string, string>> => {
    const rows = await service.database.query<{ account_id: string; role: string }>(
      'SELECT account_id, role FROM workspace_members WHERE workspace_id = $1',
      [workspaceId],
    );
    return Object.fromEntries(rows.map((row) => [row.account_id, row.role]));
  };
  const pageOf = (person: TestUser, by: TestUser): Promise<TestBrowser> =>
    openSettings(service, by, `/settings/people/${person.accountId}?workspace=${workspaceId}`);
  const remove = async (person: TestUser, by: TestUser) =>
    (await pageOf(person, by)).submit('Remove from the workspace', { confirm: 'yes' });
  const me = async (token: string): Promise<{ status: number; role: unknown }> => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${service.baseUrl}/api/v1/me`, { headers });
    const body = (await answer.json()) as { workspace?: { role?: unknown } };
    return { status: answer.status, role: body.workspace?.role };
  };

  it('are all shown to owners; members see the owners and themselves', async () => {
    const other = await addUser(service, { [workspaceId]: 'member' });

    const all = await openSettings(service, owner, '/settings/people');
    for (const { username } of [owner, member, other])
      expect(all.page.text).toContain(`${username} ·`);
    const own = await openSettings(service, member, '/settings/people');

    for (const { username } of [owner, member]) expect(own.page.text).toContain(`${username} ·`);
    expect(own.page.text).not.toContain(other.username);
    for (const [by, page] of [
      [owner, all.page],
      [member, own.page],
    ] as const)
      expect(page.text.match(/\S+ \(you\) \S+ ·/g)).toEqual([
        expect.stringContaining(` ${by.username} ·`),
      ]);
    expect(own.page.text).not.toContain('Invite people');
    expect((await pageOf(other, member)).page.status).toBe(404);
    const outsider = await addUser(service, {});
    expect((await pageOf(other, outsider)).page.status).toBe(404);
  });

  it('get another role, which applies at once to pages and tokens', async () => {
    const token = await connectAs(service, member);
    const browser = await openSettings(service, member, '/settings/developer');
    expect(browser.page.text).not.toContain('In the workspace North Studio');
    expect(await me(token)).toEqual({ status: 200, role: 'member' });

    await (await pageOf(member, owner)).submit('Save changes', { role: 'owner' });

    expect((await browser.open('/settings/developer')).text).toContain('North Studio');
    expect(await me(token)).toEqual({ status: 200, role: 'owner' });
    expect(service.logLines).toContainEqual(
      expect.objectContaining({
        action: 'role_changed',
        by: owner.accountId,
        user: member.accountId,
        role: 'owner',
      }),
    );
  });

  // @threat R10
  it('lose apps and tokens on removal; their photos stay for the owners', async () => {
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    await approveDevice(service.baseUrl, userCode, member);
    const { accessToken, refreshToken } = tokensOf(await poll(service.baseUrl, deviceCode));
    const browser = await openSettings(service, member, '/settings/developer/tokens/new');
    const page = await browser.submit('Create token', {
      name: 'Script',
      scope: 'uploads:read',
      days: '7',
    });
    const personal = elementText(page, 'secret');
    await send(service, accessToken, 'bride.jpg', photo(1000, 1));
    expect((await me(personal)).status).toBe(200);

    const after = await remove(member, owner);

    expect(after.text).toContain('Person removed from the workspace');
    expect([(await me(accessToken)).status, (await me(personal)).status]).toEqual([401, 401]);
    expect((await browser.open('/photos')).text).not.toContain('bride.jpg');
    expect((await browser.open('/settings/people')).text).toContain('does not belong to');
    const photos = await openSettings(service, owner, `/photos?workspace=${workspaceId}`);
    expect(photos.page.text).toContain('bride.jpg');

    // Adding them again restores no token or app.
    await service.database.query('INSERT INTO workspace_members VALUES ($1, $2, $3)', [
      workspaceId,
      member.accountId,
      'member',
    ]);
    expect([(await me(accessToken)).status, (await me(personal)).status]).toEqual([401, 401]);
    expect((await refresh(service.baseUrl, refreshToken)).status).toBe(400);
    const connections = new ConnectedApps(
      service.database,
      () => new Date(),
      () => Promise.resolve(),
    );
    expect(await connections.of(member)).toEqual([]);
  });

  it('keep their access to other workspaces', async () => {
    const other = await addWorkspace(service, 'South Studio');
    const person = await addUser(service, { [other]: 'member' });
    const token = await connectAs(service, person);
    await service.database.query('INSERT INTO workspace_members VALUES ($1, $2, $3)', [
      workspaceId,
      person.accountId,
      'member',
    ]);

    await remove(person, owner);

    expect((await me(token)).status).toBe(200);
    expect(await roles()).not.toHaveProperty(person.accountId);
  });

  it('may leave', async () => {
    const browser = await pageOf(member, member);
    expect(browser.page.text).not.toContain('Save changes');

    const page = await browser.submit('Leave the workspace', { confirm: 'yes' });

    expect(page.text).toContain('You have left the workspace');
    expect(await roles()).toEqual({ [owner.accountId]: 'owner' });
  });

  it('require the confirmation box, and cannot change other members', async () => {
    const browser = await pageOf(member, owner);
    expect((await browser.submit('Remove from the workspace')).status).toBe(400);
    const own = await pageOf(member, member);
    const { csrf = '' } = own.page.form?.fields ?? {};
    const post = (path: string, fields: Record<string, string>): Promise<Response> =>
      fetch(service.baseUrl + path, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          cookie: own.sessionCookie,
        },
        body: new URLSearchParams({ csrf, workspace: workspaceId, confirm: 'yes', ...fields }),
      });

    const others = `/settings/people/${owner.accountId}`;
    expect((await post(others, { action: 'remove' })).status).toBe(404);
    expect((await post(others, { action: 'role', role: 'member' })).status).toBe(404);
    const self = `/settings/people/${member.accountId}`;
    expect((await post(self, { action: 'role', role: 'owner' })).status).toBe(400);
    expect((await post(self, { action: 'remove', csrf: 'forged' })).status).toBe(403);

    expect(await roles()).toEqual({ [owner.accountId]: 'owner', [member.accountId]: 'member' });
    // The user was refused, not the form.
    expect((await post(self, { action: 'remove' })).status).toBe(303);
  });

  describe('a workspace keeps an owner', () => {
    // @threat L5
    it('the last owner can neither leave nor become a member', async () => {
      const browser = await pageOf(owner, owner);

      const left = await browser.submit('Leave the workspace', { confirm: 'yes' });
      expect([left.status, left.text]).toEqual([
        400,
        expect.stringContaining('at least one owner'),
      ]);
      const lowered = await browser.submit('Save changes', { role: 'member' });

      expect(lowered.status).toBe(400);
      expect(await roles()).toMatchObject({ [owner.accountId]: 'owner' });
    });

    it('for either order of two concurrent decisions', async () => {
      const second = await addUser(service, { [workspaceId]: 'owner' });
      const members = new Members(service.database);
      const change = (by: TestUser, of: TestUser) => ({
        workspaceId,
        by: by.accountId,
        accountId: of.accountId,
      });

      const refused = await Promise.all([
        members.remove(change(owner, second)),
        members.remove(change(second, owner)),
      ]);

      expect(refused.filter((problem) => problem === undefined)).toHaveLength(1);
      expect(Object.values(await roles()).sort()).toEqual(['member', 'owner']);
    });

    it.each([
      ['remove each other', 'Remove from the workspace', { confirm: 'yes' }, false],
      ['make each other members', 'Save changes', { role: 'member' }, false],
      ['leave', 'Leave the workspace', { confirm: 'yes' }, true],
    ] as const)('when two %s at the same time', async (_what, button, fields, ofThemselves) => {
      const second = await addUser(service, { [workspaceId]: 'owner' });
      const browsers = await Promise.all([
        pageOf(ofThemselves ? owner : second, owner),
        pageOf(ofThemselves ? second : owner, second),
      ]);

      const pages = await Promise.all(browsers.map((browser) => browser.submit(button, fields)));

      expect(pages.filter(({ status }) => status === 200)).toHaveLength(1);
      const left = Object.values(await roles()).filter((role) => role === 'owner');
      expect(left).toHaveLength(1);
    });
  });
});
