import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

import {
  anchorOf,
  LIST_FOLLOWS,
  panelTexts,
  searchableText,
  shownText,
} from '../../scripts/support-guide.js';
import pages from '../../service/locales/en.js';
import { ERROR_CODES } from '../../src/util/errors.js';
import panel from '../../src/ui/i18n/en.js';

const ROOT = join(import.meta.dirname, '..', '..');
const GUIDE = join(ROOT, 'docs', 'support.md');
const guide = readFileSync(GUIDE, 'utf8');
const headings = [...guide.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading ?? '');
/** Every text of panel and pages, as shown. */
const texts = new Set(
  [...Object.values(panel), ...Object.values(pages)]
    .flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.values(entry)))
    .map(shownText),
);
const sentences = new Set([...texts].flatMap((text) => text.split(/(?<=[.?!]) /)));
/** The rows of the table of codes. */
const codes = [...guide.matchAll(/^\| (CW-\d+) \| ([^|]+) \| ([^|]+) \|$/gm)];

describe('the support guide', () => {
  it('has exactly one row per code, with its text', () => {
    expect(codes.map(([, code, text]) => [code, text])).toEqual(
      [...ERROR_CODES].sort().map((code) => [code, panel[code]]),
    );
    const named = new Set(guide.match(/CW-\d+/g));
    expect([...named].filter((code) => !ERROR_CODES.some((known) => known === code))).toEqual([]);
  });

  it('has every text of the panel, where a search finds it', () => {
    const searched = searchableText(guide);
    const all = [...panelTexts().keys()];
    expect(all).toEqual(
      expect.arrayContaining([panel.connect, panel.questionTitle, '… files uploaded']),
    );
    expect(all.filter((text) => !searched.includes(text.toLowerCase()))).toEqual([]);
  });

  it('quotes existing texts and labels', () => {
    const [written = ''] = guide.split(LIST_FOLLOWS);
    const quoted = [...written.matchAll(/\*\*([^*]+)\*\*|"([^"]+)"/g)].map(
      ([, label, quote = '']) => (label ?? quote).replace(/\s+/g, ' '),
    );
    expect(quoted.length).toBeGreaterThan(200);
    expect(quoted.filter((quote) => !texts.has(quote) && !sentences.has(quote))).toEqual([]);
  });

  it('leads from each complaint to a section', () => {
    const [, table = ''] = /## They say\n([^]*?)\n## /.exec(guide) ?? [];
    const rows = [...table.matchAll(/^\| (.*) \|$/gm)].slice(2).map(([, row = '']) => row);
    expect(rows.length).toBeGreaterThan(24);
    expect(rows.filter((row) => !/\]\(#[\w-]+\)/.test(row))).toEqual([]);
  });

  it('names existing commands', () => {
    const commands = [...guide.matchAll(/`workspace-admin ([\w-]+)`/g)].map(([, name]) => name);
    const source = readFileSync(join(ROOT, 'service', 'app', 'admin-commands.ts'), 'utf8');
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.filter((name) => !source.includes(`  '${name}': {`))).toEqual([]);
  });

  it('shows existing pictures, and every picture of the panel', () => {
    const shown = [...guide.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path]) => path ?? '');
    const images = join(dirname(GUIDE), 'images');
    const taken = readdirSync(images)
      .filter((name) => name.startsWith('panel-') && name !== 'panel-code.png') // the README's
      .map((name) => `images/${name}`);
    expect([...shown].sort()).toEqual(taken.sort());
  });

  it('has no broken link', () => {
    const anchors = headings.map(anchorOf);
    expect(new Set(anchors).size).toBe(anchors.length);
    const links = [...guide.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
    expect(links.filter((anchor) => !anchors.includes(anchor ?? ''))).toEqual([]);
    expect(links.length).toBeGreaterThan(5);
  });

  it('explains every line of the diagnostics', () => {
    const source = readFileSync(join(ROOT, 'src', 'panel', 'diagnostics.ts'), 'utf8');
    const lines = [...source.matchAll(/[`'](\w[\w -]*): (?:\$|none)/g)].map(
      ([, head]) => head ?? '',
    );
    expect(lines).toEqual(expect.arrayContaining(['App', 'Session', 'Storage', 'Last errors']));
    expect(lines.filter((head) => !guide.includes(`\`${head}\``))).toEqual([]);
  });
});
