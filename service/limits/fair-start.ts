import { Lanes } from './lanes.js';

/**
 * Lets requests begin one at a time. The senders take turns, and the network is read in between.
 *
 * With an embedded database a whole request is often done within one step of the event loop, and Node takes all that
 * has come in before it reads again. Without this, everybody else would wait, at each exchange, until all requests of
 * one busy sender are done.
 */
export class FairStart {
  private readonly waiting = new Lanes<() => void>();

  /**
   * Resolves when it is the turn of a request to begin.
   * @param who sent it: the network it came from, for instance.
   */
  turn(who: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.waiting.isEmpty) {
        this.goOn();
      }
      this.waiting.add(who, resolve);
    });
  }

  private goOn(): void {
    setImmediate(() => {
      this.waiting.next()?.();
      if (!this.waiting.isEmpty) {
        this.goOn();
      }
    });
  }
}
