/**
 * The parts of the host's modules that this plugin uses. Photoshop's come from `@types/photoshop`, Premiere's from
 * `@adobe/premierepro`. Adobe's own package
 * (`@adobe/cc-ext-uxp-types`) stops at UXP 7.3 and types most answers as `any`. So the parts of `uxp` and `fs` are
 * written here as Adobe's pages describe them, each difference with its page, and `checked-modules.ts` compares them
 * with the package.
 * https://developer.adobe.com/photoshop/uxp/2022/uxp-api/
 * @packageDocumentation
 */
import type {
  Action,
  ClipProjectItem,
  ClipProjectItemStatic,
  EncoderManager,
  EncoderManagerStatic,
  ExporterStatic,
  FolderItemStatic,
  Marker,
  Markers,
  MarkerStatic,
  MetadataStatic,
  Project,
  ProjectItem,
  ProjectItemStatic,
  Sequence,
  TickTimeStatic,
} from '@adobe/premierepro';
import type { action, core, imaging } from 'photoshop';
import type {
  BitsPerChannelType,
  ChangeMode,
  DocumentMode,
  Intent,
  ResampleMethod,
} from 'photoshop/dom/Constants';
import type { CountItem } from 'photoshop/dom/CountItem';
import type { Document } from 'photoshop/dom/Document';
import type { HistoryState } from 'photoshop/dom/HistoryState';

/** `require('uxp')` */
export interface UxpModule {
  readonly entrypoints: {
    setup(entrypoints: {
      readonly panels: Readonly<Record<string, UxpPanel>>;
      /** Nothing limits how long a command takes. Since UXP 9.3 its result is made a text. */
      readonly commands: Readonly<Record<string, () => Promise<void>>>;
    }): void;
    /** EntryPoints page: null for an id the manifest does not have. The label of an item can be set. */
    getPanel(id: string): {
      readonly menuItems: { getItem(id: string): { label: string } | null };
    } | null;
  };
  readonly shell: {
    /**
     * Resolves to an empty string on success and to an error text otherwise; does not reject.
     * (Shell page, whose examples also leave `developerText` out. The package promises a text. The plugin relies on
     * neither.)
     */
    openExternal(url: string, developerText?: string): Promise<unknown>;
  };
  readonly host: { readonly name: string; readonly version: string; readonly uiLocale: string };
  readonly versions: { readonly uxp: string; readonly plugin: string };
  readonly storage: {
    /** SecureStorage page. The value of an absent key is not described: null, undefined, empty or a rejection. */
    readonly secureStorage: {
      readonly length: number;
      key(index: number): string | null;
      setItem(key: string, value: string | Uint8Array): Promise<void>;
      getItem(key: string): Promise<Uint8Array | null | undefined>;
      removeItem(key: string): Promise<void>;
    };
    readonly localFileSystem: UxpFileSystem;
    readonly formats: { readonly utf8: symbol; readonly binary: symbol };
    readonly modes: { readonly readOnly: symbol };
  };
  /** XMP page: since 7.2. The pages are Photoshop's, so other apps may lack it. */
  readonly xmp?: {
    readonly XMPMeta: {
      new (packet: string): {
        /** Nothing for an absent property. */
        getProperty(namespace: string, name: string): { readonly value: string } | undefined;
        setProperty(namespace: string, name: string, value: string): void;
        serialize(): string;
      };
      registerNamespace(namespace: string, suggestedPrefix: string): string;
    };
  };
}

/** EntryPoints page: a panel of `setup`. Its methods get 300 ms (manifest v5). */
interface UxpPanel {
  readonly create: (root: HTMLElement) => void;
  readonly menuItems: readonly { readonly id: string; readonly label: string }[];
  readonly invokeMenu: (id: string) => void;
}

