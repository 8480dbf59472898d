import { box, replaceChildren, textBox } from '../../dom.js';
import type { PanelState } from '../../view.js';
import { fileName } from '../common/file-name.js';

export interface AccountLine {
  readonly root: HTMLElement;
  update(state: Pick<PanelState, 'account'>): void;
}

/**
 * The connected user and the workspace, in one line that keeps its height while they are not known. Each name is in a
 * separate box, so that a right-to-left name does not change the order of the others.
 */
export function accountLine(): AccountLine {
  const root = box('whose');
  let shown: PanelState['account'] = null;
  return {
    root,
    update({ account }) {
      if (account === shown) {
        return;
      }
      shown = account;
      replaceChildren(
        root,
        account
          ? [
              fileName('whose-name', account.name),
              textBox('whose-between', '·'),
              fileName('whose-name', account.workspace.name),
            ]
          : [],
      );
    },
  };
}
