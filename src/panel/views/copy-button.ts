import { toCwError } from '../../base/errors.js';
import { button, type Button, type ButtonOptions } from '../dom.js';
import type { ViewContext } from '../view.js';
import { notice } from './notice.js';

/** How long "Copied" stands on the button, in milliseconds. */
const COPIED_MS = 2_000;

export interface CopyButton {
  readonly button: Button;
  /** Says so when the clipboard refused; to be placed below the button. */
  readonly trouble: HTMLElement;
}

/** A button that puts something on the clipboard and says that it has. */
export function copyButton(
  context: ViewContext,
  options: Pick<ButtonOptions, 'label' | 'variant'> & { readonly copy: () => Promise<void> },
): CopyButton {
  const { strings, clock } = context;
  const { label, variant, copy } = options;
  const trouble = notice(strings);
  let stopTimer = (): void => undefined;
  const made = button(
    {
      label,
      variant,
      onClick: async () => {
        trouble.hide();
        try {
          await copy();
        } catch (thrown) {
          trouble.error(
            strings.copyTitle,
            toCwError(thrown, 'CW-801', 'the clipboard refused the text'),
          );
          throw thrown;
        }
        made.setLabel(strings.copied);
        stopTimer();
        stopTimer = clock.startTimer(COPIED_MS, () => {
          made.setLabel(label);
        });
      },
    },
    (fault) => context.onFault(fault),
  );
  return { button: made, trouble: trouble.root };
}
