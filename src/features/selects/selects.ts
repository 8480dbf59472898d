import { lacksScope, OWN_FILES_SCOPE, SHARE_SCOPE } from '../../account/service-access.js';
import type { CurrentAccount } from '../../account/current-account.js';
import type { Owner } from '../../account/owner.js';
import type { FolderPort, FolderTree } from '../../host/folders.js';
import type { RecordStore } from '../../host/storage.js';
import type { Language } from '../../ui/i18n/language.js';
import {
  CancelledError,
  CancelSource,
  throwIfCancelled,
  type CancelSignal,
} from '../../util/cancel.js';
import { CwError } from '../../util/errors.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import { collectSelects, wantedOf } from './client-selects.js';
import { ChangedError, eachFile, unanswered, unexpected } from './file-failures.js';
import { LocalPhotos } from './local-photos.js';
import { Marking } from './marking.js';
import { matchSelects } from './select-matching.js';
import { SelectsChoice, type Choice } from './selects-choice.js';
import { SelectsRequests, type RequestsOptions } from './selects-requests.js';
import {
  NO_SELECTS,
  type SelectsLink,
  type SelectsResult,
  type SelectsState,
} from './selects-state.js';
import { UndoLog } from './undo-log.js';
import { putBack } from './undoing.js';

export interface SelectsOptions extends RequestsOptions {
  readonly folders: FolderPort | null;
  readonly records: Pick<RecordStore, 'put' | 'remove'>;
  readonly account: Pick<CurrentAccount, 'state'>;
  readonly owner: Pick<ReadableObservable<Owner | null>, 'get'>;
  readonly language: () => Language;
}

/** How many files of a folder are looked at. */
const MAX_FILES = 20_000;

/** Writes what clients chose through a link into the files of a folder, and undoes it: one run at a time. */
export class Selects {
  private readonly store: Observable<SelectsState>;
  private readonly choice: SelectsChoice;
  private readonly requests: SelectsRequests;
  private readonly undoLog: UndoLog;
  private running: CancelSource | null = null;
  /** Until it ends, nothing else changes files: it may delete the copy that a change writes beside its file. */
  private recovered = Promise.resolve();

  readonly state: ReadableObservable<SelectsState>;

  constructor(private readonly options: SelectsOptions) {
    this.choice = new SelectsChoice(options.records, options.owner);
    this.requests = new SelectsRequests(options);
    this.undoLog = new UndoLog(options.records);
    this.store = new Observable({ ...NO_SELECTS, isOffered: options.folders !== null });
    this.state = this.store;
    options.account.state.subscribe(() => {
      this.set({});
    });
  }

  /** Takes over what an earlier run left, and ends a change that a kill has interrupted. */
  restore(records: ReadonlyMap<string, string>): void {
    this.undoLog.restore(records);
    this.choice.restore(records);
    this.set({});
    this.recovered = this.recover().catch(() => undefined);
  }

  /** The wall-clock times in milliseconds of the newest answers, by the ids of their links. @throws {CwError} */
  answeredLinks(): Promise<ReadonlyMap<string, number>> {
    return this.requests.answeredLinks();
  }

  /** @throws {CwError} CW-702 to CW-704 */
  chooseLink(link: SelectsLink): Promise<void> {
    return this.change({ link });
  }

  /** Opens the host's folder picker. @throws {CwError} CW-802, CW-705, CW-702 to CW-704 */
  async chooseFolder(): Promise<void> {
    const chosen = await this.options.folders?.pickFolder();
    if (chosen) {
      await this.change({ folder: { token: chosen.token, name: chosen.name } });
    }
  }

  /** Whether ratings and labels of the photographer are replaced. @throws {CwError} CW-702 to CW-704 */
  setReplacing(isReplacing: boolean): Promise<void> {
    return this.change({ isReplacing });
  }

  /** Whether files that can carry XMP get it, in place of sidecars. @throws {CwError} CW-702 to CW-704 */
  setIntoFiles(isIntoFiles: boolean): Promise<void> {
    return this.change({ isIntoFiles });
  }

  /** Shows what `write` would do. The outcome is in the state; never rejects. */
  show(): Promise<void> {
    return this.mark('shown');
  }

  /** Writes the selects into the files. The outcome is in the state; never rejects. */
  write(): Promise<void> {
    return this.mark('written');
  }

