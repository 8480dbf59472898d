import type { CurrentAccount } from '../../account/current-account.js';
import { lacksScope, CONTENT_SCOPE, WORKSPACE_SCOPE } from '../../account/service-access.js';
import type { ChosenFolder } from '../../host/folders.js';
import type { Host } from '../../host/host.js';
import type { OpenDocument } from '../../host/open-document.js';
import type { RecordStore } from '../../host/storage.js';
import { CancelledError, CancelSource } from '../../util/cancel.js';
import { CwError, toCwError } from '../../util/errors.js';
import { isJsonObject, parseJsonObject, textField } from '../../util/json.js';
import { Mutex } from '../../util/mutex.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import type { Delivered, DeliveredFile, FileDownload, FileSize } from './file-download.js';

/** What is being placed, for the panel. */
export interface PlacingState {
  /** Whether this app can place files. */
  readonly canPlace: boolean;
  /** Whether it can open them as documents. */
  readonly canOpen: boolean;
  /** Name of the folder that files for the document in front go into; null before the user has chosen one. */
  readonly folder: string | null;
  /** The file that is downloaded or placed; null when there is none. `total` is 0 until it is known. */
  readonly current: {
    readonly name: string;
    /** Bytes. */
    readonly received: number;
    readonly total: number;
  } | null;
  /** Whether files wait for a permission of the user. */
  readonly needsPermission: boolean;
  /** Why the last file was not placed or opened; null when it was. */
  readonly failure: {
    readonly name: string;
    readonly wanted: 'place' | 'open';
    readonly error: CwError;
  } | null;
}

export interface PlacingOptions {
  readonly host: Pick<Host, 'placedFiles' | 'fileOpener' | 'folders'>;
  /** Null in a host that has no folders. */
  readonly files: Pick<FileDownload, 'download'> | null;
  readonly records: Pick<RecordStore, 'put'>;
  readonly account: Pick<CurrentAccount, 'state'>;
  /** The document in front; null when there is none. */
  readonly front: () => Pick<OpenDocument, 'key' | 'documentId'> | null;
  /** The name of the step in the document, for users. */
  readonly stepName: (fileName: string) => string;
  /** What the app shows while it opens a file. */
  readonly openName: (fileName: string) => string;
}

type Folder = Pick<ChosenFolder, 'token' | 'name'>;

const FOLDER_KEY = 'placing-folder';
/** For how many documents folders are kept. */
const MAX_DOCUMENTS = 50;

const NOTHING = { current: null, needsPermission: false, failure: null };

/** Brings files of the service into the document in front, one after the other. */
export class Placing {
  private readonly store: Observable<PlacingState>;
  private readonly turns = new Mutex();
  private cancelling = new CancelSource();
  /** Whether the folder picker is open: a host repeats the click that opened it. */
  private isPicking = false;
  /** The folder that was used last; null before there was one. */
  private last: Folder | null = null;
  /** By the identities of documents, the one used last at the end. */
  private readonly folders = new Map<string, Folder>();

  readonly state: ReadableObservable<PlacingState>;
  private readonly count = new Observable(0);
  /** Counts the files that were placed. */
  readonly placed: ReadableObservable<number> = this.count;

  constructor(private readonly options: PlacingOptions) {
    const { host, files, account } = options;
    const hasFiles = host.folders !== null && files !== null;
    const canPlace = hasFiles && host.placedFiles !== null;
    const canOpen = hasFiles && host.fileOpener !== null;
    this.store = new Observable<PlacingState>({ canPlace, canOpen, folder: null, ...NOTHING });
    this.state = this.store;
    account.state.subscribe(() => {
      if (!this.lacksPermission()) {
        this.set({ needsPermission: false });
      }
    });
  }

  restore(records: ReadonlyMap<string, string>): void {
    const kept = parseJsonObject(records.get(FOLDER_KEY) ?? '') ?? {};
    const { documents } = kept;
    this.last ??= readFolder(kept);
    for (const entry of Array.isArray(documents) ? (documents as unknown[]) : []) {
      const id = isJsonObject(entry) ? textField(entry, 'id') : null;
      const folder = readFolder(entry);
      if (id !== null && folder && !this.folders.has(id)) {
        this.folders.set(id, folder);
      }
    }
    this.showFolder();
  }

  /** Call when another document has come to the front. */
  showFolder(): void {
    this.set({ folder: this.known()?.name ?? null });
  }

  /**
   * Downloads a file, unless it is there already, and places it in the document that is in front now. Lets the user choose
   * a folder at first. A failure becomes part of the state.
   */
  async placeFile(file: DeliveredFile, size: FileSize): Promise<void> {
    const { placedFiles } = this.options.host;
    const front = this.options.front();
    await this.attempt(file, 'place', async () => {
      if (!placedFiles || !front) {
        throw new CwError('CW-817', 'no document is in front');
      }
      const delivered = await this.download(file, size);
      if (delivered) {
        const name = this.options.stepName(delivered.file.name);
        await placedFiles
          .place(front.key, delivered.file, delivered.identity, name)
          .catch(inOtherWords);
        this.count.set(this.count.get() + 1);
      }
    });
  }

