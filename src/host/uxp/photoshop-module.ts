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
import type { UxpFile } from './uxp-module.js';

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
