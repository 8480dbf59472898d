import type { Mutant } from '@stryker-mutator/api/core';

/** A name for a mutant that is the same before and during a run: Stryker numbers mutants anew each time. */
export function nameOf(
  mutant: Pick<Mutant, 'fileName' | 'location' | 'mutatorName' | 'replacement'>,
): string;
