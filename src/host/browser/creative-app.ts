/**
 * The interface between a page that embeds the panel and the plugin's browser host. Both sides use these types; the
 * preview is such a page.
 * @packageDocumentation
 */

import type { DocumentComments } from '../document-comments.js';
import type {
  DocumentFormat,
  ExportableDocument,
  ExportOffer,
  ExportSettings,
  ExportTarget,
} from '../document-export.js';
import type { Downloads } from '../downloads.js';
import type { FolderPort } from '../folders.js';
import type { MenuItem } from '../panel-entry.js';
import type { PhotoSource } from '../photo-source.js';
import type { PlacedFiles, PlacedFileUpdates } from '../placed-files.js';

/** A file in a browser: a Blob with a name. */
export type BrowserFile = Blob & { readonly name: string };

/** The page's description of itself, in `window.creativeApp`. */
export interface CreativeAppPage {
  readonly name?: string;
  readonly version?: string;
  /** Such as "macOS 15". */
  readonly os?: string;
  /** Language and country, such as `de_DE`. */
  readonly uiLocale?: string;
  /** Gets the panel's menu, to show it at the top of the panel. Called again when a label has changed. */
  setMenu?(menu: readonly MenuItem[]): void;
  /** The formats that `exportDocument` takes, the best first. */
  readonly exportFormats?: readonly DocumentFormat[];
  /**
   * Gives a copy of an open document as a file; null when it is not open. A page without this method has no document
   * export.
   */
  exportDocument?(settings: ExportSettings, target: ExportTarget): Promise<BrowserFile | null>;
  /** All open documents. A page without this method has one at most. */
  documents?(): readonly PageExportable[];
  /** Saves a text as a file, where the user finds it. */
  saveFile?(name: string, text: string): void;
  /** The document in front; null when none is open. Read often. */
  openDocument?(): PageDocument | null;
  /** Shows comments in the document in front. A page without this member shows none. */
  readonly comments?: DocumentComments;
  /** A page without this member places no files, and has no folders. */
  readonly placing?: PagePlacing;
}

/** The files that are placed in documents of the page, and where it has files of the user. */
export interface PagePlacing {
  readonly placedFiles: PlacedFiles;
  readonly placedFileUpdates: PlacedFileUpdates;
  readonly downloads: Downloads;
  /** @param toPhoto  gives a file to the plugin, to be uploaded */
  folders(toPhoto: (file: BrowserFile) => PhotoSource): FolderPort;
}

/** A document of the page that can be exported. */
export interface PageExportable extends ExportableDocument {
  /** As in {@link PageDocument}. */
  readonly xmp: string;
  readonly stateId: string;
}

/** What the panel offers of a format in a page: all that an app for pictures has. */
export function offerOf(format: DocumentFormat): ExportOffer {
  const choices = {
    jpg: ['quality', 'longEdge', 'profile', 'metadata', 'approved'],
    png: ['longEdge', 'profile', 'metadata', 'approved'],
    tif: ['longEdge', 'profile', 'bitDepth', 'metadata', 'approved'],
    psd: ['metadata', 'approved'],
    pdf: [],
    mp4: [],
  } as const;
  return { format, gives: 'document', choices: choices[format] };
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
