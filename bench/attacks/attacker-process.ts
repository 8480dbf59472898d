/** A separate process for the attack, so that it does not slow down the measured control user. */
import { setMaxListeners } from 'node:events';

import type { AttackTarget } from './attack.js';
import { ATTACKS } from './all-attacks.js';

/** The task. It starts at once and ends without a signal. */
export interface AttackOrder {
  readonly name: string;
  readonly target: AttackTarget;
  /** How long the attack goes on, in milliseconds. */
  readonly ms: number;
}

process.once('message', (message) => {
  const { name, target, ms } = message as AttackOrder;
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  // Open requests end with the process.
  setTimeout(() => process.exit(), ms + 1000);
  setTimeout(() => stop.abort(), ms);
  void ATTACKS[name]?.(target, stop.signal).then(() => process.exit());
  process.send?.('begun');
});
// The parent process has ended.
process.once('disconnect', () => process.exit());
