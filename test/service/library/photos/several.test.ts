import { beforeAll, describe, expect, it } from '@jest/globals';
import { unzipSync } from 'fflate';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { TestBrowser } from '../../support/browser-client.js';
import { addUser, addWorkspace, connectAs, openSettings, send } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { photo } from '../../support/tus-client.js';

describe('several photos at once', () => {
  let owner: TestUser;
  let member: TestUser;
  let token: string;
  let browser: TestBrowser;
  let cookie: string;
  let csrf: string;

  const service = useService({ uploadIdleSeconds: 1, requestSeconds: 1 });
  beforeAll(async () => {
    const workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    member = await addUser(service, { [workspaceId]: 'member' });
    token = await connectAs(service, member);
    await send(service, token, 'First.jpg', photo(10));
    browser = await openSettings(service, member, '/photos');
    ({ cookie, csrf } = of(browser));
  });

  const post = (address: string, ids: readonly string[], more: Record<string, string> = {}) =>
    fetch(service.baseUrl + address, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie },
      body: new URLSearchParams([
        ...Object.entries({ csrf, ...more }),
        ...ids.map((id): [string, string] => ['photo', id]),
      ]),
    });

  it('are served as one ZIP, byte for byte, with unique names', async () => {
    const bytes = [photo(70_000, 1), photo(3000, 2), new Uint8Array(), photo(10, 3)];
    const names = ['Küste.jpg', '../../etc/KÜSTE.jpg', 'empty.jpg', 'Küste.jpg'];
    const ids = [];
    for (const [index, one] of bytes.entries())
      ids.push(await send(service, token, names[index] ?? '', one, { replaces: 'none' }));

    const answer = await post('/photos/zip', ids);

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/zip');
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="files-\d{4}-\d\d-\d\d.zip"$/,
    );
    expect(answer.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    const whole = new Uint8Array(await answer.arrayBuffer());
    expect(answer.headers.get('content-length')).toBe(String(whole.length));
    const files = Object.entries(unzipSync(whole));
    expect(files.map(([name]) => name)).toEqual([
      'Küste.jpg',
      '__.._etc_KÜSTE.jpg',
      'empty.jpg',
      'Küste (2).jpg',
    ]);
    for (const [index, [, content]] of files.entries())
      expect(Buffer.from(content).equals(bytes[index] ?? new Uint8Array(1))).toBe(true);
  });

  it('have the time of the picture in a ZIP where its file has the zone, else that of the upload', async () => {
    const times = new Map([
      ['zoned.jpg', '2026-05-01T10:20:30+09:00'],
      ['local.jpg', '2026-05-01T10:20:30'],
      ['none.jpg', null],
    ]);
    const ids: string[] = [];
    for (const [name, capturedAt] of times) {
      const id = await send(service, token, name, photo(10), { replaces: 'none' });
      ids.push(id);
      await service.database.query(
        'UPDATE uploads SET captured_at = $2, taken_at = $3, finished_at = $4 WHERE id = $1',
        [id, capturedAt, '2026-05-01T01:20:30Z', '2026-11-01T12:00:00Z'],
      );
    }
    const answer = await post('/photos/zip', ids);
    const whole = Buffer.from(await answer.arrayBuffer());
    // The extended timestamp follows the name: its tag, its length, what it has, and seconds since 1970.
    const seconds = [...times.keys()].map((name) =>
      whole.readInt32LE(whole.indexOf(name) + name.length + 5),
    );
    expect(seconds.map((time) => new Date(time * 1000).toISOString())).toEqual([
      '2026-05-01T01:20:30.000Z',
      '2026-11-01T12:00:00.000Z',
      '2026-11-01T12:00:00.000Z',
    ]);
  });

  it('go into the trash together, if the user may delete them', async () => {
    const ids = [
      await send(service, token, 'Gone 1.jpg', photo(10)),
      await send(service, token, 'Gone 2.jpg', photo(10)),
    ];
    const others = await send(service, await connectAs(service, owner), 'Owner.jpg', photo(10));

    const answer = await post('/photos', [...ids, others, 'nothing'], { action: 'trash' });

    expect(answer.status).toBe(303);
    const page = await browser.open(answer.headers.get('location') ?? '');
    expect(page.text).toContain('2 files moved to trash. Undo');
    expect(page.text).not.toContain('Gone');
    expect((await openSettings(service, owner, '/photos')).page.text).toContain('Owner.jpg');
  });

  it('require a selection, permission to see them, and the page’s form', async () => {
    const others = await send(service, await connectAs(service, owner), 'Secret.jpg', photo(10));
    for (const address of ['/photos', '/photos/zip'])
      for (const ids of [[], ['nothing'], [others]]) {
        const answer = await post(address, ids, { action: 'trash' });
        expect([address, ids, answer.status]).toEqual([address, ids, 303]);
        const { text, url } = await browser.open(answer.headers.get('location') ?? '');
        expect(new URL(url).pathname).toBe('/photos');
        expect(text).toContain('Select at least one file.');
        expect((await post(address, [others], { csrf: 'forged' })).status).toBe(403);
      }
  });

  it('close all files when the client disconnects or bytes are missing', async () => {
    const id = await send(service, token, 'Large.jpg', photo(1000));
    const lost = await send(service, token, 'Lost.jpg', photo(1000));
    const size = 60 * 1024 * 1024;
    await service.stored.resize(id, size);
    await service.database.query('UPDATE uploads SET size = $2 WHERE id = $1', [id, size]);
    await service.stored.lose(lost);
    const begin = (ids: readonly string[]): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        const body = new URLSearchParams([['csrf', csrf], ...ids.map((one) => ['photo', one])]);
        request(
          `${service.baseUrl}/photos/zip`,
          {
            method: 'POST',
            headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
            agent: false,
          },
          resolve,
        )
          .on('error', reject)
          .end(body.toString());
      });
    const isOpen = async (): Promise<boolean> => (await service.stored.reads(id)) > 0;

    const gone = await begin([id]);
    while (!(await isOpen())) await pause();
    gone.destroy();
    while (await isOpen()) await pause();

    const broken = await begin([id, lost]);
    const ended = new Promise((resolve) => broken.once('error', resolve).once('close', resolve));
    broken.resume();
    await ended;
    expect(broken.complete).toBe(false);
    while (await isOpen()) await pause();
  });

  it('have a checkbox each, and can be deleted from the trash', async () => {
    const id = await send(service, token, 'Full.jpg', photo(10));
    const page = await browser.open('/photos');
    expect(page.markup).toContain('aria-label="Select Full.jpg"');
    await browser.open(`/photos/${id}`);
    await browser.submit('Move to trash');
    await browser.open(`/photos/${id}`);
    // Without the tick in the box nothing happens.
    expect((await browser.submit('Delete permanently')).text).toContain(
      'This file is in the trash',
    );
    const done = await browser.submit('Delete permanently', { confirm: 'yes' });
    expect(done.text).toContain('1 file deleted permanently.');
    expect(done.text).not.toContain('Full.jpg');
    expect((await browser.open(`/photos/${id}`)).status).toBe(404);
    expect((await post(`/photos/${id}`, [], { action: 'restore' })).status).toBe(404);
    await service.purge();
    expect(await service.stored.ids()).not.toContain(id);
  });
});

function of(browser: TestBrowser): { cookie: string; csrf: string } {
  return {
    cookie: browser.sessionCookie,
    csrf: browser.csrf,
  };
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
