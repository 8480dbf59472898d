import { UnavailableError } from '../../../kernel/errors.js';
import { FairQueue } from '../../../kernel/rate-limit/fair-queue.js';
import { ConcurrencyLimit } from '../../../kernel/single-flight.js';

/** How many ZIPs one process sends at the same time. Each keeps an open file, its buffers and a plan. */
export const MAX_OPEN_ZIPS = 64;

/** How many of these one user or one link may have, from all addresses together. */
export const MAX_OPEN_ZIPS_OF_ONE = 16;

/** Limits the ZIPs that are open at the same time: of one user or link, and of all. */
export class ZipLimit {
  private readonly ofOne = new ConcurrencyLimit(MAX_OPEN_ZIPS_OF_ONE);
  private readonly ofAll = new ConcurrencyLimit(MAX_OPEN_ZIPS);
  private readonly planning = new FairQueue({
    atOnce: 1,
    perKey: MAX_OPEN_ZIPS_OF_ONE,
    waitingInAll: MAX_OPEN_ZIPS,
  });

  /**
   * Does the work if there is a free place.
   * @param owner the user, or the link, that the ZIP counts for.
   * @returns whether there was one.
   */
  async run(owner: string, work: () => Promise<void>): Promise<boolean> {
    let isAllowed = false;
    await this.ofOne.run(owner, async () => {
      isAllowed = await this.ofAll.run('', work);
    });
    return isAllowed;
  }
  /**
   * Plans a ZIP, or counts its photos. One is planned at a time: a plan in the making holds all names.
   * @throws {UnavailableError} when too many wait.
   */
  async plan<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const planned = await this.planning.run(owner, work);
    if (planned === 'full') {
      throw new UnavailableError('too many ZIPs wait to be planned');
    }
    return planned.result;
  }
}
