import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { FILES, missingFiles } from './named-files.js';

const ROOT = join(import.meta.dirname, '..', '..');
const documentsIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
const PAGES = [
  ...['.', 'docs', 'docs/decisions', 'uxp-api', 'test', 'test/host'],
  'packages/image-metadata',
].flatMap(documentsIn);
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
    const code = [...text.matchAll(/`([\w./@-]+)`/g)].map(([, name = '']) => name);
    expect(missingFiles(code.join('\n'))).toEqual([]);
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

describe('the commands with a pattern of tests', () => {
  it.each(PAGES)('in %s match a test', (page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const patterns = [...text.matchAll(/npm run jest -- ((?:test\/[\w./-]+ ?)+)/g)].flatMap(
      ([, list = '']) => list.trim().split(' '),
    );
    const tests = FILES.filter((file) => file.endsWith('.test.ts'));
    expect(patterns.filter((pattern) => !tests.some((file) => file.startsWith(pattern)))).toEqual(
      [],
    );
  });
});

describe('the decisions', () => {
  const folder = join(ROOT, 'docs', 'decisions');
  const pages = readdirSync(folder).filter((name) => name !== 'README.md');

  it('are numbered without a gap, in name and heading', () => {
    const numbers = pages.map((name) => [
      Number(/^(\d{4})-/.exec(name)?.[1]),
      Number(/^# (\d+)\. /.exec(readFileSync(join(folder, name), 'utf8'))?.[1]),
    ]);
    expect(numbers).toEqual(pages.map((_, index) => [index + 1, index + 1]));
  });

  it('are listed with their titles', () => {
    const rows = pages.map((name, index) => {
      const [, title] = /^# \d+\. (.+)/.exec(readFileSync(join(folder, name), 'utf8')) ?? [];
      return `${index + 1}. [${title}](${name})`;
    });
    const listed = readFileSync(join(folder, 'README.md'), 'utf8').match(/^\d+\. .+$/gm);
    expect(listed).toEqual(rows);
  });
});

describe('the flows', () => {
  const text = readFileSync(join(ROOT, 'docs', 'flows.md'), 'utf8');
  const flows = text.split(/^## /m).slice(1);

  it('have 6 to 12 steps each', () => {
    const counts = flows.map((flow) => flow.match(/^\d+\. /gm)?.length ?? 0);
    expect(counts.filter((count) => count < 6 || count > 12)).toEqual([]);
    expect(counts).toHaveLength(14);
  });

  it('each end with their tests', () => {
    const tests = flows.map((flow) => [
      ...(/\n\nTests: (.+)\n*$/.exec(flow)?.[1] ?? '').matchAll(/`(test\/[\w./-]+\.test\.ts)`/g),
    ]);
    expect(tests.filter((files) => files.length === 0)).toEqual([]);
  });

  it.each(text.match(/^\d+\. .+$/gm) ?? [])('have the names of a step in its files: %s', (step) => {
    const names = [...step.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    const files = names.filter((name) => name.includes('/'));
    const code = files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');
    const words = names
      .filter((name) => !name.includes('/'))
      .flatMap((name) => name.split(/\.(?=[A-Za-z]+$)/));
    expect(files.length).toBeGreaterThan(0);
    expect(words.filter((word) => !new RegExp(`\\b${word}\\b`).test(code))).toEqual([]);
  });
});

describe('the folders in the architecture', () => {
  const text = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8');
  const foldersIn = (folder: string): string[] =>
    readdirSync(join(ROOT, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .toSorted();
  const section = (from: string, to: string): string =>
    text.slice(text.indexOf(from), text.indexOf(to));
  const service = section('In `service/`:', '[Data model]');
  const parts = service.split(/^(?=- )/m).slice(1);
  const listed = (list: string, entry: RegExp): string[] =>
    [...list.matchAll(entry)].map(([, name = '']) => name).toSorted();

  it.each(['delivery', 'identity', 'library', 'oauth', 'workspace'])(
    'are all those of service/%s',
    (module) => {
      const part = parts.find((one) => one.startsWith(`- \`${module}/\`:`)) ?? '';
      expect(listed(part, /^ {2}- `([\w-]+)`: /gm)).toEqual(foldersIn(join('service', module)));
    },
  );

  it('are all those of src/features', () => {
    const features = section('The features, each above', 'In `service/`:');
    expect(listed(features, /^- `([\w-]+)`: /gm)).toEqual(foldersIn(join('src', 'features')));
  });
});

describe('the glossary', () => {
  const model = readFileSync(join(ROOT, 'docs', 'data-model.md'), 'utf8');
  const tables = [...model.matchAll(/^\| `(\w+)` /gm)].map(([, table = '']) => table);
  const rows = readFileSync(join(ROOT, 'docs', 'glossary.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && line.includes('`'))
    .map((line) => line.split('|').map((cell) => cell.trim()));

  it('has each word once, in order', () => {
    const words = rows.map(([, word]) => word);
    expect(words).toEqual([...new Set(words)].toSorted());
    expect(words.length).toBeGreaterThan(25);
  });

  it.each(rows.map(([, word = '', , where = '']) => [word, where]))(
    'has %s in a table or a type that exists',
    (_, where) => {
      const places = [...where.matchAll(/`(\w+)`(?: in `([^`]+)`)?/g)];
      const missing = places.filter(([, name = '', file]) =>
        file === undefined
          ? !tables.includes(name)
          : !new RegExp(`^export (?:abstract )?(?:class|interface|type) ${name}\\b`, 'm').test(
              readFileSync(join(ROOT, file), 'utf8'),
            ),
      );
      expect(places.length).toBeGreaterThan(0);
      expect(missing.map(([place]) => place)).toEqual([]);
    },
  );
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
