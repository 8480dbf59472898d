import type { en } from './words/en.js';

/** The name of an entry in the catalogues of words. */
export type Key = keyof typeof en;

/** The words of one language. */
export type Words = Readonly<Record<Key, string>>;

/** What an entry wants to be filled with: the names between braces. */
type Blanks<K extends Key> = BlanksIn<(typeof en)[K]>;
type BlanksIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | BlanksIn<Rest>
  : never;

/** Entries that stand by themselves, with nothing to be filled in. */
export type PlainKey = { [K in Key]: [Blanks<K>] extends [never] ? K : never }[Key];

/** A span of time, written out in the language of the page. */
export interface Duration {
  readonly amount: number;
  readonly unit: 'minute' | 'hour' | 'day';
}

export type Value = string | number | Duration | Sentence;

/**
 * Something to say, in no language yet: whoever finds it does not know who will read it. Made by
 * {@link sentence}, told by `Speech`.
 */
export interface Sentence {
  readonly key: Key;
  readonly values: Readonly<Record<string, Value>>;
}

/** The values of an entry as arguments: none where nothing is to be filled in. */
export type Filling<K extends Key, V> = [Blanks<K>] extends [never]
  ? []
  : [values: Readonly<Record<Blanks<K>, V>>];

export function sentence<K extends Key>(key: K, ...[values]: Filling<K, Value>): Sentence {
  return { key, values: values ?? {} };
}

/** How long to wait, as people say it. */
export function waiting(seconds: number): Duration {
  const minutes = Math.ceil(seconds / 60);
  return minutes > 90
    ? { amount: Math.ceil(minutes / 60), unit: 'hour' }
    : { amount: minutes, unit: 'minute' };
}
