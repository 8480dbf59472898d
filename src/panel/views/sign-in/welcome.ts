import { isTransient, type ErrorCode } from '../../../util/errors.js';
import { box, buttonRow, setShown, setText, textBox } from '../../dom.js';
import type { Translations } from '../../i18n/translations.js';
import type { View, ViewContext } from '../../view.js';
import { headline } from '../common/headline.js';
import { notice } from '../common/notice.js';

/** After these errors the user only needs a new code. */
const CODE_ENDED: ReadonlySet<ErrorCode> = new Set(['CW-102', 'CW-103', 'CW-106']);

/** The view when not connected: what the plugin is for, or that a reconnect is needed, or why a sign-in failed. */
export function welcomeView({ strings, signIn, button }: ViewContext): View {
  const title = textBox('title');
  const status = headline();
  const text = textBox('text', strings.welcomeText);
  const safe = textBox('text strong');
  const trouble = notice(strings);
  const connect = button('cta', strings.connect, () => signIn.start());

  return {
    root: box('view', [status.root, title, text, trouble.root, safe, buttonRow([connect])]),
    update({ session, signIn, uploadState, summary }) {
      const reconnecting = session.kind === 'reconnect-needed';
      const ended = signIn.kind === 'ended' ? signIn.error : null;
      setShown(status.root, reconnecting);
      if (reconnecting) {
        status.say('error', strings.reconnectTitle);
      }
      setText(title, strings.welcomeTitle);
      setShown(title, !reconnecting);
      setShown(text, !reconnecting && ended === null);
      if (ended && isTransient(ended)) {
        trouble.error(endedTitle(ended.code, strings), ended, strings.connectAgain);
      } else if (ended) {
        trouble.error(endedTitle(ended.code, strings), ended);
      }
      // No title: the headline shows it.
      else {
        trouble.error('', reconnecting ? session.error : null);
      }

      const waiting = summary.waiting + summary.uploading;
      setShown(safe, waiting > 0);
      setText(safe, strings.count(uploadState.willAsk ? 'photosAsk' : 'photosSafe', waiting));

      if (ended && CODE_ENDED.has(ended.code)) {
        connect.setLabel(strings.getNewCode);
      } else {
        connect.setLabel(reconnecting ? strings.reconnect : strings.connect);
      }
    },
    focus: () => {
      connect.focus();
    },
  };
}

/** The title for the error that a sign-in has ended with. */
export function endedTitle(code: ErrorCode, strings: Translations): string {
  if (code === 'CW-102') {
    return strings.expiredTitle;
  }
  return code === 'CW-103' ? strings.deniedTitle : strings.failedTitle;
}
