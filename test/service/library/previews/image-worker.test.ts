import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MAX_PATCHES } from '../../../../packages/image-metadata/patches.js';
import {
  PREVIEW_BYTES,
  THUMBNAIL_BYTES,
  type ImageInfo,
  type ImageJob,
  type Pictures,
} from '../../../../service/library/previews/image-info.js';
import {
  ImageWorker,
  IMAGE_WORKER_LIMITS,
  type ImageWorkerLimits,
  type InspectedImage,
} from '../../../../service/library/previews/image-worker.js';
import { compiled } from '../../../support/compiled.js';
import { heic, RED_AND_BLUE_HEIC } from '../../../support/heic.js';
import { HEAVY, library as sharp, RUNNABLES, twoColours } from '../../../support/pictures.js';

/** A low limit, and the memory that a process uses before it notices the excess. */
const MEMORY_BYTES = 250e6;
const NO_MORE_BYTES = 320e6;

/** The image worker processes of this one. */
async function workerIds(): Promise<readonly string[]> {
  const tasks = `/proc/${process.pid}/task`;
  const lists = await Promise.all(
    (await readdir(tasks).catch(() => [])).map((task) =>
      readFile(path.join(tasks, task, 'children'), 'utf8').catch(() => ''),
    ),
  );
  const workers: string[] = [];
  for (const child of lists.join(' ').split(' ').filter(Boolean)) {
    const command = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '');
    if (command.includes('image-worker-process')) workers.push(child);
  }
  return workers;
}

/** The field of `/proc/PID/task/TID/stat` with the nice value, after the name of the program. */
const NICE_FIELD = 16;

/**
 * The peak memory of the image worker processes, in bytes, as reported by the system. It may include the
 * process that compiled their program.
 */
class MemoryWatch {
  peak = 0;
  private readonly timer = setInterval(() => void this.look(), 5);

  async look(): Promise<void> {
    for (const child of await workerIds()) {
      const status = await readFile(`/proc/${child}/status`, 'utf8').catch(() => '');
      this.peak = Math.max(this.peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024);
    }
  }

  end(): void {
    clearInterval(this.timer);
  }
}

