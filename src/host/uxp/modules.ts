/**
 * The parts of the host's modules that this plugin uses, as Adobe's reference pages describe them.
 * Adobe's own type package stops at UXP 7.3 and differs from the pages in places; each difference is
 * named here with its page. https://developer.adobe.com/photoshop/uxp/2022/uxp-api/
 */

/** `require('uxp')` */
export interface UxpModule {
  readonly entrypoints: {
    setup(entrypoints: { readonly panels: Readonly<Record<string, UxpPanel>> }): void;
  };
  readonly shell: {
    /**
     * Resolves to an empty string on success and to an error text otherwise; does not reject.
     * (Shell page. The package types say Promise<void>.)
     */
    openExternal(url: string, developerText?: string): Promise<unknown>;
  };
  readonly host: { readonly name: string; readonly version: string; readonly uiLocale: string };
  readonly versions: { readonly uxp: string; readonly plugin: string };
  readonly storage: {
    /** SecureStorage page. The value of an absent key is not described: null, undefined, empty or a rejection. */
    readonly secureStorage: {
      setItem(key: string, value: string | Uint8Array): Promise<void>;
      getItem(key: string): Promise<Uint8Array | null | undefined>;
      removeItem(key: string): Promise<void>;
    };
    readonly localFileSystem: UxpFileSystem;
    readonly formats: { readonly utf8: symbol; readonly binary: symbol };
  };
}

/** EntryPoints page: a panel of `setup`. Its methods get 300 ms (manifest v5). */
export interface UxpPanel {
  readonly create: (root: HTMLElement) => void;
  readonly menuItems: readonly { readonly id: string; readonly label: string }[];
  readonly invokeMenu: (id: string) => void;
}

/** FileSystemProvider page. */
export interface UxpFileSystem {
  /** Gives an array with `allowMultiple`; a cancelled picker gives nothing, null or an empty array. */
  getFileForOpening(options: {
    readonly types?: readonly string[];
    readonly allowMultiple: true;
  }): Promise<readonly UxpFile[] | UxpFile | null | undefined>;
  getDataFolder(): Promise<UxpFolder>;
}

/** Entry and File pages. */
export interface UxpFile {
  readonly isFile: boolean;
  readonly name: string;
  copyTo(folder: UxpFolder, options: { readonly overwrite: boolean }): Promise<UxpFile | UxpFolder>;
  moveTo(
    folder: UxpFolder,
    options: { readonly overwrite: boolean; readonly newName: string },
  ): Promise<void>;
  delete(): Promise<number>;
  getMetadata(): Promise<{ readonly size: number }>;
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
  /** Gives a text when an encoding is named. `plugin:/` is the plugin's own package. (fs page) */
  readFileSync(path: string, options: { readonly encoding: 'utf-8' }): string | ArrayBuffer;
  /** `buffer` is an ArrayBuffer, not a view; `position` from 0 reads there. (fs page) */
  read(
    fd: number,
    buffer: ArrayBuffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number; readonly buffer: ArrayBuffer }>;
}

/** `require('photoshop')`: the Document and executeAsModal pages; there in Photoshop only. */
export interface PhotoshopModule {
  readonly app: {
    /** Null without a document, or an error: the pages do not say. */
    readonly activeDocument: PhotoshopDocument | null;
  };
  readonly core: {
    /** Rejects with `number` 9 while another plugin or a dialog holds the modal state. */
    executeAsModal(
      target: () => Promise<unknown>,
      options: { readonly commandName: string },
    ): Promise<unknown>;
  };
}

/** Document page. `saveAs` works inside a modal scope only. */
export interface PhotoshopDocument {
  readonly name: string;
  readonly saveAs: {
    jpg(entry: UxpFile, options: JpegSaveOptions, asCopy: true): Promise<unknown>;
    png(entry: UxpFile, options: object, asCopy: true): Promise<unknown>;
    psd(entry: UxpFile, options: PsdSaveOptions, asCopy: true): Promise<unknown>;
  };
}

/** SaveOptions pages. `quality` goes from 0 to 12. */
interface JpegSaveOptions {
  readonly quality: number;
  readonly embedColorProfile: boolean;
}

interface PsdSaveOptions {
  readonly embedColorProfile: boolean;
}

export interface UxpModules {
  readonly uxp: UxpModule;
  readonly fs: UxpFs;
  readonly photoshop?: PhotoshopModule;
}

export function isUxpFile(entry: UxpFile | UxpFolder): entry is UxpFile {
  return entry.isFile;
}
