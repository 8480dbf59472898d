import type { Connection } from '../../account/connection.js';
import type { Host } from '../../host/host.js';
import type { PartSources } from '../../ui/view.js';
import type { ReceiptsPanel } from './panel.js';
import { Receipts } from './receipts.js';

export function startReceipts(
  host: Pick<Host, 'saveFile' | 'clock'>,
  connection: Pick<Connection, 'requests' | 'capabilities' | 'api' | 'account'>,
): {
  readonly panel: PartSources<ReceiptsPanel>;
} {
  const receipts = new Receipts({ ...connection, endpoint: `${connection.api}/receipts` });
  return {
    panel: {
      state: { offersReceipts: receipts.isOffered },
      context: {
        actions: {
          saveReceipt: (target, name) =>
            host.saveFile(receiptName(name, host.clock.now()), () => receipts.create(target)),
        },
      },
    },
  };
}

/** Longer names of photos and projects are cut. UTF-16 code units. */
const MAX_SUBJECT_LENGTH = 80;

/** The suggested name of a receipt: its subject, without what file systems refuse, and the day. */
function receiptName(subject: string, now: number): string {
  const plain = subject.slice(0, MAX_SUBJECT_LENGTH).replace(/[\p{Cc}\\/:*?"<>|]/gu, '_');
  return `receipt-${plain}-${new Date(now).toISOString().slice(0, 10)}.jws`;
}
