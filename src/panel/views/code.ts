import {
  block,
  buttonRow,
  element,
  replaceChildren,
  setAttribute,
  setShown,
  setText,
  textBlock,
  type Button,
} from '../dom.js';
import { fitsQrCode } from '../qr-code.js';
import type { View, ViewContext } from '../view.js';
import { copyButton } from './copy-button.js';
import { notice } from './notice.js';
import { qrBlock } from './qr-block.js';

/** A longer code than this is written smaller, so that it stays in one line of the narrowest panel. */
const LARGE_UP_TO = 10;

/** The code, large, with everything the person may need next to it. */
export function codeView(context: ViewContext): View {
  const { strings, intents, button } = context;
  const code = element('div', { class: 'user-code', attributes: { id: 'user-code' } });
  const address = element('div', { class: 'address', attributes: { id: 'verification-uri' } });
  const waiting = textBlock('awaiting', strings.waitingForApproval);
  const timeLeft = textBlock('detail');
  const browserTrouble = notice(strings);
  const trouble = notice(strings, [], 'warn');
  const spelled = block('spelled');
  const spelling = block('folded', [textBlock('detail', strings.codeSpelled), spelled]);
  const qrPlace = block('qr-place');
  const qr = block('folded', [textBlock('detail', strings.codeQr), qrPlace]);
  let shown = { userCode: '', verificationUri: '', addressToOpen: '' };

  const copyCode = copyButton(context, 'secondary', strings.copyCode, () =>
    intents.copyText(shown.userCode),
  );
  const copyAddress = copyButton(context, 'action', strings.copyAddress, () =>
    intents.copyText(shown.verificationUri),
  );
  const open = button('cta', strings.openBrowser, () => intents.openBrowser());
  const again = button('secondary', strings.getNewCode, () => intents.getNewCode());
  const cancel = button('secondary', strings.cancel, () => intents.cancelSignIn());
  const spellOut = folding(spelling, strings.spellOut, spelled, () =>
    strings.spell(shown.userCode).map((line) => textBlock('spelled-line', line)),
  );
  const showQr = folding(qr, strings.showQr, qrPlace, () => [qrBlock(shown.addressToOpen)]);

  /** A button that unfolds a part, drawn only then, and folds it again. */
  function folding(
    part: HTMLElement,
    label: string,
    place: HTMLElement,
    draw: () => readonly HTMLElement[],
  ): Button & { fold(): void } {
    let isOpen = false;
    const set = (next: boolean): void => {
      isOpen = next;
      replaceChildren(place, isOpen ? draw() : []);
      setShown(part, isOpen);
      toggle.setLabel(isOpen ? strings.close : label);
    };
    const toggle = button('action', label, () => {
      set(!isOpen);
    });
    setShown(part, false);
    return {
      ...toggle,
      fold: () => {
        set(false);
      },
    };
  }

  function write(next: typeof shown): void {
    const { userCode, verificationUri, addressToOpen } = next;
    const isNew = userCode !== shown.userCode || addressToOpen !== shown.addressToOpen;
    if (verificationUri !== shown.verificationUri) {
      replaceChildren(address, pieces(verificationUri));
    }
    shown = next;
    if (!isNew) {
      return;
    }
    // The button for a new code stands at the end, out of sight of where it appears.
    root.scrollTop = 0;
    setText(code, userCode);
    setAttribute(code, 'class', userCode.length > LARGE_UP_TO ? 'user-code long' : 'user-code');
    spellOut.fold();
    showQr.fold();
    // Worth scanning only when the address brings the code along.
    setShown(showQr.root, addressToOpen !== verificationUri && fitsQrCode(addressToOpen));
  }

  const root = block('view', [
    textBlock('title', strings.codeTitle),
    code,
    buttonRow([open, copyCode]),
    browserTrouble.root,
    textBlock('step', strings.codeStepOpen),
    textBlock('step', strings.codeStepSignIn),
    textBlock('step', strings.codeStepAllow),
    trouble.root,
    waiting,
    timeLeft,
    textBlock('detail', strings.codeAddress),
    address,
    buttonRow([copyAddress, showQr, spellOut]),
    qr,
    spelling,
    buttonRow([again, cancel]),
  ]);

  return {
    root,
    update({ signIn, now }) {
      if (signIn.kind !== 'code') {
        return;
      }
      write(signIn);
      browserTrouble.error(strings.browserTitle, signIn.browserError);
      trouble.error(
        signIn.trouble?.code === 'CW-301' ? strings.offlineTitle : strings.troubleTitle,
        signIn.trouble,
        strings.codeKeepsTrying,
      );
      setShown(waiting, signIn.trouble === null);
      setText(timeLeft, strings.codeTimeLeft(signIn.expiresAt - now));
    },
    focus: () => {
      open.focus();
    },
    leave() {
      write({ userCode: '', verificationUri: '', addressToOpen: '' });
    },
  };
}

/** An address in pieces that may go to the next line: the host breaks lines at spaces alone. */
function pieces(address: string): readonly HTMLElement[] {
  return (address.match(/[^/.?&=-]*[/.?&=-]*/g) ?? [])
    .filter((piece) => piece !== '')
    .map((piece) => textBlock('piece', piece));
}
