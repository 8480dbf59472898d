import { hexOf } from './hex.js';

/** Gives `count` unpredictable bytes. Handed in, so that tests can repeat a run. */
export type RandomBytes = (count: number) => Uint8Array;

/** A new id of 32 hexadecimal digits (128 bits): safe as a file name, a record key and an upload id. */
export function randomId(randomBytes: RandomBytes): string {
  return hexOf(randomBytes(16));
}

/** A number from 0 (included) to 1 (excluded), for jitter. */
export function randomFraction(randomBytes: RandomBytes): number {
  const [high = 0, low = 0] = randomBytes(2);
  return (high * 256 + low) / 65536;
}
