import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ImageWorker,
  IMAGE_WORKER_LIMITS,
} from '../../../service/library/previews/image-worker.js';
import { png, tiffFile } from '../../support/camera-files.js';
import { compiled } from '../../support/compiled.js';
import { jpeg } from '../support/tus-client.js';
import { startTestService, type TestService } from '../support/running-service.js';
import { addUser, addWorkspace, connectAs, send } from '../support/users.js';
import { getAsAnybody, shareAs } from '../delivery/shares/sharing.js';

const segment = (kind: number, data: Buffer): Buffer => {
  const head = Buffer.from([0xff, kind, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
};

/** JPEGs of which each lists the next one several hundred times: reading them all takes forever. */
function nested(depth: number): Buffer {
  const start = Buffer.from('ffd8', 'hex');
  if (depth === 0) return Buffer.concat([start, Buffer.from('ffda0000', 'hex')]);
  const [lists, entries] = [24, 16];
  const inner = nested(depth - 1);
  const list = (offset: number): Buffer => {
    const places = Buffer.alloc(16 * entries);
    for (let at = 0; at < places.length; at += 16) {
      places.writeUInt32LE(inner.length, at + 4);
      places.writeUInt32LE(offset, at + 8);
    }
    return segment(0xe2, Buffer.concat([Buffer.from('MPF\0'), tiffFile({ 0xb002: places })]));
  };
  const { length } = list(0);
  // Offsets begin behind the name of the list, 8 bytes into its segment.
  const all = Array.from({ length: lists }, (_, n) => list((lists - n) * length + 4 - 8));
  return Buffer.concat([start, ...all, Buffer.from('ffda0000', 'hex'), inner]);
}

/** Many blocks of EXIF data with many directories that share a long directory of a location. */
function shared(): Buffer {
  const [entries, directories] = [1024, 64];
  const gps = Buffer.alloc(2 + 12 * entries + 4);
  gps.writeUInt16LE(entries, 0);
  for (let n = 0; n < entries; n += 1) {
    gps.writeUInt16LE(n + 1, 2 + 12 * n);
    gps.writeUInt16LE(4, 4 + 12 * n);
    gps.writeUInt32LE(1, 6 + 12 * n);
  }
  const first = 8 + gps.length;
  const chain = Array.from({ length: directories }, (_, n) => {
    const one = Buffer.alloc(18);
    one.writeUInt16LE(1, 0);
    one.writeUInt16LE(0x8825, 2);
    one.writeUInt16LE(4, 4);
    one.writeUInt32LE(1, 6);
    one.writeUInt32LE(8, 10);
    one.writeUInt32LE(n + 1 < directories ? first + 18 * (n + 1) : 0, 14);
    return one;
  });
  const header = Buffer.from('49492a0000000000', 'hex');
  header.writeUInt32LE(first, 4);
  const exif = segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), header, gps, ...chain]));
  const blocks = Array.from({ length: 400 }, () => exif);
  return Buffer.concat([Buffer.from('ffd8', 'hex'), ...blocks, Buffer.from('ffda0000', 'hex')]);
}

const withPacket = (packet: Buffer): Buffer =>
  png([
    ['IHDR', Buffer.alloc(13)],
    ['iTXt', Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\0\0\0\0'), packet])],
    ['IEND', Buffer.alloc(0)],
  ]);

const FILES: readonly (readonly [string, () => Buffer])[] = [
  ['pictures that list pictures', () => nested(3)],
  ['directories that share a location', shared],
  ['a packet of words that begin a location', () => withPacket(Buffer.alloc(4e6, 'gps '))],
  ['a packet that is large', () => withPacket(Buffer.alloc(24e6, `exif:GPSLatitude="52,3N" `))],
];

describe('a hostile picture', () => {
  let service: TestService;
  let hostile: { readonly link: string; readonly id: string }[];
  let bystander: () => Promise<string>;
  const imageWorker = new ImageWorker(
    { ...IMAGE_WORKER_LIMITS, processorMs: 3000, memoryBytes: 500e6, processes: 2 },
    compiled('service/library/previews/image-worker-process.ts'),
  );

  beforeAll(async () => {
    service = await startTestService({ imageWorker });
    const attacker = await addUser(service, { [await addWorkspace(service, 'South')]: 'owner' });
    const other = await addUser(service, { [await addWorkspace(service, 'North')]: 'owner' });
    const [theirs, others] = [await connectAs(service, attacker), await connectAs(service, other)];
    bystander = () => send(service, others, `Harbour ${Math.random()}.jpg`, jpeg(1000));
    hostile = [];
    for (const [name, bytes] of FILES) {
      const id = await send(service, theirs, `${name}.bin`, new Uint8Array(bytes()));
      hostile.push({ id, link: await shareAs(service, attacker, { photo: id }) });
    }
  });
  afterAll(() => service.close());

  const kindOf = async (id: string): Promise<string | null> => {
    const [row] = await service.database.query<{ kind: string | null }>(
      `SELECT location->>'kind' AS kind FROM thumbnails WHERE upload_id = $1`,
      [id],
    );
    return row?.kind ?? null;
  };
  const searched = async (id: string): Promise<string> => {
    for (;;) {
      const kind = await kindOf(id);
      if (kind !== null) return kind;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  // @threat L10
  it('delays no other workspace, and is searched or given up itself', async () => {
    // The files of the attacker wait for one process, in turn.
    expect(await searched(await bystander())).toBe('searched');
    for (const { id } of hostile)
      expect(['searched', 'unsearchable']).toContain(await searched(id));
    expect(await searched(await bystander())).toBe('searched');
  });

  it('has one answer for HEAD, GET, a range and a ZIP', async () => {
    for (const { id, link } of hostile) {
      const isSearched = (await searched(id)) === 'searched';
      const file = `${link}/file?photo=${id}`;
      const answers = [
        await getAsAnybody(service, file, { method: 'HEAD' }),
        await getAsAnybody(service, file),
        await getAsAnybody(service, file, { headers: { range: 'bytes=0-99' } }),
        await getAsAnybody(service, `${link}/zip`, { method: 'HEAD' }),
        await getAsAnybody(service, `${link}/zip`),
      ];
      const bodies = await Promise.all(
        answers.map(async (answer) => Buffer.from(await answer.arrayBuffer())),
      );
      expect(answers.map(({ status }) => status)).toEqual(
        isSearched ? [200, 200, 206, 200, 200] : [403, 403, 403, 403, 403],
      );
      const [head, whole, part] = answers.map(({ headers }) => headers);
      const [, bytes, first] = bodies;
      expect(head?.get('etag')).toBe(whole?.get('etag'));
      expect(head?.get('content-length')).toBe(whole?.get('content-length'));
      expect(part?.get('etag')).toBe(whole?.get('etag'));
      if (isSearched) {
        expect(bytes?.subarray(0, 100)).toEqual(first);
        expect(bytes?.includes('52,3N')).toBe(false);
      }
    }
  });

  it('takes no memory of the service at a request', async () => {
    for (const { id } of hostile) await searched(id);
    const before = process.memoryUsage().rss;
    let peak = before;
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(
        hostile.flatMap(({ id, link }) =>
          [1, 2, 3, 4].map(async () => {
            const init = { method: 'HEAD' };
            await (await getAsAnybody(service, `${link}/file?photo=${id}`, init)).arrayBuffer();
          }),
        ),
      );
      peak = Math.max(peak, process.memoryUsage().rss);
    }
    expect(peak - before).toBeLessThan(200e6);
  });
});