describe('the image worker process', () => {
  let folder: string;
  const PROGRAM = compiled('service/library/previews/image-worker-process.ts');
  const imageWorker = new ImageWorker(
    { ...IMAGE_WORKER_LIMITS, memoryBytes: MEMORY_BYTES },
    PROGRAM,
  );

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'image-worker-'));
  });
  afterAll(async () => {
    imageWorker.end();
    await rm(folder, { recursive: true, force: true });
  });

  type FileJob = Pick<ImageJob, 'file' | 'size' | 'isWhole'>;
  const PICTURES_ONLY = { findsLocation: false, hasLocation: false, makesPictures: true };

  /** Reads a file and makes its thumbnail in one call. */
  const ask = async (
    by: ImageWorker,
    order: FileJob,
    read = (): Promise<Buffer> => Promise.reject(new Error('all of it is there')),
    isFresh = false,
  ): Promise<(ImageInfo & InspectedImage) | string> => {
    let found: ImageInfo = {};
    const saveFacts = (facts: ImageInfo): Promise<void> => {
      found = facts;
      return Promise.resolve();
    };
    const saveLocation = (): Promise<void> => Promise.reject(new Error('not searched'));
    const result = await by.inTurn('workspace', (inspect) =>
      inspect({ ...order, ...PICTURES_ONLY }, { saveLocation, saveFacts, read }, isFresh),
    );
    return typeof result === 'string' ? result : { ...found, ...result };
  };
  /** Like the service, tries once more in a fresh process: earlier files leave memory in use. */
  const look = async (bytes: Uint8Array): Promise<(ImageInfo & InspectedImage) | string> => {
    const file = path.join(folder, 'file');
    await writeFile(file, bytes);
    const order = { file, size: bytes.length, isWhole: true };
    const first = await ask(imageWorker, order);
    return first === 'broken' ? ask(imageWorker, order, undefined, true) : first;
  };
  const control = async (): Promise<void> => {
    expect(await look(await twoColours(60, 40))).toMatchObject({ width: 60 });
  };

  const picturesIn = (found: (ImageInfo & InspectedImage) | string): Pictures => {
    if (typeof found === 'string' || found.pictures === undefined) throw new Error('no pictures');
    return found.pictures;
  };

  let made: Promise<Buffer> | undefined;
  /** A picture that takes some time, made once. */
  const large = (): Promise<Buffer> => (made ??= twoColours(3000, 2000));

  const library = sharp;
  if (library === undefined) {
    it('reports a missing library', async () => {
      expect(await look(Buffer.alloc(10))).toBe('no library');
    });
    return;
  }

  it('reads size, time and orientation, and makes an upright thumbnail and preview', async () => {
    const file = await twoColours(900, 600, {
      at: '2026:05:01 10:20:30',
      offset: '+02:00',
      orientation: 6,
    });
    const found = await look(file);
    expect(found).toMatchObject({
      width: 600,
      height: 900,
      capturedAt: '2026-05-01T10:20:30+02:00',
    });
    const { thumbnail, preview, ...sides } = picturesIn(found);
    expect(sides).toEqual({ width: 600, height: 900 });
    for (const [picture, width, height] of [
      [thumbnail, 341, 512],
      [preview, 600, 900],
    ] as const) {
      const { data, info } = await library(picture).raw().toBuffer({ resolveWithObject: true });
      expect(info).toMatchObject({ width, height });
      // The left side is on top now.
      expect((data[0] ?? 0) > 150 && (data.at(-1) ?? 0) > 150).toBe(true);
      const { format, exif, icc } = await library(picture).metadata();
      expect([format, exif, icc]).toEqual(['webp', undefined, undefined]);
    }
  });

  it.each([
    ['no zone', { at: '2026:05:01 10:20:30' }, '2026-05-01T10:20:30'],
    ['a zone that is none', { at: '2026:05:01 10:20:30', offset: 'CET<b>' }, '2026-05-01T10:20:30'],
    ['a clock that was never set', { at: '0000:00:00 00:00:00' }, undefined],
    ['a time that is none', { at: 'yesterday' }, undefined],
    ['no time', {}, undefined],
  ])('reads EXIF data with %s', async (_what, taken, capturedAt) => {
    const found = await look(await twoColours(60, 40, taken));
    expect(typeof found === 'string' ? found : found.capturedAt).toBe(capturedAt);
  });

  it.each(['png', 'webp', 'avif', 'gif', 'tiff'] as const)('recognizes %s', async (format) => {
    const file = await library(await twoColours(500, 300))
      .toFormat(format)
      .toBuffer();
    const found = await look(file);
    expect(found).toMatchObject({ width: 500, height: 300 });
    expect(picturesIn(found)).toMatchObject({ width: 500, height: 300 });
  });

  it('decodes a HEIC, with the colours of its profile', async () => {
    const found = await look(RED_AND_BLUE_HEIC);
    expect(found).toMatchObject({ width: 64, height: 48 });
    const { preview, width, height } = picturesIn(found);
    const { data, info } = await library(preview).raw().toBuffer({ resolveWithObject: true });
    expect([width, height, info.width, info.height]).toEqual([64, 48, 64, 48]);
    const [red = 0, green = 0, blue = 0] = data;
    expect([red, green, blue].map((value) => Math.round(value / 20))).toEqual([10, 2, 2]);
    expect(data.at(-1)).toBeGreaterThan(180);
    const damaged = Buffer.from(RED_AND_BLUE_HEIC);
    damaged.fill(0, damaged.length - 160);
    expect(await look(damaged)).toEqual({ width: 64, height: 48 });
    await control();
  });

  it('reads size and time of a HEIC whose picture cannot be decoded', async () => {
    const found = await look(heic(4032, 3024, '2026:11:21 16:40:02'));
    expect(found).toEqual({ width: 4032, height: 3024, capturedAt: '2026-11-21T16:40:02' });
    // Of what its sizes promise nothing is there.
    await look(heic(60_000, 60_000, '2026:11:21 16:40:02'));
    await control();
  });

  it('makes small files of pictures that compress badly', async () => {
    const side = 2100;
    const raw = { width: side, height: side, channels: 3 } as const;
    const file = await library(randomBytes(3 * side * side), { raw })
      .tiff({ compression: 'none' })
      .toBuffer();
    const { thumbnail, preview } = picturesIn(await look(file));
    expect(thumbnail.length).toBeGreaterThan(1000);
    expect(thumbnail.length).toBeLessThanOrEqual(THUMBNAIL_BYTES);
    expect(preview.length).toBeGreaterThan(200_000);
    expect(preview.length).toBeLessThanOrEqual(PREVIEW_BYTES);
  });

  it.each(HEAVY)('limits $what', async ({ bytes }) => {
    await control();
    const file = bytes();
    // The file itself is small.
    expect(file.length).toBeLessThan(8_000_000);
    const watch = new MemoryWatch();
    const found = await look(file);
    // One that looked for a moment has been missed so far.
    await watch.look();
    watch.end();
    expect(watch.peak).toBeLessThan(NO_MORE_BYTES);
    expect(found).not.toBe('no library');
    await control();
  });

  /** Whether each of these previews looks like the one before. */
  const isSame = async (one: Buffer, other: Buffer): Promise<boolean> => {
    const [first, second] = await Promise.all(
      [one, other].map((bytes) => library(bytes).greyscale().raw().toBuffer()),
    );
    return first !== undefined && second?.equals(first) === true;
  };
  const flat = (width: number, height: number): Promise<Buffer> =>
    library({ create: { width, height, channels: 3, background: '#777' } })
      .webp()
      .toBuffer();
  const marked = async (preview: Buffer, text: string): Promise<Pictures> => {
    const found = await imageWorker.mark('workspace', preview, text);
    return picturesIn(found);
  };

  it('marks a preview and its thumbnail with a text', async () => {
    const { preview, thumbnail, width, height } = await marked(
      await flat(900, 600),
      'A & <b>B</b>',
    );
    expect([width, height]).toEqual([900, 600]);
    for (const picture of [preview, thumbnail]) {
      const { channels } = await library(picture).stats();
      expect(channels[0]?.max).toBeGreaterThan(150);
      expect(channels[0]?.min).toBeLessThan(100);
      expect((await library(picture).metadata()).exif).toBeUndefined();
    }
  });

  it.each([
    ['北村写真館', false],
    ['Ελλάδα Фото Łódź', false],
    ['김사진', true],
    ['Studio 😀', true],
    [' ', true],
  ])(
    'marks with the text %p, or with a sign if the font lacks a character',
    async (text, isSign) => {
      const picture = await flat(300, 200);
      const sign = await marked(picture, '©');
      expect(await isSame((await marked(picture, text)).preview, sign.preview)).toBe(isSign);
    },
  );

  it('takes one job after the other', async () => {
    const picture = await flat(90, 60);
    const [one, other] = await Promise.all([
      marked(picture, 'One'),
      marked(picture, 'Other'),
      control(),
    ]);
    expect(await isSame(one.preview, other.preview)).toBe(false);
  });

  it.each([
    [3, 2],
    [2000, 20],
  ])('marks a picture of %p × %p pixels', async (width, height) => {
    const { preview } = await marked(await flat(width, height), 'North Studio');
    expect(await library(preview).metadata()).toMatchObject({ width, height });
  });

  it.each([
    ['png', [1024, 205]],
    ['jpeg', [1024, 205]],
    ['webp', [1024, 205]],
    ['tiff', undefined],
    ['gif', undefined],
  ] as const)('makes a logo of a %s: %p', async (format, sides) => {
    const picture = library({
      create: { width: 3000, height: 600, channels: 3, background: 'red' },
    });
    const located = picture.withExif({ IFD3: { GPSLatitude: '52/1 31/1 0/1' } });
    const found = await imageWorker.logo('workspace', await located.toFormat(format).toBuffer());
    if (typeof found === 'string') throw new Error(found);
    expect(found.logo && [found.logo.width, found.logo.height]).toEqual(sides);
    if (found.logo === undefined) return;
    const { format: made, exif } = await library(found.logo.picture).metadata();
    expect([made, exif]).toEqual(['webp', undefined]);
  });

  it('makes no logo of an SVG or of a broken file', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    for (const bytes of [
      Buffer.from(svg),
      Buffer.alloc(100),
      (await twoColours(90, 60)).subarray(0, 500),
    ])
      expect(await imageWorker.logo('workspace', bytes)).toEqual({ logo: undefined });
  });

  it('lowers the priority of all its threads', async () => {
    await look(await large());
    const priorities: number[] = [];
    for (const worker of await workerIds()) {
      for (const task of await readdir(`/proc/${worker}/task`)) {
        const stat = await readFile(`/proc/${worker}/task/${task}/stat`, 'utf8').catch(() => '');
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        priorities.push(Number(fields[NICE_FIELD] ?? 10));
      }
    }
    expect(new Set(priorities)).toEqual(new Set(process.platform === 'linux' ? [10] : []));
  });

  it('finds nothing in a missing file, and continues', async () => {
    const file = path.join(folder, 'gone');
    expect(await ask(imageWorker, { file, size: 9, isWhole: true })).toEqual({});
    await control();
  });

  it('is killed when a picture needs too much memory', async () => {
    const file = HEAVY[1]?.bytes() ?? Buffer.alloc(0);
    expect((await library(file).metadata()).width).toBe(14_000);
    expect(await look(file)).toBe('broken');
  });

  it.each(RUNNABLES)('ignores active content in $what', async ({ bytes }) => {
    const found = await look(bytes);
    expect(found).not.toBe('no library');
    if (typeof found === 'string' || found.pictures === undefined) return;
    const { thumbnail, preview } = found.pictures;
    for (const one of [thumbnail, preview]) expect(one.subarray(8, 12).toString()).toBe('WEBP');
  });

  it.each([
    ['is killed when it takes too long', { jobMs: 1 }],
    ['ends itself when it takes too much of the processor', { processorMs: 1 }],
  ])('%s, and another process continues', async (_what, limits) => {
    const hurried = new ImageWorker({ ...IMAGE_WORKER_LIMITS, ...limits }, PROGRAM);
    const file = path.join(folder, 'large');
    await writeFile(file, await large());
    expect(await ask(hurried, { file, size: (await large()).length, isWhole: true })).toBe(
      'broken',
    );
    hurried.end();
    await control();
  });

  it('has no secret in its environment', async () => {
    process.env['S3_SECRET_ACCESS_KEY'] = 'of the service';
    imageWorker.end();
    await control();
    // With its default program, which is not compiled here.
    const own = new ImageWorker();
    const order = { file: path.join(folder, 'file'), size: 0, isWhole: true };
    expect(await ask(own, order)).toMatchObject({ width: 60 });
    delete process.env['S3_SECRET_ACCESS_KEY'];
    const children = (
      await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').catch(() => '')
    ).split(' ');
    for (const child of children.filter(Boolean)) {
      const environment = await readFile(`/proc/${child}/environ`, 'utf8').catch(() => '');
      expect(environment).not.toContain('of the service');
    }
    own.end();
  });

  describe('controlled by a hostile file', () => {
    /** The beginning of a WebP of this many bytes, and nothing else. */
    const webp = (size: number): Buffer => {
      const bytes = Buffer.alloc(size);
      bytes.write('RIFF....WEBP', 'latin1');
      bytes.writeUInt32LE(size - 8, 4);
      return bytes;
    };
    const PICTURES = { thumbnail: webp(100), preview: webp(200), width: 20, height: 10 };
    const sent = (pictures: Pictures): object => ({
      ...pictures,
      thumbnail: pictures.thumbnail.toString('base64'),
      preview: pictures.preview.toString('base64'),
    });
    /** Runs this at each order; `times` counts the orders, in all processes, from 1 on. */
    const controlled = async (
      code: string,
      limits: Partial<ImageWorkerLimits> = {},
    ): Promise<ImageWorker> => {
      const name = path.join(folder, `controlled-${Math.random()}`);
      await writeFile(
        `${name}.js`,
        `const fs = require('fs');
         process.on('message', (message) => {
           if ((message.file ?? message.logo) !== undefined) fs.appendFileSync(${JSON.stringify(name)}, '.');
           const times = fs.readFileSync(${JSON.stringify(name)}).length;
           const end = () => process.kill(process.pid, 'SIGKILL');
           const made = { type: 'result', pictures: ${JSON.stringify(sent(PICTURES))} };
           ${code}
         });
         process.send({ type: 'ready', makesPictures: true });`,
      );
      return new ImageWorker({ ...IMAGE_WORKER_LIMITS, ...limits }, `${name}.js`);
    };
    const ORDER = { file: '/nothing', size: 100, isWhole: false };
    const place = (at: number, length: number, by = 0): object => ({ at, length, by });
    const many = (count: number): object[] => Array.from({ length: count }, (_, n) => place(n, 1));

    it.each([
      [
        'reads no more than the file',
        `message.bytes ? process.send(made) : process.send({ type: 'read', at: 90, length: 11 })`,
        false,
      ],
      [
        'reads what is in the file',
        `message.bytes ? process.send(made) : process.send({ type: 'read', at: 90, length: 10 })`,
        true,
      ],
      ['does not read without end', `process.send({ type: 'read', at: 0, length: 100 })`, false],
      [
        'believes no time that is none',
        `process.send(message.file ? { type: 'facts', facts: { capturedAt: '<b>' } } : made)`,
        false,
      ],
    ])('%s', async (_what, code, isAnswered) => {
      const one = await controlled(code);
      const found = await ask(one, ORDER, () => Promise.resolve(Buffer.alloc(10)));
      one.end();
      expect(found).toEqual(isAnswered ? { pictures: PICTURES } : 'broken');
    });

    const SEARCHED = { kind: 'searched', hasLocation: true };
    it.each([
      ['in order', { ...SEARCHED, patches: [place(0, 9), place(9, 91)] }, true],
      ['with bytes', { ...SEARCHED, patches: [{ ...place(0, 3), by: 'AAAA' }] }, true],
      ['that is unknown', { kind: 'unsearchable', reason: 'too much to read' }, true],
      ['beyond the end', { ...SEARCHED, patches: [place(99, 2)] }, false],
      ['before the beginning', { ...SEARCHED, patches: [place(-1, 2)] }, false],
      ['that overlaps', { ...SEARCHED, patches: [place(0, 9), place(8, 2)] }, false],
      ['out of order', { ...SEARCHED, patches: [place(9, 1), place(0, 9)] }, false],
      ['of no bytes', { ...SEARCHED, patches: [place(0, 0)] }, false],
      ['with other bytes', { ...SEARCHED, patches: [{ ...place(0, 2), by: 'AAAA' }] }, false],
      ['with a number that is no byte', { ...SEARCHED, patches: [place(0, 2, 256)] }, false],
      ['with too many', { ...SEARCHED, patches: many(MAX_PATCHES + 1) }, false],
      ['with a reason that is a page', { kind: 'unsearchable', reason: '<b>\u{202e}' }, false],
      ['that is missing', undefined, false],
    ])('sends a location %s', async (what, location, isTaken) => {
      const sent = JSON.stringify({ type: 'location', location });
      const code =
        location === undefined
          ? `process.send(made)`
          : `process.send(message.file === undefined ? made : ${sent})`;
      const one = await controlled(code);
      // The file is larger where only the number of patches is too large.
      const size = { size: what === 'with too many' ? 2 * MAX_PATCHES : 100 };
      const kept: unknown[] = [];
      const result = await one.inTurn('workspace', (inspect) =>
        inspect(
          { ...ORDER, ...size, ...PICTURES_ONLY, findsLocation: true },
          {
            saveLocation: (found) => Promise.resolve(void kept.push(found)),
            saveFacts: () => Promise.resolve(),
            read: () => Promise.resolve(Buffer.alloc(0)),
          },
        ),
      );
      one.end();
      expect([kept.length, result]).toEqual(isTaken ? [1, { pictures: PICTURES }] : [0, 'broken']);
    });

    it.each([
      ['facts before the location', `{ type: 'facts', facts: {} }`],
      [
        'a location that is not wanted',
        `{ type: 'location', location: { kind: 'unsearchable', reason: 'x' } }`,
        false,
      ],
    ])('is ended when it sends %s', async (_what, message, findsLocation = true) => {
      const one = await controlled(`process.send(message.file ? ${message} : made)`);
      const ignore = (): Promise<void> => Promise.resolve();
      const result = await one.inTurn('workspace', (inspect) =>
        inspect(
          { ...ORDER, ...PICTURES_ONLY, findsLocation },
          {
            ...{ saveLocation: ignore, saveFacts: ignore },
            read: () => Promise.resolve(Buffer.alloc(0)),
          },
        ),
      );
      one.end();
      expect(result).toBe('broken');
    });

    it.each([
      ['tries a logo once more in a fresh process', `times < 2 ? end() : process.send(logo)`, {}],
      ['does so only once', `times < 3 ? end() : process.send(logo)`, 'broken'],
    ])('%s', async (_what, code, expected) => {
      const one = await controlled(`const logo = { type: 'logo' }; ${code}`);
      const found = await one.logo('workspace', Buffer.alloc(1));
      one.end();
      expect(found).toEqual(expected);
    });

    it.each([
      ['a thumbnail that is no WebP', { thumbnail: Buffer.alloc(100, '<svg>') }],
      ['a preview that is no WebP', { preview: Buffer.alloc(100, '<svg>') }],
      ['a preview of another length than its header has', { preview: webp(200).subarray(0, 199) }],
      ['a thumbnail that is too large', { thumbnail: webp(THUMBNAIL_BYTES + 1) }],
      ['a preview that is too large', { preview: webp(PREVIEW_BYTES + 1) }],
      ['too many pixels', { width: 2049 }],
      ['no pixels', { height: 0 }],
    ])('returns no pictures if it sends %s', async (_what, change) => {
      const pictures = JSON.stringify(sent({ ...PICTURES, ...change }));
      const one = await controlled(`process.send({ type: 'result', pictures: ${pictures} })`);
      const found = await ask(one, ORDER);
      one.end();
      expect(found).toBe('broken');
    });

    it.each([
      ['is replaced when its jobs took too long in all', 250, 3],
      ['gets many short jobs', 600_000, 5],
    ])('%s', async (_what, workMs, most) => {
      const one = await controlled(
        `globalThis.jobs = (globalThis.jobs ?? 0) + 1;
         made.pictures.width = globalThis.jobs;
         setTimeout(() => process.send(made), 100);`,
        { workMs },
      );
      const jobs: number[] = [];
      while (jobs.length < 5) jobs.push(picturesIn(await ask(one, ORDER)).width);
      one.end();
      expect(jobs[0]).toBe(1);
      // On a busy machine a job takes longer.
      expect(Math.max(...jobs)).toBeLessThanOrEqual(most);
      expect(jobs.includes(5)).toBe(most === 5);
    });

    it('may send the largest pictures', async () => {
      const pictures = { ...PICTURES, preview: webp(PREVIEW_BYTES), width: 2048, height: 2048 };
      const one = await controlled(
        `process.send({ type: 'result', pictures: ${JSON.stringify(sent(pictures))} })`,
      );
      const found = await ask(one, ORDER);
      one.end();
      expect(found).toEqual({ pictures });
    });

    it('stops without a retry when it is killed', async () => {
      const one = await controlled(`times < 2 ? undefined : process.send(made)`);
      const found = ask(one, ORDER);
      setTimeout(() => one.end(), 1000);
      expect(await found).toBe('broken');
    });

    it('cannot read the environment of the service, nor its memory', async () => {
      // Where a process may not have a user namespace, as in some containers, only its own environment is empty.
      const mayUnshare = await new Promise((resolve) => {
        execFile('/usr/bin/unshare', ['--user', 'true'], (error) => resolve(error === null));
      });
      for (const file of ['environ', 'mem']) {
        const one = await controlled(
          `try { fs.closeSync(fs.openSync('/proc/' + process.ppid + '/${file}')); end(); } catch { process.send(made) }`,
        );
        expect(await ask(one, ORDER)).toEqual(
          mayUnshare === true ? { pictures: PICTURES } : 'broken',
        );
        one.end();
      }
    });
  });
});
