import { html, type Html } from '../../kernel/html-tag.js';
import { LOGOS } from '../../site/addresses/logo-paths.js';
import type { LogoOnPage } from './logo-table.js';

/** @param name of the workspace, where the page does not show it next to the logo. */
export function logoImage({ version, width, height }: LogoOnPage, name: string): Html {
  return html`<img
    class="studio-logo"
    src="${LOGOS.logo(version)}"
    width="${String(width)}"
    height="${String(height)}"
    alt="${name}"
    translate="no"
  />`;
}
