import type { VNode } from 'preact';
import type { DocumentAnswer } from './document-state.js';
import type { Translations } from '../../ui/i18n/translations.js';
import { Control } from '../../ui/controls.js';
import type { Context } from './panel.js';

/** What clients said about the open document. A press opens the photo's page. */
export function ClientAnswer({
  context: { strings, actions, on },
  answer,
}: {
  readonly context: Context;
  readonly answer: DocumentAnswer;
}): VNode {
  const { approval, pageUrl } = answer;
  return (
    <Control
      class={approval && !approval.isOutdated ? 'card-answer approved' : 'card-answer'}
      on={on}
      press={() => (pageUrl === null ? actions.openPhotos() : actions.openPage(pageUrl))}
    >
      {answerText(strings, answer)}
    </Control>
  );
}

function answerText(strings: Translations, { approval, comments }: DocumentAnswer): string {
  const words: string[] = [];
  if (approval) {
    const key = approval.isOutdated ? 'approvedEarlier' : 'approvedVersion';
    words.push(strings.fill(key, { version: String(approval.version) }));
  }
  if (comments > 0) {
    words.push(strings.count('commentCount', comments));
  }
  return words.join(' · ');
}
