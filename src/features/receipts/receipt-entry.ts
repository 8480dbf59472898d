import type { Shared, SharedBatch } from '../links/index.js';
import type { MenuEntry } from '../../ui/menu-layer.js';
import type { Context, ReceiptsPanel } from './panel.js';

/** The menu entry that saves a receipt. */
export function receiptEntry(
  { strings, actions, change }: Context,
  { target, name }: Shared,
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
export function receiptTargetOf(
  { offersReceipts }: ReceiptsPanel['state'],
  batch: SharedBatch | null,
): Shared | null {
  if (!offersReceipts || batch === null || batch.uploads.length === 0) {
    return null;
  }
  return {
    target: { uploads: batch.uploads },
    name: batch.project?.name ?? batch.names[0] ?? '',
  };
}
