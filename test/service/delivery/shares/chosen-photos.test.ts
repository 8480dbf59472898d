import { beforeAll, describe, expect, it } from '@jest/globals';
import { unzipSync } from 'fflate';
import { setMembersSeeAll } from '../../../../service/identity/accounts/accounts.js';
import { TestBrowser } from '../../support/browser-client.js';
import { connectAs, elementText, openSettings, send } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { markAsSearched } from '../../support/searched-photos.js';
import { useService } from '../../support/use-service.js';
import { addSharedPhotos, getAsAnybody, statusAt } from './sharing.js';

/** A file without a location that is no picture: the service does not replace the time of its capture. */
const SIDECAR = Buffer.from('<x:xmpmeta xmlns:x="adobe:ns:meta/"></x:xmpmeta>');

describe('a link to chosen photos', () => {
  let workspaceId: string;
  let owner: TestUser;
  let member: TestUser;
  let harbour: string;
  let night: string;

  const service = useService();
  beforeAll(async () => {
    ({ workspaceId, owner, member, harbour, night } = await addSharedPhotos(service));
  });

  /** Shares photos as the button of the photo list does; returns the path of the link. */
  const share = async (user: TestUser, ids: readonly string[]): Promise<string> => {
    const browser = await openSettings(service, user, '/photos');
    const form = new URLSearchParams({ csrf: browser.csrf });
    for (const id of ids) form.append('photo', id);
    const answer = await getAsAnybody(service, '/shares/new', {
      method: 'POST',
      headers: { cookie: browser.sessionCookie },
      body: form,
    });
    expect(answer.status).toBe(200);
    const page = await answer.text();
    expect(page).toContain(`these ${ids.length} files`);
    form.set('days', '30');
    const made = await getAsAnybody(service, '/shares/new', {
      method: 'POST',
      headers: { cookie: browser.sessionCookie },
      body: form,
    });
    expect(made.status).toBe(201);
    const markup = await made.text();
    expect(markup).toContain('Link created');
    return new URL(elementText({ markup } as Parameters<typeof elementText>[0], 'secret')).pathname;
  };
  const upload = (user: TestUser, name: string): Promise<string> =>
    connectAs(service, user).then((token) => send(service, token, name, new Uint8Array(SIDECAR)));
  const capture = (id: string, time: string | null): Promise<object[]> =>
    service.database.query('UPDATE uploads SET captured_at = $2 WHERE id = $1', [id, time]);
  const textOf = async (path: string): Promise<string> =>
    (await getAsAnybody(service, path)).text();
  const namesOn = async (path: string): Promise<string[]> =>
    [...(await textOf(path)).matchAll(/<bdi\b[^>]*>([^<]+\.jpg)<\/bdi>/g)].map(
      ([, name = '']) => name,
    );

  it('shows only these photos, and serves them as a ZIP in capture order', async () => {
    const [undated, late, early] = [
      await upload(member, 'Undated.jpg'),
      await upload(member, 'Late.jpg'),
      await upload(member, 'Early.jpg'),
    ];
    await capture(late, '2026-05-01T10:00:01+02:00');
    await capture(early, '2026-05-01T10:00:00');
    const path = await share(member, [undated, late, early]);
    const ordered = ['Early.jpg', 'Late.jpg', 'Undated.jpg'];

    expect(await namesOn(path)).toEqual(ordered);
    expect(await textOf(path)).toContain('3 files');
    const answer = await getAsAnybody(service, `${path}/zip`);
    expect(answer.headers.get('content-disposition')).toMatch(/files-\d{4}-\d\d-\d\d\.zip/);
    const zip = new Uint8Array(await answer.arrayBuffer());
    expect(Object.keys(unzipSync(zip))).toEqual(ordered);
    for (const way of ['file', 'preview', 'thumbnail']) {
      expect(await statusAt(service, `${path}/${way}?photo=${late}`)).toBe(200);
      expect(await statusAt(service, `${path}/${way}?photo=${night}`)).toBe(404);
    }
  });

  it('hides deleted photos, and is suspended when all are deleted', async () => {
    const [one, two] = [await upload(member, 'One.jpg'), await upload(member, 'Two.jpg')];
    const path = await share(member, [one, two]);
    const trash = (id: string, at: Date | null): Promise<object[]> =>
      service.database.query('UPDATE uploads SET trashed_at = $2 WHERE id = $1', [id, at]);

    await trash(one, new Date());
    expect(await namesOn(path)).not.toContain('One.jpg');
    expect(await namesOn(path)).toContain('Two.jpg');
    expect(await statusAt(service, `${path}/file?photo=${one}`)).toBe(404);
    const zip = new Uint8Array(await (await getAsAnybody(service, `${path}/zip`)).arrayBuffer());
    expect(Object.keys(unzipSync(zip))).toEqual(['Two.jpg']);

    await trash(two, new Date());
    expect(await statusAt(service, path)).toBe(404);
    const list = await openSettings(service, member, '/shares');
    expect(list.page.text).toContain('2 files');
    expect(list.page.text).toContain('because its files are in the trash');

    await trash(one, null);
    await service.database.query('DELETE FROM uploads WHERE id = $1', [two]);
    expect(await namesOn(path)).toContain('One.jpg');
  });

  it('shows the current version of each photo, whichever version was chosen', async () => {
    const [first, second] = [await upload(member, 'First.jpg'), await upload(member, 'Second.jpg')];
    const path = await share(member, [first, harbour]);
    await service.database.query('UPDATE uploads SET is_current = false WHERE id = $1', [first]);
    await service.database.query('UPDATE uploads SET version_of = $1 WHERE id = $2', [
      first,
      second,
    ]);

    for (const link of [path, await share(member, [first, harbour])]) {
      const names = await namesOn(link);
      expect(names).toContain('Second.jpg');
      expect(names).not.toContain('First.jpg');
      const zip = new Uint8Array(await (await getAsAnybody(service, `${link}/zip`)).arrayBuffer());
      expect(Object.keys(unzipSync(zip))).toContain('Second.jpg');
    }
  });

  // @threat L2
  it('shows only the photos that its creator still sees', async () => {
    const theirs = await upload(owner, 'Theirs.jpg');
    await setMembersSeeAll(service.database, workspaceId, true);
    const path = await share(member, [harbour, theirs]);
    expect(await textOf(path)).toContain('Theirs.jpg');

    await setMembersSeeAll(service.database, workspaceId, false);

    expect(await textOf(path)).not.toContain('Theirs.jpg');
    expect(await statusAt(service, `${path}/file?photo=${theirs}`)).toBe(404);
    expect(await statusAt(service, `${path}/file?photo=${harbour}`)).toBe(200);
  });

  it('is not created for a photo that the user cannot see', async () => {
    const theirs = await upload(owner, 'Secret.jpg');
    const browser = await openSettings(
      service,
      member,
      `/shares/new?photo=${harbour}&photo=${theirs}`,
    );

    expect(browser.page.status).toBe(404);
  });

  it('goes through many photos page by page', async () => {
    await service.database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at,
                            sha256, captured_at)
       SELECT 'many-' || n, $1, $2, 10, 'DSC_' || n || '.jpg', '', '{}', now(), now(), repeat('a', 64),
              '2026-01-01T00:00:' || n
         FROM generate_series(100, 249) AS n`,
      [member.accountId, workspaceId],
    );
    await markAsSearched(service.database, 'many-%');
    const all = Array.from({ length: 150 }, (_, n) => `many-${n + 100}`);
    const path = await share(member, all);
    const guest = new TestBrowser(service.baseUrl);
    const namesOf = (): string[] =>
      [...guest.page.markup.matchAll(/<bdi\b[^>]*>(DSC_\d+)/g)].map(([, name = '']) => name);
    await guest.open(path);
    const first = namesOf();
    const next = /href="([^"]+)"\s+rel="next"/.exec(guest.page.markup)?.[1] ?? '';

    await guest.open(next.replaceAll('&amp;', '&'));

    expect([...first, ...namesOf()]).toEqual(all.map((id) => id.replace('many-', 'DSC_')));
    expect(first).toHaveLength(100);
    const onlyPage = /href="([^"]*only=page[^"]*)"/.exec(guest.page.markup)?.[1] ?? '';
    const zip = await getAsAnybody(service, onlyPage.replaceAll('&amp;', '&'), { method: 'HEAD' });
    expect(zip.status).toBe(200);
    await service.database.query(`DELETE FROM uploads WHERE id LIKE 'many-%'`);
  });
});
