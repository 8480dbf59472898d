import type { VNode } from 'preact';
import { Control } from '../../ui/controls.js';
import { FeedbackSheet } from './feedback-sheet.js';
import type { Props } from './panel.js';

/** How much guests said about the open document. A press lists it. */
export function FeedbackLine({ context, state }: Props): VNode | null {
  const { strings, change, on } = context;
  const { entries, unseen, needsPermission } = state.documentFeedback;
  if (entries.length === 0 && !needsPermission) {
    return null;
  }
  const open = entries.filter(({ kind, isDone }) => kind === 'comment' && !isDone).length;
  const wantsChanges = entries.some(({ kind, isCurrent }) => kind === 'changes' && isCurrent);
  const words = [
    entries.length === 0 ? strings.clientComments : strings.count('openComments', open),
    ...(wantsChanges ? [strings.changesRequested] : []),
    ...(unseen > 0 ? [strings.count('newComments', unseen)] : []),
  ];
  return (
    <Control
      class={`feedback-line comments-line${unseen > 0 ? ' new' : ''}`}
      on={on}
      press={() => {
        change({ sheet: (props) => <FeedbackSheet {...props} /> });
      }}
    >
      {words.map((word) => (
        <div key={word} class="feedback-word">
          {word}
        </div>
      ))}
    </Control>
  );
}