  /** Puts back what the last run has changed, in files that are as it left them. Never rejects. */
  undo(): Promise<void> {
    return this.exclusive(async (signal) => {
      const { undoLog } = this;
      const tree = await this.open(undoLog.folderToken ?? '');
      const changed: string[] = [];
      const entries = undoLog.list();
      const unsure = await tree.recover(entries.map(([, entry]) => entry));
      const outcome = await eachFile(
        entries,
        async ([key, entry]) => {
          this.step(signal);
          if (unsure.has(entry.path)) {
            throw unanswered();
          }
          const isBack = await putBack(tree, entry, this.options.clock).catch(
            async (error: unknown) => {
              await (error instanceof ChangedError && undoLog.remove(key));
              throw error;
            },
          );
          await undoLog.remove(key);
          changed.push(...(isBack ? [entry.path] : []));
        },
        ([, { path }]) => path,
      );
      const none = { total: 0, found: 0, same: 0, kept: 0, missing: [], ambiguous: [] };
      return { ...none, kind: 'undone', changed, ...outcome };
    });
  }

  /** Ends the present run after the file that is being written. */
  cancel(): void {
    this.running?.cancel();
  }

  private mark(kind: 'shown' | 'written'): Promise<void> {
    const { link, folder, isReplacing, isIntoFiles } = this.choice.get();
    if (!link || !folder) {
      return Promise.resolve();
    }
    return this.exclusive(async (signal) => {
      const { undoLog, requests } = this;
      const { clock, language } = this.options;
      const tree = await this.open(folder.token);
      const selects = collectSelects(await requests.feedbackOf(link.id, signal));
      const { files, missing, ambiguous } = await matchSelects(selects, {
        ...{ tree, clock, isIntoFiles },
        local: new LocalPhotos(await tree.list(MAX_FILES)),
        request: (path, body) => requests.send(path, body, signal),
        step: () => {
          this.step(signal);
        },
      });
      const marking = new Marking({
        ...{ tree, undoLog, clock, isReplacing },
        token: folder.token,
        language: language(),
        isWriting: kind === 'written',
      });
      const changed: string[] = [];
      let [same, kept] = [0, 0];
      const outcome = await eachFile(
        files,
        async ({ target, selects: of }) => {
          this.step(signal);
          const { isChanged, isKept } = await marking.mark(target, wantedOf(of));
          kept += isKept ? 1 : 0;
          same += isChanged || isKept ? 0 : 1;
          changed.push(...(isChanged ? [target.path] : []));
        },
        ({ target }) => target.path,
      );
      const [total, found] = [selects.length, selects.length - missing.length - ambiguous.length];
      return { kind, total, found, changed, same, kept, missing, ambiguous, ...outcome };
    });
  }

  /** A kill, or an app that did not answer, may have left files beside those that were written. */
  private async recover(): Promise<void> {
    const entries = this.undoLog.list();
    const token = this.undoLog.folderToken;
    if (entries.length > 0 && token !== null) {
      await (await this.open(token)).recover(entries.map(([, entry]) => entry));
    }
  }

  /** @throws {CwError} CW-705 */
  private async open(token: string): Promise<FolderTree> {
    const folder = await this.options.folders?.openFolder(token);
    if (!folder) {
      throw new CwError('CW-705', 'there is no folder');
    }
    return folder.tree;
  }

  private async exclusive(work: (signal: CancelSignal) => Promise<SelectsResult>): Promise<void> {
    if (this.running) {
      return;
    }
    const running = new CancelSource();
    this.running = running;
    this.set({ steps: 0, result: null, error: null });
    let result: SelectsResult | null = null;
    let error: CwError | null = null;
    try {
      await this.recovered;
      result = await work(running.signal);
    } catch (failure) {
      error = failure instanceof CancelledError ? null : unexpected(failure);
    }
    this.running = null;
    this.set({ steps: null, result, error });
  }

  /** Counts a step. @throws {CancelledError} */
  private step(signal: CancelSignal): void {
    throwIfCancelled(signal);
    this.set({ steps: (this.store.get().steps ?? 0) + 1 });
  }

  private async change(changed: Partial<Choice>): Promise<void> {
    const stored = this.choice.change(changed);
    this.set({ result: null, error: null });
    await stored;
  }

  private set(changed: Partial<SelectsState>): void {
    const account = this.options.account.state.get();
    const { link, folder, isReplacing, isIntoFiles } = this.choice.get();
    this.store.set({
      ...this.store.get(),
      link,
      folder: folder?.name ?? null,
      isReplacing,
      isIntoFiles,
      undoable: this.undoLog.list().length,
      missingScopes: [SHARE_SCOPE, OWN_FILES_SCOPE]
        .filter((scope) => lacksScope(account, scope))
        .join(' '),
      ...changed,
    });
  }
}