/** FileSystemProvider page. */
export interface UxpFileSystem {
  /** Gives an array with `allowMultiple`; a cancelled picker gives nothing, null or an empty array. */
  getFileForOpening(options: {
    readonly types?: readonly string[];
    readonly allowMultiple: boolean;
  }): Promise<readonly UxpFile[] | UxpFile | null | undefined>;
  /** A cancelled picker gives null. Entries of the folder can be read and written. */
  getFolder(): Promise<UxpFolder | null | undefined>;
  /** Gives null, or nothing, for a cancelled picker. */
  getFileForSaving(
    suggestedName: string,
    options: { readonly types: readonly string[] },
  ): Promise<UxpFile | null | undefined>;
  getDataFolder(): Promise<UxpFolder>;
  /** Names a file in commands of the host. */
  createSessionToken(entry: UxpFile | UxpFolder): string;
  /** The token is valid until the entry is moved or its permissions change. That is an error only when it is used. */
  createPersistentToken(entry: UxpFile | UxpFolder): Promise<string>;
  getEntryForPersistentToken(token: string): Promise<UxpFile | UxpFolder>;
}

/** Entry and File pages. */
export interface UxpFile {
  readonly isFile: boolean;
  /** Whether it can be written: one of `storage.modes`. */
  readonly mode: symbol;
  readonly name: string;
  /** Its path as the system writes it. */
  readonly nativePath: string;
  copyTo(folder: UxpFolder, options: { readonly overwrite: boolean }): Promise<UxpFile | UxpFolder>;
  moveTo(
    folder: UxpFolder,
    options: { readonly overwrite: boolean; readonly newName: string },
  ): Promise<void>;
  delete(): Promise<number>;
  getMetadata(): Promise<{ readonly size: number; readonly dateModified: Date }>;
  read(options: { readonly format: symbol }): Promise<string | ArrayBuffer>;
  write(
    data: string | ArrayBuffer,
    options: { readonly format: symbol; readonly append?: boolean },
  ): Promise<number>;
}

/** Entry and Folder pages. */
export interface UxpFolder {
  readonly isFile: boolean;
  readonly name: string;
  /** Its path as the system writes it. */
  readonly nativePath: string;
  /** Entry page: as that of a file. */
  moveTo(
    folder: UxpFolder,
    options: { readonly overwrite: boolean; readonly newName: string },
  ): Promise<void>;
  delete(): Promise<number>;
  getEntries(): Promise<readonly (UxpFile | UxpFolder)[]>;
  getEntry(path: string): Promise<UxpFile | UxpFolder>;
  createFile(name: string, options: { readonly overwrite: boolean }): Promise<UxpFile>;
  createFolder(name: string): Promise<UxpFolder>;
}

/** `require('fs')`: file descriptors read a slice of a file; `File.read` of the storage API reads it whole. */
export interface UxpFs {
  open(path: string, flag: string): Promise<number>;
  close(fd: number): Promise<number>;
  /**
   * Gives text when an encoding is given. `plugin:/` is the plugin's own package. (fs page) None of the synchronous
   * functions is used: builds lack some of them.
   */
  readFile(path: string, options: { readonly encoding: 'utf-8' }): Promise<string | ArrayBuffer>;
  /** `buffer` is an ArrayBuffer, not a view; `position` is the place in the file, from 0. (fs page) */
  read(
    fd: number,
    buffer: ArrayBuffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number; readonly buffer: ArrayBuffer }>;
  /** As `read`. (fs page) */
  write(
    fd: number,
    buffer: ArrayBuffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }>;
}

/** `require('os')` (OS page) */
export interface UxpOs {
  /** "darwin", "win32" or "win10". */
  platform(): string;
  /** Version of the kernel on macOS, such as "24.6.0". */
  release(): string;
}

/**
 * `require('photoshop')`, in Photoshop only: the parts that are used, taken from `@types/photoshop` 25.0.4 so that a
 * member it does not have does not compile. What differs from the package is written here with its page, below
 * https://developer.adobe.com/photoshop/uxp/2022/ps-reference/.
 */
