import { LINK_EVENTS } from './events.js';
import type { Audit } from '../../identity/index.js';
import { linkForLog } from './share.js';
import type { ShareTable } from './share-table.js';

/** How many links one statement removes. */
const BATCH = 100;

/**
 * Removes the links that ended some time ago, with a line in the log for each that expired.
 * @param signal stops it after the current batch.
 */
export async function expireShares(
  { shares, audit }: { readonly shares: Pick<ShareTable, 'forgetExpired'>; readonly audit: Audit },
  signal?: AbortSignal,
): Promise<void> {
  let forgotten = BATCH;
  while (forgotten === BATCH && signal?.aborted !== true) {
    forgotten = await shares.forgetExpired(BATCH, async (transaction, share) => {
      // The end of a revoked link is in the log already.
      if (share.isRevoked !== true) {
        await audit(undefined, LINK_EVENTS.expired, linkForLog(share), transaction);
      }
    });
  }
}
