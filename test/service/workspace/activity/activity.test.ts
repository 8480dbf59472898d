import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page, TestBrowser } from '../../support/browser-client.js';
import { addUser, addWorkspace, openSettings, type TestUser } from '../../support/users.js';
import { addWorkspaceFixture } from '../../support/workspace-fixture.js';
import { useService } from '../../support/use-service.js';

const DAY_MS = 86_400_000;
const ACTIVITY = '/settings/activity';

describe('the activity of a workspace', () => {
  const nowMs = Date.now();
  let workspaceId: string;
  let owner: TestUser;
  let member: TestUser;
  let stranger: TestUser;
  let browser: TestBrowser;

  const service = useService({ now: () => new Date(nowMs), auditDays: 30 });
  beforeAll(async () => {
    ({ workspaceId, owner, member } = await addWorkspaceFixture(service));
    const other = await addWorkspace(service, 'South Studio');
    stranger = await addUser(service, { [other]: 'owner' });
    await openSettings(service, stranger);
    await openSettings(service, member);
    browser = await openSettings(service, owner);
    await browser.open(`/settings/people/${member.accountId}?workspace=${workspaceId}`);
    await browser.submit('Save changes', { role: 'owner' });
  });

  const nameOf = async ({ accountId }: TestUser): Promise<string> => {
    const [row] = await service.database.query<{ display_name: string }>(
      'SELECT display_name FROM accounts WHERE id = $1',
      [accountId],
    );
    return row?.display_name ?? '';
  };
  const exported = async (query = ''): Promise<Record<string, unknown>[]> => {
    const { markup } = await browser.open(`${ACTIVITY}/export${query}`);
    return markup
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  // @threat U16
  it('shows what members did, and nothing of other workspaces', async () => {
    const { text } = await browser.open(`${ACTIVITY}?user=${owner.accountId}`);
    const name = await nameOf(owner);
    expect(text).toMatch(
      new RegExp(`${name} changed the role of .* · 127\\.0\\.0\\.1 .*${name} signed in`),
    );
    const events = await exported(`?user=${owner.accountId}`);
    expect(events.map(({ type }) => type)).toEqual(['account.signed_in', 'member.role_changed']);
    const all = await exported('?kind=account');
    expect(all.map(({ data }) => (data as { by: { id: string } }).by.id)).not.toContain(
      stranger.accountId,
    );
  });

  it('exports the whole event as one line of JSON', async () => {
    const [line] = await exported('?kind=member');
    const userOf = async (user: TestUser) => ({
      id: user.accountId,
      username: user.username,
      name: await nameOf(user),
    });
    expect(line).toEqual({
      type: 'member.role_changed',
      timestamp: new Date(nowMs).toISOString(),
      data: {
        id: expect.stringMatching(/^\d+$/),
        workspace_id: workspaceId,
        user: await userOf(member),
        by: await userOf(owner),
        network: '127.0.0.1',
        user_agent: expect.any(String),
        role: 'owner',
      },
    });
  });

  it('lists only events of the chosen kind and user', async () => {
    const { text } = await browser.open(
      `${ACTIVITY}?workspace=${workspaceId}&kind=account&user=${member.accountId}`,
    );
    expect(text.match(/ signed in/g)).toHaveLength(1);
    expect(text).not.toContain('changed the role');
    const none = await browser.open(`${ACTIVITY}?workspace=${workspaceId}&kind=webhook`);
    expect(none.text).toContain('No activity matches this choice.');
  });

  const follow = (page: Page, label: string): Promise<Page> => {
    const [, href = ''] = new RegExp(`href="([^"]*)"\\s*>${label}<`).exec(page.markup) ?? [];
    return browser.open(href.replaceAll('&amp;', '&'));
  };

  it('leads from page to page and back', async () => {
    await service.database.query(
      `INSERT INTO audit_events (happened_at, action, workspace_id, about)
       SELECT now(), 'link_expired', $1, '{}' FROM generate_series(1, 60)`,
      [workspaceId],
    );
    const list = `${ACTIVITY}?kind=link`;
    const count = (text: string): number => text.match(/A link expired/g)?.length ?? 0;
    const first = await browser.open(list);
    expect([count(first.text), first.text.includes('Newer')]).toEqual([50, false]);
    const second = await follow(first, 'Older');
    expect([count(second.text), second.text.includes('Older')]).toEqual([10, false]);
    const back = await follow(second, 'Newer');
    expect([count(back.text), back.text.includes('Newer')]).toEqual([50, false]);
  });

  it.each([ACTIVITY, `${ACTIVITY}/export`])(
    'returns 404 at %s for users who are no owner',
    async (path) => {
      const outsider = await addUser(service, { [workspaceId]: 'member' });
      const theirs = await openSettings(service, outsider);
      expect((await theirs.open(path)).status).toBe(404);
      expect((await theirs.open(`${path}?workspace=${workspaceId}`)).status).toBe(404);
      expect((await theirs.open('/settings/account')).markup).not.toContain(`href="${ACTIVITY}`);
    },
  );

  // @threat U15
  it('shows users what happened to their own account once', async () => {
    const several = await addWorkspace(service, 'East Studio');
    const user = await addUser(service, { [workspaceId]: 'member', [several]: 'member' });
    const theirs = await openSettings(service, user);
    const { text } = await theirs.open('/settings/account/activity');
    expect(text.match(/ signed in/g)).toHaveLength(1);
  });

  it('names the network, and the browser or the app of an event', async () => {
    const west = await addWorkspace(service, 'West Studio');
    const user = await addUser(service, { [west]: 'owner' });
    const add = (action: string, about: object): Promise<object[]> =>
      service.database.query(
        `INSERT INTO audit_events (happened_at, action, workspace_id, account_id, by, about)
         VALUES (now(), $1, $2, $3, $3, $4)`,
        [action, west, user.accountId, JSON.stringify(about)],
      );
    const userAgent = 'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15';
    const app = { app: 'Photoshop 27.1', name: 'Studio laptop' };
    await add('policy_changed', { network: '2001:db8:0:7', userAgent, setting: 'visibility' });
    await add('link_made', { network: '192.0.2.7', userAgent: 'UXP', ...app });
    await add('app_connected', { network: '192.0.2.7', userAgent: 'UXP', ...app });

    const { text } = (await openSettings(service, user, ACTIVITY)).page;

    expect(text).toMatch(/who sees the files .* · 2001:db8:0:7::\/64 · Safari on macOS/);
    expect(text).toMatch(/created a link .* · 192\.0\.2\.7 · Photoshop 27\.1 on Studio laptop/);
    expect(text.match(/Photoshop 27\.1 on Studio laptop/g)).toHaveLength(2);
  });

  it('removes events after the set time', async () => {
    const old = new Date(nowMs - 30 * DAY_MS - 1000);
    const add = `INSERT INTO audit_events (happened_at, action, about) VALUES ($1, 'signed_in', '{}') RETURNING id`;
    const [expired] = await service.database.query(add, [old]);
    const [kept] = await service.database.query(add, [new Date(old.getTime() + 2000)]);
    await service.purge();
    const left = await service.database.query('SELECT id FROM audit_events');
    expect(left).toContainEqual(kept);
    expect(left).not.toContainEqual(expired);
  });
});
