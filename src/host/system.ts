import type { Clock } from '../util/clock.js';

/** The host's own clock and timers. */
export const hostClock: Clock = {
  now: () => Date.now(),
  startTimer: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
};

/** Unpredictable bytes from the host (Web Crypto `getRandomValues`, in UXP since 6.2). */
export function hostRandomBytes(count: number): Uint8Array {
  const bytes = new Uint8Array(count);
  crypto.getRandomValues(bytes);
  return bytes;
}
