/**
 * Hosts answer `prefers-color-scheme` with the name of their theme, `darkest` to `lightest`; browsers know two of these
 * names, and take them from the system.
 */
import type { Theme } from './options.js';

const SCHEME = /^\(prefers-color-scheme:\s*(\w+)\)$/;
/** What the rules were made for: their conditions are written over. */
const schemes = new WeakMap<CSSMediaRule, string>();

/** Lets the page's own style sheets see this theme. Call again when the theme or the style sheets have changed. */
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
