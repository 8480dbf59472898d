import { UnavailableError } from '../errors.js';
import { FairQueue } from './fair-queue.js';

/** A list of a thousand entries takes some 50 ms of the process: two overlap while one waits for the database. */
const LISTS_AT_ONCE = 2;
/** As many as one network may send at a time. */
const LISTS_OF_ONE = 32;
const LISTS_WAITING = 512;

/**
 * Long lists of the data API, a few at a time and users in turn. Otherwise many lists of one program delay each
 * statement of everybody else's requests.
 */
export class ListQueue {
  private readonly queue = new FairQueue({
    atOnce: LISTS_AT_ONCE,
    perKey: LISTS_OF_ONE,
    waitingInAll: LISTS_WAITING,
  });

  /**
   * Reads and sends a list.
   * @param accountId the user whose program requests it
   * @throws {UnavailableError} when too many wait
   */
  async run(accountId: string, list: () => Promise<void>): Promise<void> {
    if ((await this.queue.run(accountId, list)) === 'full') {
      throw new UnavailableError('too many lists wait to be read');
    }
  }
}
