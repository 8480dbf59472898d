/**
 * The interface between a page that embeds the panel and the plugin's browser host. Both sides use these types; the
 * preview is such a page.
 * @packageDocumentation
 */

import type { DocumentFormat, MenuItem } from '../host.js';

/** A file in a browser: a Blob with a name. */
export type BrowserFile = Blob & { readonly name: string };

/** The page's description of itself, in `window.creativeApp`. */
export interface CreativeAppPage {
  readonly name?: string;
  readonly version?: string;
  /** Language and country, such as `de_DE`. */
  readonly uiLocale?: string;
  /** Gets the panel's menu, to show it at the top of the panel. Called again when a label has changed. */
  setMenu?(menu: readonly MenuItem[]): void;
  /** The formats that `exportDocument` takes, the best first. */
  readonly exportFormats?: readonly DocumentFormat[];
  /**
   * Gives a copy of the open document as a file; null when none is open. A page without this method has no document
   * export.
   * @param quality  of a JPEG, from 0 to 12
   */
  exportDocument?(format: DocumentFormat, quality: number): Promise<BrowserFile | null>;
  /** The document in front; null when none is open. Read often. */
  openDocument?(): PageDocument | null;
}

/** A document of the page. */
export interface PageDocument {
  /** Names the document while it is open. */
  readonly key: string;
  readonly name: string;
  /** Its XMP packet, which has its identity; empty when it has none. */
  readonly xmp: string;
  /** Changes with every change of the content. */
  readonly stateId: string;
  /** A JPEG in a `data:` URL. @param px  about its longer side */
  thumbnail(px: number): Promise<string>;
}
