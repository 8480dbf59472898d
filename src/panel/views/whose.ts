import { block, replaceChildren, textBlock } from '../dom.js';
import type { PanelState } from '../view.js';
import { fileName } from './file-name.js';

export interface WhoseLine {
  readonly root: HTMLElement;
  update(state: Pick<PanelState, 'account'>): void;
}

/**
 * Whose session it is, and where photos go, in one line that has its place also while nobody knows. Each name is a box
 * of its own, so that none changes the order of what stands beside it.
 */
export function whoseLine(): WhoseLine {
  const root = block('whose');
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
              textBlock('whose-between', '·'),
              fileName('whose-name', account.workspace.name),
            ]
          : [],
      );
    },
  };
}
