import type { DestinationsNeeds } from '../destinations/index.js';
import type { PanelPart, ViewProps } from '../../ui/view.js';
import type { FolderState, FolderWatch } from './folder-watch.js';

export interface FolderPanel extends PanelPart {
  /** Null in a host that has no folders. */
  readonly state: { readonly folder: FolderState | null };
  readonly context: {
    readonly actions: {
      readonly chooseFolder: FolderWatch['choose'];
      readonly setFolderProject: FolderWatch['setProject'];
      readonly setFolderMoves: FolderWatch['setMovesUploaded'];
      readonly stopFolder: FolderWatch['stop'];
    };
  };
}

/** The parts that the views of this feature need. */
export type FolderNeeds = FolderPanel & DestinationsNeeds;
export type Props = ViewProps<FolderNeeds>;
