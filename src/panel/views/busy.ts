import { block, button, buttonRow, setShown, setText, textBlock } from '../dom.js';
import type { View, ViewContext } from '../view.js';

/** Short moments of waiting: the plugin starts, or the service is asked for a code. */
export function busyView(context: ViewContext): View {
  const { strings, intents } = context;
  const title = textBlock('title');
  const text = textBlock('text', strings.requestingText);
  const cancel = button(
    { label: strings.cancel, variant: 'secondary', onClick: () => intents.cancelSignIn() },
    (fault) => context.onFault(fault),
  );
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
