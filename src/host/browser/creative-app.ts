/**
 * What a page that embeds the panel and the plugin's browser host say to each other. Both sides use these types: the
 * preview is such a page.
 * @packageDocumentation
 */

import type { DocumentFormat, MenuItem } from '../host.js';

/** A file in a browser: a Blob with a name. */
export type BrowserFile = Blob & { readonly name: string };

/** What the page may tell about itself, as `window.creativeApp`. */
export interface CreativeAppPage {
  readonly name?: string;
  readonly version?: string;
  /** Language and country, such as `de_DE`. */
  readonly uiLocale?: string;
  /** Takes the panel's menu, to show it at the panel's head. */
  setMenu?(menu: readonly MenuItem[]): void;
  /**
   * Gives a copy of the open document as a file, null when none is open, in each format of `exportFormats`. `quality`
   * of a JPEG is 0 to 12. A page without it has no document export.
   */
  readonly exportFormats?: readonly DocumentFormat[];
  exportDocument?(format: DocumentFormat, quality: number): Promise<BrowserFile | null>;
}
