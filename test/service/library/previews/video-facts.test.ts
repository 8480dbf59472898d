import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ByteReader, type ByteSource } from '../../../../packages/image-metadata/index.js';
import type { ImageInfo } from '../../../../service/library/previews/image-info.js';
import {
  ImageWorker,
  IMAGE_WORKER_LIMITS,
} from '../../../../service/library/previews/image-worker.js';
import { readVideo } from '../../../../service/library/previews/video/read-video.js';
import { compiled } from '../../../support/compiled.js';
import { element, film, oldQuickTime, upright, webm } from '../../../support/films.js';
import { sourceOf } from '../../../support/image-metadata.js';
import { box, FTYP, zeros } from '../../../support/metadata-samples.js';
import fc from '../../../support/properties.js';

const LIMITS = { reads: 1000, bytes: 128 * 1024 * 1024, steps: 100_000 };

const read = (source: ByteSource): ReturnType<typeof readVideo> =>
  readVideo(ByteReader.over(source, LIMITS));

const u32 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeUInt32BE(value, 4 * index));
  return bytes;
};

/** As ffprobe 5.1 gives them: duration, frame rate, codecs. */
const FACTS: readonly (readonly [string, Buffer, object])[] = [
  [
    'an MP4 with 29.97 frames per second and sound',
    film('ntsc.mp4'),
    {
      ...{ width: 64, height: 36, capturedAt: '2026-05-01T10:20:30+00:00' },
      media: { duration: 1.001, frameRate: 29.97, videoCodec: 'h264', audioCodec: 'aac' },
    },
  ],
  [
    'an M4V without sound',
    film('silent.m4v'),
    { width: 64, height: 36, media: { duration: 2, frameRate: 25, videoCodec: 'h264' } },
  ],
  [
    'a film of an upright phone',
    upright(),
    { width: 36, height: 64, media: { duration: 2, frameRate: 25, videoCodec: 'h264' } },
  ],
  [
    'a MOV with the time of capture in its zone',
    film('located.mov'),
    {
      ...{ width: 64, height: 36, capturedAt: '2026-05-01T10:20:30+02:00' },
      media: { duration: 2, frameRate: 25, videoCodec: 'h264' },
    },
  ],
  [
    'an MP4 of fragments',
    film('fragmented.mp4'),
    { width: 64, height: 36, media: { duration: 2, frameRate: 25, videoCodec: 'h264' } },
  ],
  [
    'an HEVC in PQ',
    film('hdr.mp4'),
    {
      width: 64,
      height: 36,
      media: { duration: 0.2, frameRate: 25, videoCodec: 'hevc', isHdr: true },
    },
  ],
  [
    'an AV1',
    film('av1.mp4'),
    { width: 64, height: 36, media: { duration: 0.4, frameRate: 25, videoCodec: 'av1' } },
  ],
  [
    'a ProRes with uncompressed sound',
    film('prores.mov'),
    {
      ...{ width: 32, height: 32 },
      media: { duration: 0.25, frameRate: 24, videoCodec: 'prores', audioCodec: 'pcm' },
    },
  ],
  [
    'a MOV with drop-frame time code from 01:00:00;02',
    film('timecode.mov'),
    {
      ...{ width: 64, height: 36 },
      media: {
        ...{ duration: 0.401, frameRate: 29.97, videoCodec: 'h264' },
        timeCode: { frames: 107_894, isDropFrame: true },
      },
    },
  ],
  [
    'an old QuickTime film',
    oldQuickTime(),
    { width: 64, height: 48, media: { duration: 1, frameRate: 12, videoCodec: 'other' } },
  ],
  [
    'a VP9 with Opus',
    film('counting.webm'),
    {
      ...{ width: 96, height: 54 },
      media: { duration: 4.008, frameRate: 25, videoCodec: 'vp9', audioCodec: 'opus' },
    },
  ],
  [
    'a WebM that was recorded live, without a duration',
    film('live.webm'),
    { width: 64, height: 36, media: { frameRate: 25, videoCodec: 'vp8' } },
  ],
];

