import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const FOLDERS = [
  ...['src', 'service', 'packages', 'preview', 'test', 'bench', 'build', 'scripts', 'deploy'],
  ...['docs', 'uxp-api', '.ci', '.github', 'listing'],
];

/** The files of the repository, without those that commands make at the top and in the cache of tests. */
export const FILES: readonly string[] = [
  ...readdirSync(ROOT).filter((name) => name.includes('.')),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name),
    ),
  ).filter((file) => !file.startsWith('test/.cache/')),
];
const NAMES = new Set(FILES.map((file) => basename(file)));
/** Folders that a command makes. */
const MADE = new Set(['bench/results']);

/** A path in the repository. After `owner/name: ` it is a path in another one. */
const PATH = new RegExp(
  String.raw`(?<![\w./@-]|[\w-]+/[\w-]+: )(?:${FOLDERS.join('|').replaceAll('.', String.raw`\.`)})/[\w./@-]*\w`,
  'g',
);
/** The name of a source file, with its last folders or without. */
const NAME = /(?<![\w./@*-])(?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:tsx?|css)\b(?![\w/-])/g;

/** The files that a text names and that do not exist. */
export function missingFiles(text: string): string[] {
  const paths = (text.match(PATH) ?? []).filter(
    (path) => !MADE.has(path) && !existsSync(join(ROOT, path)),
  );
  const names = (text.match(NAME) ?? []).filter(
    (name) => !NAMES.has(basename(name)) || !FILES.some((file) => `/${file}`.endsWith(`/${name}`)),
  );
  return [...new Set([...paths, ...names])];
}
