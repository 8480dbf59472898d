import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

import pages from '../../service/locales/en.json' with { type: 'json' };
import { ERROR_CODES } from '../../src/util/errors.js';
import panel from '../../src/static/locales/en.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '..', '..');
const GUIDE = join(ROOT, 'docs', 'support.md');
const guide = readFileSync(GUIDE, 'utf8');
const headings = [...guide.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading ?? '');
/** What panel and pages say, as the guide quotes it. */
const quotes = [...guide.matchAll(/^> (.+)$/gm)].map(([, quote]) => quote ?? '');
/** Every text of panel and pages, as shown. */
const texts = new Set(
  [...Object.values(panel), ...Object.values(pages)]
    .flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.values(entry)))
    .map((text) => text.replace(/\{\w+\}/g, '…').replace(/[[\]]/g, '')),
);

/** The anchor of a heading in a Markdown page, without `#`. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}\s-]/gu, '')
    .replace(/\s/g, '-');
}

describe('the support guide', () => {
  it('has exactly one entry per error code', () => {
    const entries = headings.flatMap((heading) => /^CW-\d{3}(?=: )/.exec(heading) ?? []);
    expect(entries).toEqual([...ERROR_CODES].sort());
    const named = new Set(guide.match(/CW-\d+/g));
    expect([...named].filter((code) => !ERROR_CODES.some((known) => known === code))).toEqual([]);
  });

  it('has the panel’s text, meaning, answer and escalation for every code', () => {
    for (const code of ERROR_CODES) {
      const sentences = panel[code];
      const heading = `${code}: ${sentences.replace(/[.] .*$|[.]$/, '')}`;
      const start = `### ${heading}\n\n> ${sentences}\n\n- _Means_: `;
      const [, text = 'not found'] = guide.split(start);
      expect([start, text]).toEqual([start, expect.not.stringMatching(/^not found$/)]);
      const [own = ''] = text.split('\n#');
      expect([code, own]).toEqual([
        code,
        expect.stringMatching(/^\S[^]*\n- _Say_: \S[^]*\n- _Hand over_: \S/),
      ]);
    }
  });

  it('explains every quoted text', () => {
    // A quote is followed by another or by words of the guide, not by the next heading.
    expect(guide.match(/^> .+\n\n#.*$/gm) ?? []).toEqual([]);
  });

  it('quotes existing texts only', () => {
    expect(quotes.filter((quote) => !texts.has(quote))).toEqual([]);
    expect(quotes.length).toBeGreaterThan(100);
  });

  it('names existing commands', () => {
    const commands = [...guide.matchAll(/`service:admin -- ([\w-]+)`/g)].map(([, name]) => name);
    const source = readFileSync(join(ROOT, 'service', 'app', 'admin-commands.ts'), 'utf8');
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.filter((name) => !source.includes(`  '${name}': {`))).toEqual([]);
  });

  it('shows existing pictures, and every picture of the panel', () => {
    const shown = [...guide.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path]) => path ?? '');
    const images = join(dirname(GUIDE), 'images');
    const taken = readdirSync(images)
      .filter((name) => name.endsWith('.png') && name !== 'panel-code.png') // the README's
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

  it('uses the labels of the buttons', () => {
    const bold = [...guide.matchAll(/\*\*([^*]+)\*\*/g)].map(([, text = '']) =>
      text.replace(/\s+/g, ' '),
    );
    // The rest of what is bold: the steps of a call.
    const steps = bold.filter((text) => /[?]$|^Ask for|^Search this page/.test(text));
    expect(bold.filter((text) => !texts.has(text) && !steps.includes(text))).toEqual([]);
  });
});
