import { CancelledError, NEVER_CANCELLED, type CancelSignal } from './cancel.js';

/** Time, handed in so that tests can drive it. */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970. May jump: the user or the system sets it. */
  now(): number;
  /** Calls `callback` once after `delayMs` milliseconds of running time. Returns a function that stops the timer. */
  startTimer(delayMs: number, callback: () => void): () => void;
}

/**
 * Waits `delayMs` milliseconds.
 * @throws {CancelledError} as soon as `signal` fires.
 */
export function sleep(
  clock: Clock,
  delayMs: number,
  signal: CancelSignal = NEVER_CANCELLED,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.cancelled) {
      reject(new CancelledError());
      return;
    }
    const stopTimer = clock.startTimer(Math.max(0, delayMs), () => {
      stopListening();
      resolve();
    });
    const stopListening = signal.onCancel(() => {
      stopTimer();
      reject(new CancelledError());
    });
  });
}
