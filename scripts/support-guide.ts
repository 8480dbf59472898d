import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import panel from '../src/ui/i18n/en.js';

const ROOT = join(import.meta.dirname, '..');
/** The list of words follows it, until the end of the guide. */
export const LIST_FOLLOWS =
  '<!-- npm run generate writes this list and the texts of the codes. -->\n';

type Entry = string | Readonly<Record<'one' | 'other', string>>;
const CATALOG: Readonly<Record<string, Entry>> = panel;

/** The section of the guide for the views of a folder. The first that fits counts. */
const SECTIONS: readonly (readonly [path: string, heading: string])[] = [
  ['src/features/sign-in', 'The code'],
  ['src/panel/unsupported-host', 'The code'],
  ['src/features/device', 'Apps and browsers'],
  ['src/features/on-save', 'Upload on save'],
  ['src/features/folder', 'Upload on save'],
  ['src/features/documents/action', 'Upload on save'],
  ['src/panel/automatic', 'Upload on save'],
  ['src/features/presets', 'Presets'],
  ['src/features/documents/batch', 'Presets'],
  ['src/features/documents/preset', 'Presets'],
  ['src/features/links', 'Links'],
  ['src/features/library', 'Browse files'],
  ['src/', 'What the list shows'],
];

/** The anchor of a heading in a Markdown page, without `#`. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}\s-]/gu, '')
    .replace(/\s/g, '-');
}

/** A text as people see it, with `…` in the place of what changes. */
export function shownText(text: string): string {
  return text.replace(/\{\w+\}/g, '…').replace(/[[\]]/g, '');
}

/** A guide as its reader searches it: without markup, in lower case. */
export function searchableText(guide: string): string {
  return guide
    .replace(/\]\([^)]+\)|[[\]*"]/g, '')
    .replace(/\s+/g, ' ')
    .toLowerCase();
}

/**
 * The texts of the panel with the headings of their sections, `''` for several. Texts of codes are left out. Of singular and
 * plural the plural is here.
 */
export function panelTexts(): Map<string, string> {
  const headings = new Map<string, Set<string>>();
  for (const [path, source] of ['src/panel', 'src/features', 'src/ui'].flatMap(sourcesIn)) {
    // What shows nothing has members of the same names.
    if (!path.endsWith('.tsx') && !/\bTranslations\b/.test(source)) {
      continue;
    }
    const heading = SECTIONS.find(([start]) => path.startsWith(start))?.[1] ?? '';
    for (const [, key = ''] of source.matchAll(/(?:\.|'|=> )(\w+)\b/g)) {
      headings.set(key, (headings.get(key) ?? new Set()).add(heading));
    }
  }
  const entries = Object.entries(CATALOG).filter(([key]) => !/^CW-\d/.test(key));
  return new Map(
    entries.map(([key, entry]) => {
      const [heading = '', ...others] = headings.get(key) ?? [];
      const text = shownText(textOf(entry));
      return [text, others.length > 0 ? '' : heading];
    }),
  );
}

/**
 * docs/support.md with what it repeats from the English catalog of the panel as it is now: the texts of the codes, and the list of all
 * words that the guide does not have elsewhere.
 */
export function updatedGuide(guide: string): string {
  const [written = ''] = guide.split(LIST_FOLLOWS);
  const current = written.replace(
    /^(\| (CW-\d+) \|).*?(\| [^|]+ \|)$/gm,
    (_, start: string, code: string, end: string) => `${start} ${textOf(CATALOG[code])} ${end}`,
  );
  const texts = panelTexts();
  let searched = searchableText(current);
  const missing = new Set<string>();
  // The longest first: they can contain shorter ones.
  for (const text of [...texts.keys()].sort((one, other) => other.length - one.length)) {
    if (!searched.includes(text.toLowerCase())) {
      missing.add(text);
      searched += `\n${text.toLowerCase()}`;
    }
  }
  const list = [...new Set(['', ...SECTIONS.map(([, heading]) => heading)])].flatMap((heading) => {
    const words = [...texts].filter(([text, place]) => place === heading && missing.has(text));
    const place = heading === '' ? 'Several places' : `[${heading}](#${anchorOf(heading)})`;
    return words.length === 0 ? [] : [`- ${place}: ${words.map(([text]) => text).join(' / ')}\n`];
  });
  return `${current}${LIST_FOLLOWS}\n<!-- oxfmt-ignore -->\n${list.join('')}`;
}

/** The text of an entry, of singular and plural the plural. */
function textOf(entry: Entry = ''): string {
  return typeof entry === 'string' ? entry : entry.other;
}

function sourcesIn(folder: string): [path: string, source: string][] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && entry.name !== 'en.ts')
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((path) => [path.slice(ROOT.length + 1), readFileSync(path, 'utf8')]);
}
