/**
 * The parts of `uxp`, `fs` and `os` that this plugin uses. Adobe's package (`@adobe/cc-ext-uxp-types`) stops at UXP 7.3 and
 * types most answers as `any`. So they are written here as Adobe's pages describe them, each difference with its page, and
 * `checked-modules.ts` compares them with the package.
 * https://developer.adobe.com/photoshop/uxp/2022/uxp-api/
 * @packageDocumentation
 */

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

/** An answer of the host, which may never come. It cannot be awaited: `answerOf` waits for it. */
type HostAnswer<T> = Pick<Promise<T>, 'finally'>;

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
  getDataFolder(): HostAnswer<UxpFolder>;
  /** Names a file in commands of the host. */
  createSessionToken(entry: UxpFile | UxpFolder): string;
  /** The token is valid until the entry is moved or its permissions change. That is an error only when it is used. */
  createPersistentToken(entry: UxpFile | UxpFolder): HostAnswer<string>;
  getEntryForPersistentToken(token: string): HostAnswer<UxpFile | UxpFolder>;
}

/** Entry and File pages. */
export interface UxpFile {
  readonly isEntry: boolean;
  readonly isFile: boolean;
  /** Whether it can be written: one of `storage.modes`. */
  readonly mode: symbol;
  readonly name: string;
  /** Its path as the system writes it. */
  readonly nativePath: string;
  copyTo(
    folder: UxpFolder,
    options: { readonly overwrite: boolean },
  ): HostAnswer<UxpFile | UxpFolder>;
  moveTo(
    folder: UxpFolder,
    options: { readonly overwrite: boolean; readonly newName: string },
  ): HostAnswer<void>;
  delete(): HostAnswer<number>;
  getMetadata(): HostAnswer<{ readonly size: number; readonly dateModified: Date }>;
  read(options: { readonly format: symbol }): HostAnswer<string | ArrayBuffer>;
  write(
    data: string | ArrayBuffer,
    options: { readonly format: symbol; readonly append?: boolean },
  ): HostAnswer<number>;
}

/** Entry and Folder pages. */
export interface UxpFolder {
  readonly isEntry: boolean;
  readonly isFile: boolean;
  readonly name: string;
  /** Its path as the system writes it. */
  readonly nativePath: string;
  /** Entry page: as that of a file. */
  moveTo(
    folder: UxpFolder,
    options: { readonly overwrite: boolean; readonly newName: string },
  ): HostAnswer<void>;
  delete(): HostAnswer<number>;
  getEntries(): HostAnswer<readonly (UxpFile | UxpFolder)[]>;
  getEntry(path: string): HostAnswer<UxpFile | UxpFolder>;
  createFile(name: string, options: { readonly overwrite: boolean }): HostAnswer<UxpFile>;
  createFolder(name: string): HostAnswer<UxpFolder>;
}

/** `require('fs')`: file descriptors read a slice of a file; `File.read` of the storage API reads it whole. */
export interface UxpFs {
  open(path: string, flag: string): HostAnswer<number>;
  close(fd: number): HostAnswer<number>;
  /**
   * Gives text when an encoding is given. `plugin:/` is the plugin's own package. (fs page) None of the synchronous
   * functions is used: builds lack some of them.
   */
  readFile(path: string, options: { readonly encoding: 'utf-8' }): HostAnswer<string | ArrayBuffer>;
  /** `buffer` is an ArrayBuffer, not a view; `position` is the place in the file, from 0. (fs page) */
  read(
    fd: number,
    buffer: ArrayBuffer,
    offset: number,
    length: number,
    position: number,
  ): HostAnswer<{ readonly bytesRead: number; readonly buffer: ArrayBuffer }>;
  /** As `read`. (fs page) */
  write(
    fd: number,
    buffer: ArrayBuffer,
    offset: number,
    length: number,
    position: number,
  ): HostAnswer<{ readonly bytesWritten: number }>;
}

/** `require('os')` (OS page) */
export interface UxpOs {
  /** "darwin", "win32" or "win10". */
  platform(): string;
  /** Version of the kernel on macOS, such as "24.6.0". */
  release(): string;
}
