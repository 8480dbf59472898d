import { beforeEach, describe, expect, it } from '@jest/globals';
import { TestBrowser } from '../../support/browser-client.js';
import { addUser, addWorkspace, openSettings } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { invite, membersOf, newInviting, openLink, useInvitingService } from './inviting.js';

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

  describe('keeps its secret', () => {
    const tokenOf = (link: string): string =>
      new URL(link, service.baseUrl).searchParams.get('token') ?? '';

    // @threat U4
    it('keeps the secret out of the database, the log, every page and other addresses', async () => {
      const link = await invite(service, owner, workspaceId);
      const token = tokenOf(link);
      expect(token).toMatch(/^svc_inv_[\w-]{43}$/);

      const answer = await fetch(service.baseUrl + link, { redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/invite']);
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax/);
      const browser = await openLink(service, link, guest);
      expect(browser.page.url).toBe(`${service.baseUrl}/invite`);
      expect(browser.page.markup).not.toContain(token.slice(8));
      const list = await openSettings(service, owner, '/settings/people');
      expect(list.page.markup).not.toContain(token.slice(8));
      const rows = await service.database.query('SELECT * FROM invitations');
      expect(rows.length).toBeGreaterThan(0);
      expect(JSON.stringify(rows)).not.toContain(token.slice(8));
      await browser.submit('Join');
      expect(JSON.stringify(service.logLines)).not.toContain(token.slice(8));
    });

    it('limits guesses of invitation links, but accepts a valid link at that address', async () => {
      const link = await invite(service, owner, workspaceId);
      const browser = new TestBrowser(service.baseUrl);
      browser.comesFrom('192.0.2.77');
      const statuses: number[] = [];
      for (let guess = 0; guess < 32; guess += 1) {
        const token = `svc_inv_${'x'.repeat(41)}${String(guess).padStart(2, '0')}`;
        statuses.push((await browser.open(`/invite?token=${token}`)).status);
      }
      expect(statuses).toEqual([...Array<number>(30).fill(404), 429, 429]);
      expect(Number(browser.page.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await browser.open(link)).status).toBe(200);
    });

    it('refuses malformed invitation links', async () => {
      for (const token of ['', 'x', `svc_rst_${'x'.repeat(43)}`, `svc_inv_${'x'.repeat(9000)}`]) {
        const page = await new TestBrowser(service.baseUrl).open(`/invite?token=${token}`);
        expect([404, 400, 414]).toContain(page.status);
      }
      expect(await service.database.query('SELECT * FROM attempts')).toEqual([]);
    });
  });

  describe('is created and answered by authorized users only', () => {
    it('members and outsiders cannot create an invitation', async () => {
      const member = await addUser(service, { [workspaceId]: 'member' });
      const elsewhere = await addWorkspace(service, 'Elsewhere');
      const outsider = await addUser(service, { [elsewhere]: 'owner' });
      const first = await openSettings(service, member, '/settings/people/invitations/new');
      expect(first.page.status).toBe(403);
      const second = await openSettings(service, outsider, '/settings/people/invitations/new');

      const page = await second.submit('Create link', { workspace: workspaceId, role: 'owner' });

      expect(page.status).toBe(400);
      expect(
        await service.database.query('SELECT * FROM invitations WHERE workspace_id = $1', [
          workspaceId,
        ]),
      ).toEqual([]);
    });

    it('an outsider cannot revoke an invitation', async () => {
      const link = await invite(service, owner, workspaceId);
      const elsewhere = await addWorkspace(service, 'Elsewhere');
      const outsider = await addUser(service, { [elsewhere]: 'owner' });
      await invite(service, outsider, elsewhere);
      const [own] = await service.database.query<{ id: string }>(
        'SELECT id FROM invitations WHERE workspace_id = $1',
        [workspaceId],
      );
      const browser = await openSettings(service, outsider, '/settings/people');

      await browser.submit('Revoke', { invitation: own?.id ?? '' });
      await browser.open('/settings/people');
      const page = await browser.submit('Revoke', {
        workspace: workspaceId,
        invitation: own?.id ?? '',
      });

      expect(page.status).toBe(403);
      expect((await openLink(service, link)).page.status).toBe(200);
      // The log lists completed actions only.
      expect(service.logLines).not.toContainEqual(
        expect.objectContaining({ action: 'invitation_revoked', invitation: own?.id }),
      );
    });

    it('an invitation of a former owner is void', async () => {
      const second = await addUser(service, { [workspaceId]: 'owner' });
      const third = await addUser(service, { [workspaceId]: 'owner' });
      const links = [
        await invite(service, second, workspaceId, 'owner'),
        await invite(service, third, workspaceId, 'owner'),
      ];
      // The attack works as long as they are owners.
      for (const link of links) expect((await openLink(service, link)).page.status).toBe(200);
      const waiting = await openLink(service, links[0] ?? '', guest);
      const browser = await openSettings(service, owner, '/settings/people');
      const address = (id: string): string => `/settings/people/${id}?workspace=${workspaceId}`;
      await browser.open(address(second.accountId));
      await browser.submit('Save changes', { role: 'member' });
      await browser.open(address(third.accountId));
      await browser.submit('Remove from the workspace', { confirm: 'yes' });

      expect((await waiting.submit('Join')).status).toBe(404);
      for (const link of links) expect((await openLink(service, link)).page.status).toBe(404);
      // Nor when they are owners again.
      await service.database.query(
        "UPDATE workspace_members SET role = 'owner' WHERE account_id = $1",
        [second.accountId],
      );
      expect((await openLink(service, links[0] ?? '')).page.status).toBe(404);
    });

    // @threat U8
    it('refuses forms of another user or another link', async () => {
      const link = await invite(service, owner, workspaceId);
      const browser = await openLink(service, link, guest);
      const other = await openLink(service, link, await addUser(service, {}));
      const csrf = other.page.forms.find(({ buttons }) =>
        buttons.some(({ value }) => value === 'join'),
      )?.fields['csrf'];
      expect(csrf).toMatch(/./);

      const forged = await browser.submit('Join', { csrf: csrf ?? '' });
      expect(forged.status).toBe(403);
      await browser.open(link);
      const shown = browser.page;
      const elsewhere = await addWorkspace(service, 'Elsewhere');
      const outsider = await addUser(service, { [elsewhere]: 'owner' });
      // The browser opens another invitation before the answer.
      await browser.open(await invite(service, outsider, elsewhere));
      browser.show(shown);
      const page = await browser.submit('Join');

      expect([page.status, page.text]).toEqual([403, expect.stringContaining('Join Elsewhere?')]);
      expect(await size()).toBe(1);
    });

    it('refuses a form from another site', async () => {
      const browser = await openLink(service, await invite(service, owner, workspaceId), guest);
      const join = browser.page.forms.find(({ buttons }) =>
        buttons.some(({ value }) => value === 'join'),
      );
      const send = (site: string): Promise<Response> =>
        fetch(`${service.baseUrl}/invite`, {
          method: 'POST',
          redirect: 'manual',
          headers: {
            'sec-fetch-site': site,
            cookie: ['cws_session', 'cws_session.sig', 'cws_form', 'cws_form.sig', 'cws_invite']
              .map((name) => `${name}=${browser.cookie(name)}`)
              .join('; '),
          },
          body: new URLSearchParams({ ...join?.fields, decision: 'join' }),
        });

      expect((await send('cross-site')).status).toBe(403);
      expect(await size()).toBe(1);
      // It is the site that made the difference.
      expect((await send('same-origin')).status).toBe(303);
      expect(await size()).toBe(2);
    });
  });
});
