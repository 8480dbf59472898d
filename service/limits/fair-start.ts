import { Lanes } from './lanes.js';

/**
 * Lets requests begin one at a time. The senders take turns, and Node reads from the network in between.
 *
 * With an embedded database, a whole request is often done within one step of the event loop, and Node goes through all
 * requests that have arrived before it reads from the network again. Without this class, each request of somebody else
 * would wait until all requests of a busy sender are done.
 */
export class FairStart {
  private readonly waiting = new Lanes<() => void>();

  /**
   * Resolves when a request may begin.
   * @param who identifies the sender, for instance by the network.
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
