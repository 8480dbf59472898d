import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGES = [
  'README.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const OWN_FOLDERS = /^(src|service|preview|test|bench|build|scripts|docs|deploy|host-surface)\//;

/** Documentation drifts unless something holds it: what it names must be there. */
describe.each(PAGES)('%s', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');

  it('names files that exist', () => {
    const named = [...text.matchAll(/`([\w./@-]+)`/g)]
      .map(([, path = '']) => path)
      .filter((path) => OWN_FOLDERS.test(path));
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('links to files that exist', () => {
    const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target));
    expect(links.filter((link) => !existsSync(join(ROOT, dirname(page), link)))).toEqual([]);
  });

  it('quotes tests that exist', () => {
    const missing: string[] = [];
    for (const [, file = '', quotes = ''] of text.matchAll(
      /`(test\/[\w./-]+\.test\.ts)` ((?:“[^”]+”(?:, )?)+)/g,
    )) {
      const source = readFileSync(join(ROOT, file), 'utf8');
      for (const [, title = ''] of quotes.matchAll(/“([^”]+)”/g))
        if (!source.includes(title)) missing.push(`${file} “${title}”`);
    }
    expect(missing).toEqual([]);
  });

  it('holds no half of a merge', () => {
    // The formatter turns the markers of a conflict into quotes and rows of a table, so a glance misses them.
    expect(text.match(/^(<{7}|\| ?={7}|={7}$|(> ?){7})/gm) ?? []).toEqual([]);
  });

  it('names npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});
