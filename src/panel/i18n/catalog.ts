import type { ErrorCode } from '../../util/errors.js';
import english from '../../static/locales/en.json' with { type: 'json' };

/**
 * The texts of the panel in one language, a file `locales/<language>.json` of the package. English has all entries; the
 * others have the same ones. `{name}` is a placeholder. Errors are entries under their code.
 */
export type Catalog = Readonly<Record<Exclude<Key, PluralKey>, string>> &
  Readonly<Record<PluralKey, Plural>>;

type Key = keyof typeof english;

/** The keys of entries with plural forms. */
export type PluralKey = {
  [K in Key]: (typeof english)[K] extends string ? never : K;
}[Key];

/** A text in the forms that depend on the number `{count}`. Languages with one form for all numbers have no `one`. */
export interface Plural {
  readonly one?: string;
  readonly other: string;
}

/** The values that entries need, by the names of their placeholders. Plurals have `count` in addition. */
export const PLACEHOLDERS = {
  adding: ['done', 'total'],
  bytesSent: ['sent', 'total'],
  photoWaitingAt: ['percent'],
  photoFailedWith: ['code'],
  tooOld: ['app', 'version'],
  documentUploaded: ['time'],
  documentChanged: ['time'],
  versionOf: ['number', 'name'],
  approvedVersion: ['version'],
  approvedEarlier: ['version'],
  onSaveExporting: ['name'],
  onSaveWaiting: ['name'],
  onSaveQueued: ['name', 'time'],
  onSaveStopped: ['name'],
  onSaveClosed: ['time'],
  actionStepText: ['preset', 'project'],
  actionStepName: ['preset', 'project'],
  createProject: ['name'],
  stayConnected: ['name'],
  computerIs: ['name'],
  shareUntil: ['date'],
  busyWith: ['name'],
  bits: ['bits'],
  patternCharacters: ['characters'],
  longEdgeProblem: ['least', 'most'],
  exporting: ['done', 'total'],
  versions: ['plugin', 'app', 'version'],
  letter: ['letter', 'word'],
  digit: ['digit'],
  sign: ['sign'],
  progress: ['uploaded'],
  allUploadedTo: ['project'],
  folderLast: ['name', 'time'],
  folderMoves: ['name'],
  questionFor: ['account', 'workspace'],
} as const satisfies Partial<Readonly<Record<Key, readonly string[]>>>;

type WithPlaceholders = keyof typeof PLACEHOLDERS;

/** The keys of entries with placeholders that are no plurals. */
export type MessageKey = Exclude<WithPlaceholders, PluralKey>;

/** The keys of entries without placeholders. */
export type TextKey = Exclude<Key, WithPlaceholders | PluralKey | ErrorCode | 'alphabet'>;

/** The values for the placeholders of an entry, as arguments of a function: none if it has no placeholders. */
export type MessageArgs<K extends MessageKey | PluralKey> = K extends WithPlaceholders
  ? [values: Readonly<Record<(typeof PLACEHOLDERS)[K][number], string>>]
  : [];

/** In the script itself, so that the panel has texts even where the host cannot read a file. */
export const ENGLISH: Catalog = english;

/** Reads a text as a catalog. Returns null unless it has all entries of the English one. */
export function readCatalog(text: string): Catalog | null {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof found !== 'object' || found === null) {
    return null;
  }
  const entries: Readonly<Record<string, unknown>> = { ...found };
  const isComplete = Object.entries(english).every(
    ([key, value]) => typeof entries[key] === typeof value,
  );
  return isComplete ? (found as Catalog) : null;
}
