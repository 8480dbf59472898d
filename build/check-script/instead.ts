import type { AbsentFact } from '../../host-surface/index.js';
import { absent } from '../../host-surface/index.js';

/** What the list of absent things names in place of a name, or of a member of an object. */
export function insteadOf(name: string, object?: string): string {
  const matches = (fact: AbsentFact): boolean =>
    fact.name === name &&
    (object === undefined || fact.object === undefined || fact.object === object);
  return (
    absent.find((fact) => matches(fact) && fact.instead !== undefined)?.instead ??
    'a small module of our own'
  );
}
