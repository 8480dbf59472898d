import type { FileLength, PhotoSource } from './photo-source.js';

/**
 * All file formats that apps export. What one app offers is in its exporter's `offers`. A document that `psd` cannot hold
 * becomes a PSB.
 */
export type DocumentFormat = 'jpg' | 'png' | 'tif' | 'psd' | 'pdf' | 'mp4';

/** One way in which an app can export the open document. */
export interface ExportOffer {
  readonly format: DocumentFormat;
  /** The content of the file: the whole document or sequence, the page in front, or the frame under the playhead. */
  readonly gives: 'document' | 'page' | 'frame' | 'sequence';
  /** The settings that the app honours for this format. None when left out. */
  readonly choices?: readonly ExportChoice[];
  /** Where the app's own presets for this format come from: its list, or a file that the user picks. None when left out. */
  readonly appPresets?: 'list' | 'file';
}

/** A setting of an export, or the metadata of the copy. */
export type ExportChoice =
  | 'quality'
  | 'longEdge'
  | 'profile'
  | 'bitDepth'
  | 'metadata'
  | 'pdf'
  | 'inOut'
  /** Only what a client approved: the app reports each change of a document. No setting of the export itself. */
  | 'approved';

/** How a copy of a document is made. An app ignores what it cannot choose. */
export interface ExportSettings {
  readonly format: DocumentFormat;
  /** Of a JPEG, from 0 (smallest) to 12 (best). */
  readonly quality: number;
  /** Longer side in pixels; null keeps the size. A smaller picture is never enlarged. */
  readonly longEdge: number | null;
  /** The colour profile: sRGB, or the document's own. */
  readonly profile: 'srgb' | 'document';
  /** Bits per channel, where the format has the choice. */
  readonly bitDepth: 8 | 16;
  /** The app's own preset. Null for none. */
  readonly appPreset: AppPreset | null;
  readonly metadata: CopyMetadata;
  /** Of a PDF. All pages, as the app's own preset has them, when it is left out. */
  readonly pdf?: PdfSettings;
  /** Set for a video from the In to the Out point. The whole sequence when it is left out. */
  readonly inOut?: true;
}

/** What a PDF contains. `preset` leaves it as the app's own preset has it. */
export interface PdfSettings {
  readonly pages: PageSelection;
  /** Each page by itself, or the pages of a spread side by side. */
  readonly layout: 'preset' | 'pages' | 'spreads';
  /** Printer's marks and the bleed around the page. */
  readonly marks: 'preset' | 'none' | 'bleed' | 'crop-and-bleed';
}

export type PageSelection =
  | { readonly kind: 'all' }
  | { readonly kind: 'current' }
  /** As the user wrote it, see `page-range.ts`. */
  | { readonly kind: 'range'; readonly text: string };

/** A preset that belongs to the app. */
export interface AppPreset {
  /** The name of a PDF preset, or the token of a preset file. */
  readonly id: string;
  /** For users to read. */
  readonly name: string;
}

/** What is changed in the metadata of the copy. The document keeps its own. */
export interface CopyMetadata {
  /** Whether the place where the photo was taken is removed. */
  readonly removeLocation: boolean;
  /** Written into IPTC and XMP. Empty texts leave what is there. */
  readonly creator: string;
  readonly copyright: string;
  readonly contact: string;
}

/** Which open document is exported, and which part of it. */
export interface ExportTarget {
  /** `key` of an open document; null for the one in front. */
  readonly documentKey: string | null;
  /** `id` of one of its parts; null for the whole document. */
  readonly partId: string | null;
}

/** An open document that can be exported. */
export interface ExportableDocument {
  /** As in `OpenDocument`. */
  readonly key: string;
  readonly name: string;
  readonly isFront: boolean;
  /** Its artboards. */
  readonly parts: readonly { readonly id: string; readonly name: string }[];
}

export interface DocumentExporter {
  /** The app's export formats, the best first. No other may be requested. */
  readonly offers: readonly ExportOffer[];
  /** All open documents, in the app's order. Empty where the app exports only the one in front. Never rejects. */
  documents(): Promise<readonly ExportableDocument[]>;
  /** The app's own presets, for offers with `list`. Never rejects. */
  listAppPresets?(): Promise<readonly AppPreset[]>;
  /** Lets the user pick a preset file, for offers with `file`. Null when the user cancels. @throws {CwError} CW-802 */
  pickAppPreset?(): Promise<AppPreset | null>;
  /**
   * How much an export would contain now. Null where that is not known.
   * @throws {CwError} CW-813 when the document does not have the pages
   */
  lengthOf?(settings: ExportSettings, target: ExportTarget): Promise<FileLength | null>;
  /**
   * Saves a copy of an open document; the original stays unchanged.
   * @param title  shown by apps that are blocked during the export
   * @throws {CwError} CW-803 no such document is open, CW-805 the export failed or never ended, CW-807 another plugin or
   *   a dialog keeps the app busy, CW-703 disk full, CW-804 not one of `offers`, CW-810 the metadata cannot be changed,
   *   CW-812 the app's own preset is gone, or missing where the format needs one, CW-813 the document does not have the
   *   pages
   * @throws {CancelledError} when the user stopped the export in the app
   */
  exportDocument(
    settings: ExportSettings,
    title: string,
    target: ExportTarget,
  ): Promise<PhotoSource>;
}
