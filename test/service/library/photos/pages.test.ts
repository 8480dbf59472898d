import { beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser } from '../../support/browser-client.js';
import type { Page } from '../../support/browser-client.js';
import { addUser, addWorkspace, connectAs, openSettings, send } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { photo, sha256 } from '../../support/tus-client.js';

const JPEG = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, ...photo(3000)]);

describe('Photos', () => {
  let workspaceId: string;
  let owner: TestUser;
  let member: TestUser;
  let byOwner: string;
  let byMember: string;

  const service = useService();
  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    member = await addUser(service, { [workspaceId]: 'member' });
    byOwner = await send(service, await connectAs(service, owner), 'Harbour.jpg', JPEG);
    byMember = await send(
      service,
      await connectAs(service, member),
      '<b>Ku\u0308ste</b> & "Nacht".jpg',
      photo(2000, 2),
    );
  });

  const see = async (person: TestUser, path: string): Promise<Page> =>
    (await openSettings(service, person, path)).page;

  describe('the root of the service', () => {
    it('shows visitors a description and the sign-in', async () => {
      const browser = new TestBrowser(service.baseUrl);
      const page = await browser.open('/');
      expect(page.status).toBe(200);
      expect(page.text).toContain('Your files in one place');
      expect(page.markup).toContain('href="/settings/sign-in"');
    });

    it('redirects signed-in users to the photos', async () => {
      const browser = new TestBrowser(service.baseUrl);
      await browser.open('/settings/sign-in');
      const { username, password } = member;
      const page = await browser.submit('Sign in', { username, password });
      expect(new URL(page.url).pathname).toBe('/photos');
      expect(new URL((await browser.open('/')).url).pathname).toBe('/photos');
    });
  });

  describe('the list', () => {
    it('requires a sign-in, and keeps the search', async () => {
      const browser = new TestBrowser(service.baseUrl);
      const asked = await browser.open('/photos?q=har&from=2026-01-31');
      expect(asked.text).toContain('to see your files');
      const { username, password } = owner;
      const page = await browser.submit('Sign in', { username, password });
      expect(new URL(page.url).search).toBe('?q=har&from=2026-01-31');
    });

    it('shows owners all photos, newest first, and other members their own', async () => {
      const all = await see(owner, '/photos');
      expect(all.text).toMatch(/"Nacht".jpg .*Harbour.jpg/);
      // The uploader is named only on photos of others.
      expect(all.text).toContain(`kB · Person ${member.username.slice(7)}`);
      expect(all.text).not.toContain(`kB · Person ${owner.username.slice(7)}`);

      const own = await see(member, '/photos');
      expect(own.text).toContain('"Nacht".jpg');
      expect(own.text).not.toContain('Harbour');
      expect(own.text).toContain('2 kB');
    });

    it('escapes markup in names', async () => {
      const { markup } = await see(owner, '/photos');
      expect(markup).toContain('&lt;b&gt;Ku\u0308ste&lt;/b&gt; &amp; &quot;Nacht&quot;.jpg');
      expect(markup).not.toContain('<b>');
    });

    it.each([
      ['harb', true],
      ['HARBOUR.JPG', true],
      ['ur', true],
      ['nothing like it', false],
      ['%', false],
      ['_arbour', false],
      ['\\', false],
      ["'; DROP TABLE uploads; --", false],
    ])('finds by a part of the name: %j', async (name, isThere) => {
      const page = await see(owner, `/photos?q=${encodeURIComponent(name)}`);
      expect(page.status).toBe(200);
      expect(page.markup.includes('data-name="Harbour.jpg"')).toBe(isThere);
      expect(page.text.includes('No files match')).toBe(!isThere);
    });

    it.each(['k\u00FCste', 'ku\u0308ste', 'KUSTE', 'nacht k\u00DCste', 'ｋｕｓｔｅ'])(
      'finds a name with an accent by %j',
      async (words) => {
        const { text } = await see(owner, `/photos?q=${encodeURIComponent(words)}`);
        expect([text.includes('Nacht'), text.includes('Harbour')]).toEqual([true, false]);
      },
    );

    it('filters by capture date, and for owners by user', async () => {
      const browser = await openSettings(service, owner, '/photos');
      const day = new Date().toISOString().slice(0, 10);
      const found = await browser.submit('Apply', { from: day, to: day, user: member.accountId });
      expect(found.text).toContain('Nacht');
      expect(found.text).not.toContain('Harbour');
      const none = await browser.submit('Apply', { from: '2020-02-29', to: '2020-02-29' });
      expect(none.text).toContain('No files match. Show all');

      const { text } = await see(member, `/photos?user=${owner.accountId}`);
      expect(text).not.toContain('Harbour');
      expect(text).not.toContain('Uploaded by');
    });

    it.each([
      'from=2026-02-31',
      'to=x',
      'type=gif',
      'sort=size',
      'project=nothing',
      'before=x',
      'before=1.%25',
      'after=99999999999999999.x',
      'sort=name&before=AAAA.%25',
      'workspace=other',
      'q=harb&q=x',
      'done=constructor',
    ])('ignores %s in an address', async (query) => {
      const page = await see(owner, `/photos?${query}`);
      expect([page.status, page.text.includes('Harbour')]).toEqual([200, true]);
    });

    it('shows the used and the total space', async () => {
      expect((await see(member, '/photos')).text).toMatch(
        /North Studio uses 37\.8 kB of 107 GB, including the trash/,
      );
    });

    it('shows only the workspace that the user chose', async () => {
      const other = await addWorkspace(service, 'South Studio');
      const person = await addUser(service, { [workspaceId]: 'owner', [other]: 'member' });
      const browser = await openSettings(service, person, '/photos');
      expect(browser.page.text).toContain('Harbour.jpg');
      expect(browser.page.markup).toContain(`href="/photos?workspace=${other}"`);
      const next = await browser.open(`/photos?workspace=${other}`);
      expect(next.text).toContain('You see only files you uploaded. Ask an owner to show you all.');
      expect(next.text).toContain('Connect an app');
      expect(next.text).toContain('South Studio uses');

      const outsider = await addUser(service, { [other]: 'owner' });
      const { text } = await see(outsider, `/photos?workspace=${workspaceId}`);
      expect(text).toContain('South Studio uses');
      expect(text).not.toContain('Harbour');
    });

    it('shows a user without a workspace a person who can help', async () => {
      const person = await addUser(service, {});
      for (const path of ['/photos', '/photos/trash'])
        expect((await see(person, path)).text).toContain(`add this account: ${person.username}`);
    });
  });

  describe('the page of a photo', () => {
    it('shows the photo’s details, with the type found in its bytes', async () => {
      const { text } = await see(owner, `/photos/${byOwner}`);
      expect(text).toContain(sha256(JPEG));
      expect(text).toContain('3 kB (3,004 bytes)');
      expect(text).toContain('image/jpeg');
      expect(text).toContain(
        `Uploaded by Person ${owner.username.slice(7)} App Creative Workspace plugin Workspace North Studio`,
      );
      expect((await see(owner, `/photos/${byMember}`)).text).toContain('Type unknown');
    });

    it('is visible only to its sender and to owners', async () => {
      const other = await addWorkspace(service, 'Elsewhere');
      const outsider = await addUser(service, { [other]: 'owner' });
      const colleague = await addUser(service, { [workspaceId]: 'member' });
      for (const person of [outsider, colleague]) {
        const page = await see(person, `/photos/${byMember}`);
        expect(page.status).toBe(404);
        expect(page.text).toContain('File not found');
      }
      expect((await see(member, `/photos/${byMember}`)).status).toBe(200);
      expect((await see(owner, `/photos/${byMember}`)).status).toBe(200);
      expect((await see(owner, '/photos/nothing')).status).toBe(404);
    });

    it.each([
      ['', ['a', 'c']],
      ['?sort=captured', ['c', 'a']],
      ['?sort=name', ['a', 'c']],
      ['?sort=name-desc', ['c', 'a']],
      ['?sort=uploaded', ['c', 'a']],
      ['?project=other', [undefined, undefined]],
      ['?q=b.jpg', [undefined, undefined]],
      ["?sort=';--&project=%20&q=%27&user=%3Cb%3E&from=x&before=1.x", [undefined, undefined]],
    ])('leads to the photos next to it in the list of %j', async (query, ids) => {
      const studio = await addWorkspace(service, 'Neighbours');
      const person = await addUser(service, { [studio]: 'owner' });
      await service.database.query(
        `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at,
                              sha256, taken_at, search_text)
         SELECT id || $1, $2, $1, 10, id || '.jpg', '', '{}', now(), timestamptz '2026-01-05' - n * interval '1 day',
                repeat('a', 64), timestamptz '2025-01-05' - n * interval '1 day', id || '.jpg'
           FROM unnest(ARRAY['a', 'b', 'c']) WITH ORDINALITY AS made (id, n)`,
        [studio, person.accountId],
      );
      const { page } = await openSettings(service, person, `/photos/b${studio}${query}`);
      expect(page.status).toBe(200);
      const linked = ['prev', 'next'].map(
        (rel) =>
          new RegExp(`rel="${rel}"\\s+href="/photos/(\\w)${studio}[?"]`).exec(page.markup)?.[1],
      );
      expect(linked).toEqual(ids);
    });

    it('compares only versions of one photo, for those who see it', async () => {
      const other = await addWorkspace(service, 'Outside');
      const outsider = await addUser(service, { [other]: 'owner' });
      const path = (id: string, version: string): string =>
        `/photos/${id}/compare?with=${encodeURIComponent(version)}`;
      expect((await see(owner, path(byOwner, byOwner))).text).toContain('Compare versions');
      for (const [person, address] of [
        [owner, path(byOwner, byMember)],
        [owner, path(byOwner, "'")],
        [owner, `/photos/${byOwner}/compare`],
        [outsider, path(byOwner, byOwner)],
      ] as const) {
        expect((await see(person, address)).status).toBe(404);
      }
    });

    it('returns 404 for an unfinished upload', async () => {
      await service.database.query(
        `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at)
         VALUES ('unfinished', $1, $2, 10, 'half.jpg', 'image/jpeg', '{}', now())`,
        [owner.accountId, workspaceId],
      );
      expect((await see(owner, '/photos/unfinished')).status).toBe(404);
      expect((await see(owner, '/photos')).text).not.toContain('half.jpg');
      await service.database.query(`DELETE FROM uploads WHERE id = 'unfinished'`);
    });

    it('returns 404 for a photo after its viewer left the workspace', async () => {
      const person = await addUser(service, { [workspaceId]: 'member' });
      const id = await send(service, await connectAs(service, person), 'mine.jpg', JPEG);
      const browser = await openSettings(service, person, `/photos/${id}`);
      expect(browser.page.status).toBe(200);
      await service.database.query('DELETE FROM workspace_members WHERE account_id = $1', [
        person.accountId,
      ]);
      expect((await browser.open(`/photos/${id}`)).status).toBe(404);
      await service.database.query('DELETE FROM uploads WHERE id = $1', [id]);
    });
  });
});
