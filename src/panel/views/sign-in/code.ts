import { box, buttonRow, textBox } from '../../dom.js';
import type { View, ViewContext } from '../../view.js';
import { codeAddress, type CodeAndAddress } from './code-address.js';
import { codeDisplay } from './code-display.js';
import { codeStatus } from './code-status.js';
import { copyButton } from '../common/copy-button.js';
import { notice } from '../common/notice.js';

const NOTHING: CodeAndAddress = { userCode: '', verificationUri: '', addressToOpen: '' };

/** Shows the user_code, large, with everything the user may need for it. */
export function codeView(context: ViewContext): View {
  const { strings, host, signIn, button } = context;
  const code = codeDisplay();
  const address = codeAddress(context);
  const status = codeStatus(context);
  const browserTrouble = notice(strings);
  let shown = NOTHING;

  const copyCode = copyButton(context, 'secondary', strings.copyCode, () =>
    host.copyText(shown.userCode),
  );
  const open = button('cta', strings.openBrowser, () => signIn.openBrowser());
  const again = button('secondary', strings.getNewCode, () => signIn.startOver());
  const cancel = button('secondary', strings.cancel, () => signIn.cancel());

  const root = box('view', [
    textBox('title', strings.codeTitle),
    code.root,
    buttonRow([open, copyCode]),
    browserTrouble.root,
    textBox('step', strings.codeStepOpen),
    textBox('step', strings.codeStepSignIn),
    textBox('step', strings.codeStepAllow),
    ...address.parts,
    buttonRow([again, cancel]),
    ...status.parts,
  ]);

  function write(next: CodeAndAddress): void {
    const isSame =
      next.userCode === shown.userCode &&
      next.verificationUri === shown.verificationUri &&
      next.addressToOpen === shown.addressToOpen;
    if (isSame) {
      return;
    }
    shown = next;
    // The button for a new code is at the end of the view: scroll up to where the new code appears.
    root.scrollTop = 0;
    code.write(next.userCode);
    address.write(next);
  }

  return {
    root,
    update({ signIn, now }) {
      if (signIn.kind !== 'code') {
        return;
      }
      write(signIn);
      browserTrouble.error(strings.browserTitle, signIn.browserError);
      status.update(signIn, now);
    },
    focus: () => {
      open.focus();
    },
    leave() {
      write(NOTHING);
    },
  };
}
