import { buttonRow } from '../../dom.js';
import type { View, ViewContext } from '../../view.js';
import { notice } from '../common/notice.js';

/** The prompt about photos that have a copy, but were not on the list. */
export function foundSection({ strings, uploads, button }: ViewContext): View {
  const prompt = notice(strings, [
    buttonRow([
      button('cta', strings.uploadFound, () => uploads.answerFound(true)),
      button('secondary', strings.remove, () => uploads.answerFound(false)),
    ]),
  ]);
  return {
    root: prompt.root,
    update({ uploadState: { found } }) {
      if (found === 0) {
        prompt.hide();
      } else {
        prompt.say(strings.count('foundCount', found), strings.count('foundText', found));
      }
    },
  };
}
