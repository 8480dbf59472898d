import { describe, expect, it } from '@jest/globals';
import { unzipSync } from 'fflate';
import { execFile } from 'node:child_process';
import { mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import {
  dataDescriptor,
  directoryHeader,
  endOfZip,
  lengthInZip,
  localHeader,
  ZipLength,
  type ZipEntry,
} from '../../../../service/library/photos/files/zip-format.js';

const GIB = 1024 ** 3;
const PIECE = Buffer.alloc(16 * 1024 * 1024);

/** The checksum of so many zeros. */
function checksumOfZeros(size: number): number {
  let checksum = 0;
  for (let left = size; left > 0; left -= PIECE.length)
    checksum = crc32(PIECE.subarray(0, Math.min(left, PIECE.length)), checksum);
  return checksum;
}

/** Gives each part of a ZIP of files of zeros, and where it is. The bytes of the files are left out. */
function partsOf(entries: readonly ZipEntry[]): { parts: [number, Buffer][]; length: number } {
  const parts: [number, Buffer][] = [];
  const directory: Buffer[] = [];
  const length = new ZipLength();
  let offset = 0;
  for (const entry of entries) {
    const checksum = checksumOfZeros(entry.size);
    const header = localHeader(entry);
    parts.push([offset, header]);
    parts.push([offset + header.length + entry.size, dataDescriptor(entry, checksum)]);
    directory.push(directoryHeader(entry, checksum, offset));
    offset += lengthInZip(Buffer.byteLength(entry.name), entry.size);
    length.add(Buffer.byteLength(entry.name), entry.size);
  }
  const all = Buffer.concat(directory);
  const end = endOfZip({ entries: entries.length, offset, length: all.length });
  parts.push([offset, Buffer.concat([all, end])]);
  return { parts, length: length.total };
}

const modifiedAt = new Date(2026, 10, 25, 13, 14, 16);
const entriesOf = (sizes: readonly number[]): ZipEntry[] =>
  sizes.map((size, index) => ({ name: `Küste ${index}.jpg`, size, modifiedAt }));

/** The first 7-Zip that is installed here; undefined if there is none. */
async function sevenZip(): Promise<string | undefined> {
  for (const program of ['7zz', '7z'])
    if (await promisify(execFile)(program, ['i']).catch(() => undefined)) return program;
  return undefined;
}

/** When the entries of a ZIP were modified, as Info-ZIP's unzip or, without it, their own field has it. */
async function timesIn(file: string, env: { TZ: string }): Promise<Date[]> {
  const folder = await mkdtemp(path.join(path.dirname(file), 'unpacked-'));
  const unpacked = await promisify(execFile)('unzip', ['-q', file, '-d', folder], {
    env: { ...process.env, ...env },
  }).then(
    () => true,
    () => false,
  );
  if (unpacked) {
    const names = (await readdir(folder)).sort();
    const stats = await Promise.all(names.map((name) => stat(path.join(folder, name))));
    return stats.map(({ mtime }) => mtime);
  }
  const bytes = await readFile(file);
  const fields: number[] = [];
  for (let at = bytes.indexOf('UT\x05\0'); at >= 0; at = bytes.indexOf('UT\x05\0', at + 1))
    fields.push(at);
  // Each is in the header of its file and in the directory.
  expect(fields).toHaveLength(4);
  return fields.slice(0, 2).map((at) => new Date(bytes.readInt32LE(at + 5) * 1000));
}

describe('a ZIP', () => {
  it('has the announced length, and its files', () => {
    const { parts, length } = partsOf(entriesOf([5, 0, 70_000]));
    const whole = Buffer.alloc(length);
    for (const [at, bytes] of parts) bytes.copy(whole, at);
    const [last, bytes] = parts.at(-1) ?? [0, Buffer.alloc(0)];
    expect(last + bytes.length).toBe(length);
    const files = Object.entries(unzipSync(whole)).map(([name, { length: size }]) => [name, size]);
    expect(files).toEqual([
      ['Küste 0.jpg', 5],
      ['Küste 1.jpg', 0],
      ['Küste 2.jpg', 70_000],
    ]);
  });

  it.each([
    ['is plain below 4 GiB', [0xffff_fffe], 9],
    ['has ZIP64 sizes in both headers of a file from 4 GiB - 1 on', [0xffff_ffff], 29],
    ['has ZIP64 sizes in both headers of a file above 4 GiB', [5 * GIB], 29],
  ])('%s', (_rule, sizes, extra) => {
    const entries = entriesOf(sizes);
    const [entry = { name: '', size: 0, modifiedAt }] = entries;
    const local = localHeader(entry);
    expect(local.readUInt16LE(28)).toBe(extra);
    expect(dataDescriptor(entry, 0)).toHaveLength(extra === 9 ? 16 : 24);
    expect(directoryHeader(entry, 0, 0).readUInt16LE(30)).toBe(extra);
    if (extra > 9) expect(local.readBigUInt64LE(local.length - 16)).toBe(BigInt(entry.size));
  });

  it.each([
    [new Date(1970, 0, 1), 1980],
    [new Date(2200, 0, 1), 2107],
  ])('has a year within the range of the format for %s', (time, year) => {
    const header = localHeader({ name: 'a', size: 0, modifiedAt: time });
    expect((header.readUInt16LE(12) >> 9) + 1980).toBe(year);
  });

  it('is unpacked with the times of its files in every time zone', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'zip-times-'));
    try {
      const file = path.join(folder, 'times.zip');
      const { parts, length } = partsOf(entriesOf([0, 0]));
      const whole = Buffer.alloc(length);
      for (const [at, bytes] of parts) bytes.copy(whole, at);
      await writeFile(file, whole);
      for (const TZ of ['UTC', 'Pacific/Auckland', 'America/Los_Angeles'])
        expect(await timesIn(file, { TZ })).toEqual([modifiedAt, modifiedAt]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is tested by 7-Zip without a warning, with a file above 4 GiB', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'zip-format-'));
    try {
      const file = path.join(folder, 'large.zip');
      const { parts, length } = partsOf(entriesOf([7, 4 * GIB + 5, 9]));
      // The bytes of the files are holes: they take no room on the disk.
      const handle = await open(file, 'w');
      for (const [at, bytes] of parts) await handle.write(bytes, 0, bytes.length, at);
      expect((await handle.stat()).size).toBe(length);
      await handle.close();
      const program = await sevenZip();
      if (program !== undefined) {
        const { stdout, stderr } = await promisify(execFile)(program, ['t', file]);
        expect(stdout + stderr).not.toMatch(/warning|error/iu);
        expect(stdout).toContain('Everything is Ok');
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
