import type { LinksPanel } from '../links/index.js';
import type { SignInPanel } from '../sign-in/index.js';
import type { PanelPart, ViewContext, ViewProps } from '../../ui/view.js';
import type { Selects } from './selects.js';
import type { SelectsState } from './selects-state.js';

export interface SelectsPanel extends PanelPart {
  readonly state: { readonly selects: SelectsState };
  readonly context: {
    readonly actions: {
      readonly answeredLinks: Selects['answeredLinks'];
      readonly chooseSelectsLink: Selects['chooseLink'];
      readonly chooseSelectsFolder: Selects['chooseFolder'];
      readonly setReplacing: Selects['setReplacing'];
      readonly setIntoFiles: Selects['setIntoFiles'];
      readonly showSelects: Selects['show'];
      readonly writeSelects: Selects['write'];
      readonly undoSelects: Selects['undo'];
      readonly cancelSelects: Selects['cancel'];
    };
  };
}

/** The parts that the views of this feature need. */
export type SelectsNeeds = SelectsPanel & LinksPanel & SignInPanel;
export type Props = ViewProps<SelectsNeeds>;
export type Context = ViewContext<SelectsNeeds>;
