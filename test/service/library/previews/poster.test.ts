import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ImageJob, SentPictures } from '../../../../service/library/previews/image-info.js';
import { Ffmpeg } from '../../../../service/library/previews/video/ffmpeg.js';
import { posterOf } from '../../../../service/library/previews/video/poster.js';
import type { ReadVideo } from '../../../../service/library/previews/video/read-video.js';
import { film, type FilmName } from '../../../support/films.js';
import { library } from '../../../support/pictures.js';

const FILM: ReadVideo = { width: 20, height: 10, media: { kind: 'video', duration: 10 } };

/** Programs in place of ffmpeg. Each draws frames of 20 × 10 pixels. */
const PROGRAMS = {
  /** Its frames are black before the third second. */
  dark: `case "$*" in *'-ss 1.000'*) tr='\\000' ;; *) tr='\\310' ;; esac
head -c 600 /dev/zero | tr '\\000' "$tr"`,
  short: 'head -c 599 /dev/zero',
  endless: 'cat /dev/zero',
  failing: 'exit 1',
};

describe('the poster of a film', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'posters-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const program = async (name: keyof typeof PROGRAMS): Promise<Ffmpeg> => {
    const own = await mkdtemp(path.join(folder, `${name}-`));
    const file = path.join(own, 'ffmpeg');
    const text = `#!/bin/sh\nPATH=/usr/bin:/bin\n${PROGRAMS[name]}\n`;
    await writeFile(file, text);
    await chmod(file, 0o755);
    const found = Ffmpeg.find(`relative:${own}`);
    if (found === undefined) throw new Error('it is there');
    return found;
  };
  const job = (more: Partial<ImageJob> = {}): ImageJob => ({
    ...{ file: '/films/film', size: 10, isWhole: true, mediaType: 'video/mp4' },
    ...{ findsLocation: false, hasLocation: false, makesPictures: true },
    ...more,
  });

  it('needs a program in an absolute folder of the path', () => {
    expect(Ffmpeg.find(`.:relative:${folder}/nothing:`)).toBeUndefined();
  });

  const sharp = library;
  if (sharp === undefined) return;
  const poster = (by: Ffmpeg, more?: Partial<ImageJob>): Promise<SentPictures | undefined> =>
    posterOf(sharp, by, job(more), FILM);

  it('is the first frame that is not black', async () => {
    const made = await poster(await program('dark'));
    expect(made).toMatchObject({ width: 20, height: 10 });
    const { channels } = await sharp(Buffer.from(made?.preview ?? '', 'base64')).stats();
    expect(channels.every(({ mean }) => mean > 150)).toBe(true);
  });

  it.each(['short', 'endless', 'failing'] as const)(
    'is missing where the program is %s',
    async (name) => {
      expect(await poster(await program(name))).toBeUndefined();
    },
  );

  it('is made of a whole file of a known kind only', async () => {
    const by = await program('dark');
    expect(await poster(by, { isWhole: false })).toBeUndefined();
    expect(await poster(by, { mediaType: 'video/x-unknown' })).toBeUndefined();
  });

  const real = Ffmpeg.find();
  if (real === undefined) return;
  it.each<readonly [FilmName, string]>([
    ['counting.webm', 'video/webm'],
    ['ntsc.mp4', 'video/mp4'],
    ['prores.mov', 'video/quicktime'],
    ['hdr.mp4', 'video/mp4'],
  ])('is drawn by ffmpeg: %s', async (name, mediaType) => {
    const file = path.join(folder, name);
    await writeFile(file, film(name));
    const media = { ...FILM.media, duration: 0.2, isHdr: name === 'hdr.mp4' };
    const made = await posterOf(sharp, real, job({ file, mediaType }), { ...FILM, media });
    expect(made).toMatchObject({ width: 20, height: 10 });
  });

  it('reads no other file by a list in place of a film', async () => {
    const other = path.join(folder, 'other.ts');
    await writeFile(other, film('ntsc.mp4'));
    const file = path.join(folder, 'list');
    await writeFile(file, `#EXTM3U\n#EXTINF:1,\nfile:${other}\n#EXT-X-ENDLIST\n`);
    expect(await poster(real, { file })).toBeUndefined();
    expect((await readFile(other)).equals(film('ntsc.mp4'))).toBe(true);
  });
});
