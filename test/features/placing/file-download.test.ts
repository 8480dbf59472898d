import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Delivered, FileDownload } from '../../../src/features/placing/file-download.js';
import { CancelledError, CancelSource } from '../../../src/util/cancel.js';
import { CwError } from '../../../src/util/errors.js';
import type { FileFault } from '../../host/modules/lifetime.js';
import { BASE } from '../api-fixture.js';
import { digestOf, PlacingFixture } from './placing-fixture.js';

const MIB = 1024 * 1024;

/** Bytes that differ from place to place. */
function bytesOf(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let value = seed;
  for (let at = 0; at < length; at += 1) {
    value = (value * 1_103_515_245 + 12_345) & 0x7fffffff;
    bytes[at] = value >> 16;
  }
  return bytes;
}

const LARGE = bytesOf(3 * MIB + 17);
const SMALL = bytesOf(1000);

let fixture: PlacingFixture;
beforeEach(() => {
  fixture = new PlacingFixture();
});
afterEach(() => fixture.end());

async function download(
  file: Parameters<FileDownload['download']>[0],
  size: 'original' | 'web' = 'original',
): Promise<Delivered> {
  return fixture.download().download(file, size, await fixture.folder());
}

/** The name of a part that an earlier run has left. */
const partName = (id: string): string => `~${id}.${'0f'.repeat(16)}.tmp`;

