import { button, element, setText, setShown } from '../dom.js';
import type { View, ViewContext } from '../view.js';
import { errorLine } from './error-line.js';

/** Not connected: what this is for, and one button. Also: reconnect needed, and how a sign-in failed. */
export function welcomeView(context: ViewContext): View {
  const { strings, intents } = context;
  const title = element('div', { class: 'title', text: strings.welcomeTitle });
  const text = element('div', { class: 'text', text: strings.welcomeText });
  const waiting = element('div', { class: 'text strong' });
  const error = errorLine(strings);
  const connect = (label: string, id: string): HTMLElement =>
    button({ label, id, variant: 'cta', onClick: () => intents.connect() }, (fault) =>
      context.onFault(fault),
    );
  const connectButton = connect(strings.connect, 'connect');
  const reconnectButton = connect(strings.reconnect, 'reconnect');
  const newCodeButton = connect(strings.getNewCode, 'new-code');
  const actions = element('div', { class: 'actions' }, [
    connectButton,
    reconnectButton,
    newCodeButton,
  ]);
  const root = element('div', { class: 'view' }, [title, text, waiting, error.root, actions]);

  return {
    root,
    update({ session, signIn, summary }) {
      const reconnecting = session.kind === 'reconnect-needed';
      const ended = signIn.kind === 'ended' ? signIn.error : null;
      setText(title, reconnecting ? strings.reconnectTitle : strings.welcomeTitle);
      setShown(text, !reconnecting);
      const waitingCount = summary.waiting + summary.uploading;
      setShown(waiting, waitingCount > 0);
      setText(waiting, strings.photosWaitingForReconnect(waitingCount));
      error.show(ended ?? (reconnecting ? session.error : null));
      const offersNewCode = ended !== null && ['CW-102', 'CW-103', 'CW-106'].includes(ended.code);
      setShown(newCodeButton, offersNewCode);
      setShown(reconnectButton, reconnecting && !offersNewCode);
      setShown(connectButton, !reconnecting && !offersNewCode);
    },
  };
}
