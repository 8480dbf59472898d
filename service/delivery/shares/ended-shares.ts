import { LINK_EVENTS } from './events.js';
import type { Audit } from '../../identity/index.js';
import { removeFromEvents } from '../../kernel/events/event-log.js';
import { FEEDBACK_EVENTS } from '../../library/index.js';
import { DECISION_EVENTS } from '../rounds/index.js';
import { linkForLog } from './share.js';
import type { ShareTable } from './share-table.js';

/** How many links one statement records or removes. */
const BATCH = 100;

/**
 * Records the links that expired since the last time, and removes those that ended some time ago. The end of a revoked link
 * is recorded when it is revoked.
 * @param signal stops it after the current batch.
 */
export async function settleEndedShares(
  {
    shares,
    audit,
  }: {
    readonly shares: Pick<ShareTable, 'recordExpired' | 'removeEnded'>;
    readonly audit: Audit;
  },
  signal?: AbortSignal,
): Promise<void> {
  await inBatches(signal, () =>
    shares.recordExpired(BATCH, (transaction, share) =>
      audit(undefined, LINK_EVENTS.expired, linkForLog(share), transaction),
    ),
  );
  await inBatches(signal, () =>
    shares.removeEnded(BATCH, (transaction, { id, workspaceId }) =>
      // The names of guests leave the activity with their link.
      removeFromEvents(transaction, 'name', {
        workspaceId,
        events: [...Object.values(FEEDBACK_EVENTS), LINK_EVENTS.finished, DECISION_EVENTS.made],
        about: { member: 'link', values: [id] },
      }),
    ),
  );
}

async function inBatches(
  signal: AbortSignal | undefined,
  batch: () => Promise<number>,
): Promise<void> {
  let done = BATCH;
  while (done === BATCH && signal?.aborted !== true) {
    done = await batch();
  }
}
