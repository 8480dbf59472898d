import type { VNode } from 'preact';
import { Control, Icon } from '../../ui/controls.js';
import { openLibrary } from './library-sheet.js';
import type { Props } from './panel.js';

/** Opens the files of the workspace. Absent if the service does not list them. */
export function LibraryLine({ context, state }: Props): VNode | null {
  const { strings, on } = context;
  if (state.library.access === 'unsupported') {
    return null;
  }
  return (
    <Control
      class="library-line"
      on={on}
      press={() => {
        openLibrary(context);
      }}
    >
      <Icon name="picture" />
      <div class="library-word">{strings.browseFiles}</div>
      <Icon name="right" />
    </Control>
  );
}
