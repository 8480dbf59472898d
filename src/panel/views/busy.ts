import { block, buttonRow, setShown, setText, textBlock } from '../dom.js';
import type { View, ViewContext } from '../view.js';

/** Short moments of waiting: the plugin starts, or the service is asked for a code. */
export function busyView({ strings, intents, button }: ViewContext): View {
  const title = textBlock('title');
  const text = textBlock('text', strings.requestingText);
  const cancel = button('secondary', strings.cancel, () => intents.cancelSignIn());
  const actions = buttonRow([cancel]);
  return {
    root: block('view', [title, text, actions]),
    update({ signIn }) {
      const requesting = signIn.kind === 'requesting';
      setText(title, requesting ? strings.requestingCode : strings.starting);
      setShown(text, requesting);
      setShown(actions, requesting);
    },
    focus: () => {
      cancel.focus();
    },
  };
}
