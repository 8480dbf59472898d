import type { Button, ButtonKind } from '../../dom.js';
import type { ViewContext } from '../../view.js';

/** How long "Copied" stands on the button, in milliseconds. */
const COPIED_MS = 2_000;

/** A button that puts something on the clipboard and says that it has. */
export function copyButton(
  { strings, clock, button }: ViewContext,
  kind: ButtonKind,
  label: string,
  copy: () => Promise<void>,
): Button {
  let stopTimer = (): void => undefined;
  const made = button(kind, label, async () => {
    await copy();
    made.setLabel(strings.copied);
    stopTimer();
    stopTimer = clock.startTimer(COPIED_MS, () => {
      made.setLabel(label);
    });
  });
  return made;
}
