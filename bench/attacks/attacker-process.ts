/** A process that attacks: its work must not slow down the honest person, whose time is measured. */
import { setMaxListeners } from 'node:events';

import type { AttackTarget } from './attack.js';
import { ATTACKS } from './attacks.js';

/** What it is told to do; it begins at once and ends by itself. */
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
  // Whatever still hangs then ends with the process.
  setTimeout(() => process.exit(), ms + 1000);
  setTimeout(() => stop.abort(), ms);
  void ATTACKS[name]?.(target, stop.signal).then(() => process.exit());
  process.send?.('begun');
});
// Nobody is left to attack for.
process.once('disconnect', () => process.exit());
