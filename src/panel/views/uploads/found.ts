import { buttonRow } from '../../dom.js';
import type { View, ViewContext } from '../../view.js';
import { notice } from '../common/notice.js';

/** Asks what becomes of photos that have a copy, but were not on the list. */
export function foundSection({ strings, uploads, button }: ViewContext): View {
  const asked = notice(strings, [
    buttonRow([
      button('cta', strings.uploadFound, () => uploads.answerFound(true)),
      button('secondary', strings.remove, () => uploads.answerFound(false)),
    ]),
  ]);
  return {
    root: asked.root,
    update({ uploader: { found } }) {
      if (found === 0) {
        asked.hide();
      } else {
        asked.say(strings.count('foundCount', found), strings.count('foundText', found));
      }
    },
  };
}
