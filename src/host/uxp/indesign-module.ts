import type { UxpFile } from './uxp-module.js';

/**
 * `require('indesign')`, in InDesign only. Pages of AdobeDocs/uxp-indesign: fundamentals/dom-versioning for the
 * module, recipes/document-changes for enumerations as its members, dom/api for the rest. Collections have `item`
 * and no `[]` (migration-guides/extendscript).
 */
export interface InDesignModule extends InDesignEnumerations {
  readonly app: {
    readonly documents: { readonly length: number; item(index: number): InDesignDocument };
    /** The front-most document. The page does not say what it is when there is none. */
    readonly activeDocument: InDesignDocument;
    readonly imagePreferences: {
      /** Whether a picture keeps its size when it is relinked (ImagePreference page). */
      preserveBounds: boolean;
    };
    readonly pdfExportPresets: {
      readonly length: number;
      item(index: number): InDesignPdfPreset;
    };
    /** Events of documents reach the app, too (recipes/indesign-events). The listener lasts until the app ends. */
    addEventListener(
      type: 'afterSave' | 'afterSaveAs',
      listener: (event: InDesignEvent) => void,
    ): { remove(): unknown };
    readonly pdfExportPreferences: InDesignPdfPreferences;
    readonly jpegExportPreferences: InDesignJpegPreferences;
    readonly pngExportPreferences: InDesignPngPreferences;
    /**
     * Runs a function, which must be synchronous, as one step of the undo history (Application page). The page does not say
     * what an exception in it does.
     */
    doScript(
      script: () => void,
      language: unknown,
      withArguments: readonly [],
      undoMode: unknown,
      undoName: string,
    ): unknown;
  };
}

/** Their members are numbers (dom/api). In practice some versions have opaque objects instead. */
type InDesignEnumerations = Readonly<
  Partial<Record<keyof typeof INDESIGN_NUMBERS, Readonly<Record<string, unknown>>>>
>;

/** Members of InDesign's enumerations with the numbers that their pages give (dom/api). */
export const INDESIGN_NUMBERS = {
  ExportFormat: { PDF_TYPE: 1952403524, JPG: 1246775072, PNG_FORMAT: 1699761735 },
  PageRange: { ALL_PAGES: 1886547553 },
  ExportRangeOrAllPages: { EXPORT_RANGE: 1785742674 },
  PNGExportRangeEnum: { EXPORT_RANGE: 1785742674 },
  JPEGOptionsQuality: {
    LOW: 1701727351,
    MEDIUM: 1701727588,
    HIGH: 1701726313,
    MAXIMUM: 1701727608,
  },
  PNGQualityEnum: { MAXIMUM: 1701727608 },
  ScriptLanguage: { UXPSCRIPT: 1431522407 },
  UndoModes: { ENTIRE_SCRIPT: 1699963733 },
  ZoomOptions: { FIT_PAGE: 2053534832 },
  FitOptions: { PROPORTIONALLY: 1668247152, FRAME_TO_CONTENT: 1718906723 },
  LinkStatus: {
    NORMAL: 1852797549,
    LINK_OUT_OF_DATE: 1819242340,
    LINK_MISSING: 1819109747,
    LINK_EMBEDDED: 1282237028,
    LINK_INACCESSIBLE: 1818848865,
  },
} as const;

/** Event page. What it is for a save is not described; in practice it is the document. */
export interface InDesignEvent {
  readonly target: unknown;
}

/** PDFExportPreset page. The presets that come with InDesign can only be read. */
export interface InDesignPdfPreset extends InDesignPdfSettings {
  name: string;
  duplicate(): InDesignPdfPreset;
  remove(): unknown;
}

/** Members of both PDFExportPreset and PDFExportPreference. With a preset, InDesign uses those of the preset. */
export interface InDesignPdfSettings {
  /** Writes a file for each page. */
  exportAsSinglePages: boolean;
  exportReaderSpreads: boolean;
  cropMarks: boolean;
  bleedMarks: boolean;
  registrationMarks: boolean;
  colorBars: boolean;
  pageInformationMarks: boolean;
  includeSlugWithPDF: boolean;
  useDocumentBleedWithPDF: boolean;
  /**
   * A number or a text with a unit. By the page they are valid only with the document's bleed; in practice they count
   * without it.
   */
  bleedTop: number | string;
  bleedBottom: number | string;
  bleedInside: number | string;
  bleedOutside: number | string;
}

/** Document page. */
export interface InDesignDocument {
  readonly id: number;
  readonly name: string;
  /** Whether it was changed since it was last saved. */
  readonly modified: boolean;
  /** Names of the actions that can be undone. */
  readonly undoHistory: readonly string[];
  /** MetadataPreference page. */
  readonly metadataPreferences: {
    /** Null or an error for a property that is not there: the page does not say. */
    getProperty(namespace: string, path: string): unknown;
  };
  readonly pages: { readonly length: number; item(index: number): InDesignPage };
  readonly spreads: { readonly length: number };
  readonly layers: {
    readonly length: number;
    item(index: number): InDesignLayer;
    add(properties: {
      readonly name: string;
      readonly label: string;
      readonly printable: boolean;
    }): InDesignLayer;
  };
  readonly layoutWindows: {
    readonly length: number;
    item(index: number): InDesignLayoutWindow;
  };
  readonly links: { readonly length: number; item(index: number): InDesignLink };
  /** The page names an object; in practice it is a list of objects. */
  readonly selection: unknown;
  undo(): unknown;
  /**
   * `to` is a File, which in practice is a file entry. The page names no return value; in practice InDesign also
   * returns promises where a page has none.
   */
  exportFile(
    format: unknown,
    to: UxpFile | string,
    showingOptions: false,
    using?: InDesignPdfPreset,
  ): unknown;
}

