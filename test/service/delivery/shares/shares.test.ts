import { beforeAll, describe, expect, it } from '@jest/globals';
import { unzipSync } from 'fflate';
import { setMembersSeeAll } from '../../../../service/identity/accounts/accounts.js';
import { hashPassword } from '../../../../service/kernel/password-hash.js';
import { sha256 } from '../../../../service/kernel/hash.js';
import { TestBrowser } from '../../support/browser-client.js';
import { CHEAP } from '../../support/database-templates.js';
import { addUser, addWorkspace, connectAs, openSettings, send } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { jpeg } from '../../support/tus-client.js';
import {
  getAsAnybody,
  JPEG,
  shareAs,
  addSharedPhotos,
  statusAt,
  type Shareable,
} from './sharing.js';
import { useService } from '../../support/use-service.js';

const DAY_MS = 24 * 3_600_000;

describe('links that show photos without a sign-in', () => {
  let now = Date.parse('2026-11-22T12:00:00Z');
  let workspaceId: string;
  let owner: TestUser;
  let member: TestUser;
  let harbour: string;
  let night: string;
  let project: string;

  const service = useService({ now: () => new Date(now) });
  beforeAll(async () => {
    ({ workspaceId, owner, member, harbour, night, project } = await addSharedPhotos(service));
  });

  const share = (
    user: TestUser,
    about: Shareable,
    values?: Record<string, string>,
  ): Promise<string> => shareAs(service, user, about, values);
  /** Sends a photo as the member, with a token of this moment. */
  const upload = async (name: string): Promise<string> =>
    send(service, await connectAs(service, member), name, jpeg(20));
  /** Makes a link with this password, which costs little to check from then on. */
  const shareLocked = async (
    user: TestUser,
    about: Shareable,
    password: string,
  ): Promise<string> => {
    const path = await share(user, about, { password });
    const changed = await service.database.query(
      'UPDATE shares SET password_hash = $1 WHERE token_sha256 = $2 RETURNING id',
      [await hashPassword(password, CHEAP), sha256(path.slice('/s/'.length))],
    );
    expect(changed).toHaveLength(1);
    return path;
  };
  const get = (path: string, init?: RequestInit): Promise<Response> =>
    getAsAnybody(service, path, init);
  const statusOf = (path: string): Promise<number> => statusAt(service, path);
  const rows = (): Promise<object[]> => service.database.query('SELECT * FROM shares');

  it('show one photo with its preview, original and ZIP, and no other photo', async () => {
    const path = await share(member, { photo: harbour });
    const page = await new TestBrowser(service.baseUrl).open(path);
    expect(page.status).toBe(200);
    expect(page.text).toContain('Harbour <b>.jpg');
    expect(page.markup).not.toContain('<b>');
    expect(page.text).toContain('North Studio');
    expect(page.text).not.toContain('Sign out');
    // Names that are meant, and of ids the photo's alone.
    for (const other of [
      workspaceId,
      owner.accountId,
      member.accountId,
      night,
      project,
      'Night.jpg',
    ])
      expect(page.markup).not.toContain(other);

    const original = await get(`${path}/file?photo=${harbour}`);
    expect(Buffer.from(await original.arrayBuffer()).equals(JPEG)).toBe(true);
    expect(original.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(original.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    expect(await statusOf(`${path}/thumbnail?photo=${harbour}`)).toBe(200);
    const zip = new Uint8Array(await (await get(`${path}/zip`)).arrayBuffer());
    expect(Object.keys(unzipSync(zip))).toEqual(['Harbour _b_.jpg']);
    for (const way of ['file', 'preview', 'thumbnail'])
      for (const other of [night, 'nothing', ''])
        expect(await statusOf(`${path}/${way}?photo=${other}`)).toBe(404);
  });

  it('show a project, also photos added later', async () => {
    const path = await share(member, { project });
    const page = await (await get(path)).text();
    expect(page).toContain('Night.jpg');
    expect(page).not.toContain('Harbour');
    const later = await upload('Later.jpg');
    await service.database.query('UPDATE uploads SET project_id = $1 WHERE id = $2', [
      project,
      later,
    ]);
    expect(await (await get(path)).text()).toContain('Later.jpg');
    const zip = new Uint8Array(await (await get(`${path}/zip`)).arrayBuffer());
    expect(Object.keys(unzipSync(zip)).sort()).toEqual(['Later.jpg', 'Night.jpg']);
  });

  it('go through a large project page by page', async () => {
    const browser = await openSettings(service, owner, '/projects');
    const made = await browser.submit('Create project', { name: 'Large' });
    const large = new URL(made.url).pathname.split('/').at(-1) ?? '';
    await service.database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at,
                            taken_at, sha256, project_id)
       SELECT 'large-' || n, $1, $2, 10, 'DSC_' || n || '.jpg', '', '{}', now(),
              timestamptz '2026-01-01' + n * interval '1 second',
              timestamptz '2026-01-01' - n * interval '1 second', repeat('a', 64), $3
         FROM generate_series(1, 130) AS n`,
      [owner.accountId, workspaceId, large],
    );
    const path = await share(owner, { project: large });
    const guest = new TestBrowser(service.baseUrl);
    const names = (): string[] =>
      [...guest.page.markup.matchAll(/DSC_\d+\.jpg(?=<)/g)].map(([name]) => name);
    await guest.open(path);
    const first = names();
    const next = /href="([^"]+)"\s+rel="next"/.exec(guest.page.markup)?.[1] ?? '';
    await guest.open(next.replaceAll('&amp;', '&'));
    expect(new Set([...first, ...names()]).size).toBe(130);
    expect(first).toHaveLength(100);
    await service.database.query(`DELETE FROM uploads WHERE id LIKE 'large-%'`);
  });

  it('are created only for photos that the user can see', async () => {
    const byOwner = await send(service, await connectAs(service, owner), 'Secret.jpg', jpeg(20));
    const browser = await openSettings(service, member, `/shares/new?photo=${byOwner}`);
    expect(browser.page.status).toBe(404);
    await browser.open(`/shares/new?photo=${harbour}`);
    // The values of the form are not trusted.
    expect((await browser.submit('Create link', { photo: byOwner })).status).toBe(404);
    const elsewhere = await addWorkspace(service, 'South Studio');
    const outsider = await addUser(service, { [elsewhere]: 'owner' });
    const theirs = await openSettings(service, outsider, `/shares/new?project=${project}`);
    expect(theirs.page.status).toBe(404);
    expect((await theirs.open('/shares/new')).status).toBe(404);

    await setMembersSeeAll(service.database, workspaceId, true);
    const path = await share(member, { photo: byOwner });
    expect(await statusOf(path)).toBe(200);
    // With the maker's sight ends the guests'.
    await setMembersSeeAll(service.database, workspaceId, false);
    for (const way of ['', `/file?photo=${byOwner}`, `/thumbnail?photo=${byOwner}`, '/zip'])
      expect([way, await statusOf(path + way)]).toEqual([way, 404]);
  });

  it('refuse a time that is not offered, a short password and a forged form', async () => {
    const before = (await rows()).length;
    const browser = await openSettings(service, member, `/shares/new?photo=${harbour}`);
    for (const values of [{ days: '365' }, { days: 'x' }, { password: 'short' }])
      expect((await browser.submit('Create link', values)).status).toBe(400);
    expect((await browser.submit('Create link', { csrf: 'forged' })).status).toBe(403);
    expect(await rows()).toHaveLength(before);
  });

  // @threat L1
  it('cannot be guessed, nor derived from stored data', async () => {
    const path = await share(member, { photo: harbour });
    const secret = path.slice('/s/'.length);
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(await statusOf('/s/nothing')).toBe(404);
    await get(path);
    await get(`${path}/file?photo=${harbour}`);
    await get(`/${path}`);
    await get(path.toUpperCase().replace(secret.toUpperCase(), secret));
    await get(`${path}/nowhere`);
    await get(path, { method: 'DELETE' });
    expect(JSON.stringify(service.logLines)).not.toContain(secret);
    expect(service.logLines.some((line) => line.path === '/s/:token')).toBe(true);
    expect(JSON.stringify(await rows())).not.toContain(secret);
    // Their maker finds them again.
    const list = await openSettings(service, member, '/shares');
    expect(list.page.markup).toContain(`value="${service.baseUrl}${path}"`);
    expect((await openSettings(service, owner, '/shares')).page.markup).not.toContain(secret);
  });

  it('respond without referrer, indexing, shared caching or further cookies', async () => {
    const path = await share(member, { photo: harbour });
    for (const way of [
      '',
      `/file?photo=${harbour}`,
      `/preview?photo=${harbour}`,
      `/thumbnail?photo=${harbour}`,
      '/zip',
    ])
      for (const start of [path, '/s/nothing']) {
        const answer = await get(start + way);
        await answer.arrayBuffer();
        expect([way, Object.fromEntries(answer.headers)]).toMatchObject([
          way,
          {
            'referrer-policy': 'no-referrer',
            'x-robots-tag': 'noindex, nofollow',
            'cache-control': expect.stringMatching(/^(no-store|private, )/),
          },
        ]);
        // Only pages with forms have the cookie that belongs to the forms.
        const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split('=')[0]);
        expect([start + way, cookies]).toEqual([
          start + way,
          start + way === path ? ['cws_guest'] : [],
        ]);
      }
  });

  it('are logged by id and action, without their token', async () => {
    const password = 'harbour at night';
    const [before, made] = [service.logLines.length, now];
    const open = await share(member, { photo: harbour }, { days: '1' });
    const locked = await shareLocked(owner, { project }, password);
    const guest = new TestBrowser(service.baseUrl);
    await get(open, { method: 'HEAD' });
    await guest.open(`${open}/file?photo=${harbour}`);
    await guest.open(open);
    now += 2 * 60_000;
    await guest.open(open);
    await guest.open(locked);
    await guest.submit('Continue', { password: 'not this one' });
    await guest.submit('Continue', { password });
    const [ofPhoto = '', ofProject = ''] = service.logLines
      .slice(before)
      .flatMap(({ action, link }) => (action === 'link_made' && link !== undefined ? [link] : []));
    const asked = await openSettings(service, owner, `/shares/${ofProject}/revoke`);
    await asked.submit('Revoke');
    now += 31 * DAY_MS;
    await service.purge();
    now = made;

    const lines = service.logLines
      .slice(before)
      .filter(({ link }) => link === ofPhoto || link === ofProject);
    const photoLink = { link: ofPhoto, workspace: workspaceId, photo: harbour };
    const projectLink = { link: ofProject, workspace: workspaceId, project };
    expect(lines).toEqual(
      [
        { action: 'link_made', by: member.accountId, ...photoLink },
        { action: 'link_made', by: owner.accountId, ...projectLink },
        { action: 'link_opened', ...photoLink },
        { action: 'link_password_refused', ...projectLink },
        { action: 'link_opened', ...projectLink },
        { action: 'link_revoked', by: owner.accountId, ...projectLink },
        { action: 'link_expired', ...photoLink },
      ].map((line) => ({
        ...{ ...line, level: 'info', event: 'audit', time: expect.any(String) },
        ...(line.action !== 'link_expired' && { requestId: expect.stringMatching(/./) }),
      })),
    );
    const log = JSON.stringify(service.logLines.slice(before));
    for (const secret of [open.slice(3), locked.slice(3), password, 'not this one'])
      expect(log).not.toContain(secret);
  });

  describe('with a password', () => {
    const PASSWORD = 'harbour at night';

    it('require the password once per browser and link', async () => {
      const path = await share(member, { photo: harbour }, { password: PASSWORD });
      const other = await shareLocked(member, { photo: harbour }, PASSWORD);
      const guest = new TestBrowser(service.baseUrl);
      const locked = await guest.open(path);
      expect(locked.text).toContain('Password required');
      expect(locked.text).not.toContain('Harbour');
      for (const way of [
        `/file?photo=${harbour}`,
        `/preview?photo=${harbour}`,
        `/thumbnail?photo=${harbour}`,
        '/zip',
      ])
        expect([way, await statusOf(path + way)]).toEqual([way, 303]);
      const wrong = await guest.submit('Continue', { password: 'not this one' });
      expect([wrong.status, wrong.text.includes('Wrong password')]).toEqual([401, true]);
      expect((await guest.submit('Continue', { password: PASSWORD })).text).toContain('Harbour');
      const openedBy = guest.cookie('cws_share');
      expect((await guest.open(`${path}/zip`)).status).toBe(200);
      expect((await guest.open(other)).text).toContain('Password required');
      // Carried to the other link by hand, its cookie opens nothing there.
      const headers = { cookie: `cws_share=${openedBy}` };
      expect(await (await get(path, { headers })).text()).toContain('Harbour');
      expect(await (await get(other, { headers })).text()).toContain('Password required');
      expect(JSON.stringify(await rows())).not.toContain(PASSWORD);

      const fresh = await get(path);
      expect(fresh.headers.getSetCookie()).toEqual([
        expect.stringMatching(
          new RegExp(`^cws_share=form\\.[\\w-]{22}; Path=${path}; HttpOnly; SameSite=Lax$`),
        ),
      ]);
      now += DAY_MS;
      expect((await guest.open(path)).text).toContain('Password required');
      now -= DAY_MS;
    });

    it('reject a form of another page and a forged cookie', async () => {
      const path = await shareLocked(member, { photo: harbour }, PASSWORD);
      const guest = new TestBrowser(service.baseUrl);
      await guest.open(path);
      const forged = await guest.submit('Continue', { password: PASSWORD, csrf: 'forged' });
      expect(forged.status).toBe(403);
      const seconds = Math.floor(now / 1000);
      for (const cookie of [`open.${seconds}.x`, 'open..', `open.${'9'.repeat(30)}.x`, 'open']) {
        const answer = await get(path, { headers: { cookie: `cws_share=${cookie}` } });
        expect(await answer.text()).toContain('Password required');
      }
    });

    it('are hashed one at a time, and rejected when too many are waiting', async () => {
      const browser = await openSettings(service, member, `/shares/new?photo=${harbour}`);
      const before = await rows();
      const pages = await Promise.all(
        Array.from({ length: 15 }, () => {
          const one = browser.copy();
          one.show(browser.page);
          return one.submit('Create link', { password: PASSWORD });
        }),
      );
      const busy = pages.filter(({ status }) => status === 503);
      expect(busy.length).toBeGreaterThan(0);
      for (const page of busy) {
        expect(page.text).toContain('Too many passwords are being checked right now');
        expect(page.headers.get('retry-after')).toBe('5');
      }
      const made = pages.filter(({ status }) => status === 201);
      expect([made.length + busy.length, (await rows()).length]).toEqual([
        15,
        before.length + made.length,
      ]);
    });

    it('limit password guesses', async () => {
      const path = await shareLocked(member, { photo: harbour }, PASSWORD);
      const guest = new TestBrowser(service.baseUrl);
      await guest.open(path);
      for (let count = 0; count < 10; count += 1)
        expect((await guest.submit('Continue', { password: `guess ${count}` })).status).toBe(401);
      const refused = await guest.submit('Continue', { password: PASSWORD });
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      now += 16 * 60_000;
      expect((await guest.submit('Continue', { password: PASSWORD })).text).toContain('Harbour');
    });
  });

  describe('are listed', () => {
    it('for their creator and owners only, who can revoke them', async () => {
      const path = await share(member, { photo: night });
      const mine = await openSettings(service, member, '/shares');
      expect(mine.page.text).toContain('File: Night.jpg');
      expect(mine.page.text).toMatch(/not opened yet/);
      const [row] = await service.database.query<{ id: string }>(
        'SELECT shares.id FROM share_photos JOIN shares ON shares.id = share_id WHERE photo_id = $1 AND revoked_at IS NULL',
        [night],
      );
      const id = row?.id ?? '';
      await get(path, { method: 'HEAD' });
      const openedAt = async (): Promise<unknown> =>
        (await service.database.query('SELECT opened_at FROM shares WHERE id = $1', [id]))[0];
      expect(await openedAt()).toEqual({ opened_at: null });
      await get(path);
      expect(await openedAt()).toEqual({ opened_at: new Date(now) });

      const colleague = await addUser(service, { [workspaceId]: 'member' });
      const elsewhere = await addWorkspace(service, 'West Studio');
      const outsider = await addUser(service, { [elsewhere]: 'owner' });
      for (const user of [colleague, outsider]) {
        await share(owner, { photo: harbour });
        const browser = await openSettings(service, user, `/shares?workspace=${workspaceId}`);
        expect(browser.page.text).not.toContain('File:');
        await browser.open('/settings/account');
        const answer = await get(`/shares/${id}/revoke`, {
          method: 'POST',
          headers: {
            cookie: browser.sessionCookie,
          },
          body: new URLSearchParams({ csrf: browser.csrf }),
        });
        expect(answer.status).toBe(404);
      }
      expect(await statusOf(path)).toBe(200);
      const chair = await openSettings(service, owner, '/shares');
      expect(chair.page.text).toContain('File: Night.jpg');
      await chair.open(`/shares/${id}/revoke`);
      expect((await chair.submit('Revoke')).text).toContain('Link revoked.');
      expect(await statusOf(path)).toBe(404);

      const again = await share(member, { photo: night });
      const [ownRow] = await service.database.query<{ id: string }>(
        'SELECT shares.id FROM share_photos JOIN shares ON shares.id = share_id WHERE photo_id = $1 AND revoked_at IS NULL',
        [night],
      );
      await mine.open(`/shares/${ownRow?.id ?? ''}/revoke`);
      const revoked = await mine.submit('Revoke');
      expect(revoked.text).toContain('Link revoked.');
      expect(await statusOf(again)).toBe(404);
    });
  });
});
