import type { Clock } from '../util/clock.js';
import type { CwError } from '../util/errors.js';
import type { RandomBytes } from '../util/random-id.js';
import type { BinaryBody, Xhr } from './http.js';

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

/** What the second script exports. */
export interface PluginScript {
  /** Starts the plugin. Must be called once. */
  start(mountPanel: MountPanel): void;
}

/** A browser's window, where a script has no exports. */
export interface PluginPage {
  creativeWorkspace?: PluginScript;
}

/**
 * Gives the panel and the commands to the host. Is called once, while the plugin starts.
 * @param commands  those that the app's manifest does not have are left out
 */
export type MountPanel = (panel: PanelEntry, commands: readonly CommandEntry[]) => void;

/** The panel that the plugin gives the host. Its methods return at once: the host allows 300 ms. */
export interface PanelEntry {
  /** The panel's own menu (flyout), in order. */
  readonly menu: readonly MenuItem[];
  show(root: HTMLElement): void;
}

/** A command in the app's menu of plugins. */
export interface CommandEntry {
  /** As in the manifest, which also has its label. */
  readonly id: CommandId;
  /** Settles when the command is done; never rejects. */
  run(): Promise<void>;
}

export type CommandId = 'uploadDocument' | 'uploadAllDocuments';

/** An entry of a panel's menu. */
export interface MenuItem {
  /** Unique in the menu. */
  readonly id: string;
  /** The label at first. */
  readonly label: string;
  /** Returns at once and never throws. */
  onSelect(): void;
  /** Called by a host that can change labels: `use` is then called with every later label. */
  onRelabel?(use: (label: string) => void): void;
}

/**
 * The host's protected storage for small secrets. It may lose everything at any time.
 * All methods throw CwError CW-701 when the storage fails.
 */
export interface SecretStore {
  /** The text stored under `key`, or null when there is none or it is not text. */
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<void>;
  /** Also succeeds when nothing was stored. */
  remove(key: string): Promise<void>;
}

/**
 * Durable small records, written whole: after a crash each exists as last written, or is missing.
 *
 * Several instances of the plugin may run on one storage (a reload while the old instance still runs): the
 * one that loaded last owns the records. All methods throw CwError CW-702, CW-703 when the disk is
 * full, or CW-704 when another instance owns the records now; the change may then have been made or not.
 * Before the first successful `load`, a change throws CW-702 and nothing is written.
 */
export interface RecordStore {
  /**
   * Gives every record by its key. From now on this instance of the plugin owns them. If they cannot be read, nothing has
   * changed: an earlier owner still owns them, and this can be called again.
   */
  load(): Promise<ReadonlyMap<string, string>>;
  /**
   * Writes a record and removes others in the same step. After a crash some of the others may be left, but none is gone
   * unless the record is written.
   * @param gone  keys to remove; they need not exist
   */
  put(key: string, value: string, ...gone: readonly string[]): Promise<void>;
  /** As {@link put}, for several records. After a crash some of them may be missing. */
  putAll(written: ReadonlyMap<string, string>, ...gone: readonly string[]): Promise<void>;
  /** Removes records in one step, if they exist: many at once cost little more than one. */
  remove(...keys: readonly string[]): Promise<void>;
  /** Whether this instance of the plugin has loaded the records, and no other has taken them over. */
  isOwner(): Promise<boolean>;
}

/** A photo that the user chose, before it is copied. */
export interface PhotoSource {
  /** File name for users to read; never used as a path. */
  readonly name: string;
  /** Media type, such as `image/jpeg`. */
  readonly type: string;
  /** Set for a photo that exists under this id already: no other may be given to `copyToSpool`. */
  readonly id?: string;
  /**
   * Set for an export: identity of the document, from its XMP. A page or a frame has its own: the document's identity,
   * `#`, and its place. Null where the app identifies no documents.
   */
  readonly document?: string | null;
  /** Set for an automatic export: how it was made and for which project, see `recipeOf`. */
  readonly recipe?: string | null;
  /** State of that document when it was exported, as in {@link OpenDocument}; null when it is not known. */
  readonly stateId?: string | null;
  /** Set for an export: how much it contains. Null where that is not known. */
  readonly length?: FileLength | null;
  /**
   * Set for an export: what {@link DocumentComments} of the same app needs to find a place of the file in the document.
   * At most {@link MAX_SOURCE_LENGTH} printable ASCII characters.
   */
  readonly source?: string | null;
  /**
   * What a later run needs to go on after this one was killed. Missing where the host has nothing of that. Never rejects.
   */
  describe?(): Promise<FileDescription>;
  /**
   * Copies the photo's bytes into the spool under `id`; the copy exists whole or is missing.
   * @throws {CwError} CW-602 when the photo itself cannot be read, CW-702 when no copy can be made, CW-703 disk full
   */
  copyToSpool(id: string): Promise<SpooledCopy>;
}

