/** The licences of libraries: reads them from installed packages, checks them, and lists their texts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An installed package that others wrote. */
export interface Library {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression; empty if the package states none. */
  readonly license: string;
  /** The texts of its licence files, or the section of its Readme; undefined if it has neither, or was not read. */
  readonly text: string | undefined;
}

/** These terms require the notice only. */
const PERMISSIVE: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1',
]);

/** These terms allow a library only where npm installs it as separate files, which anyone can replace. */
const SEPARATE: ReadonlySet<string> = new Set(['LGPL-3.0', 'LGPL-3.0-or-later']);

/** Packages that state their licence in the Readme only. */
const STATED_IN_README: Readonly<Record<string, string>> = { 'combine-errors': 'MIT' };

/** The folder of the package that a file belongs to; undefined for a file of ours. */
export function packageFolderOf(file: string): string | undefined {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/.exec(file)?.[0];
}

/**
 * Reads the licence of an installed package.
 * @param folder the folder of the package
 * @throws {Error} when it has no readable package.json
 */
export function readLibrary(folder: string): Library {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license?: unknown;
  };
  const { name, version } = manifest;
  return { name, version, license: licenseOf(name, manifest.license), text: textOf(folder) };
}

/** The SPDX expression of a package, by its name and the field `license` of its manifest or of the lock file. */
export function licenseOf(name: string, field: unknown): string {
  return typeof field === 'string' ? field : (STATED_IN_README[name] ?? '');
}

/**
 * Whether the licence permits what we do with the library.
 * @param isBundled whether its code becomes part of our files
 * @returns one sentence about the problem, or undefined
 */
export function licenseProblem(
  { name, version, license }: Omit<Library, 'text'>,
  isBundled: boolean,
): string | undefined {
  const isAllowed = (id: string): boolean => PERMISSIVE.has(id) || (!isBundled && SEPARATE.has(id));
  // Of alternatives one suffices. Nested expressions contain a bracket here, and are refused.
  const alternatives = license.replace(/^\((.*)\)$/, '$1').split(' OR ');
  if (alternatives.some((all) => all.split(' AND ').every(isAllowed))) {
    return undefined;
  }
  const use = isBundled ? 'bundled' : 'installed';
  const terms = license === '' ? 'an unknown licence' : `the licence ${license}`;
  return `${name} ${version} has ${terms}, which is not one that ${use} libraries may have (build/licenses.ts).`;
}

/**
 * The libraries that files belong to, each once, by name.
 * @param files absolute paths; those of our own files are ignored
 */
export function librariesOf(files: Iterable<string>): Library[] {
  const folders = new Set<string>();
  for (const file of files) {
    const folder = packageFolderOf(file);
    if (folder !== undefined) {
      folders.add(folder);
    }
  }
  return [...folders].map(readLibrary).sort(byName);
}

/** The list of libraries as a text file: an overview, then every licence text, each once. */
export function licensesText(libraries: readonly Library[]): string {
  const titles = new Map<string, string[]>();
  const overview = libraries.map(({ name, version, license, text }) => {
    const own = text ?? 'The text is not copied here: see the package.';
    const title = `${name} ${version}: ${license}`;
    titles.set(own, [...(titles.get(own) ?? []), title]);
    return title;
  });
  const line = '='.repeat(80);
  const sections = [...titles].map(([text, of]) => [line, ...of, line, '', text, ''].join('\n'));
  return ['Libraries, their versions and licences\n', ...overview, '', ...sections].join('\n');
}

function byName(a: Library, b: Library): number {
  const [first, second] = [a, b].map(({ name, version }) => `${name} ${version}`);
  return (first ?? '') < (second ?? '') ? -1 : 1;
}

function textOf(folder: string): string | undefined {
  const names = readdirSync(folder).sort();
  const read = (name: string): string =>
    readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim();
  const texts = names.filter((name) => /^(licen[cs]e|copying|notice)\b/i.test(name)).map(read);
  if (texts.length > 0) {
    return texts.join('\n\n');
  }
  const readme = names.find((name) => /^readme\b/i.test(name));
  const section = /^#+ *licen[cs]e.*\n([^#]+)/im.exec(readme === undefined ? '' : read(readme));
  return section?.[1]?.trim();
}
