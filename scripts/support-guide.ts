/**
 * `npx tsx scripts/support-guide.ts`: writes what docs/support.md repeats from the English catalogs. These are the texts of
 * the codes, and the table of all words that the guide does not explain.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import pages from '../service/locales/en.json' with { type: 'json' };
import panel from '../src/static/locales/en.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '..');
const GUIDE = join(ROOT, 'docs', 'support.md');
/** The table of words follows it, until the end of the guide. */
const TABLE_FOLLOWS =
  '<!-- npx tsx scripts/support-guide.ts writes this table and the texts of the codes. -->\n';

type Catalog = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** The section of the guide for the words of a folder or of some files. The first that fits counts. */
const SECTIONS: readonly (readonly [path: string, heading: string])[] = [
  ['src/panel/views/sign-in', 'The code'],
  ['src/panel/views/account', 'Apps and browsers'],
  ['src/panel/views/automatic', 'Upload on save'],
  ['src/panel/views/presets', 'Presets'],
  ['src/panel/views/connected/share', 'Links'],
  ['src/panel', 'What the list says'],
  ['service/oauth', 'The pages'],
  ['service/platform', 'The pages'],
  ['service/features/company', 'Company account'],
  ['service/features/people/new-invitation', 'People'],
  ['service/features/people/invitation', 'People'],
  ['service/features/people/member', 'People'],
  ['service/features/people/visibility', 'People'],
  ['service/features/logos', 'People'],
  ['service/features/settings/connected-apps', 'Apps and browsers'],
  ['service/features/settings', 'Webhooks and tokens'],
  ['service/features/webhooks', 'Webhooks and tokens'],
  ['service/features/security', 'Policies'],
  ['service/features/activity', 'Notices and Activity'],
  ['service/features/shares', 'Links'],
  ['service/features/projects', 'Projects'],
  ['service/features/receipts', 'Receipts'],
  ['service/features/photos', 'Photos in the browser'],
  ['service', 'The account'],
];

/** Elements and functions that show a heading, a button or a link of a page. */
const HEADINGS_AND_BUTTONS = [
  /<(h[1-6]|button|summary|legend|a|label class="button")(?=[\s>])(?:(?!<\/\1\b)[^]){0,700}<\/(?:\1|label)\s*>/g,
  /\b(?:page|renderShell)\(\s*'\w+'/g,
  /\b(?:title|heading|label|button): '\w+'/g,
  /\bconst (?:heading|label|question) =[^;]+;/g,
  /\bgoOnForm\([^)]+\)|, '\w+'\] as const/g,
];

/** The anchor of a heading in a Markdown page, without `#`. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}\s-]/gu, '')
    .replace(/\s/g, '-');
}

/** The texts of an entry as people see them, with `…` in the place of what changes. */
export function shownTexts(entry: Catalog[string]): string[] {
  const forms = typeof entry === 'string' ? [entry] : Object.values(entry);
  return forms.map((text) => text.replace(/\{\w+\}/g, '…').replace(/[[\]]/g, ''));
}

/** The texts that the guide explains: labels, and what it quotes. */
export function explainedTexts(guide: string): Set<string> {
  const [written = ''] = guide.split(TABLE_FOLLOWS);
  const marked = [...written.matchAll(/\*\*([^*]+)\*\*|"([^"]+)"/g)];
  return new Set(marked.map(([, label, quote]) => label ?? quote ?? ''));
}

/** The words of the table at the end of the guide. */
export function tableTexts(guide: string): string[] {
  const [, table = ''] = guide.split(TABLE_FOLLOWS);
  return [...table.matchAll(/^\| .* \| (.*) \|$/gm)].flatMap(([, cell = '']) => cell.split(' / '));
}

/** The texts of the panel without those of the codes, and the headings and buttons of the pages. */
export function wordsOnScreen(): Map<string, string> {
  const sections = new Map<string, Set<string>>();
  const note = (catalog: Catalog, keys: Iterable<string>, path: string): void => {
    const heading = SECTIONS.find(([start]) => path.startsWith(start))?.[1];
    for (const text of [...keys].flatMap((key) => shownTexts(catalog[key] ?? {}))) {
      const found = sections.get(text) ?? new Set();
      sections.set(text, heading === undefined ? found : found.add(heading));
    }
  };
  const panelKeys = Object.keys(panel).filter((key) => !/^CW-\d/.test(key));
  note(panel, panelKeys, '');
  for (const [path, source] of sourcesIn('src/panel')) {
    const used = new Set([...source.matchAll(/(?:\.|'|=> )(\w+)\b/g)].map(([, key]) => key));
    note(panel, used.size === 0 ? [] : panelKeys.filter((key) => used.has(key)), path);
  }
  for (const [path, source] of sourcesIn('service')) {
    const shown = HEADINGS_AND_BUTTONS.flatMap((pattern) => source.match(pattern) ?? []);
    const keys = [...shown.join('\n').matchAll(/'(\w+)'/g)].map(([, key = '']) => key);
    note(
      pages,
      keys.filter((key) => key in pages),
      path,
    );
  }
  return new Map(
    [...sections].map(([text, [heading, ...others]]) => [
      text,
      heading === undefined || others.length > 0 ? '' : heading,
    ]),
  );
}

/** The guide with the texts of the catalogs as they are now. */
export function updatedGuide(guide: string): string {
  const [written = ''] = guide.split(TABLE_FOLLOWS);
  const codes: Readonly<Record<string, unknown>> = panel;
  const current = written.replace(
    /^(\| (CW-\d+) \|).*?(\| [^|]+ \| [^|]+ \|)$/gm,
    (_, start: string, code: string, end: string) => `${start} ${String(codes[code])} ${end}`,
  );
  const explained = explainedTexts(current);
  const rows = new Map<string, string[]>();
  for (const [text, heading] of wordsOnScreen()) {
    if (!explained.has(text)) {
      rows.set(heading, [...(rows.get(heading) ?? []), text]);
    }
  }
  const ordered = ['', ...new Set(SECTIONS.map(([, heading]) => heading))].flatMap((heading) => {
    const place = heading === '' ? 'Several places' : `[${heading}](#${anchorOf(heading)})`;
    const texts = rows.get(heading);
    return texts === undefined ? [] : [`| ${place} | ${texts.join(' / ')} |\n`];
  });
  return `${current}${TABLE_FOLLOWS}\n<!-- oxfmt-ignore -->\n| Section | Words |\n| - | - |\n${ordered.join('')}`;
}

function sourcesIn(folder: string): [path: string, source: string][] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((path) => [path.slice(ROOT.length + 1), readFileSync(path, 'utf8')]);
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(GUIDE, updatedGuide(readFileSync(GUIDE, 'utf8')));
}
