import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

import { ERROR_CODES } from '../../src/base/errors.js';

const ROOT = join(import.meta.dirname, '..', '..');
const GUIDE = join(ROOT, 'docs', 'support.md');
const guide = readFileSync(GUIDE, 'utf8');

describe('the support guide', () => {
  it('has an entry for every code of the plugin, and for no other', () => {
    const entries = [...guide.matchAll(/^### (CW-\d{3}): .+\n\n(?!#)\S/gm)].map(([, code]) => code);
    expect(entries).toEqual([...ERROR_CODES].sort());
    const named = new Set(guide.match(/CW-\d+/g));
    expect([...named].filter((code) => !ERROR_CODES.some((known) => known === code))).toEqual([]);
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
    const anchors = [...guide.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
      (title ?? '')
        .toLowerCase()
        .replace(/[^\p{Letter}\p{Number}\s-]/gu, '')
        .replace(/\s/g, '-'),
    );
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

  it('names the buttons as the panel does', () => {
    const words = JSON.parse(
      readFileSync(join(ROOT, 'src', 'static', 'words', 'en.json'), 'utf8'),
    ) as { plain: Record<string, string> };
    const labels = new Set(Object.values(words.plain));
    const bold = [...guide.matchAll(/\*\*([^*]+)\*\*/g)].map(([, text]) => text ?? '');
    // The rest of what is bold: steps of the call, and the button on the service's page.
    const others = new Set(['Allow']);
    const steps = bold.filter((text) => /[?]$|^Ask for/.test(text));
    expect(
      bold.filter((text) => !labels.has(text) && !others.has(text) && !steps.includes(text)),
    ).toEqual([]);
  });
});
