import type { AbsentFact } from '../../uxp-api/index.js';
import { absent } from '../../uxp-api/index.js';

/** What to use instead of a name, or of a member of `object`, according to the list of absent things. */
export function insteadOf(name: string, object?: string): string {
  const matches = (fact: AbsentFact): boolean =>
    fact.name === name &&
    (object === undefined || fact.object === undefined || fact.object === object);
  return (
    absent.find((fact) => matches(fact) && fact.instead !== undefined)?.instead ??
    'a small module of our own'
  );
}
