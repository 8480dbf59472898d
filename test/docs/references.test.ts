import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..', '..');
const documentsIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
const PAGES = ['.', 'docs', 'docs/decisions', 'uxp-api', 'test', 'test/host'].flatMap(documentsIn);
const OWN_FOLDERS = /^(src|service|preview|test|bench|build|scripts|docs|deploy|uxp-api)\//;
const namedFiles = (text: string): string[] =>
  [...text.matchAll(/`([\w./@-]+)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => OWN_FOLDERS.test(path));

const isThere = (path: string): boolean => existsSync(join(ROOT, path));

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(path: string): Set<string> {
  const headings = readFileSync(join(ROOT, path), 'utf8').matchAll(/^#+ (.+)$/gm);
  const anchors = new Set<string>();
  for (const [, heading = ''] of headings) {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    let unique = anchor;
    for (let number = 1; anchors.has(unique); number += 1) {
      unique = `${anchor}-${number}`;
    }
    anchors.add(unique);
  }
  return anchors;
}

/** Files and scripts that a document names must exist. */
describe.each(PAGES)('%s', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');

  it('names files that exist', () => {
    expect(namedFiles(text).filter((path) => !isThere(path))).toEqual([]);
  });

  it('links to files that exist', () => {
    const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target));
    expect(links.filter((link) => !existsSync(join(ROOT, dirname(page), link)))).toEqual([]);
  });

  it('links to headings that exist', () => {
    const links = [...text.matchAll(/\]\(([\w./-]*?)#([^)\s]+)\)/g)];
    const lost = links.filter(([, target = '', anchor = '']) => {
      const linked = target === '' ? page : join(dirname(page), target);
      return linked.endsWith('.md') && isThere(linked) && !anchorsOf(linked).has(anchor);
    });
    expect(lost.map(([link]) => link)).toEqual([]);
  });

  it('contains no merge conflict markers', () => {
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

describe('the threat model', () => {
  const text = readFileSync(join(ROOT, 'docs', 'threat-model.md'), 'utf8');
  /** Id, threat, control and what remains. */
  const rows = [...text.matchAll(/^\| ([A-Z]\d+) \|(.*)\|$/gm)].map(([, id = '', cells = '']) => [
    id,
    ...cells.split('|').map((cell) => cell.trim()),
  ]);
  const ids = rows.map(([id = '']) => id);

  it('has one row per id, with a threat, a control and what remains', () => {
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(50);
    expect(rows.filter((cells) => cells.length !== 4 || cells.includes(''))).toEqual([]);
  });

  it('has its ids in tests, and tests name no others', () => {
    const inTests = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .flatMap((name) => [
        ...readFileSync(join(ROOT, 'test', name), 'utf8').matchAll(/^ *\/\/ @threat (.+)$/gm),
      ])
      .flatMap(([, list = '']) => list.split(', '));
    expect([...new Set(inTests)].toSorted()).toEqual(ids.toSorted());
  });
});