/** Files that are made to take long. None of them has facts, or only some. */
const HOSTILE: Readonly<Record<string, Buffer>> = {
  'ten thousand tracks': Buffer.concat([
    FTYP,
    box('moov', ...Array.from({ length: 10_000 }, () => box('trak', box('tkhd', zeros(84))))),
  ]),
  'a hundred thousand fragments': Buffer.concat([
    film('fragmented.mp4'),
    ...Array.from({ length: 100_000 }, () => box('moof')),
  ]),
  'a box of 2^63 bytes': Buffer.concat([
    FTYP,
    u32(1),
    Buffer.from('moov'),
    u32(0x8000_0000, 0),
    zeros(100),
  ]),
  'boxes without a length': Buffer.concat([
    FTYP,
    u32(0),
    Buffer.from('moov'),
    u32(0),
    Buffer.from('trak'),
  ]),
  'a length that is too small': Buffer.concat([FTYP, u32(4), Buffer.from('moov'), zeros(100)]),
  'metadata in metadata': Buffer.concat([
    FTYP,
    Array.from({ length: 2000 }).reduce<Buffer>((inner) => box('meta', zeros(4), inner), zeros(0)),
  ]),
  'a run of 2^32 frames': Buffer.concat([
    film('fragmented.mp4'),
    box('moof', box('traf', box('tfhd', u32(0, 1)), box('trun', u32(0xf00, 0xffff_ffff)))),
  ]),
  'an element of 2^56 bytes': Buffer.concat([
    Buffer.from('1a45dfa380', 'hex'),
    Buffer.from('1853806701fffffffffffffe', 'hex'),
    Buffer.from('1549a96601fffffffffffffe', 'hex'),
  ]),
  'elements without a length in each other': Buffer.concat([
    Buffer.from('1a45dfa380', 'hex'),
    ...Array.from({ length: 5000 }, () => Buffer.from('18538067ff', 'hex')),
  ]),
  'a million empty elements': webm(element('1549a966', Buffer.alloc(2_000_000, 'ec80', 'hex'))),
  'ids that are none': Buffer.concat([Buffer.from('1a45dfa380', 'hex'), zeros(1000)]),
};

describe('the facts of a film', () => {
  it.each(FACTS)(
    'are read from %s',
    async (_name, file, { media, ...facts }: { media?: object }) => {
      expect(await read(sourceOf(file))).toEqual({ ...facts, media: { kind: 'video', ...media } });
    },
  );

  it('cost a few reads of a file of a gigabyte whose heads are at its end', async () => {
    const file = film('silent.m4v');
    const heads = file.subarray(file.indexOf('moov') - 4);
    const size = 2 ** 30;
    const start = Buffer.concat([
      FTYP,
      u32(size - FTYP.length - heads.length),
      Buffer.from('mdat'),
    ]);
    let [reads, bytes] = [0, 0];
    const source: ByteSource = {
      size,
      read: (from, to) => {
        reads += 1;
        bytes += to - from;
        const piece = Buffer.alloc(to - from);
        start.copy(piece, 0, Math.min(from, start.length));
        if (to > size - heads.length) {
          heads.copy(
            piece,
            Math.max(0, size - heads.length - from),
            Math.max(0, from - size + heads.length),
          );
        }
        return Promise.resolve(piece);
      },
    };
    expect(await read(source)).toMatchObject({ media: { duration: 2, frameRate: 25 } });
    expect(reads).toBeLessThanOrEqual(4);
    expect(bytes).toBeLessThan(256 * 1024);
  });

  it.each(Object.entries(HOSTILE))('end within the limits: %s', async (_name, file) => {
    const source = sourceOf(file);
    const facts = await read(source);
    expect(facts?.media.frameRate ?? 0).toBeLessThanOrEqual(1000);
    expect(source.reads).toBeLessThanOrEqual(LIMITS.reads);
    expect(source.bytes).toBeLessThanOrEqual(LIMITS.bytes);
  });

  it('are read from any bytes without an error', async () => {
    const films = FACTS.map(([, file]) => file);
    const change = fc.record({
      at: fc.nat(5000),
      by: fc.uint8Array({ minLength: 1, maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...films),
        fc.array(change, { maxLength: 20 }),
        fc.nat(5000),
        async (original, changes, cut) => {
          const file = Buffer.from(original);
          for (const { at, by } of changes)
            file.set(by.subarray(0, Math.max(0, file.length - at)), Math.min(at, file.length));
          await read(sourceOf(file.subarray(0, Math.max(1, file.length - cut))));
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('the picture process', () => {
  const worker = new ImageWorker(
    IMAGE_WORKER_LIMITS,
    compiled('service/library/previews/image-worker-process.ts'),
  );
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'films-'));
  });
  afterAll(async () => {
    worker.end();
    await rm(folder, { recursive: true, force: true });
  });

  const factsOf = async (bytes: Buffer, mediaType: string): Promise<ImageInfo | string> => {
    const file = path.join(folder, 'film');
    await writeFile(file, bytes);
    let facts: ImageInfo = {};
    const result = await worker.inTurn('workspace', (inspect) =>
      inspect(
        {
          ...{ file, mediaType, size: bytes.length, isWhole: true },
          ...{ findsLocation: true, hasLocation: false, makesPictures: true },
        },
        {
          keepLocation: () => Promise.resolve(),
          keepFacts: (found) => {
            facts = found;
            return Promise.resolve();
          },
          read: () => Promise.reject(new Error('all of it is there')),
        },
      ),
    );
    return typeof result === 'string' ? result : facts;
  };

  it('lives on after hostile films', async () => {
    for (const file of Object.values(HOSTILE)) {
      expect(await factsOf(file, 'video/mp4')).toEqual(expect.any(Object));
    }
    expect(await factsOf(film('located.webm'), 'video/webm')).toMatchObject({
      ...{ width: 64, height: 36 },
      media: { kind: 'video', videoCodec: 'vp8' },
      info: { hasLocation: true },
    });
  });
});
