import { button, element, setShown, setText } from '../dom.js';
import type { View, ViewContext } from '../view.js';

/** Short moments of waiting: the plugin starts, or the service is asked for a code. */
export function busyView(context: ViewContext): View {
  const { strings, intents } = context;
  const text = element('div', { class: 'text' });
  const cancel = button(
    { label: strings.cancel, variant: 'secondary', onClick: () => intents.cancelSignIn() },
    (fault) => context.onFault(fault),
  );
  const actions = element('div', { class: 'actions' }, [cancel]);
  return {
    root: element('div', { class: 'view' }, [text, actions]),
    update({ signIn }) {
      const requesting = signIn.kind === 'requesting';
      setText(text, requesting ? strings.requestingCode : strings.starting);
      setShown(actions, requesting);
    },
  };
}
