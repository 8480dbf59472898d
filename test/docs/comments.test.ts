import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { FILES, missingFiles } from './named-files.js';

const ROOT = join(import.meta.dirname, '..', '..');
const WITH_HASH = /\.(?:ya?ml|conf|service|env)$|Dockerfile$|^\.ci\/run$|^deploy\/[^.]+$/;

function commentsOf(file: string): string {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const comment = WITH_HASH.test(file)
    ? /(?:^|\s)#.*$/gm
    : /\/\*[^]*?\*\/|(?:^|\s)\/\/.*$|^--.*$/gm;
  return (text.match(comment) ?? []).join('\n');
}

const sources = FILES.filter((file) => /\.(?:[jt]sx?|css|sql)$/.test(file) || WITH_HASH.test(file));

describe('comments in the code', () => {
  it('name files that exist', () => {
    const missing = sources
      .map((file) => ({ file, missing: missingFiles(commentsOf(file)) }))
      .filter((found) => found.missing.length > 0);
    expect(missing).toEqual([]);
    expect(sources.length).toBeGreaterThan(1500);
  });

  it.each([
    ['a path', 'See src/uploads/queue.ts.', ['src/uploads/queue.ts']],
    ['a folder', 'See service/features.', ['service/features']],
    ['a name', 'See no-such-file.ts.', ['no-such-file.ts']],
    ['a name in a wrong folder', 'See kernel/build-app.ts', ['kernel/build-app.ts']],
    ['nothing for a name, with its folder or without', 'See `app/build-app.ts`, build-app.ts.', []],
    ['nothing for a path in another repository', 'AdobeDocs/uxp-hub: src/pages/guides', []],
  ])('are searched for %s', (_, comment, missing) => {
    expect(missingFiles(comment)).toEqual(missing);
  });
});

describe('the documents for contributors', () => {
  it.each(['CONTRIBUTING.md', 'docs/architecture.md'])('%s names code that exists', (page) => {
    const code = sources
      .filter((file) => /\.[jt]sx?$/.test(file) && !file.startsWith('test/docs/'))
      .map((file) => readFileSync(join(ROOT, file), 'utf8'));
    const words = new Set(code.flatMap((text) => text.match(/\w+/g) ?? []));
    const names = [
      ...readFileSync(join(ROOT, page), 'utf8').matchAll(/`([A-Za-z]\w*(?:\.\w+)*)[`(]/g),
    ]
      .flatMap(([, name = '']) => name.split('.'))
      .filter((name) => /[a-z][A-Z]/.test(name));
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !words.has(name))).toEqual([]);
  });
});

describe('the list of slow suites', () => {
  it('names files that exist', () => {
    const lists = JSON.parse(
      readFileSync(join(ROOT, 'test/support/slow-suites.json'), 'utf8'),
    ) as Record<string, readonly string[]>;
    const named = Object.values(lists).flat();
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(named.length).toBeGreaterThan(20);
  });
});