  /** Downloads an original, unless it is there already, and opens it as a document. A failure becomes part of the state. */
  async openFile(file: DeliveredFile): Promise<void> {
    await this.attempt(file, 'open', async () => {
      const delivered = await this.download(file, 'original');
      if (delivered) {
        const name = this.options.openName(delivered.file.name);
        await this.options.host.fileOpener?.open(delivered.file, name);
      }
    });
  }

  /**
   * Brings a file into the folder of the user, who chooses one at first.
   * @returns null when the user chooses none, or has to allow it first
   * @throws {CwError} as `FileDownload.download`, CW-802
   * @throws {CancelledError}
   */
  async download(file: DeliveredFile, size: FileSize): Promise<Delivered | null> {
    if (this.lacksPermission()) {
      this.set({ needsPermission: true });
      return null;
    }
    // The picker must open within the press.
    const folder = await this.folder();
    const { files } = this.options;
    if (!folder || !files) {
      return null;
    }
    return this.turns.run(async () => {
      const { signal } = (this.cancelling = new CancelSource());
      const onProgress = (received: number, total: number): void => {
        this.set({ current: { name: file.name, received, total } });
      };
      onProgress(0, 0);
      try {
        return await files.download(file, size, folder, onProgress, signal);
      } catch (error) {
        const isKnown = this.options.account.state.get()?.scopes ?? null;
        if (error instanceof CwError && error.code === 'CW-203' && isKnown === null) {
          this.set({ needsPermission: true });
          return null;
        }
        throw error;
      } finally {
        this.set({ current: null });
      }
    });
  }

  /** Ends the download that is under way. Nothing is left of it. */
  cancel(): void {
    this.cancelling.cancel();
  }

  /** Lets the user choose another folder, also for the document in front. @throws {CwError} CW-802, CW-706 */
  async chooseFolder(): Promise<ChosenFolder | null> {
    if (this.isPicking) {
      return null;
    }
    this.isPicking = true;
    const folder = await this.pickFolder().finally(() => {
      this.isPicking = false;
    });
    if (folder) {
      await this.keep(folder);
    }
    return folder;
  }

  /** No host gives access to the folder of a document: the user chooses it once. */
  private async keep({ token, name }: Folder): Promise<void> {
    const id = this.options.front()?.documentId ?? null;
    this.last = { token, name };
    if (id !== null) {
      this.folders.delete(id);
      this.folders.set(id, this.last);
      for (const old of [...this.folders.keys()].slice(0, -MAX_DOCUMENTS)) {
        this.folders.delete(old);
      }
    }
    this.showFolder();
    const documents = Array.from(this.folders, ([key, folder]) => ({ id: key, ...folder }));
    const text = JSON.stringify({ ...this.last, documents });
    await this.options.records.put(FOLDER_KEY, text).catch(() => undefined);
  }

  /** That of the document in front, else the last one. */
  private known(): Folder | null {
    const id = this.options.front()?.documentId ?? null;
    return (id === null ? undefined : this.folders.get(id)) ?? this.last;
  }

  private async pickFolder(): Promise<ChosenFolder | null> {
    return (await this.options.host.folders?.pickFolder()) ?? null;
  }

  dismiss(): void {
    this.set({ failure: null, needsPermission: false });
  }

  private async folder(): Promise<ChosenFolder | null> {
    const { front, host } = this.options;
    const known = this.known();
    const folder =
      known && ((await host.folders?.openFolder(known.token).catch(() => null)) ?? null);
    if (!folder) {
      return await this.chooseFolder();
    }
    const id = front()?.documentId ?? null;
    if (id !== null && !this.folders.has(id)) {
      // Another choice for another document must not change it.
      await this.keep(folder);
    }
    return folder;
  }

  private async attempt(
    file: DeliveredFile,
    wanted: 'place' | 'open',
    work: () => Promise<void>,
  ): Promise<void> {
    this.set({ failure: null });
    try {
      await work();
    } catch (error) {
      if (!(error instanceof CancelledError)) {
        const code = wanted === 'place' ? 'CW-815' : 'CW-819';
        const failure = toCwError(error, code, 'the app did not get the file');
        this.set({ failure: { name: file.name, wanted, error: failure } });
      }
    }
  }

  private lacksPermission(): boolean {
    const account = this.options.account.state.get();
    return lacksScope(account, CONTENT_SCOPE) && lacksScope(account, WORKSPACE_SCOPE);
  }

  private set(change: Partial<PlacingState>): void {
    this.store.set({ ...this.store.get(), ...change });
  }
}

function readFolder(value: unknown): Folder | null {
  const { token, name } = isJsonObject(value) ? value : {};
  return typeof token === 'string' && typeof name === 'string' ? { token, name } : null;
}

/** @throws {CwError} CW-817 where the words of CW-803 are about uploads */
function inOtherWords(error: unknown): never {
  throw error instanceof CwError && error.code === 'CW-803'
    ? new CwError('CW-817', 'the document is not in front any more', { cause: error })
    : error;
}
