import type { CodeShown } from '../../../oauth/device-flow/sign-in.js';
import { box, buttonRow, element, replaceChildren, setShown, textBox } from '../../dom.js';
import { fitsQrCode } from '../../qr-code.js';
import type { ViewContext } from '../../view.js';
import { copyButton } from '../common/copy-button.js';
import { collapsible } from '../common/collapsible.js';
import { qrBox } from './qr-box.js';

/** The parts of a sign-in that the user may type, scan or read out. */
export type CodeAndAddress = Pick<CodeShown, 'userCode' | 'verificationUri' | 'addressToOpen'>;

/** Other ways to the sign-in page, when the browser did not open it: the address, a QR code, the code spelled out. */
export function codeAddress(context: ViewContext): {
  /** In the order in which they are shown. */
  readonly parts: readonly HTMLElement[];
  write(next: CodeAndAddress): void;
} {
  const { strings, host } = context;
  const address = element('div', { class: 'address', attributes: { id: 'verification-uri' } });
  const qrPlace = box('qr-place');
  const qr = box('folded', [textBox('detail', strings.codeQr), qrPlace]);
  const spelled = box('spelled');
  const spelling = box('folded', [textBox('detail', strings.codeSpelled), spelled]);
  let shown: CodeAndAddress = { userCode: '', verificationUri: '', addressToOpen: '' };

  const copyAddress = copyButton(context, 'action', strings.copyAddress, () =>
    host.copyText(shown.verificationUri),
  );
  const showQr = collapsible(context, strings.showQr, qr, qrPlace, () => [
    qrBox(shown.addressToOpen),
  ]);
  const spellOut = collapsible(context, strings.spellOut, spelling, spelled, () =>
    strings.spell(shown.userCode).map((line) => textBox('spelled-line', line)),
  );

  return {
    parts: [
      textBox('detail', strings.codeAddress),
      address,
      buttonRow([copyAddress, showQr, spellOut]),
      qr,
      spelling,
    ],
    write(next) {
      const { verificationUri, addressToOpen } = next;
      if (verificationUri !== shown.verificationUri) {
        replaceChildren(address, segments(verificationUri));
      }
      shown = next;
      spellOut.fold();
      showQr.fold();
      // Worth scanning only when the address contains the code.
      setShown(showQr.root, addressToOpen !== verificationUri && fitsQrCode(addressToOpen));
    },
  };
}

/** Splits an address into blocks, so that lines can break between them: the host breaks text at spaces alone. */
function segments(address: string): readonly HTMLElement[] {
  return (address.match(/[^/.?&=-]*[/.?&=-]*/g) ?? [])
    .filter((piece) => piece !== '')
    .map((piece) => textBox('piece', piece));
}
