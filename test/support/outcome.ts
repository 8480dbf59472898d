import { CwError } from '../../src/util/errors.js';

/** The state of a promise. `error` is its rejection reason. */
export interface Outcome<T> {
  state: 'pending' | 'resolved' | 'rejected';
  value: T | undefined;
  error: unknown;
}

/** Watches a promise without waiting for it. A rejection counts as handled. */
export function outcomeOf<T>(promise: Promise<T>): Outcome<T> {
  const outcome: Outcome<T> = { state: 'pending', value: undefined, error: undefined };
  promise.then(
    (value) => {
      outcome.state = 'resolved';
      outcome.value = value;
    },
    (error: unknown) => {
      outcome.state = 'rejected';
      outcome.error = error;
    },
  );
  return outcome;
}

/** The rejection reason of a promise. @throws Error when it is fulfilled */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('the promise was not rejected');
}

/** The stable code of the error that a promise is rejected with, or `no error`. Other errors are thrown on. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof CwError) return error.code;
    throw error;
  }
  return 'no error';
}
