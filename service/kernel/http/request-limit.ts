import type { ServerResponse } from 'node:http';
import { UnavailableError } from '../errors.js';
import { KeyedSemaphore } from '../rate-limit/keyed-semaphore.js';
import { widestNetwork, type ClientAddress } from './request/client-address.js';

/** The maximum of concurrent requests of one network. The others wait in order. */
const PER_NETWORK = 32;
/** Concurrent requests of one address, including waiting ones. More are refused. */
const PER_ADDRESS = 128;
/** How long a request may wait, in milliseconds. */
const WAIT_MS = 10_000;

/**
 * Limits the concurrent requests of each network, so that many requests of one do not delay the others. It works the
 * same with both databases.
 *
 * A request holds a slot only while the service works on it, never while the service waits for its client. It releases
 * the slot when the service starts to read an upload, or to send a file or a ZIP. Uploads and downloads have separate
 * limits for each user.
 */
export class RequestLimit {
  private readonly ofNetwork: KeyedSemaphore;
  private readonly ofAddress = new KeyedSemaphore({ places: PER_ADDRESS, waiting: 0 });

  constructor(
    private readonly addressOf: ClientAddress,
    waitMs = WAIT_MS,
  ) {
    this.ofNetwork = new KeyedSemaphore({ places: PER_NETWORK, waitMs });
  }

  /**
   * Does the work of a request when there is a place for it; not at all if its client has gone away by then.
   * @throws {UnavailableError} when the address has too many requests here, or the wait was too long.
   */
  async run(response: ServerResponse, work: () => Promise<void>): Promise<void> {
    const release = await this.acquire(this.addressOf(response.req));
    response.once('pipe', release);
    response.req.once('resume', release);
    try {
      if (!response.destroyed) {
        await work();
      }
    } finally {
      response.off('pipe', release);
      response.req.off('resume', release);
      release();
    }
  }

  private async acquire(address: string): Promise<() => void> {
    const leaveAddress = await this.ofAddress.acquire(address);
    const leaveNetwork = leaveAddress && (await this.ofNetwork.acquire(widestNetwork(address)));
    if (leaveAddress === undefined || leaveNetwork === undefined) {
      leaveAddress?.();
      throw new UnavailableError('too many requests of one network are waiting');
    }
    let isHeld = true;
    return () => {
      if (!isHeld) {
        return;
      }
      isHeld = false;
      // Later: with the embedded database, a whole request is often done within one step of the event loop. Node then
      // reads from the network only after all received requests, unless the next ones wait for a later step.
      setImmediate(() => {
        leaveNetwork();
        leaveAddress();
      });
    };
  }
}