export interface PhotoshopModule {
  readonly app: {
    /** Null or an error without a document: the page does not say (classes/photoshop), the package has neither. */
    activeDocument: PhotoshopDocument | null;
    readonly documents: readonly PhotoshopDocument[];
    /** In a modal scope only (media/executeasmodal). */
    open(file: UxpFile): Promise<PhotoshopDocument>;
  };
  readonly core: {
    showAlert(...call: Parameters<typeof core.showAlert>): Promise<unknown>;
    /**
     * Rejects with `number` 9 while another plugin or a dialog holds the modal state, and its message names the plugin:
     * "Plugin: com.example.id is running a modal command" (media/executeasmodal).
     */
    executeAsModal(
      target: (scope: PhotoshopScope) => Promise<unknown>,
      options: Parameters<typeof core.executeAsModal>[1] & {
        /**
         * Since 25.10: how long the request is tried again while something else is modal. Seconds by the page
         * (objects/returnobjects/executeasmodaloptions), milliseconds by practice; 1 second by default.
         */
        readonly timeOut: number;
      },
    ): Promise<unknown>;
  };
  readonly action: {
    /** Also resolves for a command that failed: its result is then an `error` (media/batchplay). */
    batchPlay(
      ...call: Parameters<typeof action.batchPlay>
    ): Promise<readonly Readonly<Record<string, unknown>>[]>;
    /** The content of descriptors is not described. What this plugin reads was seen in practice. */
    addNotificationListener(
      events: readonly string[],
      listener: (event: string, descriptor: object) => void,
    ): Promise<void>;
    /**
     * Since 25.0 (media/action-recording). `methodName` is the name of a global function. `info` is recorded, and shown
     * unless its keys have a prefix. Not described: what happens while no Action is recorded.
     */
    recordAction?(
      options: { readonly name: string; readonly methodName: string },
      info: Readonly<Record<string, string>>,
    ): Promise<void>;
  };
  readonly imaging: {
    /** The page does not say whether reading needs a modal scope (media/imaging). */
    getPixels(
      options: Parameters<typeof imaging.getPixels>[0],
    ): Promise<{ readonly imageData: PhotoshopImage }>;
    /** Makes a JPEG. */
    encodeImageData(options: {
      readonly imageData: PhotoshopImage;
      readonly base64: true;
    }): ReturnType<typeof imaging.encodeImageData>;
  };
}

/** Pixels in memory of Photoshop, which are to be disposed of. */
export type PhotoshopImage = Pick<
  Awaited<ReturnType<typeof imaging.getPixels>>['imageData'],
  'dispose'
>;

/** A modal scope reports that the user cancelled it with Escape, and closes documents at its end (media/executeasmodal). */
export interface PhotoshopScope extends Pick<
  Parameters<Parameters<typeof core.executeAsModal>[0]>[0],
  'isCancelled' | 'onCancel'
> {
  readonly hostControl: Pick<
    Parameters<Parameters<typeof core.executeAsModal>[0]>[0]['hostControl'],
    'registerAutoCloseDocument'
  > &
    PhotoshopHistoryControl;
}

/**
 * By their page (media/executeasmodal) these take and give an identifier; the package has an object of that. So it is handed
 * back as it was given. Without `commit` the document returns to the state of the suspension.
 */
interface PhotoshopHistoryControl {
  suspendHistory(options: { readonly documentID: number; readonly name: string }): Promise<unknown>;
  resumeHistory(suspension: unknown, commit: boolean): Promise<unknown>;
}

