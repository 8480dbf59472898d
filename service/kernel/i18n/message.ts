import type en from '../../locales/en.js';

/** The texts of the pages in one language. A missing one is a compile error. */
export type Catalog = Readonly<Record<Key, string>>;

/** The key of an entry in the catalogs. */
export type Key = keyof typeof en;

type PlaceholdersIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholdersIn<Rest>
  : never;

/** The names of an entry's placeholders. */
type Placeholders<K extends Key> = PlaceholdersIn<(typeof en)[K]>;

/** The keys of entries without placeholders. */
export type PlainKey = {
  [K in Key]: [Placeholders<K>] extends [never] ? K : never;
}[Key];

/** A span of time, written out in the language of the page. */
export interface Duration {
  readonly amount: number;
  readonly unit: 'second' | 'minute' | 'hour' | 'day';
}

/** A value for a placeholder. */
export type Value = string | number | Duration | Message;

/**
 * An entry with its values, independent of the language. The code that creates it does not know the reader's language;
 * `Translator` formats it.
 */
export interface Message {
  readonly key: Key;
  readonly values: Readonly<Record<string, Value>>;
}

/** The values for an entry's placeholders, as arguments of a function: none if it has no placeholders. */
export type MessageArgs<K extends Key, V> = [Placeholders<K>] extends [never]
  ? []
  : [values: Readonly<Record<Placeholders<K>, V>>];

/** Creates a message from an entry of the catalogs and the values for its placeholders. */
export function message<K extends Key>(key: K, ...[values]: MessageArgs<K, Value>): Message {
  return { key, values: values ?? {} };
}

/** How long to wait, rounded up to minutes, or to hours beyond 90 minutes. */
export function waitDuration(seconds: number): Duration {
  const minutes = Math.ceil(seconds / 60);
  return minutes > 90
    ? { amount: Math.ceil(minutes / 60), unit: 'hour' }
    : { amount: minutes, unit: 'minute' };
}
