import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as nodeFs from 'node:fs';
import { tmpdir } from 'node:os';
import * as nodePath from 'node:path';
import { listingProblems } from '../../build/listing.js';
import { pngSize } from '../../build/png.js';
import english from '../../src/ui/i18n/en.js';

const ROOT = nodePath.join(import.meta.dirname, '..', '..');

/** The start of a PNG with its size. */
function png(width: number, height: number, bytes = 33): Buffer {
  const picture = Buffer.alloc(bytes);
  picture.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  picture.writeUInt32BE(width, 16);
  picture.writeUInt32BE(height, 20);
  return picture;
}

const texts = {
  connect: 'Connect',
  photos: { one: '{count} photo', other: '{count} photos' },
  'CW-101': 'Sorry',
};

const manifest = {
  name: 'Tiny plugin',
  version: '1.2.3',
  requiredPermissions: { network: { domains: ['https://workspace.example'] } },
};

const listing = {
  subtitle: 'Small but mighty',
  description: 'It is small.',
  categories: ['Collaboration'],
  tags: ['tiny'],
  languages: ['en', 'de', 'es', 'fr', 'ja', 'pt-BR'],
  releaseNotes: { '1.2.3': 'Smaller.' },
  noteToReviewers: 'Open it.',
};

describe('the listing check', () => {
  let folder: string;
  let changelog: string;

  beforeEach(() => {
    folder = nodeFs.mkdtempSync(nodePath.join(tmpdir(), 'listing-'));
    changelog = '# Changelog\n\n## 1.2.3 (2026-07-01)\n\n- Smaller.\n\n## 1.2.2\n\n- Small.\n';
    for (const size of [48, 96, 192]) write(`icon-${size}.png`, png(size, size));
    write('screenshot-1.png', png(1360, 800));
    write('listing.json', listing);
    write('dist/manifest.json', manifest);
    for (const language of ['de', 'es', 'fr', 'pt-BR'])
      write(`dist/locales/${language}.json`, texts);
    // Japanese has one form for any number.
    write('dist/locales/ja.json', { ...texts, photos: { other: '{count}' } });
  });

  afterEach(() => {
    nodeFs.rmSync(folder, { recursive: true });
  });

  function write(name: string, content: Buffer | object): void {
    const path = nodePath.join(folder, name);
    nodeFs.mkdirSync(nodePath.dirname(path), { recursive: true });
    nodeFs.writeFileSync(path, Buffer.isBuffer(content) ? content : JSON.stringify(content));
  }

  function problems(isForDevelopment = false): string[] {
    const distDir = nodePath.join(folder, 'dist');
    return listingProblems({
      listingDir: folder,
      distDir,
      english: texts,
      changelog,
      isForDevelopment,
    });
  }

  it('accepts the example', () => {
    expect(problems()).toEqual([]);
  });

  it.each<readonly [string, string, Buffer | object, string]>([
    ['another size', 'icon-96.png', png(95, 96), 'icon-96.png is 95×96, not 96×96.'],
    ['another format', 'icon-48.png', Buffer.from('GIF89a'), 'icon-48.png is no PNG.'],
    ['a large icon', 'icon-48.png', png(48, 48, 1_000_000), 'too many'],
    ['a larger screenshot', 'screenshot-1.png', png(1361, 800), 'not 1360×800'],
    ['a heavy screenshot', 'screenshot-2.png', png(1360, 800, 5_000_000), 'too many'],
    ['a short name', 'dist/manifest.json', { ...manifest, name: 'Ab' }, 'name is missing or too'],
    ['a long name', 'dist/manifest.json', { ...manifest, name: 'x'.repeat(46) }, '46 characters'],
    [
      'a trademark',
      'dist/manifest.json',
      { ...manifest, name: 'Photoshop Enhancer' },
      'permission',
    ],
    ['a long subtitle', 'listing.json', { ...listing, subtitle: 'x'.repeat(31) }, '30 are allowed'],
    ['no description', 'listing.json', { ...listing, description: '' }, 'description is missing'],
    ['no note', 'listing.json', { ...listing, noteToReviewers: undefined }, 'note to reviewers'],
    ['no news', 'listing.json', { ...listing, releaseNotes: { '1.2.2': 'x' } }, 'new in 1.2.3'],
    ['no category', 'listing.json', { ...listing, categories: [] }, 'no category'],
    ['an unknown category', 'listing.json', { ...listing, categories: ['Fun'] }, '"Fun"'],
    ['many tags', 'listing.json', { ...listing, tags: ['x'.repeat(301)] }, 'tags'],
    ['a language unnamed', 'listing.json', { ...listing, languages: ['en'] }, "panel's languages"],
    [
      'a text missing',
      'dist/locales/de.json',
      { ...texts, connect: undefined },
      'de has no text for connect.',
    ],
    [
      'an empty text',
      'dist/locales/fr.json',
      { ...texts, 'CW-101': '' },
      'fr has no text for CW-101.',
    ],
    [
      'a count missing',
      'dist/locales/ja.json',
      { ...texts, photos: { one: '1' } },
      'ja has no text for photos.other.',
    ],
  ])('refuses %s', (_, name, content, about) => {
    write(name, content);
    expect(problems()).toEqual([expect.stringContaining(about)]);
  });

  it.each([
    ['icon-192.png', 'icon-192.png is missing.'],
    ['screenshot-1.png', 'There is no screenshot: npm run screenshots makes them.'],
    ['dist/locales/es.json', 'The texts in es are missing.'],
  ])('reports a missing %s', (name, sentence) => {
    nodeFs.rmSync(nodePath.join(folder, name));
    expect(problems()).toEqual([sentence]);
  });

  it('refuses more than five screenshots', () => {
    for (const number of [2, 3, 4, 5, 6]) write(`screenshot-${number}.png`, png(1360, 800));
    expect(problems()).toEqual(['6 screenshots are more than the 5 allowed.']);
  });

  it.each([
    ['# Changelog\n'],
    ['## 1.2.30\n\n- Other.\n'],
    ['## 1.2.3\n\nSoon.\n\n## 1.2.2\n\n- Old.\n'],
  ])('requires a changelog entry for the version: %j', (text) => {
    changelog = text;
    expect(problems()).toEqual(['CHANGELOG.md has no section for 1.2.3.']);
  });

  it.each([['http://localhost:8780'], ['https://localhost:8780'], ['http://workspace.example']])(
    'refuses a build for %s, except for development',
    (origin) => {
      write('dist/manifest.json', {
        ...manifest,
        requiredPermissions: { network: { domains: [origin] } },
      });
      expect(problems()).toEqual([
        expect.stringContaining(`built for ${origin}, which a reviewer cannot reach`),
      ]);
      expect(problems(true)).toEqual([]);
    },
  );

  it('accepts our listing, except the service', () => {
    const ours = JSON.parse(
      nodeFs.readFileSync(nodePath.join(ROOT, 'manifest.json'), 'utf8'),
    ) as object;
    const { version } = JSON.parse(
      nodeFs.readFileSync(nodePath.join(ROOT, 'package.json'), 'utf8'),
    ) as { version: string };
    write('dist/manifest.json', { ...ours, version });
    nodeFs.cpSync(
      nodePath.join(ROOT, 'src', 'static', 'locales'),
      nodePath.join(folder, 'dist', 'locales'),
      { recursive: true },
    );
    changelog = nodeFs.readFileSync(nodePath.join(ROOT, 'CHANGELOG.md'), 'utf8');
    const distDir = nodePath.join(folder, 'dist');
    const listingDir = nodePath.join(ROOT, 'listing');
    const files = { listingDir, distDir, english, changelog, isForDevelopment: true };
    expect(listingProblems(files)).toEqual([]);
  });
});

describe('pngSize', () => {
  it('reads the size from the header only', () => {
    expect(pngSize(png(48, 96))).toEqual({ width: 48, height: 96 });
    expect(pngSize(png(48, 96).subarray(0, 20))).toBeNull();
    expect(pngSize(Buffer.alloc(40))).toBeNull();
  });
});
