import type { CodeShown } from '../../oauth/sign-in.js';
import { buttonRow, setShown, setText, textBlock } from '../dom.js';
import type { ViewContext } from '../view.js';
import { notice } from './notice.js';

/**
 * How waiting for the person's answer goes: whether the plugin hears of it, for how long the code is good, and the
 * button to check now. It comes and goes by itself, so it belongs below all other buttons.
 */
export function codeStanding({ strings, intents, button }: ViewContext): {
  /** In their order on the panel. */
  readonly parts: readonly HTMLElement[];
  update(code: CodeShown, now: number): void;
} {
  const check = buttonRow([button('secondary', strings.checkNow, () => intents.checkNow())]);
  const waiting = textBlock('awaiting');
  const trouble = notice(strings, [], 'warn');
  const timeLeft = textBlock('detail');
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
