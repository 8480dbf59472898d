import type { en } from './words/en.js';

/** The key of an entry in the dictionaries. */
export type Key = keyof typeof en;

/** The dictionary of one language. */
export type Words = Readonly<Record<Key, string>>;

/** The blanks of an entry that must be filled in: the names between braces. */
type Blanks<K extends Key> = BlanksIn<(typeof en)[K]>;
type BlanksIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | BlanksIn<Rest>
  : never;

/** The keys of entries without blanks. */
export type PlainKey = { [K in Key]: [Blanks<K>] extends [never] ? K : never }[Key];

/** A span of time, written out in the language of the page. */
export interface Duration {
  readonly amount: number;
  readonly unit: 'minute' | 'hour' | 'day';
}

/** What a blank can be filled with. */
export type Value = string | number | Duration | Sentence;

/**
 * Something to say, before it is put into a language: the code that makes it does not know who will read it. Made by
 * {@link sentence}, put into words by `Speech`.
 */
export interface Sentence {
  readonly key: Key;
  readonly values: Readonly<Record<string, Value>>;
}

/** The values for an entry's blanks, as arguments of a function: none if the entry has no blanks. */
export type Filling<K extends Key, V> = [Blanks<K>] extends [never]
  ? []
  : [values: Readonly<Record<Blanks<K>, V>>];

/** Makes a sentence from an entry of the dictionaries and the values for its blanks. */
export function sentence<K extends Key>(key: K, ...[values]: Filling<K, Value>): Sentence {
  return { key, values: values ?? {} };
}

/** How long to wait, rounded up to minutes, or to hours beyond 90 minutes. */
export function waiting(seconds: number): Duration {
  const minutes = Math.ceil(seconds / 60);
  return minutes > 90
    ? { amount: Math.ceil(minutes / 60), unit: 'hour' }
    : { amount: minutes, unit: 'minute' };
}
