import type { CurrentAccount } from '../../account/current-account.js';
import { lacksScope, CONTENT_SCOPE, WORKSPACE_SCOPE } from '../../account/service-access.js';
import type { ChosenFolder, Host, OpenDocument, RecordStore } from '../../host/host.js';
import { CancelledError, CancelSource } from '../../util/cancel.js';
import { CwError, toCwError } from '../../util/errors.js';
import { parseJsonObject, textField } from '../../util/json.js';
import { Mutex } from '../../util/mutex.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import type { Delivered, DeliveredFile, FileDownload, FileSize } from './file-download.js';

/** What is being placed, for the panel. */
export interface PlacingState {
  /** Whether this app can place files. */
  readonly canPlace: boolean;
  /** The file that is downloaded or placed; null when there is none. `total` is 0 until it is known. */
  readonly current: {
    readonly name: string;
    /** Bytes. */
    readonly received: number;
    readonly total: number;
  } | null;
  /** Whether files wait for a permission of the user. */
  readonly needsPermission: boolean;
  /** Why the last file was not placed; null when it was. */
  readonly failure: { readonly name: string; readonly error: CwError } | null;
}

export interface PlacingOptions {
  readonly host: Pick<Host, 'placedFiles' | 'folders'>;
  /** Null in a host that has no folders. */
  readonly files: Pick<FileDownload, 'download'> | null;
  readonly records: Pick<RecordStore, 'put'>;
  readonly account: Pick<CurrentAccount, 'state'>;
  /** The document in front; null when there is none. */
  readonly front: () => Pick<OpenDocument, 'key'> | null;
  /** The name of the step in the document, for users. */
  readonly stepName: (fileName: string) => string;
}

const FOLDER_KEY = 'placing-folder';

const NOTHING = { current: null, needsPermission: false, failure: null };

/** Brings files of the service into the document in front, one after the other. */
export class Placing {
  private readonly store: Observable<PlacingState>;
  private readonly turns = new Mutex();
  private cancelling = new CancelSource();
  /** Whether the folder picker is open: a host repeats the click that opened it. */
  private isPicking = false;
  /** Token of the folder that the user chose; null before that. */
  private token: string | null = null;

  readonly state: ReadableObservable<PlacingState>;
  private readonly count = new Observable(0);
  /** Counts the files that were placed. */
  readonly placed: ReadableObservable<number> = this.count;

  constructor(private readonly options: PlacingOptions) {
    const { host, files, account } = options;
    const canPlace = host.placedFiles !== null && host.folders !== null && files !== null;
    this.store = new Observable<PlacingState>({ canPlace, ...NOTHING });
    this.state = this.store;
    account.state.subscribe(() => {
      if (!this.lacksPermission()) {
        this.set({ needsPermission: false });
      }
    });
  }

  restore(records: ReadonlyMap<string, string>): void {
    this.token ??= textField(parseJsonObject(records.get(FOLDER_KEY) ?? '') ?? {}, 'token');
  }

  /**
   * Downloads a file, unless it is there already, and places it in the document that is in front now. Lets the user choose
   * a folder at first. A failure becomes part of the state.
   */
  async placeFile(file: DeliveredFile, size: FileSize): Promise<void> {
    const { placedFiles } = this.options.host;
    const front = this.options.front();
    this.set({ failure: null });
    await this.attempt(file, async () => {
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

  /** Lets the user choose another folder. @throws {CwError} CW-802, CW-706 */
  async chooseFolder(): Promise<ChosenFolder | null> {
    if (this.isPicking) {
      return null;
    }
    this.isPicking = true;
    const folder = await this.pickFolder().finally(() => {
      this.isPicking = false;
    });
    if (folder) {
      this.token = folder.token;
      await this.options.records
        .put(FOLDER_KEY, JSON.stringify({ token: folder.token, name: folder.name }))
        .catch(() => undefined);
    }
    return folder;
  }

  private async pickFolder(): Promise<ChosenFolder | null> {
    return (await this.options.host.folders?.pickFolder()) ?? null;
  }

  dismiss(): void {
    this.set({ failure: null, needsPermission: false });
  }

  private async folder(): Promise<ChosenFolder | null> {
    const { folders } = this.options.host;
    if (this.token !== null && folders) {
      const known = await folders.openFolder(this.token).catch(() => null);
      if (known) {
        return known;
      }
    }
    return await this.chooseFolder();
  }

  private async attempt(file: DeliveredFile, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof CancelledError)) {
        const failure = toCwError(error, 'CW-815', 'the file was not placed');
        this.set({ failure: { name: file.name, error: failure } });
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

/** @throws {CwError} CW-817 where the words of CW-803 are about uploads */
function inOtherWords(error: unknown): never {
  throw error instanceof CwError && error.code === 'CW-803'
    ? new CwError('CW-817', 'the document is not in front any more', { cause: error })
    : error;
}
