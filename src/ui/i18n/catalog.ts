import type { ErrorCode } from '../../util/errors.js';
import english from './en.js';

/** The texts of the panel in one language. */
export type Catalog = Readonly<Record<Exclude<Key, PluralKey>, string>> &
  Readonly<Record<PluralKey, Plural>>;

type English = typeof english;
type Key = keyof English;

/** The keys of entries with plural forms. */
export type PluralKey = {
  [K in Key]: English[K] extends string ? never : K;
}[Key];

/** A text in the forms that depend on the number `{count}`. Languages with one form for all numbers have no `one`. */
export interface Plural {
  readonly one?: string;
  readonly other: string;
}

type PlaceholdersIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholdersIn<Rest>
  : never;

/** The names of an entry's placeholders. Plurals have `count` in addition. */
type Placeholders<K extends Key> = K extends PluralKey
  ? Exclude<PlaceholdersIn<English[K][keyof English[K]]>, 'count'>
  : PlaceholdersIn<English[K]>;

/** The keys of entries with placeholders that are no plurals. */
export type MessageKey = Exclude<
  { [K in Key]: [Placeholders<K>] extends [never] ? never : K }[Key],
  PluralKey
>;

/** The keys of entries without placeholders. */
export type TextKey = Exclude<Key, MessageKey | PluralKey | ErrorCode | 'alphabet'>;

/** The values for the placeholders of an entry. */
export type MessageValues<K extends MessageKey | PluralKey> = Readonly<
  Record<Placeholders<K>, string>
>;

/** The values for a plural, as arguments of a function: none if it has no placeholders but `count`. */
export type PluralArgs<K extends PluralKey> = [Placeholders<K>] extends [never]
  ? []
  : [values: MessageValues<K>];

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
