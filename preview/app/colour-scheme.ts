/**
 * In a host, `prefers-color-scheme` has the name of the theme, `darkest` to `lightest`. Browsers know only `dark` and
 * `light`, and take them from the system. So the conditions of the style sheets are replaced here.
 */
import type { Theme } from './options.js';

const SCHEME = /^\(prefers-color-scheme:\s*(\w+)\)$/;
/** The theme that each rule was written for, since its condition is overwritten. */
const schemes = new WeakMap<CSSMediaRule, string>();

/** Applies a theme to the page's `prefers-color-scheme` rules. Call again when the theme or a style sheet changes. */
export function showColourScheme(theme: Theme): void {
  for (const { cssRules } of document.styleSheets) {
    for (const rule of cssRules) {
      if (!(rule instanceof CSSMediaRule)) {
        continue;
      }
      const scheme = schemes.get(rule) ?? SCHEME.exec(rule.conditionText)?.[1];
      if (scheme === undefined) {
        continue;
      }
      schemes.set(rule, scheme);
      rule.media.mediaText = scheme === theme ? 'all' : 'not all';
    }
  }
}
