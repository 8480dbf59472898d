import type { CodeShown } from '../../../oauth/device-flow/sign-in.js';
import { buttonRow, setShown, setText, textBox } from '../../dom.js';
import type { ViewContext } from '../../view.js';
import { notice } from '../common/notice.js';

/**
 * Shows the wait for the user's decision: whether the service can be reached, how long the code is valid, and the
 * button to check now. That button appears and disappears automatically, so it belongs below all others.
 */
export function codeStatus({ strings, signIn, button }: ViewContext): {
  /** In the order in which they are shown. */
  readonly parts: readonly HTMLElement[];
  update(code: CodeShown, now: number): void;
} {
  const check = buttonRow([button('secondary', strings.checkNow, () => signIn.checkNow())]);
  const waiting = textBox('awaiting');
  const trouble = notice(strings, [], 'warning');
  const timeLeft = textBox('detail');
  return {
    parts: [check, waiting, trouble.root, timeLeft],
    update(code, now) {
      const isAsked = code.check === 'asked';
      setShown(check, code.check !== 'later');
      trouble.error(
        code.trouble?.code === 'CW-301' ? strings.offlineTitle : strings.troubleTitle,
        code.trouble,
        isAsked ? strings.checkAsked : strings.codeKeepsTrying,
      );
      setText(waiting, isAsked ? strings.checkAsked : strings.waitingForApproval);
      setShown(waiting, code.trouble === null);
      setText(timeLeft, strings.codeTimeLeft(code.expiresAt - now));
    },
  };
}
