/**
 * Names without a reference page that a host nevertheless has, by the word of Adobe's own samples and recipes or of people
 * who ship plugins. The simulated host has them and the build check lets them pass. Nothing else undocumented does: add a
 * name only with its evidence.
 */
interface PracticeFact {
  /** The object or class it belongs to; without one it is a global. */
  readonly object?: string;
  readonly name: string;
  readonly reason: string;
}

const practice: readonly PracticeFact[] = [
  {
    name: 'setTimeout',
    reason: 'no page; used by scripts of the documentation and by Premiere recipes',
  },
  { name: 'clearTimeout', reason: 'no page; used by a Premiere recipe and by Adobe samples' },
  { name: 'setInterval', reason: 'no page; used by Adobe samples' },
  { name: 'clearInterval', reason: 'no page; used by Adobe samples' },
  {
    name: 'document',
    reason: 'the page describes the class Document; every sample uses its instance',
  },
  {
    name: 'globalThis',
    reason: 'part of the language; a test runtime of practitioners relies on it',
  },
  {
    object: 'Object',
    name: 'hasOwn',
    reason: 'a practitioner template calls it unguarded at start',
  },
  {
    object: 'console',
    name: 'warn',
    reason: 'the guide names log and error; practitioners use warn',
  },
  {
    object: 'console',
    name: 'debug',
    reason: 'the guide names log and error; practitioners use debug',
  },
  {
    name: 'URL',
    reason:
      'no page; createObjectURL and revokeObjectURL appear in a sample; people report the constructor, no document does: it throws here',
  },
  {
    object: 'Element',
    name: 'classList',
    reason:
      'the class ClassList has a page, no page lists the property; a recipe and a sample use it',
  },
  { object: 'XMLHttpRequest', name: 'onload', reason: 'shown in an example of its page' },
  {
    object: 'XMLHttpRequest',
    name: 'onreadystatechange',
    reason: 'shown in an example of its page',
  },
  { object: 'XMLHttpRequest', name: 'ontimeout', reason: 'shown in an example of its page' },
  { object: 'XMLHttpRequest', name: 'onabort', reason: 'shown in an example of its page' },
  { object: 'XMLHttpRequest', name: 'onerror', reason: 'the Premiere network recipe uses it' },
  { object: 'XMLHttpRequest', name: 'addEventListener', reason: 'the page shows a load listener' },
  {
    object: 'XMLHttpRequest',
    name: 'removeEventListener',
    reason: 'the counterpart of addEventListener',
  },
];

/** The practised members of one object; without an argument the practised globals. */
export function practised(object?: string): string[] {
  return practice.filter((fact) => fact.object === object).map((fact) => fact.name);
}
