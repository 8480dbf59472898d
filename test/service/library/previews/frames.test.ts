import { describe, expect, it } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import type { ImageJob } from '../../../../service/library/previews/image-info.js';
import { Ffmpeg, type FrameJob } from '../../../../service/library/previews/video/ffmpeg.js';
import { framesOf } from '../../../../service/library/previews/video/frames.js';
import type { ReadVideo } from '../../../../service/library/previews/video/read-video.js';
import { library } from '../../../support/pictures.js';

const FILM: ReadVideo = { width: 200, height: 100, media: { kind: 'video', duration: 20 } };
const JOB: ImageJob = {
  ...{ file: '/films/film', size: 10, isWhole: true, mediaType: 'video/mp4' },
  ...{ findsLocation: false, hasLocation: false, makesPictures: true },
};

describe('the frames of a film', () => {
  const sharp = library;
  if (sharp === undefined) {
    return;
  }
  /** In place of ffmpeg: each frame is as bright as its time, in seconds, times ten. */
  const drawn: FrameJob[] = [];
  const byTime = {
    frame: (job: FrameJob): Promise<Buffer | undefined> => {
      drawn.push(job);
      return Promise.resolve(Buffer.alloc(job.width * job.height * 3, job.at * 10));
    },
  };
  const brightness = async (picture: string | undefined): Promise<number[]> => {
    const pixels = await sharp(Buffer.from(picture ?? '', 'base64'))
      .removeAlpha()
      .raw()
      .toBuffer();
    const row = 45;
    return Array.from(
      { length: 10 },
      (_, index) => pixels[(row * 1600 + index * 160 + 80) * 3] ?? Number.NaN,
    );
  };

  it('are ten, spread over its duration and side by side, each in its shape', async () => {
    drawn.length = 0;
    const made = await framesOf(sharp, byTime, JOB, FILM);
    const { width, height } = await sharp(Buffer.from(made ?? '', 'base64')).metadata();
    expect([width, height]).toEqual([1600, 90]);
    const found = await brightness(made);
    expect(found.every((one, index) => Math.abs(one - (10 + 20 * index)) < 6)).toBe(true);
    expect(drawn.map(({ at }) => at).sort((one, other) => one - other)).toEqual([
      1, 3, 5, 7, 9, 11, 13, 15, 17, 19,
    ]);
    expect(drawn[0]).toMatchObject({ width: 160, height: 80, isNearby: true, isHdr: false });
  });

  it.each<readonly [string, Partial<ImageJob>, ReadVideo]>([
    ['a part of the file', { isWhole: false }, FILM],
    ['less than a second', {}, { ...FILM, media: { kind: 'video', duration: 0.9 } }],
    ['no duration', {}, { ...FILM, media: { kind: 'video' } }],
    ['no size', {}, { media: FILM.media }],
  ])('are missing with %s', async (_, job, video) => {
    expect(await framesOf(sharp, byTime, { ...JOB, ...job }, video)).toBeUndefined();
  });

  it('are the nearest ones where some cannot be drawn, or take too long', async () => {
    const broken = {
      frame: (job: FrameJob) => (job.at > 10 ? Promise.resolve(undefined) : byTime.frame(job)),
    };
    const near = await brightness(await framesOf(sharp, broken, JOB, FILM));
    const wanted = [10, 30, 50, 70, 90, 90, 90, 90, 90, 90];
    expect(near.every((one, index) => Math.abs(one - (wanted[index] ?? 0)) < 6)).toBe(true);
    drawn.length = 0;
    let now = 0;
    const slow = (): number => (now += 6000);
    expect(await framesOf(sharp, byTime, JOB, FILM, slow)).toBeDefined();
    expect(drawn.map(({ at }) => at)).toEqual([9, 19, 1, 13]);
  });

  it('are missing where hardly any can be drawn', async () => {
    const broken = {
      frame: (job: FrameJob) => (job.at > 4 ? Promise.resolve(undefined) : byTime.frame(job)),
    };
    expect(await framesOf(sharp, broken, JOB, FILM)).toBeUndefined();
  });

  const real = Ffmpeg.find();
  if (real === undefined) {
    return;
  }
  it('are drawn by ffmpeg', async () => {
    const file = fileURLToPath(new URL('../../../support/films/counting.webm', import.meta.url));
    const video = { ...FILM, media: { kind: 'video', duration: 4 } } as const;
    const job = { ...JOB, file, mediaType: 'video/webm' };
    const made = await framesOf(sharp, real, job, video, () => 0);
    const { channels } = await sharp(Buffer.from(made ?? '', 'base64')).stats();
    // They are a test picture in all colours.
    expect(channels.every(({ mean, stdev }) => mean > 30 && stdev > 30)).toBe(true);
  });
});
