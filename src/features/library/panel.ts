import type { CircuitState } from '../../api/circuit-breaker.js';
import type { PanelPart, ViewContext, ViewProps, ViewState } from '../../ui/view.js';
import type { DestinationsPanel } from '../destinations/index.js';
import type { PicturesPanel } from '../pictures/index.js';
import type { PlacingPanel } from '../placing/index.js';
import type { SignInPanel } from '../sign-in/index.js';
import type { LibraryState } from './library.js';
import type { LibraryQuery } from './library-query.js';

export interface LibraryPanel extends PanelPart {
  readonly state: {
    /** The files of the workspace. */
    readonly library: LibraryState;
  };
  readonly context: {
    readonly actions: {
      /** Loads the files, and goes on while a view shows them. */
      openLibrary(): void;
      closeLibrary(): void;
      /** Lists other files. */
      changeLibrary(change: Partial<LibraryQuery>): void;
      /** Loads the next page, or again what has failed. */
      loadMoreFiles(): void;
    };
  };
}

/** The parts that the views of this feature need. */
type LibraryNeeds = LibraryPanel &
  DestinationsPanel &
  PicturesPanel &
  PlacingPanel &
  SignInPanel & {
    /** Whether requests are sent. */
    readonly state: { readonly queue: CircuitState };
    readonly context: object;
  };
export type Props = ViewProps<LibraryNeeds>;
export type Context = ViewContext<LibraryNeeds>;
export type State = ViewState<LibraryNeeds>;
