import type { ShareTarget } from '../../../features/links/share-links.js';
import type { MenuEntry } from '../../menu-layer.js';
import type { PanelState, ViewContext } from '../../view.js';

interface ReceiptTarget {
  readonly target: ShareTarget;
  /** The project or the first photo, for the name of the file. */
  readonly name: string;
}

/** The menu entry that saves a receipt. */
export function receiptEntry(
  { strings, actions, change }: ViewContext,
  { target, name }: ReceiptTarget,
): MenuEntry {
  return {
    label: strings.saveReceipt,
    press: async () => {
      if (await actions.saveReceipt(target, name)) {
        change({ outcome: { title: strings.receiptSaved, error: null } });
      }
    },
  };
}

/** The photos that were uploaded last; null without any, or where the service signs no receipts. */
export function receiptTargetOf({ offersReceipts, uploadState }: PanelState): ReceiptTarget | null {
  const batch = uploadState.lastBatch;
  if (!offersReceipts || batch === null || batch.uploads.length === 0) {
    return null;
  }
  return {
    target: { uploads: batch.uploads },
    name: batch.project?.name ?? batch.names[0] ?? '',
  };
}
