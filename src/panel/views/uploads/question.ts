import { buttonRow } from '../../dom.js';
import type { View, ViewContext } from '../../view.js';
import { notice } from '../common/notice.js';

/** Asks whether photos of an earlier connection may go to the account that is connected now. */
export function questionSection({ strings, uploads, button }: ViewContext): View {
  const asked = notice(strings, [
    buttonRow([
      button('cta', strings.sendThem, () => uploads.answerQuestion(true)),
      button('secondary', strings.removeThem, () => uploads.answerQuestion(false)),
    ]),
  ]);
  return {
    root: asked.root,
    update({ uploader: { question } }) {
      if (!question) {
        asked.hide();
      } else {
        asked.say(
          strings.questionTitle,
          strings.count('questionCount', question.photos),
          strings.count('questionText', question.photos),
        );
      }
    },
  };
}