/** A picked file, before it is copied. */
export interface FileDescription {
  /** Opens it again after a restart, see {@link Host.reopenPhoto}; null when the host refuses one. */
  readonly token: string | null;
  /** Bytes; null when the host does not report them. */
  readonly size: number | null;
}

/** What there is of a copy that was not moved into the spool. */
export interface IncomingCopy {
  /** Bytes; null while there is only a note. */
  readonly size: number | null;
  /** Whether it is certainly complete: only its move was refused. */
  readonly isComplete: boolean;
  /** See {@link Spool.noteIncoming}; null when there is none. */
  readonly note: string | null;
}

/** A photo's copy in the spool. */
export interface SpooledCopy {
  /** Bytes. */
  readonly size: number;
  /**
   * CRC-32C of the photo as it was chosen, an unsigned 32-bit number. Null where the app makes the copy, since its
   * bytes do not pass through the plugin.
   */
  readonly crc32c: number | null;
}

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

/** How much a file contains. */
export type FileLength =
  | { readonly kind: 'pages'; readonly pages: number }
  | { readonly kind: 'duration'; readonly seconds: number };

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
  /** As in {@link OpenDocument}. */
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

/** Folders that the user chooses once. */
export interface FolderPort {
  /** Opens the host's folder picker. Gives null when the user cancels. @throws {CwError} CW-802 */
  pickFolder(): Promise<ChosenFolder | null>;
  /** The folder of an earlier choice. @throws {CwError} CW-705 when it is gone or was moved */
  openFolder(token: string): Promise<ChosenFolder>;
}

/** A folder that the user has chosen. Without {@link FolderTree}, only files directly in it count. */
export interface ChosenFolder {
  /** Opens it again after a restart. */
  readonly token: string;
  /** For users to read. */
  readonly name: string;
  /** Where it is, to recognise it when it is chosen again. */
  readonly path: string;
  /** The names of the files in it now. @throws {CwError} CW-705 */
  list(): Promise<readonly string[]>;
  /** A file of the last list, as it is now; null when it is gone or cannot be read now. */
  stat(name: string): Promise<FileStat | null>;
  /** A file of the last list, to be copied into the spool. */
  photo(name: string): PhotoSource;
  /**
   * Moves a file of the last list into a subfolder, which is created. Adds a number to its name when that is taken.
   * @throws {CwError} CW-705
   */
  moveInto(subfolder: string, name: string): Promise<void>;
  /** Its files with those of its subfolders. */
  readonly tree: FolderTree;
}

/**
 * The files of a folder and of its subfolders. Paths are relative to the folder, with `/` between names. Hidden folders, and
 * names that begin with `.` or `~`, are left out.
 */
export interface FolderTree {
  /**
   * @param most  how many files are listed; the others are left out
   * @throws {CwError} CW-705
   */
  list(most: number): Promise<readonly string[]>;
  /** Null when it is gone or cannot be read now. */
  stat(path: string): Promise<FileStat | null>;
  /**
   * A whole file.
   * @param most  the longest file that is read, in bytes
   * @returns null when there is none
   * @throws {CwError} CW-602 when it cannot be read, or is longer
   */
  read(path: string, most: number): Promise<Uint8Array | null>;
  /**
   * Opens a file of any length, as it is now: the app copies it first. One at a time.
   * @throws {CwError} CW-602, CW-703
   */
  open(path: string): Promise<OpenFile>;
  /**
   * Writes a file beside the present one, if there is one, and puts it in its place. After a kill it is the old one or the new one,
   * or {@link recover} makes it so.
   * @param before  the file that may be replaced, null for none; another one stays
   * @returns `changed` when another file is there. `unknown` when the app did not answer: the new file is there, or may come
   * @throws {CwError} CW-703 disk full, CW-811 when the app refuses, as for a read-only file; the old one is there then
   */
  replace(
    path: string,
    before: FileStat | null,
    parts: AsyncIterable<Uint8Array>,
  ): Promise<'replaced' | 'changed' | 'unknown'>;
  /** Deletes a file. @throws {CwError} CW-811; it may be deleted later, if the app has not answered */
  remove(path: string): Promise<void>;
  /**
   * Ends what a kill, or an app that has not answered, has left of {@link replace}. Never rejects.
   * @param files  with whether there was a file before
   * @returns the paths that the app may still change
   */
  recover(
    files: readonly { readonly path: string; readonly hadFile: boolean }[],
  ): Promise<ReadonlySet<string>>;
}

