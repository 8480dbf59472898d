import type { DocumentsPanel } from '../documents/index.js';
import type { PicturesPanel } from '../pictures/index.js';
import type { SignInPanel } from '../sign-in/index.js';
import type { UploadsPanel } from '../uploads/index.js';
import type { PanelPart, ViewContext, ViewProps } from '../../ui/view.js';
import type { PlacingPanel } from '../placing/index.js';
import type { LinkedFilesState } from './linked-files.js';
import type { PlacedStatusState } from './placed-status.js';
import type { PlacedUpdates, PlacedUpdatesState } from './placed-updates.js';

export interface PlacedFilesPanel extends PanelPart {
  readonly state: {
    /** The files of the workspace that are placed in the open document. */
    readonly placedStatus: PlacedStatusState;
    /** An update of them. */
    readonly placedUpdates: PlacedUpdatesState;
    /** Files that were placed by other means, as far as they are read. */
    readonly linkedFiles: LinkedFilesState;
  };
  readonly context: {
    readonly actions: {
      /** Looks for newer versions now. */
      checkPlaced(): void;
      /** Puts these versions in the place of what the document shows. Downloads them first. */
      readonly updatePlaced: PlacedUpdates['update'];
      cancelPlacedUpdate(): void;
      /** Reads files that were placed by other means, to recognise them. Lets the user choose their folder, if needed. */
      recogniseLinked(isOtherFolder: boolean): Promise<void>;
      cancelRecognising(): void;
      /** Hides what came of the last update. */
      dismissPlacedUpdate(): void;
    };
  };
}

/** The parts that the views of this feature need. */
export type PlacedFilesNeeds = PlacedFilesPanel &
  DocumentsPanel &
  PicturesPanel &
  PlacingPanel &
  SignInPanel &
  UploadsPanel;
export type Props = ViewProps<PlacedFilesNeeds>;
export type Context = ViewContext<PlacedFilesNeeds>;
