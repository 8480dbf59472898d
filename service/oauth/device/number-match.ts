import { randomInt } from 'node:crypto';

/**
 * The number that binds browser and app: the browser shows `number`, and the user chooses it among `choices` in the app.
 * A wrong choice ends the sign-in.
 */
export interface NumberMatch {
  readonly number: string;
  readonly choices: readonly string[];
}

const CHOICES = 3;
/** All numbers have two digits. */
const LEAST = 10;
const BEYOND = 100;

/** How many wrong numbers a user may choose in a day. Later sign-ins that need a number are refused. */
const MAX_WRONG = 3;
const DAY_SECONDS = 24 * 3600;

/** Chooses three different numbers, and one of them. */
export function newNumberMatch(): NumberMatch {
  const choices = new Set<string>();
  while (choices.size < CHOICES) {
    choices.add(String(randomInt(LEAST, BEYOND)));
  }
  const list = [...choices];
  return { number: list[randomInt(CHOICES)] ?? '', choices: list };
}

/** Counts the wrong numbers of a user. */
export function wrongNumberRule(accountId: string) {
  return { key: ['wrong numbers', accountId], max: MAX_WRONG, windowSeconds: DAY_SECONDS } as const;
}
