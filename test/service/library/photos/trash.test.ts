import { beforeEach, describe, expect, it } from '@jest/globals';
import type { TestBrowser } from '../../support/browser-client.js';
import { listUploads } from '../../support/oauth-client.js';
import { addUser, addWorkspace, connectAs, openSettings, send } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { create, locationOf, offsetOf, photo, terminate } from '../../support/tus-client.js';

const DAY_MS = 24 * 3_600_000;

describe('the trash', () => {
  let workspaceId: string;
  let owner: TestUser;
  let member: TestUser;
  let token: string;
  let clock = Date.now();

  const service = useService({ now: () => new Date(clock) });
  // Some of these move the clock, and each has a separate trash.
  beforeEach(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    member = await addUser(service, { [workspaceId]: 'member' });
    token = await connectAs(service, member);
  });

  let count = 0;
  const arrive = async (name = 'Harbour.jpg', replaces = 'none'): Promise<string> => {
    count += 1;
    return send(service, token, name, photo(1000, count), { replaces });
  };
  const files = (): Promise<string[]> => service.stored.ids();
  const listed = async (): Promise<unknown[]> => {
    const { body } = await listUploads(service.baseUrl, token);
    return (body['uploads'] as { id: string }[]).map((upload) => upload.id);
  };
  const remove = async (user: TestUser, id: string): Promise<TestBrowser> => {
    const browser = await openSettings(service, user, `/photos/${id}`);
    await browser.submit('Move to trash');
    return browser;
  };

  it('lists deleted photos page by page, the latest first', async () => {
    await service.database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at,
                            finished_at, sha256, trashed_at)
       SELECT $2 || n, $1, $2, 10, 'DSC_' || n || '.jpg', '', '{}', now(), now(), repeat('a', 64),
              $3::timestamptz - n * interval '1 second'
         FROM generate_series(101, 153) AS n`,
      [member.accountId, workspaceId, new Date(clock)],
    );
    const browser = await openSettings(service, owner, `/photos/trash?workspace=${workspaceId}`);
    const names = (): string[] => browser.page.text.match(/DSC_\d+/g) ?? [];
    const all = Array.from({ length: 53 }, (_, index) => `DSC_${101 + index}`);
    const older = (): string | undefined =>
      /rel="next"\s+href="([^"]+)"/.exec(browser.page.markup)?.[1]?.replaceAll('&amp;', '&');
    expect(names()).toEqual(all.slice(0, 50));
    await browser.open(older() ?? '');
    expect(names()).toEqual(all.slice(50));
    expect(older()).toBeUndefined();
  });

  it('takes a photo out of the lists, and Undo brings it back', async () => {
    const id = await arrive('Undone.jpg');
    const browser = await remove(member, id);
    expect(new URL(browser.page.url).pathname).toBe('/photos');
    expect(browser.page.text).toContain('1 file moved to trash. Undo');
    expect(browser.page.text).not.toContain('Undone.jpg');
    expect(await listed()).not.toContain(id);

    const back = await browser.submit('Undo');
    expect(back.text).toContain('1 file restored.');
    expect(new URL(back.url).pathname).toBe('/photos');
    expect(back.text).toContain('Undone.jpg');
    expect(await listed()).toContain(id);
  });

  it('shows when and by whom a photo was deleted, and restores it', async () => {
    const id = await arrive('Wrong one.jpg');
    await remove(owner, id);
    const browser = await openSettings(service, member, '/photos/trash');
    expect(browser.page.text).toContain('Wrong one.jpg');
    expect(browser.page.text).toContain(`Deleted by Person ${owner.username.slice(7)}.`);
    expect(browser.page.text).toContain('Can be restored until');
    const about = await browser.open(`/photos/${id}`);
    expect(about.text).toContain('This file is in the trash');
    expect(about.forms.flatMap(({ buttons }) => buttons.map(({ label }) => label))).not.toContain(
      'Move to trash',
    );
    await browser.open('/photos/trash');

    const back = await browser.submit('Restore', { photo: id });
    expect(new URL(back.url).pathname).toBe('/photos/trash');
    expect(back.text).toContain('1 file restored. Undo');
    expect(back.text).toContain('The trash is empty.');
  });

  it('accepts photos only from their sender and from owners', async () => {
    const id = await arrive();
    const colleague = await addUser(service, { [workspaceId]: 'member' });
    const elsewhere = await addWorkspace(service, 'Elsewhere');
    const outsider = await addUser(service, { [elsewhere]: 'owner' });
    const mine = await send(service, await connectAs(service, owner), 'own.jpg', photo(10));
    for (const [user, target] of [
      [colleague, id],
      [outsider, id],
      [member, mine],
    ] as const) {
      // A page whose forms contain the user's token.
      const browser = await openSettings(service, user, '/settings/account');
      const csrf = browser.csrf;
      for (const action of ['trash', 'restore']) {
        const answer = await postAs(browser, `/photos/${target}`, { csrf, action });
        expect(answer.status).toBe(404);
      }
    }
    expect(await listed()).toContain(id);
    expect((await openSettings(service, owner, '/photos')).page.text).toContain('own.jpg');
  });

  it('rejects a form without a token of its page', async () => {
    const id = await arrive();
    const browser = await openSettings(service, member, `/photos/${id}`);
    const csrf = browser.page.form?.fields['csrf'] ?? '';
    const forged = await openSettings(service, owner, `/photos/${id}`);
    for (const form of [
      { action: 'trash' },
      { action: 'trash', csrf: '' },
      { action: 'trash', csrf: forged.page.form?.fields['csrf'] ?? '' },
    ]) {
      const answer = await postAs(browser, `/photos/${id}`, form);
      expect(answer.status).toBe(403);
      expect(await answer.text()).toContain('Show files');
    }
    const foreign = await postAs(
      browser,
      `/photos/${id}`,
      { csrf, action: 'trash' },
      { 'sec-fetch-site': 'cross-site' },
    );
    expect(foreign.status).toBe(403);
    const unknown = await postAs(browser, `/photos/${id}`, { csrf, action: 'destroy' });
    expect(unknown.status).toBe(303);
    expect(await listed()).toContain(id);

    // The same form with its own token does it.
    expect((await postAs(browser, `/photos/${id}`, { csrf, action: 'trash' })).status).toBe(303);
    expect(await listed()).not.toContain(id);
  });

  it('answers a repeated creation of a deleted photo as complete', async () => {
    const creation = {
      length: 1000,
      metadata: { filename: 'Once.jpg', client_upload_id: 'an-id-of-the-plugin' },
    };
    const bytes = photo(1000, 77);
    const url = locationOf(
      service.baseUrl,
      await create(service.baseUrl, token, { ...creation, body: bytes }),
    );
    await remove(member, url.split('/').at(-1) ?? '');

    const again = await create(service.baseUrl, token, creation);
    expect(again.status).toBe(201);
    expect(locationOf(service.baseUrl, again)).toBe(url);
    expect(again.headers.get('upload-offset')).toBe('1000');
    expect(await offsetOf(url, token)).toBe(1000);
    expect((await openSettings(service, member, '/photos')).page.text).not.toContain('Once.jpg');
    // And an app does not take it back by the API either.
    expect((await terminate(url, token)).status).toBe(403);
    expect(await files()).toContain(url.split('/').at(-1));
  });

  it('deletes a photo with all versions after 30 days, and frees its space', async () => {
    const usage = async (): Promise<number> => {
      const [row] = await service.database.query<{ bytes: number }>(
        'SELECT bytes FROM workspace_usage WHERE workspace_id = $1',
        [workspaceId],
      );
      return row?.bytes ?? 0;
    };
    const kept = await arrive();
    const before = await usage();
    const first = await arrive();
    const id = await arrive('Harbour.jpg', first);
    await remove(member, id);
    expect(await usage()).toBe(before + 2 * (1000 + 16_384));

    clock += 30 * DAY_MS - 1000;
    await service.purge();
    expect(await files()).toContain(id);
    const browser = await openSettings(service, member, `/photos/${id}`);
    expect(browser.page.text).toContain('This file is in the trash');

    // Its time is over: it does not come back, though its bytes are there for another hour.
    clock += 2000;
    expect((await browser.submit('Restore')).status).toBe(404);
    await service.purge();
    expect(await files()).toContain(id);
    clock += 3_600_000;
    await service.purge();
    const left = await files();
    expect([first, id, kept].filter((one) => left.includes(one))).toEqual([kept]);
    expect((await browser.open(`/photos/${id}`)).status).toBe(404);
    expect(await usage()).toBeLessThanOrEqual(before);
    const { text } = await browser.open('/photos/trash');
    expect(text).toContain('The trash is empty.');
  });
});

/** Sends a form with the cookies of a browser, as any program can. */
function postAs(
  browser: TestBrowser,
  address: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(new URL(address, browser.page.url), {
    method: 'POST',
    redirect: 'manual',
    headers: {
      ...headers,
      cookie: browser.sessionCookie,
    },
    body: new URLSearchParams(form),
  });
}
