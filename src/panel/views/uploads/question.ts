import { buttonRow } from '../../dom.js';
import type { View, ViewContext } from '../../view.js';
import { notice } from '../common/notice.js';

/** The prompt about photos of an earlier session that may belong to another account. */
export function questionSection({ strings, uploads, button }: ViewContext): View {
  const prompt = notice(strings, [
    buttonRow([
      button('cta', strings.sendThem, () => uploads.answerQuestion(true)),
      button('secondary', strings.removeThem, () => uploads.answerQuestion(false)),
    ]),
  ]);
  return {
    root: prompt.root,
    update({ uploadState: { question } }) {
      if (!question) {
        prompt.hide();
      } else {
        prompt.say(
          strings.questionTitle,
          strings.count('questionCount', question.photos),
          strings.count('questionText', question.photos),
        );
      }
    },
  };
}
