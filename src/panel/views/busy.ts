import { block, buttonRow, setShown, setText, textBlock } from '../dom.js';
import type { View, ViewContext } from '../view.js';

/** Moments of waiting: the plugin starts, or the service is asked for a code, perhaps later as it wished. */
export function busyView({ strings, intents, button }: ViewContext): View {
  const title = textBlock('title');
  const text = textBlock('text');
  const cancel = button('secondary', strings.cancel, () => intents.cancelSignIn());
  const actions = buttonRow([cancel]);
  return {
    root: block('view', [title, text, actions]),
    update({ signIn, now }) {
      const requesting = signIn.kind === 'requesting';
      const until = requesting ? signIn.until : undefined;
      setText(
        text,
        until === undefined
          ? strings.requestingText
          : `${strings.errors['CW-303']} ${strings.tryingAgainIn(until - now)}`,
      );
      setText(title, requesting ? strings.requestingCode : strings.starting);
      setShown(text, requesting);
      setShown(actions, requesting);
    },
    focus: () => {
      cancel.focus();
    },
  };
}
