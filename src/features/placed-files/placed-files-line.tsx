import type { VNode } from 'preact';
import { Control } from '../../ui/controls.js';
import type { Props } from './panel.js';
import { PlacedFilesSheet } from './placed-files-sheet.js';
import { isNewer } from './placed-row.js';

/** How many placed files have a newer version. A press lists them. */
export function PlacedFilesLine({ context, state }: Props): VNode | null {
  const { strings, change, on } = context;
  const { rows, others } = state.placedStatus;
  const { canRead } = state.linkedFiles;
  const count = rows.length + (canRead ? others.length : 0);
  if (count === 0) {
    return null;
  }
  const newer = rows.filter(isNewer).length;
  const missing = rows.filter(({ local }) => local === 'missing').length;
  const words = [
    ...(newer > 0 ? [strings.count('newerVersions', newer)] : []),
    ...(missing > 0 ? [strings.count('missingFiles', missing)] : []),
  ];
  return (
    <Control
      class={`feedback-line placed-line${newer > 0 ? ' new' : ''}`}
      on={on}
      press={() => {
        context.actions.checkPlaced();
        change({ sheet: (props) => <PlacedFilesSheet {...props} /> });
      }}
    >
      {(words.length > 0 ? words : [strings.count('placedCount', count)]).map((word) => (
        <div key={word} class="feedback-word">
          {word}
        </div>
      ))}
    </Control>
  );
}
