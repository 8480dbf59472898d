import type { VNode } from 'preact';
import { Control } from '../../ui/controls.js';
import type { Props } from './panel.js';
import { openSelects } from './selects-sheet.js';

/** Gets selects with one press, once a link and a folder were chosen. */
export function SelectsLine({ context, state }: Props): VNode | null {
  const { strings, actions, on } = context;
  const { link, folder, steps } = state.selects;
  if (!link || folder === null || (link.expires !== null && link.expires < state.now)) {
    return null;
  }
  return (
    <Control
      class="feedback-line selects-line"
      on={on}
      press={() => {
        openSelects(context);
        return steps === null ? actions.writeSelects() : undefined;
      }}
    >
      <div class="feedback-word">{strings.getSelects}</div>
      <div class="feedback-word selects-link">{link.name}</div>
    </Control>
  );
}
