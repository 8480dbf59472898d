import type { Ignorer } from '@stryker-mutator/api/ignore';

/** Leaves out the texts and causes of errors: people see the code of an error. */
export const wordsIgnorer: Ignorer;