describe('a download', () => {
  it('brings an original in pieces, checks it, and gives it its name', async () => {
    const file = fixture.deliver(LARGE);
    const progress: number[] = [];
    const { file: saved, identity } = await fixture
      .download()
      .download(file, 'original', await fixture.folder(), (received) => progress.push(received));
    expect(saved).toMatchObject({ name: 'Coast.jpg', path: join(fixture.folderPath, 'Coast.jpg') });
    expect(identity).toEqual({
      origin: BASE,
      uploadId: 'u-1',
      sha256: digestOf(LARGE),
      size: 'original',
    });
    expect(fixture.content()).toEqual({ 'Coast.jpg': digestOf(LARGE) });
    expect(fixture.parts()).toEqual([]);
    expect(fixture.service.starts()).toEqual([0, MIB, 2 * MIB]);
    expect(progress).toEqual([0, MIB, 2 * MIB, LARGE.length]);
    expect(fixture.modules.control.openDescriptors()).toBe(0);
  });

  it('takes size and digest from the service when they are not known', async () => {
    const { id, name } = fixture.deliver(SMALL);
    const unknown = { id, name, size: Number.NaN, sha256: null, type: null };
    const { identity } = await download(unknown);
    expect(identity.sha256).toBe(digestOf(SMALL));
    expect(fixture.content()).toEqual({ 'Coast.jpg': digestOf(SMALL) });
  });

  it('brings the web size as a JPEG, and remembers the original', async () => {
    const file = fixture.deliver(LARGE, { name: 'Coast.tif' });
    fixture.service.previews.set('u-1', SMALL);
    const { identity } = await download(file, 'web');
    expect(identity).toMatchObject({ sha256: digestOf(LARGE), size: 'web' });
    expect(fixture.content()).toEqual({ 'Coast (web).jpg': digestOf(SMALL) });
  });

  it('uses a file that has the same bytes, without a request', async () => {
    const file = fixture.deliver(SMALL);
    writeFileSync(join(fixture.folderPath, 'COAST.jpg'), bytesOf(1000, 7));
    writeFileSync(join(fixture.folderPath, 'Coast (2).jpg'), SMALL);
    const { file: saved } = await download(file);
    expect(saved.name).toBe('Coast (2).jpg');
    expect(fixture.service.requests).toEqual([]);
    expect(fixture.parts()).toEqual([]);
  });

  it('never overwrites other bytes, whatever the case of the name', async () => {
    const others = {
      'Coast.jpg': bytesOf(1000, 7),
      'COAST (2).JPG': bytesOf(3),
      'Cafe\u0301.jpg': bytesOf(4),
    };
    for (const [name, bytes] of Object.entries(others))
      writeFileSync(join(fixture.folderPath, name), bytes);
    await download(fixture.deliver(SMALL));
    await download(fixture.deliver(SMALL, { id: 'u-2', name: 'Caf\u00e9.jpg' }));
    expect(fixture.content()).toEqual({
      ...Object.fromEntries(Object.entries(others).map(([name, bytes]) => [name, digestOf(bytes)])),
      'Coast (3).jpg': digestOf(SMALL),
      'Caf\u00e9 (2).jpg': digestOf(SMALL),
    });
  });

  it.each([
    ['../../etc/passwd', '-..-etc-passwd'],
    ['C:\\Windows\\x.jpg', 'C--Windows-x.jpg'],
    ['con.jpg', '_con.jpg'],
    ['aux.tar.jpg', '_aux.tar.jpg'],
    ['a<b>:"|?*.jpg', 'a-b------.jpg'],
    ['dots . . .jpg', 'dots.jpg'],
    ['.hidden', 'hidden'],
    ['\u202egpj.exe\u2069', 'gpj.exe'],
    ['\n\r\0', '---'],
    ['', 'file'],
    ['...', 'file'],
    [`${'ü'.repeat(300)}.jpg`, `${'ü'.repeat(80)}.jpg`],
  ])('saves %j under a safe name', async (name, safe) => {
    await download(fixture.deliver(SMALL, { name }));
    expect(Object.keys(fixture.content())).toEqual([safe]);
  });

  it.each([
    ['other bytes', { tamper: (bytes: ArrayBuffer) => new Uint8Array(bytes).fill(0).buffer }],
    ['fewer bytes', { tamper: (bytes: ArrayBuffer) => bytes.slice(1) }],
    ['more bytes', { tamper: (bytes: ArrayBuffer) => new ArrayBuffer(bytes.byteLength + 1) }],
    ['another range', { headers: { 'content-range': 'bytes 5-9/1000' } }],
    ['another size', { headers: { 'content-range': 'bytes 0-999/1001' } }],
    ['another digest', { headers: { etag: `"${'0'.repeat(64)}"` } }],
    ['no range', { headers: { 'content-range': '' } }],
  ])('fails with CW-617 and leaves nothing for %s', async (_, change) => {
    const file = fixture.deliver(SMALL);
    fixture.service.tamper = (answer) => ({
      ...answer,
      headers: { ...answer.headers, ...('headers' in change && change.headers) },
      ...('tamper' in change && { bytes: change.tamper(answer.bytes) }),
    });
    await expect(download(file)).rejects.toMatchObject({ code: 'CW-617' });
    expect(fixture.content()).toEqual({});
    expect(fixture.parts()).toEqual([]);
    expect(fixture.modules.control.openDescriptors()).toBe(0);
  });

  it('fails with CW-617 for a web size that does not have its digest', async () => {
    const file = fixture.deliver(LARGE);
    fixture.service.previews.set('u-1', SMALL);
    fixture.service.tamper = (answer) => ({ ...answer, bytes: answer.bytes.slice(1) });
    await expect(download(file, 'web')).rejects.toMatchObject({ code: 'CW-617' });
    expect(fixture.content()).toEqual({});
  });

  it.each([
    ['CW-618', 'original', { id: 'gone' }],
    ['CW-619', 'web', {}],
  ] as const)('fails with %s when the service has no %s', async (code, size, more) => {
    const file = { ...fixture.deliver(SMALL), ...more };
    await expect(download(file, size)).rejects.toMatchObject({ code });
    expect(fixture.parts()).toEqual([]);
  });

  it('goes on after answers that are not the service’s, with smaller pieces', async () => {
    const file = fixture.deliver(LARGE);
    let failures = 0;
    fixture.service.tamper = (answer, { headers }) => {
      if (!headers['Range']?.startsWith(`bytes=${MIB}-`)) return answer;
      failures += 1;
      if (failures === 1) return { status: 200, headers: {}, bytes: new ArrayBuffer(9) };
      if (failures === 2) throw new CwError('CW-302', 'too slow');
      return answer;
    };
    await download(file);
    expect(fixture.content()).toEqual({ 'Coast.jpg': digestOf(LARGE) });
    const tries = fixture.service.requests
      .map(({ headers }) => headers['Range'] ?? '')
      .filter((range) => range.startsWith(`bytes=${MIB}-`));
    const sizes = tries.map((range) => Number(range.split('-')[1]) + 1 - MIB);
    expect(sizes).toHaveLength(3);
    const [first = 0, second = 0, third = 0] = sizes;
    expect(first).toBe(MIB);
    // The piece behind it may have come, and made the next ones larger.
    expect(second).toBeLessThanOrEqual(first);
    expect(third).toBe(second / 4);
  }, 20_000);

  it('takes the pieces in their order, whichever comes first', async () => {
    const file = fixture.deliver(bytesOf(9 * MIB));
    // Every other one is late.
    fixture.service.delay = async (index) => {
      for (let turn = index % 2 === 0 ? 0 : 40; turn < 40; turn += 1)
        await new Promise(setImmediate);
    };
    await download(file);
    expect(fixture.content()).toEqual({ 'Coast.jpg': file.sha256 });
    const ends = fixture.service.answered;
    expect(ends.slice(0, 2)).toEqual([1, 0]);
  });

  it('has two pieces coming and one at hand, never more', async () => {
    const file = fixture.deliver(bytesOf(20 * MIB));
    const { service } = fixture;
    let most = 0;
    let stored = 0;
    service.delay = async (index) => {
      most = Math.max(most, index + 1 - stored);
      await new Promise(setImmediate);
    };
    const coming: number[] = [];
    fixture.modules.lifetime.fileFault = ({ name }) => {
      if (name === 'fs.write') coming.push(service.requests.length - stored);
      return 'run';
    };
    await fixture.download().download(file, 'original', await fixture.folder(), (received) => {
      if (received > 0) stored += 1;
    });
    expect(most).toBe(3);
    expect(coming.slice(0, 3)).toEqual([3, 3, 3]);
    const sizes = service.requests.map(({ headers }) => {
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers['Range'] ?? '') ?? [];
      return Number(last) + 1 - Number(first);
    });
    expect(Math.max(...sizes)).toBe(4 * MIB);
  });

  it('lets the panel be drawn while it hashes on a slow computer', async () => {
    let now = 0;
    let pauses = 0;
    const clock = {
      now: () => (now += 5),
      startTimer: (delayMs: number, callback: () => void) => {
        if (delayMs === 0) pauses += 1;
        return fixture.host.clock.startTimer(delayMs, callback);
      },
    };
    const file = fixture.deliver(LARGE);
    await fixture
      .download(fixture.host, { clock })
      .download(file, 'original', await fixture.folder());
    expect(pauses).toBeGreaterThan(10);
    expect(fixture.content()).toEqual({ 'Coast.jpg': file.sha256 });
  });

  it('goes on while every piece comes at the second try', async () => {
    const file = fixture.deliver(bytesOf(8 * MIB));
    const failed = new Set<string>();
    fixture.service.tamper = (answer, { headers }) => {
      const start = /^bytes=\d+/.exec(headers['Range'] ?? '')?.[0] ?? '';
      if (failed.has(start)) return answer;
      failed.add(start);
      return { status: 200, headers: {}, bytes: new ArrayBuffer(9) };
    };
    await download(file);
    // Far more than are allowed without one that comes.
    expect(failed.size).toBeGreaterThan(60);
    expect(fixture.content()).toEqual({ 'Coast.jpg': file.sha256 });
  }, 20_000);

  it.each([
    ['the user cancels', 'cancelled'],
    ['the disk is full', 'CW-707'],
  ])('ends the requests for what comes next when %s', async (_, outcome) => {
    const file = fixture.deliver(bytesOf(9 * MIB));
    const { service, modules } = fixture;
    const source = new CancelSource();
    service.delay = (index) => (index < 2 ? Promise.resolve() : new Promise(() => undefined));
    const folder = await fixture.folder();
    if (outcome === 'CW-707') modules.control.disk.fullAfter(MIB / 2);
    const onProgress = (received: number): void => {
      if (received >= 2 * MIB) source.cancel();
    };
    const done = fixture.download().download(file, 'original', folder, onProgress, source.signal);
    await expect(done).rejects.toMatchObject(
      outcome === 'cancelled' ? { name: 'CancelledError' } : { code: outcome },
    );
    expect(service.signals.length).toBeGreaterThan(2);
    expect(service.signals.slice(2).map(({ cancelled }) => cancelled)).not.toContain(false);
    expect(fixture.parts()).toEqual([]);
  });

  it('closes a part only when what was being written is there', async () => {
    const file = fixture.deliver(LARGE);
    const source = new CancelSource();
    const { lifetime } = fixture.modules;
    const running: number[] = [];
    lifetime.fileFault = ({ name }) => {
      if (name === 'fs.write') source.cancel();
      if (name === 'fs.close') running.push(lifetime.fileOperations);
      return 'run';
    };
    const folder = await fixture.folder();
    const done = fixture
      .download()
      .download(file, 'original', folder, () => undefined, source.signal);
    await expect(done).rejects.toThrow(CancelledError);
    expect(running).toEqual([1]);
    expect(fixture.parts()).toEqual([]);
  });

  it('leaves nothing when it is cancelled', async () => {
    const file = fixture.deliver(LARGE);
    const source = new CancelSource();
    const folder = await fixture.folder();
    const onProgress = (received: number): void => {
      if (received > 0) source.cancel();
    };
    const done = fixture.download().download(file, 'original', folder, onProgress, source.signal);
    await expect(done).rejects.toThrow(CancelledError);
    expect(fixture.content()).toEqual({});
    expect(fixture.parts()).toEqual([]);
  });

  it('keeps what it has when the session ends, and goes on from there', async () => {
    const file = fixture.deliver(LARGE);
    fixture.service.tamper = (answer, { headers }) => {
      if (headers['Range']?.startsWith(`bytes=${2 * MIB}-`)) throw new CwError('CW-202', 'ended');
      return answer;
    };
    await expect(download(file)).rejects.toMatchObject({ code: 'CW-202' });
    expect(fixture.parts()).toEqual([expect.stringContaining(digestOf(LARGE))]);
    fixture.service.tamper = (answer) => answer;
    fixture.service.requests.length = 0;
    await download(file);
    expect(Math.min(...fixture.service.starts())).toBe(2 * MIB);
    expect(fixture.content()).toEqual({ 'Coast.jpg': digestOf(LARGE) });
  });

  it.each([
    ['damaged', bytesOf(2 * MIB, 9)],
    ['too long', bytesOf(LARGE.length + 5)],
  ])('begins again when what an earlier run has left is %s', async (_, left) => {
    const file = fixture.deliver(LARGE);
    mkdirSync(join(fixture.root, 'app', 'data', 'placing'), { recursive: true });
    writeFileSync(join(fixture.root, 'app', 'data', 'placing', partName(digestOf(LARGE))), left);
    await download(file);
    expect(fixture.content()).toEqual({ 'Coast.jpg': digestOf(LARGE) });
    expect(fixture.parts()).toEqual([]);
  });

  it('deletes what a kill has left in the folder of the user for more than a day', async () => {
    const [old, recent] = [partName('a-1'), partName('a-2')];
    // Of other programs.
    const others = ['~Coast.xmp.5.tmp', '~report.0f.tmp', `~${'0'.repeat(32)}.tmp`];
    for (const name of [old, recent, ...others]) {
      const path = join(fixture.folderPath, name);
      writeFileSync(path, 'x');
      const at = Date.now() / 1000 - (name === recent ? 23 : 25) * 3_600;
      utimesSync(path, at, at);
    }
    await download(fixture.deliver(SMALL));
    expect(readdirSync(fixture.folderPath).toSorted()).toEqual(
      ['Coast.jpg', ...others, recent].toSorted(),
    );
  });

  it('deletes what has been left for more than a week', async () => {
    const parts = join(fixture.root, 'app', 'data', 'placing');
    mkdirSync(parts, { recursive: true });
    for (const [name, days] of [
      ['old', 8],
      ['new', 6],
    ] as const) {
      writeFileSync(join(parts, name), 'x');
      const at = Date.now() / 1000 - days * 86_400;
      utimesSync(join(parts, name), at, at);
    }
    await download(fixture.deliver(SMALL));
    expect(fixture.parts()).toEqual(['new']);
  });

  it.each([
    ['while it is stored', 2 * MIB],
    ['while an existing file is compared', 0],
  ])('fails with CW-707 on a full disk %s, and succeeds later', async (_, room) => {
    const file = fixture.deliver(LARGE);
    if (room === 0) writeFileSync(join(fixture.folderPath, 'Coast.jpg'), bytesOf(LARGE.length, 5));
    const { disk } = fixture.modules.control;
    disk.fullAfter(room);
    await expect(download(file)).rejects.toMatchObject({ code: 'CW-707' });
    expect(fixture.parts()).toEqual([]);
    disk.makeRoom();
    const { file: saved } = await download(file);
    expect(fixture.content()[saved.name]).toBe(digestOf(LARGE));
  });

  it('copies to another drive under the name of the part first, and leaves nothing when that fails', async () => {
    const file = fixture.deliver(LARGE);
    const otherDrive: FileFault = ({ name, on }) =>
      name === 'moveTo' && on.includes('/data/placing/')
        ? Object.assign(new Error('EXDEV'), { code: 'EXDEV' })
        : 'run';
    const { lifetime, control } = fixture.modules;
    lifetime.fileFault = (operation) => {
      if (operation.name === 'copyTo') control.disk.fullAfter(MIB);
      return otherDrive(operation);
    };
    await expect(download(file)).rejects.toMatchObject({ code: 'CW-707' });
    expect(readdirSync(fixture.folderPath)).toEqual([]);
    lifetime.fileFault = otherDrive;
    control.disk.makeRoom();
    await download(file);
    expect(fixture.content()).toEqual({ 'Coast.jpg': digestOf(LARGE) });
    expect(fixture.parts()).toEqual([]);
  });

  it('fails with CW-706 when the folder is gone', async () => {
    const file = fixture.deliver(SMALL);
    const folder = await fixture.folder();
    rmSync(fixture.folderPath, { recursive: true });
    const done = fixture.download().download(file, 'original', folder);
    await expect(done).rejects.toMatchObject({ code: 'CW-706' });
  });

  it('saves the same file once when two apps bring it at the same time', async () => {
    const file = fixture.deliver(LARGE);
    const other = fixture.run('other');
    const folders = [await fixture.folder(), await fixture.folder(other)] as const;
    const both = await Promise.all([
      fixture.download().download(file, 'original', folders[0]),
      fixture.download(other.host).download(file, 'original', folders[1]),
    ]);
    expect(both.map(({ file: { name } }) => name)).toEqual(['Coast.jpg', 'Coast.jpg']);
    expect(fixture.content()).toEqual({ 'Coast.jpg': digestOf(LARGE) });
  });

  it('takes the next name when another app takes the first one at the last moment', async () => {
    const file = fixture.deliver(SMALL);
    const path = join(fixture.folderPath, 'Coast.jpg');
    fixture.modules.lifetime.fileFault = ({ name, on }) => {
      if (name === 'moveTo' && on.startsWith(fixture.folderPath) && !existsSync(path))
        writeFileSync(path, 'of another app');
      return 'run';
    };
    const { file: saved } = await download(file);
    expect(saved.name).toBe('Coast (2).jpg');
    expect(fixture.content()).toEqual({
      'Coast.jpg': digestOf(Buffer.from('of another app')),
      'Coast (2).jpg': digestOf(SMALL),
    });
  });

  it('keeps both files when two apps bring different ones of the same name', async () => {
    const one = fixture.deliver(LARGE);
    const two = fixture.deliver(SMALL, { id: 'u-2' });
    const other = fixture.run('other');
    const folders = [await fixture.folder(), await fixture.folder(other)] as const;
    await Promise.all([
      fixture.download().download(one, 'original', folders[0]),
      fixture.download(other.host).download(two, 'original', folders[1]),
    ]);
    expect(Object.values(fixture.content()).toSorted()).toEqual(
      [digestOf(LARGE), digestOf(SMALL)].toSorted(),
    );
  });

  it('goes on after a kill at any operation, with no file that is not complete', async () => {
    const bytes = bytesOf(65_000);
    const file = fixture.deliver(bytes);
    writeFileSync(join(fixture.folderPath, 'Coast.jpg'), bytesOf(bytes.length, 3));
    const other = fixture.content();
    const saved = { ...other, 'Coast (2).jpg': digestOf(bytes) };
    let isKilled = true;
    for (let kill = 1; isKilled; kill += 1) {
      const { lifetime, control } = fixture.modules;
      const folder = await fixture.folder();
      let operations = 0;
      isKilled = false;
      const end = new Promise<void>((resolve) => {
        lifetime.fileFault = () => {
          operations += 1;
          if (operations !== kill) return 'run';
          isKilled = true;
          control.end();
          resolve();
          return 'hang';
        };
      });
      const done = fixture.download().download(file, 'original', folder);
      await Promise.race([end, done]);
      expect([other, saved]).toContainEqual(fixture.content());
      fixture.start();
      await download(file);
      expect(fixture.content()).toEqual(saved);
      expect(fixture.parts()).toEqual([]);
      for (const name of readdirSync(fixture.folderPath).filter((one) => one !== 'Coast.jpg'))
        rmSync(join(fixture.folderPath, name));
      expect(kill).toBeLessThan(100);
    }
  }, 60_000);
});
