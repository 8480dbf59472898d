import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { sendFile } from '../../../../service/library/photos/files/send-file.js';
import { film, type FilmName } from '../../../support/films.js';
import { getAsAnybody, shareAs } from '../../delivery/shares/sharing.js';
import type { TestBrowser } from '../../support/browser-client.js';
import { photo } from '../../support/tus-client.js';
import { addUser, addWorkspace, connectAs, openSettings, send } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { compiledImageWorker } from '../../support/running-service.js';
import { useService } from '../../support/use-service.js';

const PLACE = '+48.8577';
const WEBM = film('located.webm');

describe('playing a film', () => {
  const service = useService({
    imageWorker: compiledImageWorker('test/service/support/image-process-without-ffmpeg.ts'),
  });
  let owner: TestUser;
  let browser: TestBrowser;
  let webm: string;
  let mov: string;
  let prores: string;
  let picture: string;

  /** Sends a film, and waits until its facts are read. */
  const sendFilm = async (token: string, name: FilmName): Promise<string> => {
    const id = await send(service, token, name, new Uint8Array(film(name)));
    const isRead = async (): Promise<boolean> => {
      const sql = `SELECT 1 FROM uploads JOIN thumbnails ON upload_id = id
                    WHERE id = $1 AND media_info IS NOT NULL AND state <> 'none'`;
      return (await service.database.query(sql, [id])).length > 0;
    };
    while (!(await isRead())) await new Promise((resolve) => setTimeout(resolve, 20));
    return id;
  };

  beforeAll(async () => {
    const workspaceId = await addWorkspace(service, 'Film Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    const token = await connectAs(service, owner);
    webm = await sendFilm(token, 'located.webm');
    mov = await sendFilm(token, 'located.mov');
    prores = await sendFilm(token, 'prores.mov');
    picture = await send(service, token, 'Harbour.jpg', photo(10));
    browser = await openSettings(service, owner, '/photos');
  });

  const play = (
    id: string,
    headers: Readonly<Record<string, string>> = {},
    init: RequestInit = {},
  ): Promise<Response> =>
    fetch(`${service.baseUrl}/photos/${id}/play`, {
      headers: { cookie: browser.sessionCookie, ...headers },
      redirect: 'manual',
      ...init,
    });

  it('sends it whole, by the type of a film, never as a page', async () => {
    const answer = await play(webm);
    expect([answer.status, Buffer.from(await answer.arrayBuffer()).equals(WEBM)]).toEqual([
      200,
      true,
    ]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'video/webm',
      'content-disposition': 'inline',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
    });
    expect((await play(mov)).headers.get('content-type')).toBe('video/mp4');
  });

  it('sends a part for a range, and all of it if the film is another one', async () => {
    const whole = await play(webm, {}, { method: 'HEAD' });
    const tag = whole.headers.get('etag') ?? '';
    const part = await play(webm, { range: 'bytes=100-199', 'if-range': tag });
    expect([part.status, part.headers.get('content-range')]).toEqual([
      206,
      `bytes 100-199/${WEBM.length}`,
    ]);
    expect(Buffer.from(await part.arrayBuffer()).equals(WEBM.subarray(100, 200))).toBe(true);
    const open = await play(webm, { range: 'bytes=1000-' });
    expect((await open.arrayBuffer()).byteLength).toBe(WEBM.length - 1000);
    expect((await play(webm, { range: 'bytes=0-9', 'if-range': '"other"' })).status).toBe(200);
    expect((await play(webm, { range: `bytes=${WEBM.length}-` })).status).toBe(416);
  });

  it.each<readonly [string, () => string, Readonly<Record<string, string>>, number]>([
    ['a picture', () => picture, {}, 404],
    ['a codec that no browser has', () => prores, {}, 404],
    ['an unknown photo', () => 'nothing', {}, 404],
    ['a page', () => webm, { 'sec-fetch-dest': 'document' }, 403],
    ['a frame', () => webm, { 'sec-fetch-dest': 'iframe' }, 403],
    ['the player', () => webm, { 'sec-fetch-dest': 'video' }, 200],
    ['a browser without a session', () => webm, { cookie: '' }, 303],
  ])('is for players of members: %s', async (_what, id, headers, status) => {
    expect((await play(id(), headers)).status).toBe(status);
  });

  it('is not for members of another workspace', async () => {
    const other = await addUser(service, { [await addWorkspace(service, 'Other')]: 'owner' });
    const theirs = await openSettings(service, other, '/photos');
    expect((await play(webm, { cookie: theirs.sessionCookie })).status).toBe(404);
  });

  it('has a player on the page, which may load films of this origin', async () => {
    const page = await browser.open(`/photos/${webm}`);
    expect(page.headers.get('content-security-policy')).toContain("media-src 'self'");
    expect(page.markup).toMatch(
      new RegExp(`<video\\s+src="/photos/${webm}/play[^"]*"\\s+controls\\s+muted\\s+playsinline`),
    );
    const unplayable = await browser.open(`/photos/${prores}`);
    expect(unplayable.markup).not.toContain('<video');
    expect(unplayable.text).toContain('This browser cannot play this video.');
  });

  // @threat L12
  describe('through a link', () => {
    const cookiesOf = (answer: Response): string =>
      answer.headers
        .getSetCookie()
        .map((cookie) => cookie.split(';')[0])
        .join('; ');
    const offer = async (path: string, downloads: string): Promise<void> => {
      await service.database.query('UPDATE shares SET downloads = $1', [downloads]);
      expect(path).toMatch(/^\/s\//);
    };
    /** The page of the film, with the address of the film and the cookie of the guest. */
    const watch = async (path: string) => {
      const page = await getAsAnybody(service, `${path}/photo?photo=${webm}`);
      const markup = await page.text();
      const [, address = ''] = /<video\s+src="([^"#]+)/.exec(markup) ?? [];
      return { markup, address: address.replaceAll('&amp;', '&'), cookie: cookiesOf(page) };
    };
    const statusOf = async (
      address: string,
      headers: Readonly<Record<string, string>> = {},
    ): Promise<number> => {
      const answer = await getAsAnybody(service, address, { headers });
      await answer.arrayBuffer();
      return answer.status;
    };

    it('sends it without its location, as the link does', async () => {
      const path = await shareAs(service, owner, { photo: webm });
      const { address } = await watch(path);
      const answer = await getAsAnybody(service, address, { headers: { range: 'bytes=0-' } });
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect([answer.status, answer.headers.get('content-type'), bytes.length]).toEqual([
        206,
        'video/webm',
        WEBM.length,
      ]);
      expect([WEBM.includes(PLACE), bytes.includes(PLACE)]).toEqual([true, false]);
    });

    it('plays chosen films of a link that works only', async () => {
      const path = await shareAs(service, owner, { photo: webm });
      expect(await statusOf(`${path}/play?photo=${webm}`)).toBe(200);
      expect(await statusOf(`${path}/play?photo=${mov}`)).toBe(404);
      expect(await statusOf(`${path}/play?photo=${webm}`, { 'sec-fetch-dest': 'document' })).toBe(
        403,
      );
      const locked = await shareAs(
        service,
        owner,
        { photo: webm },
        { password: 'harbour at night' },
      );
      expect(await statusOf(`${locked}/play?photo=${webm}`)).toBe(303);
      await service.database.query(`UPDATE shares SET expires_at = now() - interval '1 second'`);
      expect(await statusOf(`${path}/play?photo=${webm}`)).toBe(404);
    });

    it.each(['none', 'web'])(
      'plays in the guest’s browser only with downloads: %s',
      async (downloads) => {
        const path = await shareAs(service, owner, { photo: webm });
        await offer(path, downloads);
        const { address, cookie } = await watch(path);
        const other = await watch(path);
        expect(await statusOf(address, { cookie })).toBe(200);
        expect(await statusOf(address)).toBe(403);
        expect(await statusOf(address, { cookie: other.cookie })).toBe(403);
        expect(await statusOf(`${path}/play?photo=${webm}`, { cookie })).toBe(403);
        const late = new URL(address, service.baseUrl);
        late.searchParams.set('until', String(Number(late.searchParams.get('until')) + 3600));
        expect(await statusOf(late.pathname + late.search, { cookie })).toBe(403);
      },
    );

    it('does not play where pictures have a watermark, and has a sentence', async () => {
      const path = await shareAs(service, owner, { photo: webm }, { watermark: '1' });
      const { markup, cookie } = await watch(path);
      expect(markup).not.toContain('<video');
      expect(markup).toContain('so the video does not play here');
      expect(await statusOf(`${path}/play?photo=${webm}`, { cookie })).toBe(403);
      const form = await browser.open(`/shares/new?photo=${webm}`);
      expect(form.text).toContain('Videos do not play: guests see a picture with the watermark.');
    });
  });
});

describe('a film of a gigabyte', () => {
  const SIZE = 2 ** 30;
  /** More than the buffers between the service and a stalled player hold. */
  const MOST_AHEAD = 16 * 1024 * 1024;
  let read = 0;
  let isClosed = false;
  const store = {
    directUrl: () => Promise.resolve(undefined),
    readRange: (_id: string, { start, end }: { start: number; end: number }) => {
      let at = start;
      const bytes = new Readable({
        read(size) {
          const length = Math.min(size, end + 1 - at);
          at += length;
          read += length;
          this.push(length === 0 ? null : Buffer.alloc(length));
        },
        destroy(error, done) {
          isClosed = true;
          done(error);
        },
      });
      return Promise.resolve(bytes);
    },
  };
  const server = createServer((incoming, response) => {
    const stored = { id: 'film', name: 'film.mp4', size: SIZE, sha256: 'a'.repeat(64) };
    const context = { request: incoming, response, method: 'GET' };
    void sendFile(store, { ...stored, playedAs: 'video/mp4' }, context).catch(() => undefined);
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, 'localhost', resolve)));
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('is read as far as its player takes it, and no further when the player goes away', async () => {
    const { port } = server.address() as AddressInfo;
    const answer = await new Promise<IncomingMessage>((resolve) => {
      request({ port, host: 'localhost', headers: { range: 'bytes=0-' } }, resolve).end();
    });
    expect(answer.headers['content-length']).toBe(String(SIZE));
    // The player takes the first bytes, and stops.
    await new Promise((resolve) => answer.once('readable', resolve));
    answer.read(1024);
    let before = -1;
    while (before !== read) {
      before = read;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(MOST_AHEAD);
    answer.destroy();
    while (!isClosed) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(read).toBeLessThan(MOST_AHEAD);
  });
});
