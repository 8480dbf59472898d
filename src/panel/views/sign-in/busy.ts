import type { CodeRequested } from '../../../oauth/device-flow/sign-in.js';
import { box, buttonRow, setShown, setText, textBox } from '../../dom.js';
import type { Translations } from '../../i18n/translations.js';
import type { View, ViewContext } from '../../view.js';

/** Shown while the plugin starts and while it requests a code, including the delay that the service may require. */
export function busyView({ strings, signIn, button }: ViewContext): View {
  const title = textBox('title');
  const text = textBox('text');
  const cancel = button('secondary', strings.cancel, () => signIn.cancel());
  const actions = buttonRow([cancel]);
  return {
    root: box('view', [title, text, actions]),
    update({ signIn, now }) {
      const requesting = signIn.kind === 'requesting';
      setText(text, requesting ? sentence(signIn, now, strings) : '');
      setText(title, requesting ? strings.requestingCode : strings.starting);
      setShown(text, requesting);
      setShown(actions, requesting);
    },
    focus: () => {
      cancel.focus();
    },
  };
}

function sentence({ until, isSlow }: CodeRequested, now: number, strings: Translations): string {
  if (until !== undefined) {
    return `${strings.errors['CW-303']} ${strings.tryingAgainIn(until - now)}`;
  }
  return isSlow ? strings.requestingLong : strings.requestingText;
}
