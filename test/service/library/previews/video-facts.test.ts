import { describe, expect, it } from '@jest/globals';
import { ByteReader, type ByteSource } from '../../../../packages/image-metadata/index.js';
import { readVideo } from '../../../../service/library/previews/video/read-video.js';
import { film, oldQuickTime, upright } from '../../../support/films.js';
import { HOSTILE_FILMS, u32 } from '../../../support/hostile-films.js';
import { sourceOf } from '../../../support/image-metadata.js';
import { FTYP } from '../../../support/metadata-samples.js';
import fc from '../../../support/properties.js';

const LIMITS = { reads: 1000, bytes: 128 * 1024 * 1024, steps: 100_000 };

const read = (source: ByteSource): ReturnType<typeof readVideo> =>
  readVideo(ByteReader.over(source, LIMITS));

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

  it.each(Object.entries(HOSTILE_FILMS))('end within the limits: %s', async (_name, file) => {
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
