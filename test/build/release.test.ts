import { describe, expect, it } from '@jest/globals';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { tarGzip } from '../../build/archive.js';
import {
  changelogSection,
  checksums,
  productionLibraries,
  productionLock,
  productionManifest,
  releaseProblem,
  reproducibleSbom,
} from '../../build/release.js';

const TIME = new Date('2026-01-02T03:04:05Z');

describe('an archive', () => {
  const long = `${'folder/'.repeat(20)}file.txt`;
  const files = new Map([
    ['b.sh', { content: Buffer.from('#!/bin/sh\n'), isExecutable: true }],
    ['a/c.txt', { content: Buffer.from('text'), isExecutable: false }],
    [long, { content: Buffer.alloc(0), isExecutable: false }],
  ]);

  it('depends on the files only, not on their order or the time', async () => {
    const archive = Buffer.from(await tarGzip('top', files, TIME));
    const again = await tarGzip('top', new Map([...files].reverse()), TIME);
    expect(archive.equals(again)).toBe(true);
    // No name, no time.
    expect([...archive.subarray(3, 8)]).toEqual([0, 0, 0, 0, 0]);
  });

  it('has sorted entries with fixed owners, modes and times', async () => {
    const unpacked = extract();
    unpacked.end(gunzipSync(await tarGzip('top', files, TIME)));
    const entries: unknown[] = [];
    for await (const { header } of unpacked) {
      const { name, mode, uid, gid, uname, gname, mtime } = header;
      entries.push([name, mode, uid, gid, uname, gname, mtime.getTime()]);
    }
    const root = [0, 0, 'root', 'root', TIME.getTime()];
    expect(entries).toEqual([
      ['top/a/c.txt', 0o644, ...root],
      ['top/b.sh', 0o755, ...root],
      [`top/${long}`, 0o644, ...root],
    ]);
  });
});

const CHANGELOG = `# Changelog

## Unreleased

- Not yet.

## 1.2.0 - 2026-03-04

### Added

- A feature.

## 1.1.0 - 2026-02-03

## 1.0.0 (unreleased)

- The first.
`;

describe('a release', () => {
  const candidate = {
    version: '1.2.0',
    packageVersion: '1.2.0',
    status: '',
    changelog: CHANGELOG,
  };

  it('is made of a clean tree with the version in package.json and CHANGELOG.md', () => {
    expect(releaseProblem(candidate)).toBeUndefined();
  });

  it.each([
    [{ version: '1.3.0' }, 'package.json has the version 1.2.0, not 1.3.0'],
    [{ status: ' M README.md\n' }, 'There are changes that are not committed:\n M README.md'],
    [{ changelog: '# Changelog\n' }, 'CHANGELOG.md has no section'],
  ])('is refused with %j', (change, sentence) => {
    expect(releaseProblem({ ...candidate, ...change })).toContain(sentence);
  });

  it.each([
    ['1.2.0', '### Added\n\n- A feature.'],
    ['1.1.0', undefined],
    ['1.0.0', undefined],
    ['1.2', undefined],
  ])('has the notes of its dated section: %s', (version, notes) => {
    expect(changelogSection(CHANGELOG, version)).toBe(notes);
  });

  const lock = {
    lockfileVersion: 3,
    packages: {
      '': { dependencies: { kept: '1.0.0' }, devDependencies: { tool: '1.0.0' } },
      'node_modules/kept': { version: '1.0.0', license: 'MIT' },
      'node_modules/tool': { version: '1.0.0', license: 'MIT', dev: true },
      'node_modules/both': { version: '1.0.0', license: 'MIT', devOptional: true },
      'node_modules/@arm/code': { version: '2.0.0', license: 'ISC', optional: true, cpu: ['arm'] },
      'node_modules/@arm/code/node_modules/part': {
        version: '3.0.0',
        license: 'MIT',
        optional: true,
      },
    },
  };

  it('locks what production needs, and drops what only development needs', () => {
    const { '': project, ...packages } = productionLock(lock).packages;
    expect(project).toEqual({ dependencies: { kept: '1.0.0' } });
    expect(Object.keys(packages)).toEqual(
      Object.keys(lock.packages).filter((folder) => !['', 'node_modules/tool'].includes(folder)),
    );
  });

  it('lists the same licences on every machine', () => {
    const read: string[] = [];
    const libraries = productionLibraries(lock, (folder) => {
      read.push(folder);
      return { name: folder, version: '1.0.0', license: 'MIT', text: 'text' };
    });
    expect(read).toEqual(['node_modules/kept', 'node_modules/both']);
    expect(libraries.slice(2)).toEqual([
      { name: '@arm/code', version: '2.0.0', license: 'ISC', text: undefined },
      { name: 'part', version: '3.0.0', license: 'MIT', text: undefined },
    ]);
  });

  it('has a package.json without development', () => {
    const scripts = { preinstall: 'a', service: 'b', 'service:admin': 'c', test: 'd' };
    const dependencies = { kept: '1.0.0' };
    const manifest = { name: 'plugin', dependencies, devDependencies: { tool: '1' }, scripts };
    expect(productionManifest(manifest)).toEqual({
      name: 'plugin',
      dependencies,
      scripts: { preinstall: 'a', service: 'b', 'service:admin': 'c' },
    });
  });

  it('has an SBOM without time, serial number, folder and version of npm', () => {
    const component = { name: 'release-AbCdEf', version: '1.2.0' };
    const metadata = { timestamp: 'now', tools: [{ version: '11' }], component, lifecycles: [] };
    const sbom = { bomFormat: 'CycloneDX', serialNumber: 'urn:uuid:1', metadata, components: [] };
    expect(reproducibleSbom(sbom, 'service')).toEqual({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'service', version: '1.2.0' }, lifecycles: [] },
      components: [],
    });
  });

  it('has checksums in the form of sha256sum', () => {
    const none = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    const files = new Map(['b', 'a'].map((name) => [name, Buffer.alloc(0)]));
    expect(checksums(files)).toBe(`${none}  a\n${none}  b\n`);
  });
});
