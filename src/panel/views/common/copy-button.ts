import type { Button, ButtonKind } from '../../dom.js';
import type { ViewContext } from '../../view.js';

/** How long the button shows "Copied", in milliseconds. */
const COPIED_MS = 2_000;

/** A button that copies text to the clipboard and confirms it. */
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
