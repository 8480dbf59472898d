import type { PanelPart, ViewProps } from '../../ui/view.js';
import type { SignInPanel } from '../sign-in/index.js';
import type { Placing, PlacingState } from './placing.js';

export interface PlacingPanel extends PanelPart {
  readonly state: { readonly placing: PlacingState };
  readonly context: {
    readonly actions: {
      /** Places a file in the document in front. Downloads it first. */
      readonly placeFile: Placing['placeFile'];
      /** Opens a file as a document. Downloads it first. */
      readonly openFile: Placing['openFile'];
      cancelPlacing(): void;
      /** Lets the user choose the folder that files are downloaded into. */
      choosePlacingFolder(): Promise<void>;
      dismissPlacing(): void;
    };
  };
}

/** The parts that the views of this feature need. */
export type PlacingNeeds = PlacingPanel & SignInPanel;
export type Props = ViewProps<PlacingNeeds>;
