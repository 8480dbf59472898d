import { button, element, setShown, setText } from '../dom.js';
import type { View, ViewContext } from '../view.js';
import { errorLine } from './error-line.js';

/** How long "Copied" stands on the button, in milliseconds. */
const COPIED_MS = 2_000;

/** The code, large, with everything the person may need next to it. */
export function codeView(context: ViewContext): View {
  const { strings, intents, clock } = context;
  const onFault = (fault: unknown): void => context.onFault(fault);
  const code = element('div', { id: 'user-code', class: 'user-code' });
  const address = element('div', { id: 'verification-uri', class: 'address' });
  const waiting = element('div', { class: 'text' });
  const timeLeft = element('div', { class: 'detail' });
  const browserError = errorLine(strings);
  const trouble = errorLine(strings);
  let userCode = '';

  const copy = button(
    {
      label: strings.copyCode,
      variant: 'secondary',
      onClick: async () => {
        await intents.copyText(userCode);
        setText(copy, strings.copied);
        clock.startTimer(COPIED_MS, () => setText(copy, strings.copyCode));
      },
    },
    onFault,
  );
  const open = button(
    { label: strings.openBrowser, variant: 'cta', onClick: () => intents.openBrowser() },
    onFault,
  );
  const again = button(
    { label: strings.getNewCode, variant: 'secondary', onClick: () => intents.getNewCode() },
    onFault,
  );
  const cancel = button(
    { label: strings.cancel, variant: 'secondary', onClick: () => intents.cancelSignIn() },
    onFault,
  );

  const root = element('div', { class: 'view' }, [
    element('div', { class: 'title', text: strings.codeTitle }),
    code,
    element('div', { class: 'actions' }, [open, copy]),
    browserError.root,
    element('div', { class: 'text', text: strings.codeSteps }),
    element('div', { class: 'detail', text: strings.codeAddress }),
    address,
    trouble.root,
    waiting,
    timeLeft,
    element('div', { class: 'actions' }, [again, cancel]),
  ]);

  return {
    root,
    update({ signIn, now }) {
      if (signIn.kind !== 'code') return;
      userCode = signIn.userCode;
      setText(code, signIn.userCode);
      setText(address, signIn.verificationUri);
      browserError.show(signIn.browserError);
      trouble.show(signIn.trouble);
      setShown(waiting, signIn.trouble === null);
      setText(waiting, strings.waitingForApproval);
      setText(timeLeft, strings.codeTimeLeft(Math.ceil((signIn.expiresAt - now) / 60_000)));
    },
  };
}
