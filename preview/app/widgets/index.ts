/**
 * The Spectrum UXP widgets that the panel uses. In a creative app the host draws them; here this page does.
 *
 * Decision: these three elements are our own, not those of `@spectrum-web-components`. Version 1.12.2 was tried in their
 * place, in every state of the panel.
 * - Behaviour: it has no `sp-progressbar`; its `sp-progress-bar` reads `progress`, not `value` and `max`. Its `sp-button`
 *   deprecates the variant `cta`, which is the host's, and rewrites that attribute to `accent`. A click on a disabled
 *   button reaches the element behind it.
 * - Look: it has a dark and a light theme. `darkest` and `lightest` are deprecated; the host has all four.
 * - Weight: 35 packages, 81 MB and 14,044 files to install, and a script of 646 KB instead of 5 KB.
 *
 * A widget that the panel does not use yet is added here when it does. `test/e2e/panel-states.test.ts` reports a missing one.
 */
import { SpActionButton, SpButton } from './button.js';
import { SpTextfield } from './textfield.js';

/** Defines the widgets in this page. Runs before the panel's own scripts. */
export function defineWidgets(): void {
  customElements.define('sp-button', SpButton);
  customElements.define('sp-action-button', SpActionButton);
  customElements.define('sp-textfield', SpTextfield);
}
