import { defineButtons } from './button.js';
import { defineChoices } from './choice.js';
import { defineIcon } from './icon.js';
import { defineLink } from './link.js';
import { defineMenus } from './menu.js';
import { defineProgressbar } from './progressbar.js';
import { defineSlider } from './slider.js';
import { defineTextInputs } from './text-input.js';
import { defineTooltip } from './tooltip.js';
import { defineTypography } from './typography.js';

/** Defines every simulated Spectrum UXP widget in this page. */
export function defineWidgets(): void {
  defineTypography();
  defineIcon();
  defineButtons();
  defineLink();
  defineProgressbar();
  defineTextInputs();
  defineChoices();
  defineSlider();
  defineMenus();
  defineTooltip();
}
