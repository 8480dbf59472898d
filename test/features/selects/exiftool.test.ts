import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { markXmp, planPacket } from '../../../packages/image-metadata/index.js';
import { sourceOf, written } from '../../support/image-metadata.js';
import {
  locatedJpeg,
  locatedPng,
  locatedPsd,
  locatedTiff,
  noisePixels,
} from '../../support/located-pictures.js';
import { library } from '../../support/pictures.js';
import { SIDECARS } from '../../support/sidecars.js';

const EXIFTOOL = join(
  dirname(createRequire(import.meta.url).resolve('exiftool-vendored.pl/package.json')),
  'bin',
  'exiftool',
);
const MARKS = { rating: 4, label: 'Grün' };
/** What ExifTool derives from the file on the disk, and what is written. */
const CHANGED = /^(SourceFile|System:|ExifTool:|File:FileSize|XMP-xmp:(Rating|Label)$)/;

type Tags = Readonly<Record<string, unknown>>;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'exiftool-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** All tags of all files, by their names. */
function readAll(): ReadonlyMap<string, Tags> {
  const text = execFileSync('perl', [EXIFTOOL, '-q', '-j', '-G1', '-a', '-struct', '-e', folder], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const found = JSON.parse(text) as readonly (Tags & { readonly SourceFile: string })[];
  return new Map(found.map((tags) => [tags.SourceFile.slice(folder.length + 1), tags]));
}

function others(tags: Tags | undefined): Tags {
  return Object.fromEntries(Object.entries(tags ?? {}).filter(([name]) => !CHANGED.test(name)));
}

/** Writes files as they are and with marks, and compares what ExifTool reads of them. */
function compare(
  files: ReadonlyMap<string, readonly [before: Uint8Array, after: Uint8Array]>,
): void {
  for (const [name, [before, after]] of files) {
    writeFileSync(join(folder, `before-${name}`), before);
    writeFileSync(join(folder, `after-${name}`), after);
  }
  const tags = readAll();
  for (const name of files.keys()) {
    const after = tags.get(`after-${name}`);
    expect([name, after?.['XMP-xmp:Rating'], after?.['XMP-xmp:Label']]).toEqual([name, 4, 'Grün']);
    expect([name, others(after)]).toEqual([name, others(tags.get(`before-${name}`))]);
    expect(Object.keys(after ?? {}).filter((tag) => /Warning|Error/.test(tag))).toEqual(
      Object.keys(tags.get(`before-${name}`) ?? {}).filter((tag) => /Warning|Error/.test(tag)),
    );
  }
}

describe('ExifTool', () => {
  it('reads the marks in 50 sidecars, and every other field as before', () => {
    const files = SIDECARS.map(({ text }, index) => {
      const before = Buffer.from(text);
      return [`${index}.xmp`, [before, markXmp(before, MARKS)]] as const;
    });
    expect(files).toHaveLength(50);
    compare(new Map(files));
  });

  it('reads the marks in pictures, and every other field as before', async () => {
    const pixels = noisePixels(40, 30);
    const files = new Map<string, Buffer>([
      ['a.tif', locatedTiff(pixels)],
      ['b.tif', locatedTiff(noisePixels(23, 17, 16), true)],
      ['c.psd', locatedPsd(pixels)],
      ['d.psb', locatedPsd(pixels, true)],
      ...(library
        ? ([
            ['e.jpg', await locatedJpeg(pixels)],
            ['f.png', await locatedPng(pixels)],
          ] as const)
        : []),
    ]);
    const pairs = new Map<string, readonly [Uint8Array, Uint8Array]>();
    for (const [name, before] of files) {
      const source = sourceOf(before);
      const pieces = await planPacket(source, (packet) => markXmp(packet, MARKS));
      pairs.set(name, [before, await written({ source, pieces: pieces ?? [] })]);
    }
    compare(pairs);
  });
});