/** A file that is read in parts. */
export interface OpenFile {
  /** Bytes. */
  readonly size: number;
  /** Bytes `start` (included) to `end` (excluded). @throws {CwError} CW-602 */
  read(start: number, end: number): Promise<Uint8Array>;
  /** Never rejects. */
  close(): Promise<void>;
}

/** Files on their way into a folder of the user. They grow in the plugin's own storage, and are moved when they are complete. */
export interface Downloads {
  /**
   * Opens a part with what an earlier run has left of it, or a new one.
   * @param id  letters, digits and hyphens
   * @throws {CwError} CW-706, CW-707 disk full
   */
  openPart(id: string): Promise<FilePart>;
  /** Removes parts that were last changed before this wall-clock time in milliseconds. Never rejects. */
  removeParts(before: number): Promise<void>;
  /**
   * A file in a chosen folder as a part, to be compared. Its bytes are copied. Null for one of another size, or none at all.
   * @param id  of the copy, as that of a part
   * @throws {CwError} CW-706, CW-707 disk full
   */
  copyOf(folder: ChosenFolder, name: string, size: number, id: string): Promise<FilePart | null>;
  /** A file of the folder to be placed. @throws {CwError} CW-706 when it is gone */
  file(folder: ChosenFolder, name: string): Promise<DownloadedFile>;
}

/** A part of a file. */
export interface FilePart {
  /** Bytes that it had when it was opened. */
  readonly size: number;
  /** Writes bytes at a place that is not behind its end. @throws {CwError} CW-706, CW-707 disk full */
  write(bytes: ArrayBuffer, at: number): Promise<void>;
  /** The bytes that it had when it was opened, few at a time. @throws {CwError} CW-706 */
  chunks(): AsyncIterable<Uint8Array, void>;
  /** Ends the work with it. It stays. Never rejects. */
  close(): Promise<void>;
  /**
   * Moves a closed part into a folder under this name. Never overwrites.
   * @returns false when the name is taken
   * @throws {CwError} CW-706, CW-707 disk full; the part stays then
   */
  moveTo(folder: ChosenFolder, name: string): Promise<boolean>;
  /** Deletes it. Never rejects. */
  remove(): Promise<void>;
}

export interface FileStat {
  /** Bytes. */
  readonly size: number;
  /** Wall-clock time in milliseconds of its last change. */
  readonly modified: number;
}

/** The document in front, at one moment. */
export interface OpenDocument {
  /** Names the document while it is open, in this run only. */
  readonly key: string;
  /** File name or title, for users. */
  readonly name: string;
  /**
   * Identity that stays when the document is saved, closed and opened again (`src/util/xmp.ts`). A document without one
   * has an identity for this run, while it is open. Null where the app identifies no documents.
   */
  readonly documentId: string | null;
  /**
   * Changes with every change of the content, and returns to its earlier value where the app can report an undo. It is
   * comparable across restarts for a document without unsaved changes, where the app reports that.
   */
  readonly stateId: string;
  /**
   * The document as a small JPEG in a `data:` URL. Making it may keep the app busy for a moment, so after the first one it
   * is made only when the document has rested.
   * @param px  about its longer side, in pixels
   * @returns null when the app makes none now, or the document has changed in the meantime; never rejects
   */
  thumbnail(px: number): Promise<string | null>;
}

/** Watches the document in front. */
export interface OpenDocumentPort {
  /** Null without a document. Never rejects. */
  current(): Promise<OpenDocument | null>;
  /** An open document by its `key`; null when it is closed, or the app gives only the one in front. Never rejects. */
  find(key: string): Promise<OpenDocument | null>;
  /**
   * Calls `callback` after another document has come to the front, or this one has changed or was saved. The host is
   * polled while anyone listens, so listen only while the panel is in use.
   * @returns ends the subscription
   */
  onChange(callback: () => void): () => void;
}

