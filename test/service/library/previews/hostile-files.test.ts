import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ImageInfo } from '../../../../service/library/previews/image-info.js';
import {
  ImageWorker,
  IMAGE_WORKER_LIMITS,
  type InspectedImage,
} from '../../../../service/library/previews/image-worker.js';
import { compiled } from '../../../support/compiled.js';
import { film } from '../../../support/films.js';
import { HOSTILE_FILMS } from '../../../support/hostile-films.js';
import { deflated, HALF_RED, pdf } from '../../../support/pdf.js';
import { library as sharp } from '../../../support/pictures.js';

/** Each form draws the one before it ten times: 10^12 in all. */
const ENDLESS = pdf({
  pages: [
    {
      entries: '/MediaBox [0 0 200 100] /Resources << /XObject << /F 112 0 R >> >>',
      content: '/F Do',
    },
  ],
  objects: Array.from({ length: 13 }, (_, n) =>
    deflated(
      `/Type /XObject /Subtype /Form /BBox [0 0 200 100] /Resources << /XObject << /F ${99 + n} 0 R >> >>`,
      Buffer.from(n === 0 ? HALF_RED : '/F Do '.repeat(10)),
    ),
  ),
});

/** An image of 30,000 × 30,000 pixels. */
const HUGE_IMAGE = pdf({
  pages: [
    {
      entries: '/MediaBox [0 0 200 100] /Resources << /XObject << /I 100 0 R >> >>',
      content: '200 0 0 100 0 0 cm /I Do',
    },
  ],
  objects: [
    deflated(
      '/Type /XObject /Subtype /Image /Width 30000 /Height 30000 /BitsPerComponent 8 /ColorSpace /DeviceRGB',
      Buffer.alloc(1000),
    ),
  ],
});

const PROGRAM = compiled('service/library/previews/image-worker-process.ts');

describe('the picture process', () => {
  const worker = new ImageWorker(IMAGE_WORKER_LIMITS, PROGRAM);
  // These documents take all the time that they get.
  const shortWorker = new ImageWorker(
    { ...IMAGE_WORKER_LIMITS, processorMs: 4000, penaltyMs: 0 },
    PROGRAM,
  );
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'hostile-'));
  });
  afterAll(async () => {
    worker.end();
    shortWorker.end();
    await rm(folder, { recursive: true, force: true });
  });

  const inspect = async (
    by: ImageWorker,
    bytes: Buffer,
    mediaType: string,
  ): Promise<(ImageInfo & InspectedImage) | string> => {
    const file = path.join(folder, 'file');
    await writeFile(file, bytes);
    let found: ImageInfo = {};
    const result = await by.inTurn('workspace', (run) =>
      run(
        {
          ...{ file, mediaType, size: bytes.length, isWhole: true },
          ...{ findsLocation: true, hasLocation: false, makesPictures: true },
        },
        {
          saveLocation: () => Promise.resolve(),
          saveFacts: (facts) => {
            found = facts;
            return Promise.resolve();
          },
          read: () => Promise.reject(new Error('all of it is there')),
        },
      ),
    );
    return typeof result === 'string' ? result : { ...found, ...result };
  };

  it('lives on after hostile films', async () => {
    for (const file of Object.values(HOSTILE_FILMS)) {
      expect(await inspect(worker, file, 'video/mp4')).toEqual(expect.any(Object));
    }
    expect(await inspect(worker, film('located.webm'), 'video/webm')).toMatchObject({
      ...{ width: 64, height: 36 },
      media: { kind: 'video', videoCodec: 'vp8' },
      info: { hasLocation: true },
    });
  });

  // Without an image library no document is drawn.
  it.each(
    sharp === undefined
      ? []
      : ([
          ['has an image of 30,000 pixels', HUGE_IMAGE],
          ['draws for ever', ENDLESS],
        ] as const),
  )('ends a document that %s, and reads the next one', async (_what, bytes) => {
    expect(await inspect(shortWorker, bytes, 'application/pdf')).toBe('broken');
    expect(await inspect(shortWorker, pdf(), 'application/pdf')).toMatchObject({
      media: { kind: 'document', pages: 1 },
      pictures: { width: 2048 },
    });
  });
});
