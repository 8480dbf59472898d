import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  librariesOf,
  licenseProblem,
  licensesText,
  packageFolderOf,
} from '../../build/licenses.js';
import { productionLibraries, type Lock } from '../../build/release.js';
import { readLibrary } from '../../build/licenses.js';

const ROOT = join(import.meta.dirname, '..', '..');
const installed = (name: string): string => join(ROOT, 'node_modules', name);

describe('the licence of a library', () => {
  it.each([
    ['MIT', true, true],
    ['MIT AND OFL-1.1', true, true],
    ['(GPL-2.0-only OR MIT)', true, true],
    ['LGPL-3.0-or-later', false, true],
    ['Apache-2.0 AND LGPL-3.0-or-later AND MIT', false, true],
    ['GPL-3.0-only', false, false],
    ['AGPL-3.0-only', false, false],
    ['MIT AND GPL-3.0-only', false, false],
    ['(MIT OR GPL-3.0-only) AND AGPL-3.0-only', false, false],
    ['SEE LICENSE IN TERMS.txt', false, false],
    ['UNLICENSED', false, false],
    ['', false, false],
  ])('%j: may be bundled: %p, installed: %p', (license, bundled, separate) => {
    const library = { name: 'library', version: '1.0.0', license };
    expect(licenseProblem(library, true) === undefined).toBe(bundled);
    expect(licenseProblem(library, false) === undefined).toBe(separate);
  });

  it('is compatible for every production package', () => {
    const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
    const libraries = productionLibraries(lock, (folder) => readLibrary(join(ROOT, folder)));
    expect(libraries.length).toBeGreaterThan(100);
    expect(libraries.flatMap((library) => licenseProblem(library, false) ?? [])).toEqual([]);
  });

  it('is read from a section of the Readme if there is no file', () => {
    expect(readLibrary(installed('combine-errors'))).toMatchObject({ license: 'MIT', text: 'MIT' });
  });
});

describe('the list of licences', () => {
  it('has each library of the files once, with its text', () => {
    const files = ['preact/dist/preact.mjs', 'preact/hooks/hooks.mjs', '@noble/hashes/sha2.js'];
    const libraries = librariesOf([...files.map(installed), join(ROOT, 'src/main.ts')]);
    expect(libraries.map(({ name }) => name)).toEqual(['@noble/hashes', 'preact']);
    const text = licensesText(libraries);
    expect(text).toMatch(/^preact \d+\.\d+\.\d+: MIT$/m);
    expect(text).toContain('Copyright (c) 2015-present Jason Miller');
  });

  it('has the innermost package of a file', () => {
    const inner = join('/project', 'node_modules', 'a', 'node_modules', '@b', 'c');
    expect(packageFolderOf(join(inner, 'index.js'))).toBe(inner);
  });
});
