import type { ShareTarget } from '../links/index.js';
import type { PanelPart, ViewContext } from '../../ui/view.js';

export interface ReceiptsPanel extends PanelPart {
  /** Whether the service signs receipts. */
  readonly state: { readonly offersReceipts: boolean };
  readonly context: {
    readonly actions: {
      /** Saves a receipt where the user chooses. @returns false when the user cancels @throws {CwError} CW-615, CW-802, CW-811 */
      saveReceipt(target: ShareTarget, name: string): Promise<boolean>;
    };
  };
}

/** The parts that the views of this feature need. */
export type ReceiptsNeeds = ReceiptsPanel;
export type Context = ViewContext<ReceiptsNeeds>;
