import type { VNode } from 'preact';
import { Button, Buttons } from '../../ui/controls.js';
import type { DocumentWords } from './comments-in-document.js';
import type { Props } from './panel.js';

/** The buttons that put the comments into the document and remove them, and what came of it. */
export function InDocument({
  context,
  state,
  words,
}: Props & { readonly words: DocumentWords }): VNode | null {
  const { strings, actions, on } = context;
  const { canShow, isWorking, last, numbers, uncertain, unplaced, error } = state.inDocument;
  const hasOpen = state.documentFeedback.entries.some(
    ({ kind, isDone }) => kind === 'comment' && !isDone,
  );
  const isShown = last === 'shown' && numbers.size > 0;
  if (!canShow || state.openDocument === null || (!hasOpen && last === null)) {
    return null;
  }
  const lines = [
    ...(isWorking ? [strings.workingInDocument] : []),
    ...(isShown && !isWorking ? [strings.count('shownInDocument', numbers.size)] : []),
    ...(last === 'removed' ? [strings.removedFromDocument] : []),
    ...(uncertain > 0 ? [strings.count('uncertainPlaces', uncertain)] : []),
    ...(unplaced > 0 ? [strings.count('unplacedComments', unplaced)] : []),
  ];
  return (
    <div class="in-document">
      <Buttons>
        {hasOpen && !isWorking && (
          <Button
            on={on}
            kind="action"
            label={strings.showInDocument}
            press={() => actions.showInDocument(words)}
          />
        )}
        {isShown && !isWorking && (
          <Button
            on={on}
            kind="action"
            label={strings.removeFromDocument}
            press={() => actions.removeFromDocument(words)}
          />
        )}
      </Buttons>
      {lines.map((line) => (
        <div key={line} class="detail">
          {line}
        </div>
      ))}
      {error && <div class="in-document-problem">{strings.errors[error.code]}</div>}
    </div>
  );
}
