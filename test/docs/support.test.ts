import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

import { pageEntries, panelEntries, type Entry } from '../../scripts/words/catalogues.js';
import { anchorOf } from '../../scripts/words/places.js';
import { wordsPage } from '../../scripts/words/words-page.js';
import { ERROR_CODES } from '../../src/base/errors.js';

const ROOT = join(import.meta.dirname, '..', '..');
const GUIDE = join(ROOT, 'docs', 'support.md');
const guide = readFileSync(GUIDE, 'utf8');
const headings = [...guide.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading ?? '');
/** What panel and pages say, as the guide quotes it. */
const quotes = [...guide.matchAll(/^> (.+)$/gm)].map(([, quote]) => quote ?? '');
const panel = panelEntries();
const pages = pageEntries();

/** The forms of an entry in English. */
function english({ texts: [forms = []] }: Entry): readonly string[] {
  return forms;
}

describe('the support guide', () => {
  it('has an entry for every code of the plugin, and for no other', () => {
    const entries = headings.flatMap((heading) => /^CW-\d{3}(?=: )/.exec(heading) ?? []);
    expect(entries).toEqual([...ERROR_CODES].sort());
    const named = new Set(guide.match(/CW-\d+/g));
    expect([...named].filter((code) => !ERROR_CODES.some((known) => known === code))).toEqual([]);
  });

  it('says at every code the panel’s own sentences, what they mean, what to say and when to hand over', () => {
    const errors = panel.filter(({ code }) => code !== null);
    expect(errors).toHaveLength(ERROR_CODES.length);
    for (const entry of errors) {
      const start = `### ${entry.heading}\n\n> ${english(entry).join()}\n\n- _Means_: `;
      const [, text = 'not found'] = guide.split(start);
      expect([start, text]).toEqual([start, expect.not.stringMatching(/^not found$/)]);
      const [own = ''] = text.split('\n#');
      expect([entry.code, own]).toEqual([
        entry.code,
        expect.stringMatching(/^\S[^]*\n- _Say_: \S[^]*\n- _Hand over_: \S/),
      ]);
    }
  });

  it('quotes every title and sentence of the panel and of the pages where it is explained', () => {
    const wanted = [...panel, ...pages].filter(
      ({ code, kind }) => code === null && (kind === 'title' || kind === 'message'),
    );
    const sections = guide.split(/^(?=#+ )/m);
    const missing = wanted.flatMap((entry) => {
      const section = sections.find((text) =>
        text.replace(/^#+ /, '').startsWith(`${entry.heading}\n`),
      );
      // A heading has no full stop.
      const isThere = english(entry).some(
        (text) => entry.heading === text.replace(/[.]$/, '') || section?.includes(`\n> ${text}\n`),
      );
      return isThere ? [] : [`${entry.heading}: ${english(entry).join()}`];
    });
    expect(missing).toEqual([]);
    expect(wanted.length).toBeGreaterThan(100);
  });

  it('explains everything it quotes', () => {
    // A quote is followed by another or by words of the guide, not by the next heading.
    expect(guide.match(/^> .+\n\n#.*$/gm) ?? []).toEqual([]);
  });

  it('quotes nothing that panel and pages do not say', () => {
    const said = new Set([...panel, ...pages].flatMap(english));
    expect(quotes.filter((quote) => !said.has(quote))).toEqual([]);
  });

  it('has the words in all languages beside it, each with a way back into the guide', () => {
    // When this fails: npx tsx scripts/words.ts
    const words = readFileSync(join(dirname(GUIDE), 'words.md'), 'utf8');
    expect(words).toBe(wordsPage());
    for (const { texts } of [...panel, ...pages])
      for (const text of texts.flat()) expect(words).toContain(text);
    const anchors = headings.map(anchorOf);
    const ways = [...words.matchAll(/\(support\.md#([^)]+)\)/g)].map(([, anchor]) => anchor ?? '');
    expect(ways.filter((anchor) => !anchors.includes(anchor))).toEqual([]);
    expect(ways).toHaveLength(panel.length + pages.length);
  });

  it('names commands that operators have', () => {
    const commands = [...guide.matchAll(/`service:admin -- ([\w-]+)`/g)].map(([, name]) => name);
    const source = readFileSync(join(ROOT, 'service', 'admin-commands.ts'), 'utf8');
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.filter((name) => !source.includes(`  '${name}': {`))).toEqual([]);
  });

  it('shows pictures that are there, and all pictures of the panel', () => {
    const shown = [...guide.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path]) => path ?? '');
    const images = join(dirname(GUIDE), 'images');
    const taken = readdirSync(images)
      .filter((name) => name.endsWith('.png') && name !== 'panel-code.png') // the README's
      .map((name) => `images/${name}`);
    expect([...shown].sort()).toEqual(taken.sort());
  });

  it('leads nowhere that is not there', () => {
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

  it('names the buttons as the panel and the pages do', () => {
    const buttons = [...panel, ...pages].filter(({ kind }) => kind === 'button');
    const labels = new Set(buttons.flatMap(english));
    const bold = [...guide.matchAll(/\*\*([^*]+)\*\*/g)].map(([, text = '']) =>
      text.replace(/\s+/g, ' '),
    );
    // The rest of what is bold: the steps of a call.
    const steps = bold.filter((text) => /[?]$|^Ask for|^Search this page/.test(text));
    expect(bold.filter((text) => !labels.has(text) && !steps.includes(text))).toEqual([]);
  });
});
