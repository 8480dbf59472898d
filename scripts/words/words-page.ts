import { LANGUAGES } from '../../src/panel/strings/language.js';
import { pageEntries, panelEntries, type Entry } from './catalogues.js';
import { anchorOf, type Kind } from './places.js';

const NAMES: Readonly<Record<(typeof LANGUAGES)[number], string>> = {
  en: 'English',
  de: 'German',
  es: 'Spanish',
  fr: 'French',
  ja: 'Japanese',
  'pt-BR': 'Portuguese (Brazil)',
};

const HEAD = `# The words in six languages

Made by \`npx tsx scripts/words.ts\` from the words of the plugin and of the service; do not edit it. For support: search this page
for what the customer reads out, in whatever language. The first column is the same in English, the last leads to the part
of the [support guide](support.md) that tells what it means and what to say. \`…\` stands for what changes, such as a number or a
name: search for a few words beside it.
`;

/** `docs/words.md`: everything that people can read in the panel and on the service's pages. */
export function wordsPage(): string {
  const panel = panelEntries();
  const pages = pageEntries();
  const of = (entries: readonly Entry[], ...kinds: readonly Kind[]): readonly Entry[] =>
    entries.filter(({ code, kind }) => code === null && kinds.includes(kind));
  return [
    HEAD,
    section('Panel: buttons', of(panel, 'button')),
    section('Panel: titles', of(panel, 'title')),
    section(
      'Panel: what went wrong, by code',
      panel.filter(({ code }) => code !== null),
    ),
    section('Panel: everything else', of(panel, 'message', 'label')),
    section('Pages in the browser: buttons', of(pages, 'button')),
    section('Pages in the browser: titles', of(pages, 'title')),
    section('Pages in the browser: sentences', of(pages, 'message')),
    section('Pages in the browser: everything else', of(pages, 'label')),
  ].join('\n');
}

function section(title: string, entries: readonly Entry[]): string {
  const rows = [
    [...LANGUAGES.map((language) => NAMES[language]), 'In the guide'],
    [...LANGUAGES.map(() => '---'), '---'],
    ...entries.map(({ code, heading, texts }) => [
      ...texts.map((forms) => [...new Set(forms)].join('<br>')),
      `[${code ?? heading}](support.md#${anchorOf(heading)})`,
    ]),
  ];
  return `## ${title}\n\n${rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}
