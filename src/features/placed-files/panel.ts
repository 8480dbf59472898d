import type { DocumentsPanel } from '../documents/index.js';
import type { PicturesPanel } from '../pictures/index.js';
import type { SignInPanel } from '../sign-in/index.js';
import type { UploadsPanel } from '../uploads/index.js';
import type { PanelPart, ViewContext, ViewProps } from '../../ui/view.js';
import type { PlacedStatusState } from './placed-status.js';

export interface PlacedFilesPanel extends PanelPart {
  readonly state: {
    /** The files of the workspace that are placed in the open document. */
    readonly placedStatus: PlacedStatusState;
  };
  readonly context: {
    readonly actions: {
      /** Looks for newer versions now. */
      checkPlaced(): void;
    };
  };
}

/** The parts that the views of this feature need. */
export type PlacedFilesNeeds = PlacedFilesPanel &
  DocumentsPanel &
  PicturesPanel &
  SignInPanel &
  UploadsPanel;
export type Props = ViewProps<PlacedFilesNeeds>;
export type Context = ViewContext<PlacedFilesNeeds>;
