import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setMembersSeeAll } from '../../../../service/identity/accounts/accounts.js';
import type { TestBrowser } from '../../support/browser-client.js';
import { addUser, addWorkspace, connectAs, openSettings, send } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { photo } from '../../support/tus-client.js';

const JPEG = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, ...photo(300)]);

describe('who sees the photos of a workspace', () => {
  let workspaceId: string;
  let owner: TestUser;
  let member: TestUser;
  let byOwner: string;
  let browser: TestBrowser;

  const service = useService();
  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    member = await addUser(service, { [workspaceId]: 'member' });
    byOwner = await send(service, await connectAs(service, owner), 'Harbour.jpg', JPEG);
    await send(service, await connectAs(service, member), 'Mine.jpg', photo(10));
    browser = await openSettings(service, member, '/photos');
  });
  beforeEach(() => setMembersSeeAll(service.database, workspaceId, false));

  const post = async (path: string, form: Record<string, string>): Promise<Response> => {
    // A page whose forms contain the user's token.
    await browser.open('/settings/account');
    return fetch(service.baseUrl + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: browser.sessionCookie },
      body: new URLSearchParams({ csrf: browser.csrf, ...form }),
    });
  };

  /** Whether a member can reach the photo, for each address. */
  const waysTo = async (id: string): Promise<Record<string, number | boolean>> => {
    const get = async (path: string): Promise<number> => {
      const answer = await fetch(service.baseUrl + path, {
        headers: { cookie: browser.sessionCookie },
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    const list = await browser.open('/photos');
    return {
      list: list.text.includes('Harbour.jpg'),
      page: await get(`/photos/${id}`),
      preview: await get(`/photos/${id}/thumbnail`),
      original: await get(`/photos/${id}/file`),
      zip: (await post('/photos/zip', { photo: id })).status,
    };
  };
  const CLOSED = { list: false, page: 404, preview: 404, original: 404, zip: 303 };
  const OPEN = { list: true, page: 200, preview: 200, original: 200, zip: 200 };

  it('members see their own photos unless an owner opens the workspace to all', async () => {
    expect(await waysTo(byOwner)).toEqual(CLOSED);
    expect((await browser.open('/settings/people')).text).toContain(
      'Members see only the files they uploaded.',
    );
    const chair = await openSettings(service, owner, '/settings/people');
    const refused = await chair.submit('Let all members see all files');
    expect([refused.status, await waysTo(byOwner)]).toEqual([400, CLOSED]);
    await chair.open('/settings/people');
    const opened = await chair.submit('Let all members see all files', { confirm: 'yes' });
    expect(opened.text).toContain('Changes saved');
    expect(await waysTo(byOwner)).toEqual(OPEN);
    expect((await browser.open('/settings/people')).text).toContain('Everyone sees all files.');
    await browser.open('/photos');
    expect((await browser.submit('Apply', { user: owner.accountId })).text).not.toContain('Mine');
    await chair.submit('Show members only their own files');
    expect(await waysTo(byOwner)).toEqual(CLOSED);
  });

  it('only owners can change the setting, with its form', async () => {
    expect((await browser.open('/settings/people')).text).not.toContain('Let all members');
    for (const form of [
      { workspace: workspaceId, members: 'all', confirm: 'yes' },
      { workspace: workspaceId, members: 'all', csrf: 'forged' },
      { members: 'all' },
    ])
      expect((await post('/settings/people/visibility', form)).status).toBe(403);
    const elsewhere = await addWorkspace(service, 'Elsewhere');
    const outsider = await addUser(service, { [elsewhere]: 'owner' });
    const theirs = await openSettings(service, outsider, '/settings/people');
    const taken = await theirs.submit('Let all members see all files', {
      workspace: workspaceId,
      confirm: 'yes',
    });
    expect(taken.status).toBe(403);
    expect(await waysTo(byOwner)).toEqual(CLOSED);
  });

  it('users outside the workspace see no photo, open or not', async () => {
    await setMembersSeeAll(service.database, workspaceId, true);
    const elsewhere = await addWorkspace(service, 'Further');
    const outsider = await addUser(service, { [elsewhere]: 'owner' });
    const theirs = await openSettings(service, outsider, `/photos?workspace=${workspaceId}`);
    expect(theirs.page.text).not.toContain('Harbour');
    expect((await theirs.open(`/photos/${byOwner}`)).status).toBe(404);
  });

  it('visibility gives no right to delete, move or restore', async () => {
    await setMembersSeeAll(service.database, workspaceId, true);
    const page = await browser.open(`/photos/${byOwner}`);
    expect(page.text).toContain('Harbour.jpg');
    expect(page.text).not.toContain('Move to trash');
    const token = { id: byOwner };
    for (const form of [
      { action: 'trash' },
      { action: 'move', project: '' },
      { action: 'remove', confirm: 'yes' },
    ])
      expect((await post(`/photos/${token.id}`, form)).headers.get('location')).toBe(
        `/photos/${byOwner}`,
      );
    await browser.open('/photos');
    const several = await post('/photos', { photo: byOwner, action: 'trash' });
    expect((await browser.open(several.headers.get('location') ?? '')).text).toContain(
      'You can delete and move your own files.',
    );
    expect((await waysTo(byOwner))['page']).toBe(200);
  });

  it('a photo in the trash is hidden from users who cannot restore it', async () => {
    await setMembersSeeAll(service.database, workspaceId, true);
    const chair = await openSettings(service, owner, `/photos/${byOwner}`);
    await chair.submit('Move to trash');
    expect(await waysTo(byOwner)).toEqual(CLOSED);
    expect((await browser.open('/photos/trash')).text).not.toContain('Harbour.jpg');
    expect((await post(`/photos/${byOwner}`, { action: 'restore' })).status).toBe(404);
    await chair.open(`/photos/${byOwner}`);
    await chair.submit('Restore');
    expect(await waysTo(byOwner)).toEqual(OPEN);
  });
});
