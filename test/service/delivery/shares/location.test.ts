import { beforeAll, describe, expect, it } from '@jest/globals';
import { unzipSync } from 'fflate';
import { crc32 } from 'node:zlib';
import { Fraction, withExif, withXmp } from '../../../support/camera-files.js';
import { connectAs, elementText, openSettings, send } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { jpeg, photo, sha256 } from '../../support/tus-client.js';
import { useService } from '../../support/use-service.js';
import { addWorkspaceFixture } from '../../support/workspace-fixture.js';
import { getAsAnybody, shareAs } from './sharing.js';

const PLACE = '52,31.2057N';
const FILE = withXmp(
  // Larger than one chunk of a stream.
  withExif(Buffer.from(jpeg(200_000)), {
    0x110: 'X100V',
    0x8825: { 1: 'N', 2: [new Fraction(52, 1), new Fraction(31, 1), new Fraction(777, 100)] },
  }),
  `exif:GPSLatitude="${PLACE}"`,
);

describe('the location in a photo', () => {
  let path: string;
  let id: string;
  let cookie: string;
  let member: TestUser;
  let sent: Buffer;

  /** How far the service's clock is ahead, in milliseconds. */
  let ahead = 0;
  const service = useService({ now: () => new Date(Date.now() + ahead) });
  beforeAll(async () => {
    ({ member } = await addWorkspaceFixture(service));
    id = await send(service, await connectAs(service, member), 'Harbour.jpg', new Uint8Array(FILE));
    path = await shareAs(service, member, { photo: id });
    cookie = (await openSettings(service, member, '/photos')).sessionCookie;
    sent = Buffer.from(await (await shared()).arrayBuffer());
  });

  const shared = (headers: Record<string, string> = {}): Promise<Response> =>
    getAsAnybody(service, `${path}/file?photo=${id}`, { headers });

  // @threat L11
  it('is removed from what a link sends, and nothing else is', () => {
    expect(sent.length).toBe(FILE.length);
    expect(sent.includes(PLACE)).toBe(false);
    expect(sent.includes('X100V')).toBe(true);
    const changed = [...FILE.keys()].filter((at) => sent[at] !== FILE[at]);
    const size = (changed.at(-1) ?? 0) - (changed[0] ?? 0);
    expect([changed.length > PLACE.length, size < 500]).toEqual([true, true]);
  });

  it('is still in what the user downloads', async () => {
    const own = await getAsAnybody(service, `/photos/${id}/file`, { headers: { cookie } });
    expect(Buffer.from(await own.arrayBuffer()).equals(FILE)).toBe(true);
    expect(own.headers.get('etag')).toBe(`"${sha256(FILE)}"`);
  });

  it('is removed from each range, with another tag', async () => {
    const tag = (await shared()).headers.get('etag') ?? '';
    expect(tag).not.toBe(`"${sha256(FILE)}"`);
    expect((await shared({ 'if-none-match': tag })).status).toBe(304);
    expect((await shared({ 'if-none-match': `"${sha256(FILE)}"` })).status).toBe(200);
    const place = FILE.indexOf(PLACE);
    for (const [start, end] of [
      [place - 5, place + 4],
      [place + 3, place + 5],
      [place + 8, place + 20],
      [0, FILE.length - 1],
      [FILE.length - 10, FILE.length - 1],
    ]) {
      const part = await shared({ range: `bytes=${start}-${end}`, 'if-range': tag });
      expect([part.status, part.headers.get('etag')]).toEqual([206, tag]);
      const bytes = Buffer.from(await part.arrayBuffer());
      expect(bytes.equals(sent.subarray(start, (end ?? 0) + 1))).toBe(true);
    }
  });

  it('is removed from the ZIP of a link, whose checksum is right, but not from that of a user', async () => {
    const zip = Buffer.from(await (await getAsAnybody(service, `${path}/zip`)).arrayBuffer());
    const inside = Buffer.from(unzipSync(zip)['Harbour.jpg'] ?? []);
    expect(inside.equals(sent)).toBe(true);
    const entry = zip.indexOf(Buffer.from('504b0102', 'hex'));
    expect(zip.readUInt32LE(entry + 16)).toBe(crc32(sent));
    const own = await getAsAnybody(service, '/photos/zip?q=harbour', { headers: { cookie } });
    const whole = unzipSync(new Uint8Array(await own.arrayBuffer()))['Harbour.jpg'];
    expect(Buffer.from(whole ?? []).equals(FILE)).toBe(true);
  });

  it('stays in what a link sends when its creator chooses so, until they choose otherwise', async () => {
    const browser = await openSettings(service, member, `/shares/new?photo=${id}`);
    const address = elementText(await browser.submit('Create link'), 'secret');
    const edit = /href="(\/shares\/[^/"]+)"/.exec(browser.page.markup)?.[1] ?? '';
    const bytes = async (way: string): Promise<Buffer> =>
      Buffer.from(await (await fetch(address + way)).arrayBuffer());
    for (const [location, kept] of [
      ['1', FILE],
      ['', sent],
    ] as const) {
      await browser.open(edit);
      await browser.submit('Save changes', { location });
      expect((await bytes(`/file?photo=${id}`)).equals(kept)).toBe(true);
      const inside = unzipSync(await bytes('/zip'))['Harbour.jpg'];
      expect(Buffer.from(inside ?? []).equals(kept)).toBe(true);
    }
  });

  describe('that cannot be found', () => {
    let unknown: string;
    let link: string;
    beforeAll(async () => {
      unknown = await send(service, await connectAs(service, member), 'Pier.bin', photo(5000));
      link = await shareAs(service, member, { photo: unknown });
      await (await getAsAnybody(service, `${link}/file?photo=${unknown}`)).arrayBuffer();
    });
    const answered = (path: string, init?: RequestInit): Promise<Response> =>
      getAsAnybody(service, link + path, init);
    const setLocation = (location: object | null): Promise<unknown> =>
      service.database.query(
        `UPDATE thumbnails SET location = $2::jsonb, lease_until = $3 WHERE upload_id = $1`,
        [
          ...[unknown, location === null ? null : JSON.stringify(location)],
          // The service believes no lease of more than ten minutes.
          new Date(Date.now() + ahead + 540_000),
        ],
      );

    it.each([
      ['location_unknown', { kind: 'unsearchable', reason: 'test' }, 403, null],
      ['location_pending', null, 503, '5'],
    ])('keeps the original back, each way: %s', async (code, location, status, retryAfter) => {
      await setLocation(location);
      const path = `/file?photo=${unknown}`;
      // Nobody searches the file, so the service waits.
      const clock = setInterval(() => (ahead += 5000), 100);
      const answers = await Promise.all([
        answered(path, { method: 'HEAD' }),
        answered(path),
        answered(path, { headers: { range: 'bytes=0-9' } }),
        answered(path, { headers: { accept: 'application/json' } }),
        answered('/zip', { method: 'HEAD' }),
        answered('/zip'),
      ]).finally(() => {
        clearInterval(clock);
      });
      expect(answers.map((answer) => [answer.status, answer.headers.get('retry-after')])).toEqual(
        answers.map(() => [status, retryAfter]),
      );
      expect(await answers[3].json()).toMatchObject({ error: code });
      const page = await answers[1].text();
      expect(page.includes('Try again')).toBe(code === 'location_pending');
    });

    it('is told to nobody who may not have the photo', async () => {
      await setLocation({ kind: 'unsearchable', reason: 'test' });
      const statuses = await Promise.all(
        [
          `${path}/file?photo=${unknown}`,
          `${link}x/file?photo=${unknown}`,
          `${link}/file?photo=x`,
        ].map(async (address) => (await getAsAnybody(service, address)).status),
      );
      expect(statuses).toEqual([404, 404, 404]);
      const closed = await shareAs(service, member, { photo: unknown });
      await service.database.query(
        `UPDATE shares SET downloads = 'none'
          WHERE id = (SELECT id FROM shares ORDER BY created_at DESC LIMIT 1)`,
      );
      const answer = await getAsAnybody(service, `${closed}/file?photo=${unknown}`);
      expect(await answer.text()).toContain('Downloads are off');
    });

    it('leaves the photo out of a ZIP, which names it, and the web size is offered', async () => {
      await setLocation({ kind: 'unsearchable', reason: 'test' });
      const browser = await openSettings(service, member, '/projects');
      const made = await browser.submit('Create project', { name: 'Coast' });
      const project = new URL(made.url).pathname.split('/').at(-1) ?? '';
      await service.database.query('UPDATE uploads SET project_id = $1 WHERE id IN ($2, $3)', [
        ...[project, unknown, id],
      ]);
      const both = await shareAs(service, member, { project });
      const zip = await getAsAnybody(service, `${both}/zip`);
      const bytes = new Uint8Array(await zip.arrayBuffer());
      expect(zip.headers.get('content-length')).toBe(String(bytes.length));
      const files = unzipSync(bytes);
      expect(Object.keys(files).sort()).toEqual(['Harbour.jpg', 'Not included.txt']);
      expect(Buffer.from(files['Not included.txt'] ?? []).toString()).toContain('Pier.bin');
      await service.database.query(
        'UPDATE uploads SET preview_width = 1, preview_height = 1, preview_bytes = 1, preview_version = 1 WHERE id = $1',
        [unknown],
      );
      const page = await (await answered(`/file?photo=${unknown}`)).text();
      expect(page).toContain(`photo=${unknown}&amp;size=web`);
    });
  });
});