/** Link page. Labels are kept in the document. What an absent one gives is not described. */
export interface InDesignLink {
  readonly id: number;
  readonly name: string;
  /** Delimited by colons on the Mac, by the page; in practice a path of the system. */
  readonly filePath: string;
  /** A member of LinkStatus, see `INDESIGN_NUMBERS`. */
  readonly status: unknown;
  insertLabel(key: string, value: string): unknown;
  extractLabel(key: string): unknown;
  /** A graphic; for text a story, which has no such frame. */
  readonly parent: InDesignGraphic;
  /** Takes a full path. What becomes of the link and its picture is not described: both are read again. */
  relink(to: string): unknown;
}

/**
 * What of a selection is read, each member guarded: Rectangle, Oval, Polygon, TextFrame, Image and InsertionPoint pages.
 * `constructorName` is its class (migration-guides/extendscript).
 */
export interface InDesignSelected {
  readonly constructorName?: unknown;
  readonly locked?: unknown;
  readonly itemLayer?: { readonly locked?: unknown } | null;
  /** Of a picture: its frame. */
  readonly parent?: InDesignSelected | null;
  /** Replaces what is in the frame. Without `false` a dialog may open. */
  place?(file: string | UxpFile, showingOptions: false): unknown;
}

/** A placed picture (Image page), and its frame (Rectangle page). */
export interface InDesignGraphic {
  readonly itemLink: InDesignLink;
  readonly parent: InDesignFrame;
  geometricBounds: readonly (number | string)[];
  /** In percent, relative to the frame, as are the angles in degrees. */
  readonly absoluteHorizontalScale: number;
  readonly absoluteVerticalScale: number;
  absoluteRotationAngle: number;
  absoluteShearAngle: number;
  /** `PDF` for a page of a PDF: only that has `pdfAttributes`. */
  readonly constructorName: string;
  readonly pdfAttributes: { pageNumber: number };
}

export interface InDesignFrame {
  /** Top, left, bottom and right, as those of a page. */
  geometricBounds: readonly (number | string)[];
  locked: boolean;
  readonly itemLayer: { locked: boolean };
  readonly graphics: { readonly length: number; item(index: number): InDesignGraphic };
  fit(given: unknown): unknown;
}

/** LayoutWindow page. */
export interface InDesignLayoutWindow {
  activePage: InDesignPage;
  activeLayer: InDesignLayer;
  bringToFront(): unknown;
  zoom(given: unknown): unknown;
}

/** Layer page. Items on a locked layer cannot be changed. */
export interface InDesignLayer {
  readonly id: number;
  readonly label: string;
  locked: boolean;
  readonly textFrames: { readonly length: number; item(index: number): InDesignTextFrame };
  readonly pageItems: { readonly length: number };
  remove(): unknown;
}

/** TextFrame page. */
export interface InDesignTextFrame {
  readonly label: string;
  remove(): unknown;
}

/** Page page. Each access makes new objects: only their ids can be compared. */
export interface InDesignPage {
  readonly id: number;
  /** Top, left, bottom and right, in the units and from the origin of the rulers. */
  readonly bounds: readonly (number | string)[];
  readonly textFrames: {
    /** The bounds as those of the page. */
    add(
      layer: InDesignLayer,
      at: undefined,
      reference: undefined,
      properties: {
        readonly geometricBounds: readonly number[];
        readonly contents: string;
        readonly label: string;
      },
    ): InDesignTextFrame;
  };
  /**
   * Returns a list of graphics, and takes a path (recipes/document-changes), or a File (Page page). The point is `[x, y]`.
   * Without a layer, the one that the user draws on.
   */
  place(
    file: string | UxpFile,
    placePoint: readonly [x: number, y: number],
    destinationLayer: undefined,
    showingOptions: false,
  ): unknown;
  /** Its number with the prefix of its section. */
  readonly name: string;
  /** The spread. */
  readonly parent: { readonly id: number };
}

/** PDFExportPreference page; preferences of the app, not of the document. The page range also counts with a preset. */
interface InDesignPdfPreferences extends InDesignPdfSettings {
  /** An enumeration, or a text. `+3` is the third page in it, whatever its number is. */
  pageRange: unknown;
  viewPDF: boolean;
}

/** JPEGExportPreference page; preferences of the app, not of the document. */
interface InDesignJpegPreferences {
  jpegExportRange: unknown;
  pageString: string;
  exportingSpread: boolean;
  jpegQuality: unknown;
  exportResolution: number;
}

/** PNGExportPreference page; preferences of the app, not of the document. */
interface InDesignPngPreferences {
  pngExportRange: unknown;
  pageString: string;
  exportingSpread: boolean;
  pngQuality: unknown;
  exportResolution: number;
}
