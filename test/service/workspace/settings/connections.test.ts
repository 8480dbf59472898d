import { beforeEach, describe, expect, it } from '@jest/globals';
import { addWorkspaceFixture, type WorkspaceFixture } from '../../support/workspace-fixture.js';
import { addUser, connectAs, openSettings } from '../../support/users.js';
import { useService } from '../../support/use-service.js';

let nowMs = Date.now();
const service = useService({ now: () => new Date(nowMs) });

describe('connections of a user', () => {
  let users: WorkspaceFixture;
  let token: string;
  beforeEach(async () => {
    users = await addWorkspaceFixture(service);
    token = await connectAs(service, users.member);
  });

  const rename = (name: unknown, bearer = token): Promise<Response> =>
    fetch(`${service.baseUrl}/api/v1/connection`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ device_name: name }),
    });

  // @threat C14
  it('shows a new connection above each page until it is dismissed', async () => {
    const browser = await openSettings(service, users.member, '/settings/apps');
    expect(browser.page.text).toContain('New connection: ');
    expect((await browser.open('/photos')).text).toContain('New connection: ');
    await browser.open('/settings/account');
    expect((await browser.submit('Dismiss')).url).toMatch(/\/settings\/account$/);
    expect((await browser.open('/settings/apps')).text).not.toContain('New connection: ');
    expect((await openSettings(service, users.owner)).page.text).not.toContain('New connection');
  });

  it('renames a computer by the app and on the page', async () => {
    const answer = await rename('Studio laptop');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ device_name: 'Studio laptop' });
    const browser = await openSettings(service, users.member, '/settings/apps');
    expect(browser.page.text).toContain('Studio laptop');
    await browser.submit('Save changes', { device_name: 'Office tower' });
    const me = await fetch(`${service.baseUrl}/api/v1/me`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(await me.json()).toMatchObject({ device_name: 'Office tower' });
  });

  it.each(['', 'A\nB', 'x'.repeat(101), 7])('refuses the name %j', async (name) => {
    expect((await rename(name)).status).toBe(400);
  });

  // @threat P4
  it('lists signed-in browsers, and signs all others out', async () => {
    const user = await addUser(service, { [users.workspaceId]: 'member' });
    const [own, first, second] = [
      await openSettings(service, user),
      await openSettings(service, user),
      await openSettings(service, user),
    ];
    nowMs += 61_000;
    await own.open('/settings/account/browsers');
    expect(own.page.text.match(/last used/g)).toHaveLength(3);
    expect(own.page.text).toContain('This browser');
    await own.submit('Sign out all other browsers');
    expect(own.page.text).toContain('All other browsers were signed out.');
    for (const other of [first, second]) {
      expect(new URL((await other.open('/settings/apps')).url).pathname).toBe('/settings/sign-in');
    }
    expect((await own.open('/settings/apps')).text).toContain('Connected apps');
  });
});
