import { block, buttonRow, setShown, textBlock } from '../dom.js';
import type { ViewContext } from '../view.js';
import { copyButton } from './copy-button.js';

/** Below every view: which versions these are, and the text that support asks for. Folded until wanted. */
export function helpSection(context: ViewContext): HTMLElement {
  const { strings, intents, host, button } = context;
  const copy = copyButton(context, 'secondary', strings.copyDiagnostics, () =>
    intents.copyDiagnostics(),
  );
  const inside = block('help-inside', [
    textBlock('detail', strings.helpText),
    textBlock(
      'detail',
      strings.fill('versions', {
        plugin: host.pluginVersion,
        app: host.appName,
        version: host.appVersion,
      }),
    ),
    buttonRow([copy]),
  ]);
  let open = false;
  const toggle = button('quiet', strings.help, () => {
    open = !open;
    toggle.setLabel(open ? strings.close : strings.help);
    setShown(inside, open);
  });
  setShown(inside, false);
  return block('help', [buttonRow([toggle]), inside]);
}
