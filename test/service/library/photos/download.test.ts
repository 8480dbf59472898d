import { beforeAll, describe, expect, it } from '@jest/globals';
import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { addUser, addWorkspace, connectAs, openSettings, send } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { markAsSearched, untilSearched } from '../../support/searched-photos.js';
import { useService } from '../../support/use-service.js';
import { shareAs } from '../../delivery/shares/sharing.js';
import { photo, sha256 } from '../../support/tus-client.js';

const BYTES = new Uint8Array([0xff, 0xd8, 0xff, 0xe1, ...photo(100_000)]);
const TAG = `"${sha256(BYTES)}"`;

/** More than the buffers to a stalled or slow client hold: some megabytes. */
const LARGE = 32 * 1024 * 1024;

describe('the original of a photo', () => {
  let workspaceId: string;
  let owner: TestUser;
  let token: string;
  let id: string;
  let cookie: string;

  const service = useService({
    uploadIdleSeconds: 1,
    requestSeconds: 3,
    trustedProxies: 1,
  });
  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    token = await connectAs(service, owner);
    id = await send(service, token, 'Küste "bei" Nacht; 5%.jpg', BYTES);
    cookie = (await openSettings(service, owner, '/photos')).sessionCookie;
  });

  const fetchFile = (
    headers: Record<string, string> = {},
    { of = id, method = 'GET' }: { of?: string; method?: string } = {},
  ): Promise<Response> =>
    fetch(`${service.baseUrl}/photos/${of}/file`, {
      method,
      headers: { cookie, ...headers },
      redirect: 'manual',
    });
  const bytesOf = async (answer: Response): Promise<Buffer> =>
    Buffer.from(await answer.arrayBuffer());

  it('is served byte for byte, under its name, as an attachment', async () => {
    const answer = await fetchFile();
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(BYTES.length),
      'content-disposition': `attachment; filename="K_ste \\"bei\\" Nacht; 5%.jpg"; filename*=UTF-8''K%C3%BCste%20%22bei%22%20Nacht%3B%205%25.jpg`,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-cache',
      'accept-ranges': 'bytes',
      etag: TAG,
    });
    expect((await bytesOf(answer)).equals(BYTES)).toBe(true);
  });

  it('is described by HEAD without its bytes (RFC 9110 section 9.3.2)', async () => {
    const told = await fetchFile({ range: 'bytes=0-1' }, { method: 'HEAD' });
    expect(told.status).toBe(200);
    expect(told.headers.get('content-length')).toBe(String(BYTES.length));
    expect(told.headers.get('etag')).toBe(TAG);
    expect(await told.text()).toBe('');
  });

  it.each([
    ['bytes=0-9', 0, 9],
    ['bytes=99990-', 99_990, 100_003],
    ['bytes=-5', 99_999, 100_003],
    ['bytes=100000-900000', 100_000, 100_003],
    ['bytes=0-0', 0, 0],
  ])('is served in part for Range: %s', async (range, start, end) => {
    const answer = await fetchFile({ range });
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end}/100004`);
    expect((await bytesOf(answer)).equals(BYTES.subarray(start, end + 1))).toBe(true);
  });

  it.each(['bytes=0-1,5-6', 'bytes=x', 'lines=0-1', 'bytes', 'bytes=9-1,', 'bytes=--1'])(
    'is served whole for an unsupported range: %s',
    async (range) => {
      const answer = await fetchFile({ range });
      expect([200, 416]).toContain(answer.status);
      if (answer.status === 200) expect((await bytesOf(answer)).equals(BYTES)).toBe(true);
    },
  );

  it.each(['bytes=100004-', 'bytes=200000-200001'])(
    'returns 416 for a range beyond its end: %s',
    async (range) => {
      const answer = await fetchFile({ range });
      expect(answer.status).toBe(416);
      expect(answer.headers.get('content-range')).toBe('bytes */100004');
      expect(await answer.text()).toBe('');
    },
  );

  it('resumes only the same file (RFC 9110 section 13.1.5)', async () => {
    const part = { range: 'bytes=5-9' };
    expect((await fetchFile({ ...part, 'if-range': TAG })).status).toBe(206);
    for (const other of ['"other"', `W/${TAG}`, 'Sun, 22 Nov 2026 12:00:00 GMT'])
      expect((await fetchFile({ ...part, 'if-range': other })).status).toBe(200);
  });

  it('returns 304 to clients that have it (RFC 9110 section 13.1.2)', async () => {
    for (const known of [TAG, `"other", W/${TAG}`, '*']) {
      const answer = await fetchFile({ 'if-none-match': known });
      expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([
        304,
        TAG,
        '',
      ]);
    }
    expect((await fetchFile({ 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('is served only to its sender and to owners', async () => {
    const other = await addWorkspace(service, 'Elsewhere');
    const colleague = await addUser(service, { [workspaceId]: 'member' });
    const outsider = await addUser(service, { [other]: 'owner' });
    for (const user of [colleague, outsider]) {
      const theirs = (await openSettings(service, user, '/photos')).sessionCookie;
      const answer = await fetchFile({ cookie: theirs });
      expect(answer.status).toBe(404);
      expect((await bytesOf(answer)).includes(Buffer.from(BYTES.subarray(4, 40)))).toBe(false);
    }
    const signedOut = await fetchFile({ cookie: '' });
    expect(signedOut.headers.get('location')).toContain('/settings/sign-in?to=');
    expect((await fetchFile({}, { of: 'nothing' })).status).toBe(404);
  });

  it('may be empty', async () => {
    const empty = await send(service, token, 'empty.jpg', new Uint8Array());
    const answer = await fetchFile({}, { of: empty });
    expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([
      200,
      '0',
      '',
    ]);
  });

  it('is never served as a page, for any content and name', async () => {
    const script = '<script>document.title="run"</script>';
    const hostile: readonly [name: string, bytes: string, type: string][] = [
      ['page.html', `<!doctype html>${script}`, 'application/octet-stream'],
      ['photo.jpg', `<html>${script}</html>`, 'application/octet-stream'],
      [
        'photo.jpg',
        `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`,
        'application/octet-stream',
      ],
      ['photo.svg', `<?xml version="1.0"?><svg>${script}</svg>`, 'application/octet-stream'],
      ['polyglot.html', `GIF89a/*${script}*/=1`, 'image/gif'],
      ['polyglot.jpg.html', `\xff\xd8\xff\xe0${script}`, 'image/jpeg'],
      ['x.js', `%PDF-1.7 ${script}`, 'application/pdf'],
      ['new\r\nContent-Type: text/html\r\n\r\n.jpg', script, 'application/octet-stream'],
    ];
    for (const [name, bytes, type] of hostile) {
      // The sender declares text/html for each.
      const of = await send(service, token, name, new Uint8Array(Buffer.from(bytes, 'latin1')));
      const { headers, status } = await fetchFile({ accept: 'text/html' }, { of });
      expect([name, status, headers.get('content-type')]).toEqual([name, 200, type]);
      expect(headers.get('content-disposition')).toMatch(/^attachment; filename/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    }
  });

  it.each([
    ['some of its', (id: string) => service.stored.resize(id, 4000)],
    ['its', (id: string) => service.stored.lose(id)],
  ])('answers 500 where the storage has lost %s bytes, and its page stays', async (_, lose) => {
    const id = await send(service, token, 'lost.jpg', photo(5000, 9));
    await lose(id);
    const answer = await fetchFile({}, { of: id });
    expect(answer.status).toBe(500);
    expect(answer.headers.get('content-disposition')).toBeNull();
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect((await openSettings(service, owner, `/photos/${id}`)).page.status).toBe(200);
  });

  describe('during its download', () => {
    let large: string;

    beforeAll(async () => {
      large = await send(service, token, 'large.jpg', photo(1000));
      await untilSearched(service.database, large);
      // Nothing of it need be sent up.
      await service.stored.resize(large, LARGE);
      await service.database.query('UPDATE uploads SET size = $2 WHERE id = $1', [large, LARGE]);
      await markAsSearched(service.database, large);
    });

    /** Begins to fetch this path, and reads no byte. */
    const beginAt = (at: string, headers: Record<string, string>): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        get(service.baseUrl + at, { headers, agent: false }, resolve).on('error', reject);
      });
    /** Begins to fetch the large file as its owner. */
    const begin = (): Promise<IncomingMessage> => beginAt(`/photos/${large}/file`, { cookie });
    /** How many files of uploads the service has open. */
    const openFiles = (): Promise<number> => service.stored.reads(large);
    const untilNone = async (): Promise<number> => {
      for (let count = 0; (await openFiles()) > 0 && count < 200; count += 1) await pause();
      return openFiles();
    };
    const cutOff = (): number => service.logLines.filter(({ status }) => status === 499).length;

    it('may take longer than any other response', async () => {
      const answer = await begin();
      let length = 0;
      const started = Date.now();
      for await (const chunk of answer) {
        length += (chunk as Buffer).length;
        // Read slowly, but never for as long as a client may rest.
        if (Date.now() - started < 4000) await pause();
      }
      expect(length).toBe(LARGE);
    });

    it('closes its file when the client disconnects or stops reading', async () => {
      const errors = service.logLines.filter(({ level }) => level === 'error').length;
      const gone = await Promise.all([begin(), begin(), begin()]);
      expect(await openFiles()).toBe(3);
      for (const answer of gone) answer.destroy();
      expect(await untilNone()).toBe(0);

      const before = cutOff();
      const resting = await begin();
      const ended = new Promise((resolve) => resting.once('error', resolve).once('close', resolve));
      while (cutOff() === before) await pause();
      resting.resume();
      await ended;
      expect(resting.complete).toBe(false);
      expect(await untilNone()).toBe(0);
      expect(service.logLines.filter(({ level }) => level === 'error')).toHaveLength(errors);
    });

    it('is limited in number per user', async () => {
      const other = await addUser(service, { [workspaceId]: 'owner' });
      const theirs = (await openSettings(service, other, '/photos')).sessionCookie;
      const answers = await Promise.all(Array.from({ length: 17 }, begin));
      const refused = answers.filter(({ statusCode }) => statusCode === 429);
      expect(refused).toHaveLength(1);
      expect(refused[0]?.headers['retry-after']).toBe('5');
      expect((await fetchFile({ cookie: theirs })).status).toBe(200);
      for (const answer of answers) answer.destroy();
      let status = 429;
      for (let count = 0; status === 429 && count < 100; count += 1) {
        const answer = await fetchFile();
        ({ status } = answer);
        await answer.arrayBuffer();
      }
      expect(status).toBe(200);
    });

    it('is limited in number per guest address over all links', async () => {
      const links = [
        await shareAs(service, owner, { photo: large }),
        await shareAs(service, owner, { photo: large }),
      ];
      const beginFrom = (address: string, link = links[0]): Promise<IncomingMessage> =>
        beginAt(`${link}/file?photo=${large}`, { 'x-forwarded-for': address });
      const slow = await Promise.all(Array.from({ length: 16 }, () => beginFrom('192.0.2.1')));
      expect(slow.map(({ statusCode }) => statusCode)).toEqual(Array(16).fill(200));

      const others = [
        await beginFrom('192.0.2.1'),
        await beginFrom('192.0.2.1', links[1]),
        await beginFrom('192.0.2.2'),
        await beginFrom('198.51.100.1'),
        await begin(),
      ];
      expect(others.map(({ statusCode }) => statusCode)).toEqual([429, 429, 200, 200, 200]);
      for (const answer of [...slow, ...others]) answer.destroy();
    });
  });
});

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
