import type { Mutant } from '@stryker-mutator/api/core';

/** Names a mutant the same before a run and in it: Stryker numbers them anew each time. */
export function nameOf(
  mutant: Pick<Mutant, 'fileName' | 'location' | 'mutatorName' | 'replacement'>,
): string;