/** In pixels. */
export interface PhotoshopBounds {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Everything that changes a document, and `saveAs`, works inside a modal scope only (media/executeasmodal). */
export interface PhotoshopDocument extends Readonly<
  Pick<Document, 'id' | 'name' | 'saved' | 'width' | 'height' | 'colorProfileName'>
> {
  /** The page does not say what it is in a document whose history is off. */
  readonly activeHistoryState: Readonly<Pick<HistoryState, 'id'>> | null;
  readonly mode: `${DocumentMode}`;
  bitsPerChannel: `${BitsPerChannelType}`;
  readonly artboards: readonly {
    readonly id: number;
    readonly name: string;
    readonly bounds: PhotoshopBounds;
  }[];
  /** Those that are in no group. */
  readonly layers: readonly PhotoshopLayer[];
  /** The selected layers. */
  readonly activeLayers: readonly PhotoshopLayer[];
  /** Since 24.1 (classes/countitems). No member gives the groups or their names. */
  readonly countItems: PhotoshopCounts;
  /** Makes the duplicate the active document. */
  duplicate(name: string, mergeLayersOnly: boolean): Promise<PhotoshopDocument>;
  flatten(): Promise<void>;
  crop(bounds: PhotoshopBounds): Promise<void>;
  changeMode(mode: `${ChangeMode}`): Promise<void>;
  convertProfile(
    profile: string,
    intent: `${Intent}`,
    blackPointCompensation: boolean,
    dither: boolean,
  ): Promise<void>;
  /** Sizes are in pixels. The resolution stays when it is left out. */
  resizeImage(
    width: number,
    height: number,
    resolution: undefined,
    method: `${ResampleMethod}`,
  ): Promise<void>;
  /** The package declares no result; in practice it is awaited. */
  closeWithoutSaving(): unknown;
  readonly saveAs: {
    readonly [Format in keyof SaveAs]: SaveCopy<
      SaveOptions<NonNullable<Parameters<SaveAs[Format]>[1]>>,
      ReturnType<SaveAs[Format]>
    >['save'];
  };
}

/** Layer page. Ids stay in a saved document. */
export interface PhotoshopLayer {
  readonly id: number;
  /** A member of LayerKind, such as `smartObject` or `group`. */
  readonly kind: string;
  readonly boundsNoEffects: PhotoshopBounds;
  /** In percent, about its centre. A linked mask is scaled, too. */
  scale(width: number, height: number): Promise<void>;
  /** In pixels. A linked mask moves, too. */
  translate(horizontal: number, vertical: number): Promise<void>;
  /** Those in a group; null for another layer. */
  readonly layers?: readonly PhotoshopLayer[] | null;
}

/** Positions are in pixels. The package declares results and no promises; in practice methods are awaited. */
export interface PhotoshopCounts {
  add(position: { readonly x: number; readonly y: number }): unknown;
  getAll(): readonly Readonly<Pick<CountItem, 'groupIndex' | 'position'>>[];
  /** It is not described that the new group is the active one. */
  createGroup(groupName: string): unknown;
  removeGroupByIndex(index: number): unknown;
}

type SaveAs = Document['saveAs'];

/**
 * Takes a file of the storage API (classes/document, `saveAs`). The package's `File` is whatever type has that name
 * where it is compiled: with a browser's types, the browser's `File`.
 */
interface SaveCopy<Options, Answer> {
  save(entry: UxpFile, saveOptions: Options, asCopy: true): Answer;
}

/** Plain objects; every member may be left out (objects/saveoptions). The package has them as its own classes. */
type SaveOptions<Options> = {
  readonly [
    Member in keyof Options as Member extends `_${string}` ? never : Member
  ]?: Options[Member];
};

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

/**
 * `require('premierepro')`, in Premiere only: the parts that are used, taken from `@adobe/premierepro`. What differs from
 * the package is written here.
 */
export interface PremiereModule {
  readonly Project: {
    /** Without a project: nothing, or a rejection; neither the package nor its page documents it. */
    getActiveProject(): Promise<PremiereProject | null | undefined>;
  };
  readonly Exporter: {
    /**
     * The package calls `filename` the "filename to be exported" and `filepath` the "directory to be exported". Its
     * example for `filename` is a whole path, but all working reports give the bare name.
     */
    exportSequenceFrame(
      sequence: PremiereSequence,
      ...frame: AfterFirst<Parameters<ExporterStatic['exportSequenceFrame']>>
    ): ReturnType<ExporterStatic['exportSequenceFrame']>;
  };
  readonly EncoderManager: {
    /**
     * In practice the promise settles when the export has ended. It is undocumented how a cancelled one ends; no event
     * comes for `IMMEDIATELY`.
     */
    getManager(): {
      exportSequence(
        sequence: PremiereSequence,
        ...export_: Required<AfterFirst<Parameters<ExportSequence>>>
      ): ReturnType<ExportSequence>;
    };
    getExportFileExtension(
      sequence: PremiereSequence,
      presetPath: string,
    ): ReturnType<EncoderManagerStatic['getExportFileExtension']>;
  };
  readonly Markers: {
    getMarkers(owner: PremiereSequence | ClipProjectItem): Promise<PremiereMarkers>;
  };
  readonly Marker: Pick<MarkerStatic, 'MARKER_TYPE_COMMENT'>;
  readonly TickTime: Pick<TickTimeStatic, 'createWithTicks'>;
  readonly ProjectItem: Pick<ProjectItemStatic, 'cast' | 'TYPE_BIN'>;
  readonly FolderItem: Pick<FolderItemStatic, 'cast'>;
  readonly ClipProjectItem: Pick<ClipProjectItemStatic, 'cast'>;
  readonly Metadata: Pick<
    MetadataStatic,
    | 'getProjectMetadata'
    | 'createSetProjectMetadataAction'
    | 'addPropertyToProjectMetadataSchema'
    | 'METADATA_TYPE_TEXT'
  >;
  readonly Constants: {
    readonly ExportType: { readonly IMMEDIATELY: Parameters<ExportSequence>[1] };
  };
}

/** The part for exports. */
export type PremiereExportModule = Pick<
  PremiereModule,
  'Project' | 'Exporter' | 'EncoderManager' | 'Constants'
>;

type ExportSequence = EncoderManager['exportSequence'];

/**
 * Since 26.3 every action is created inside `lockedAccess`, and becomes one step of the undo history in `executeTransaction`.
 * The package does not say what an exception in a callback does.
 */
export interface PremiereProject extends Readonly<
  Pick<
    Project,
    'lockedAccess' | 'executeTransaction' | 'getRootItem' | 'getInsertionBin' | 'importFiles'
  >
> {
  /** Nothing in a project without an open sequence. */
  getActiveSequence(): Promise<PremiereSequence | null | undefined>;
}

/** A clip, a bin or a sequence in a project. */
export type PremiereItem = ProjectItem;

export type PremiereAction = Action;

export interface PremiereMarkers extends Pick<
  Markers,
  'createAddMarkerAction' | 'createRemoveMarkerAction'
> {
  getMarkers(): readonly PremiereMarker[];
}

/** `guid` exists since 26.3 (ppro-reference/classes/marker). */
export type PremiereMarker = Marker;

export type PremiereSequence = Readonly<
  Pick<
    Sequence,
    | 'guid'
    | 'name'
    | 'getPlayerPosition'
    | 'setPlayerPosition'
    | 'getTimebase'
    | 'getFrameSize'
    | 'getInPoint'
    | 'getOutPoint'
    | 'getEndTime'
  >
>;

type AfterFirst<List extends readonly unknown[]> = List extends [unknown, ...infer Rest]
  ? Rest
  : never;

/** The modules of this app. No app has the module of another one. */
export interface UxpModules {
  readonly uxp: UxpModule;
  readonly fs: UxpFs;
  readonly os: UxpOs;
  readonly photoshop?: PhotoshopModule;
  readonly indesign?: InDesignModule;
  readonly premierepro?: PremiereModule;
}

/** Whether an entry is a file, not a folder. */
export function isUxpFile(entry: UxpFile | UxpFolder): entry is UxpFile {
  return entry.isFile;
}
