import type { Clock } from '../util/clock.js';
import type { RandomBytes } from '../util/random-id.js';
import type { DocumentComments } from './document-comments.js';
import type { DocumentExporter } from './document-export.js';
import type { DownloadedFile, Downloads } from './downloads.js';
import type { FolderPort } from './folders.js';
import type { BinaryBody, Xhr } from './http.js';
import type { DocumentSaves, OpenDocumentPort } from './open-document.js';
import type { PhotoSource } from './photo-source.js';
import type { PlacedFiles, PlacedFileUpdates } from './placed-files.js';
import type { Spool } from './spool.js';
import type { RecordStore, SecretStore } from './storage.js';

/**
 * Everything the plugin needs from the app it runs in. `uxp.ts` and `browser.ts` build it; the rest of the plugin is
 * independent of the host.
 */
export interface Host {
  readonly info: HostInfo;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly secrets: SecretStore;
  readonly records: RecordStore;
  readonly spool: Spool;
  /** Exports the open document; null in an app without such an interface. */
  readonly documentExporter: DocumentExporter | null;
  /** The document in front; null in an app without such an interface. */
  readonly openDocument: OpenDocumentPort | null;
  /** Comments in the document in front; null in an app without such an interface. */
  readonly documentComments: DocumentComments | null;
  /** Delivered files in the document in front; null in an app without such an interface. */
  readonly placedFiles: PlacedFiles | null;
  /** Replaces delivered files in the document in front; null in an app without such an interface. */
  readonly placedFileUpdates: PlacedFileUpdates | null;
  /** Null in an app without such an interface. */
  readonly fileOpener: FileOpener | null;
  /** Reports saves; null in an app without such an event. */
  readonly documentSaves: DocumentSaves | null;
  /** Steps in Actions; null in an app without Actions. */
  readonly actionSteps: ActionSteps | null;
  /** Makes thumbnails of whole pictures; null in a host that has no decoder. */
  readonly pictureScaler: PictureScaler | null;
  /** Opens the host's file picker. Returns no photos when the user cancels. @throws {CwError} CW-802 */
  pickPhotos(): Promise<readonly PhotoSource[]>;
  /**
   * A photo that the user has picked in an earlier run. Null when the host no longer opens it: it was moved or deleted, or
   * the host has no such tokens. Never rejects.
   * @param token  see {@link PhotoSource.describe}
   */
  reopenPhoto(token: string): Promise<PhotoSource | null>;
  /** Folders that stay chosen over restarts; null in a host that has none. */
  readonly folders: FolderPort | null;
  /** Brings files into folders of the user; null in a host that has none. */
  readonly downloads: Downloads | null;
  /**
   * Lets the user choose where to save a small text file, then writes it.
   * @param content  called after the user has chosen; the picker must open within the press
   * @returns false when the user cancels
   * @throws {CwError} CW-802 when the picker fails, CW-811 when the file cannot be written; errors of `content`
   */
  saveFile(name: string, content: () => Promise<string>): Promise<boolean>;
  /** Opens an address in the system browser. @throws {CwError} CW-105 when it was refused or failed. */
  openInBrowser(url: string): Promise<void>;
  /** Puts text on the clipboard. @throws {CwError} CW-801 */
  copyText(text: string): Promise<void>;
  createXhr(): Xhr;
  /**
   * Calls `callback` whenever the computer has woken from sleep or the network is back, if the host reports it. Many
   * hosts never do.
   */
  onAwake(callback: () => void): void;
  /**
   * Reads a text file of the plugin's own package. Gives null when it cannot be read. May never settle.
   * @param path  relative to the package, such as `locales/de.json`
   */
  readOwnFile(path: string): Promise<string | null>;
  /** Shows a message over the app, where an app can. Settles when it is closed; never rejects. */
  showMessage(text: string): Promise<void>;
}

export interface HostInfo {
  /** Name of the creative app, as it names itself. */
  readonly appName: string;
  readonly appVersion: string;
  /** Version of the plugin platform, for diagnostics. */
  readonly platform: string;
  /** Operating system and version as users know them, such as "macOS 15"; empty when not known. */
  readonly os: string;
  readonly pluginVersion: string;
  /** Language of the app's user interface, such as `de_DE`. */
  readonly uiLocale: string;
}

/** Opens files of a chosen folder as documents. */
export interface FileOpener {
  /**
   * @param stepName  what the app shows while it opens the file
   * @throws {CwError} CW-807 when the app is busy, CW-819 when it does not open the file
   * @throws {CancelledError} when the user presses Escape
   */
  open(file: DownloadedFile, stepName: string): Promise<void>;
}

/** Steps that the plugin adds to Actions. An Action may be played in another run, and on another computer. */
export interface ActionSteps {
  /**
   * Adds a step to the Action that the user is recording.
   * @param name  shown in the list of the Action's steps
   * @param content  what `play` gets. The user can read it
   * @throws {CwError} CW-808
   */
  record(name: string, content: string): Promise<void>;
  /**
   * Sets what a step does. Must be called synchronously while the script starts. The Action goes on when the promise
   * resolves, and stops when it rejects.
   * @param play  gets what was recorded, or an empty text when that is lost
   */
  onPlay(play: (content: string) => Promise<void>): void;
}

/** Makes thumbnails of whole pictures. */
export interface PictureScaler {
  /**
   * @param px  longer side of the thumbnail, in pixels
   * @returns a JPEG in a `data:` URL; null for anything that is no picture to this host. Never rejects
   */
  scale(picture: BinaryBody, px: number): Promise<string | null>;
}
