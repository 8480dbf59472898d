import type { VNode } from 'preact';
import type { DocumentApproval } from './document-state.js';
import { Control } from '../../ui/controls.js';
import type { Context } from './panel.js';

/** Which version of the open document a client has approved. A press opens the photo's page. */
export function ClientAnswer({
  context: { strings, actions, on },
  approval: { version, isOutdated, pageUrl },
}: {
  readonly context: Context;
  readonly approval: DocumentApproval;
}): VNode {
  return (
    <Control
      class={isOutdated ? 'card-answer' : 'card-answer approved'}
      on={on}
      press={() => (pageUrl === null ? actions.openPhotos() : actions.openPage(pageUrl))}
    >
      {strings.fill(isOutdated ? 'approvedEarlier' : 'approvedVersion', {
        version: String(version),
      })}
    </Control>
  );
}
