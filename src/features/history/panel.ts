import type { ReceiptsPanel } from '../receipts/index.js';
import type { LinksNeeds } from '../links/index.js';
import type { PanelPart, ViewContext, ViewProps, ViewState } from '../../ui/view.js';
import type { UploadedPhoto } from './upload-history.js';

export interface HistoryPanel extends PanelPart {
  /** The uploaded photos of the connected account, the newest first. */
  readonly state: { readonly delivered: readonly UploadedPhoto[] };
  readonly context: object;
}

/** What the panel derives from the history and the list. */
export interface HistoryLists extends PanelPart {
  readonly state: {
    /** The uploaded photos of the connected account that are no longer on the list, the newest first. */
    readonly earlier: readonly UploadedPhoto[];
    /** The uploaded photos of the connected account, by the id that each had on the list. */
    readonly uploadedById: ReadonlyMap<string, UploadedPhoto>;
  };
  readonly context: object;
}

/** The parts that the views of this feature need. */
export type HistoryNeeds = HistoryLists &
  LinksNeeds &
  ReceiptsPanel & {
    readonly state: object;
    readonly context: {
      readonly uploads: {
        readonly versions: { undo(uploadIds: readonly string[]): Promise<void> };
        clearHistory(): Promise<void>;
      };
    };
  };
export type Props = ViewProps<HistoryNeeds>;
export type Context = ViewContext<HistoryNeeds>;
export type State = ViewState<HistoryNeeds>;