/** Longest {@link PhotoSource.source}. It is sent with the metadata of the file, which are at most 4 KiB. */
export const MAX_SOURCE_LENGTH = 1_800;

/** A place in a file that was exported from a document. */
export interface FilePlace {
  /** The page of the file, 1 for the first; null where the file has none, or all are meant. */
  readonly page: number | null;
  /** Seconds from the start of the film; null for a file without a time. */
  readonly start: number | null;
  readonly end: number | null;
  /** A spot, as parts of the width and the height of the picture or the page: 0 to 1. */
  readonly spot: { readonly x: number; readonly y: number } | null;
  /** {@link PhotoSource.source} of the file; null when it is not known. */
  readonly source: string | null;
}

/** A comment to be shown in a document. */
export interface DocumentComment {
  readonly id: string;
  readonly place: FilePlace;
  /** Who wrote it, about which version. One line. */
  readonly title: string;
  readonly text: string;
}

/** Comments that are shown in a document. */
export interface ShownComments {
  /**
   * By the id of the comment, what the app needs to find it again. To be kept, and given back to the next call: a call
   * without it recognises only what has not changed since.
   */
  readonly marks: ReadonlyMap<string, string>;
  /** Comments whose place is not certain: the document has changed since the export in a way that cannot be traced. */
  readonly uncertain: readonly string[];
  /** Comments that are not shown: they have no place, or it is gone from the document. */
  readonly unplaced: readonly string[];
}

/**
 * Puts comments into the document in front, and takes them out again. Every change is one step that can be undone, and one
 * that fails leaves the document as it was.
 */
export interface DocumentComments {
  /** Whether `goTo` may succeed: an app without a documented way never shows a place. */
  readonly canGoTo: boolean;
  /**
   * Brings a place of the document in front into sight. Changes nothing in the document.
   * @param documentKey  `key` of the document ({@link OpenDocument})
   * @returns false when the app cannot do that, another document is in front, or the place is gone; never rejects
   */
  goTo(documentKey: string, place: FilePlace): Promise<boolean>;
  /**
   * Shows these comments, in this order. What is shown already stays as it is, and those of `marks` that are not among them go.
   * @param marks  of the last call for this document
   * @param name  of the step, the layer or the group, for users
   * @throws {CwError} CW-803 when the document is not in front, CW-807 when the app is busy, CW-814 when the app refuses
   */
  show(
    documentKey: string,
    comments: readonly DocumentComment[],
    marks: ReadonlyMap<string, string>,
    name: string,
  ): Promise<ShownComments>;
  /**
   * Takes out what `show` has put in: what `marks` name, and what looks as one of `comments` would.
   * @throws {CwError} as `show`
   */
  remove(
    documentKey: string,
    comments: readonly DocumentComment[],
    marks: ReadonlyMap<string, string>,
    name: string,
  ): Promise<void>;
}

/** Which delivered file a link shows. It is kept in the document, where it takes fewer than 400 bytes. */
export interface PlacedIdentity {
  /** Of the service, such as `https://workspace.example`. */
  readonly origin: string;
  /** Id of the upload: a version, not its photo. */
  readonly uploadId: string;
  /** SHA-256 of the original of that version, in lower-case hexadecimal digits. */
  readonly sha256: string;
  /** What was placed: the original, or a smaller picture of it. */
  readonly size: 'original' | 'web';
}

/** A link of a document. */
export interface PlacedFile {
  /** Names the link while the document is open. */
  readonly key: string;
  /** File name, for users. */
  readonly name: string;
  /** Where the file is, as the app writes it; null when the app does not give it. */
  readonly path: string | null;
  /** Null for a file that was placed by other means. */
  readonly identity: PlacedIdentity | null;
  /** The file as the app sees it. `unknown` where the app does not give that. */
  readonly state: 'present' | 'changed' | 'missing' | 'embedded' | 'unknown';
}

/** A file in a folder of the user, which an app can read. */
export interface DownloadedFile {
  readonly name: string;
  /** Its path as the system writes it. */
  readonly path: string;
}

/**
 * Files that are placed in an open document. Every change is one step that can be undone, where the app has such steps. One
 * that fails leaves the document as it was.
 */
export interface PlacedFiles {
  /**
   * All links of an open document, in the order of the app.
   * @param documentKey  `key` of the document ({@link OpenDocument})
   * @throws {CwError} CW-803 when the document is not open, CW-815 when the app does not give its links
   */
  list(documentKey: string): Promise<readonly PlacedFile[]>;
  /**
   * Places a file where the user works: into the selected frame or at the text cursor, else on the page in front.
   * @param stepName  of the step, for users
   * @throws {CwError} CW-803 when the document is not in front, CW-807 when the app is busy, CW-815 when the app refuses,
   *   CW-816 when the place is locked
   */
  place(
    documentKey: string,
    file: DownloadedFile,
    identity: PlacedIdentity,
    stepName: string,
  ): Promise<void>;
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

/** A link that gets another file. */
export interface LinkChange {
  /** Of {@link PlacedFile}. */
  readonly key: string;
  readonly file: DownloadedFile;
  readonly identity: PlacedIdentity;
}

/** What became of a {@link LinkChange}. */
export interface LinkOutcome {
  /** As in the change. The link may have another key now. */
  readonly key: string;
  /** Null when the link has the file. Else the link is as it was, with the identity of what it shows, or none. */
  readonly error: CwError | null;
}

/** Puts other files in the place of placed ones. Their place, size, crop and rotation stay. */
export interface PlacedFileUpdates {
  /** Whether the user can undo it in the app. It is one step then. */
  readonly canUndo: boolean;
  /**
   * @param documentKey  `key` of the document ({@link OpenDocument})
   * @param stepName  of the step, for users
   * @returns an outcome for each change
   * @throws {CwError} CW-803 when the document is not open, CW-807 when the app is busy. Then nothing has changed
   */
  relink(
    documentKey: string,
    changes: readonly LinkChange[],
    stepName: string,
  ): Promise<readonly LinkOutcome[]>;
}

/** Reports that the user has saved a document. */
export interface DocumentSaves {
  /**
   * Calls `callback` after a save, perhaps more than once, with the `key` of the document ({@link OpenDocument}). Copies
   * that leave the document as it is do not count, nor do the plugin's own exports.
   * @returns ends the subscription
   */
  onSave(callback: (documentKey: string) => void): () => void;
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

/** The plugin's own copies of queued photos. */
export interface Spool {
  /** Set where the body that `read` gives is read from disk while it is sent, so that long ones cost no memory. */
  readonly isStreamed?: boolean;
  /** Opens a copy for reading. @throws {CwError} CW-607 when it is gone, CW-702 when it cannot be opened now */
  open(id: string): Promise<SpoolReader>;
  /** Bytes of a copy. @throws {CwError} CW-607 when it is gone, CW-702 when that cannot be found out now */
  size(id: string): Promise<number>;
  /**
   * A small JPEG that the app made of the content of a copy, deleted with it; null when there is none. Never rejects.
   */
  picture?(id: string): Promise<Uint8Array<ArrayBuffer> | null>;
  /**
   * Deletes copies, also incomplete ones. Never rejects.
   * @returns the ids of copies that may still be there
   */
  remove(...ids: readonly string[]): Promise<readonly string[]>;
  /** The ids of all complete copies. @throws {CwError} CW-702 */
  list(): Promise<readonly string[]>;
  /**
   * Keeps a text about a photo until its copy is moved into the spool or removed, while records cannot be written.
   * @throws {CwError} CW-702, CW-703
   */
  noteIncoming(id: string, note: string): Promise<void>;
  /** The ids of copies that are not complete, or were not moved when they were. @throws {CwError} CW-702 */
  listIncoming(): Promise<readonly string[]>;
  /** What there is of one of these copies; null when nothing is. @throws {CwError} CW-702 */
  incomingCopy(id: string): Promise<IncomingCopy | null>;
  /**
   * Deletes what there is of copies that are not complete. What cannot be deleted now stays, as does what this run is
   * copying. Never rejects.
   */
  removeIncoming(...ids: readonly string[]): Promise<void>;
}

export interface SpoolReader {
  /**
   * Bytes `start` (included) to `end` (excluded), ready to be sent.
   * @throws {CwError} CW-607 when there are fewer, CW-702 when they cannot be read now
   */
  read(start: number, end: number): Promise<BinaryBody>;
  /**
   * Bytes `start` (included) to `end` (excluded) in order. A chunk is valid only until the next one is read. Few of
   * them are in memory at a time.
   * @throws {CwError} while reading: CW-607 when there are fewer, CW-702 when they cannot be read now
   */
  chunks(start: number, end: number): AsyncIterable<Uint8Array, void>;
  close(): Promise<void>;
}
