import {
  markXmp,
  planPacket,
  readMarks,
  UnwritableError,
  type ByteSource,
  type Piece,
} from '../../../packages/image-metadata/index.js';
import type { CurrentAccount } from '../../account/current-account.js';
import type { Owner } from '../../account/owner.js';
import { lacksScope, OWN_FILES_SCOPE, SHARE_SCOPE } from '../../account/service-access.js';
import type { RequestQueue } from '../../api/request-queue.js';
import { isServiceId } from '../../api/project.js';
import type {
  ChosenFolder,
  FileStat,
  FolderPort,
  FolderTree,
  OpenFile,
  RecordStore,
} from '../../host/host.js';
import type { Language } from '../../ui/i18n/language.js';
import {
  CancelledError,
  CancelSource,
  NEVER_CANCELLED,
  throwIfCancelled,
  type CancelSignal,
} from '../../util/cancel.js';
import type { Clock } from '../../util/clock.js';
import { CwError, toCwError } from '../../util/errors.js';
import {
  isJsonObject,
  numberField,
  parseJsonObject,
  textField,
  type JsonObject,
} from '../../util/json.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import { collectSelects, wantedOf, type Select } from './client-selects.js';
import { planMarks } from './label-words.js';
import { LocalPhotos, matchByName, SIDECAR, type Target } from './local-photos.js';
import {
  findByBytes,
  findByDocument,
  MAX_SIDECAR_BYTES,
  type Recognized,
  type RenamedOptions,
} from './renamed-files.js';
import { bytesOf, changedPieces, digestOf, inMemory, reversed } from './rewriting.js';
import {
  NO_SELECTS,
  type FailureReason,
  type SelectsFailure,
  type SelectsLink,
  type SelectsResult,
  type SelectsState,
} from './selects-state.js';
import { UndoLog, type UndoEntry } from './undo-log.js';

export interface SelectsOptions {
  readonly folders: FolderPort | null;
  readonly records: Pick<RecordStore, 'put' | 'remove'>;
  readonly clock: Clock;
  readonly requests: Pick<RequestQueue, 'send'>;
  /** Address of the API, `{base_url}/api/v1`. */
  readonly api: string;
  /** Of the service, without a slash at its end. */
  readonly baseUrl: string;
  readonly account: Pick<CurrentAccount, 'state'>;
  readonly owner: Pick<ReadableObservable<Owner | null>, 'get'>;
  readonly language: () => Language;
}

interface Choice {
  readonly owner: string;
  readonly link: SelectsLink | null;
  readonly folder: { readonly token: string; readonly name: string } | null;
  readonly isReplacing: boolean;
  readonly isIntoFiles: boolean;
}

/** A change of one file. Its source is closed when it is made, or left out. */
interface Edit {
  readonly source: ByteSource & Pick<OpenFile, 'close'>;
  readonly pieces: readonly Piece[];
  /** As it was before it was read; null for a file to be made. */
  readonly stat: FileStat | null;
}

const CHOICE_KEY = 'selects';
/** How many files of a folder are looked at. */
const MAX_FILES = 20_000;
/** How many pages of feedback are read, of up to 1,000 entries. */
const MAX_PAGES = 50;
const MAX_RECENT_PAGES = 5;
const MAX_ANSWER_LENGTH = 8 * 1024 * 1024;
/** Links are sorted by the answers of so many milliseconds. */
const RECENT_MS = 90 * 24 * 60 * 60_000;

const NO_RESULT: Omit<SelectsResult, 'kind'> = {
  total: 0,
  found: 0,
  changed: [],
  same: 0,
  kept: 0,
  missing: [],
  ambiguous: [],
  failed: [],
  stopped: null,
};

/** Writes what clients chose through a link into the files of a folder. */
export class Selects {
  private readonly store: Observable<SelectsState>;
  private readonly undoLog: UndoLog;
  private choice: Choice = {
    owner: '',
    link: null,
    folder: null,
    isReplacing: false,
    isIntoFiles: false,
  };
  private running: CancelSource | null = null;
  /** Until it ends, nothing else changes files: it may delete the copy that a change writes beside its file. */
  private recovered = Promise.resolve();

  readonly state: ReadableObservable<SelectsState>;

  constructor(private readonly options: SelectsOptions) {
    this.undoLog = new UndoLog(options.records);
    this.store = new Observable({ ...NO_SELECTS, isOffered: options.folders !== null });
    this.state = this.store;
    options.account.state.subscribe(() => {
      this.update();
    });
  }

  /** Takes over what an earlier run left, and ends a change that a kill has interrupted. */
  restore(records: ReadonlyMap<string, string>): void {
    this.undoLog.restore(records);
    const body = parseJsonObject(records.get(CHOICE_KEY) ?? '');
    if (body && this.choice.owner === '') {
      this.choice = readChoice(body);
    }
    this.update();
    this.recovered = this.recover().catch(() => undefined);
  }

  /** The wall-clock times in milliseconds of the newest answers, by the ids of their links. @throws {CwError} */
  async answeredLinks(): Promise<ReadonlyMap<string, number>> {
    const since = new Date(this.options.clock.now() - RECENT_MS).toISOString();
    const entries = await this.feedback(`since=${since}`, MAX_RECENT_PAGES, NEVER_CANCELLED);
    const times = new Map<string, number>();
    for (const entry of entries) {
      const link = isJsonObject(entry) ? textField(entry, 'link') : null;
      const at = isJsonObject(entry) ? Date.parse(textField(entry, 'at') ?? '') : Number.NaN;
      if (link !== null && Number.isFinite(at)) {
        times.set(link, Math.max(at, times.get(link) ?? 0));
      }
    }
    return times;
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
    return this.run('shown');
  }

  /** Writes the selects into the files. The outcome is in the state; never rejects. */
  write(): Promise<void> {
    return this.run('written');
  }

  /** Puts back what the last run has changed, in files that are as it left them. Never rejects. */
  undo(): Promise<void> {
    return this.exclusive(async (signal) => {
      const token = this.undoLog.folderToken;
      const { tree } = await this.open(token ?? '');
      const changed: string[] = [];
      const { failed, stopped } = await eachFile(
        this.undoLog.list(),
        async ([key, entry]) => {
          this.step(signal);
          const isBack = await this.putBack(tree, entry);
          await this.undoLog.remove(key);
          if (!isBack) {
            throw new ChangedError();
          }
          changed.push(entry.path);
        },
        ([, { path }]) => path,
      );
      return { ...NO_RESULT, kind: 'undone', changed, failed, stopped };
    });
  }

  /** Ends the present run after the file that is being written. */
  cancel(): void {
    this.running?.cancel();
  }

  private run(kind: 'shown' | 'written'): Promise<void> {
    const { link, folder, isReplacing, isIntoFiles } = this.ownChoice();
    if (!link || !folder) {
      return Promise.resolve();
    }
    return this.exclusive(async (signal) => {
      const { tree } = await this.open(folder.token);
      const id = encodeURIComponent(link.id);
      const selects = collectSelects(await this.feedback(`link=${id}`, MAX_PAGES, signal));
      const local = new LocalPhotos(await tree.list(MAX_FILES));
      const { targets, missing, ambiguous } = await this.match(
        selects,
        local,
        isIntoFiles,
        tree,
        signal,
      );
      const changed: string[] = [];
      let [same, kept] = [0, 0];
      let isBegun = false;
      const { failed, stopped } = await eachFile(
        [...targets.values()],
        async ({ target, selects: of }) => {
          this.step(signal);
          const { isKept, edit } = await this.changeOf(tree, target, of, isReplacing);
          try {
            if (edit !== null && kind === 'written') {
              if (!isBegun) {
                await this.undoLog.begin(folder.token);
                isBegun = true;
              }
              await this.apply(tree, target, edit);
            }
          } finally {
            await edit?.source.close();
          }
          kept += isKept ? 1 : 0;
          same += edit === null && !isKept ? 1 : 0;
          changed.push(...(edit === null ? [] : [target.path]));
        },
        ({ target }) => target.path,
      );
      return {
        kind,
        total: selects.length,
        found: selects.length - missing.length - ambiguous.length,
        ...{ changed, same, kept, missing, ambiguous, failed, stopped },
      };
    });
  }

  /** Finds the file of each select: by name, then by bytes, then by the document of the upload. */
  private async match(
    selects: readonly Select[],
    local: LocalPhotos,
    isIntoFiles: boolean,
    tree: FolderTree,
    signal: CancelSignal,
  ): Promise<{
    readonly targets: ReadonlyMap<string, { readonly target: Target; readonly selects: Select[] }>;
    readonly missing: readonly string[];
    readonly ambiguous: readonly string[];
  }> {
    const { matches, open } = matchByName(selects, local);
    const targets = new Map<string, { readonly target: Target; readonly selects: Select[] }>();
    const missing: string[] = [];
    const ambiguous: string[] = [];
    const take = (select: Select, found: readonly Recognized[], isNamed: boolean): void => {
      const [only] = found;
      const name = only?.path ?? select.name;
      const target =
        only && found.length === 1 ? local.targetOf(only.photo, name, isIntoFiles) : null;
      if (target) {
        const of = targets.get(target.path) ?? { target, selects: [] };
        targets.set(target.path, of);
        of.selects.push(select);
      } else {
        (isNamed || found.length > 0 ? ambiguous : missing).push(select.name);
      }
    };
    for (const [select, photo] of matches) {
      take(select, [{ photo, path: select.name }], true);
    }
    const named = new Set(matches.values());
    const free = local.photos.filter((photo) => !named.has(photo));
    const options: RenamedOptions = {
      tree,
      local,
      clock: this.options.clock,
      request: (path, body) => this.request(path, body, signal),
      step: () => {
        this.step(signal);
      },
    };
    const wanted = open.map(({ select }) => select);
    const byBytes = await findByBytes(wanted, free, options);
    const taken = new Set([...byBytes.values()].flat().map(({ photo }) => photo));
    const byDocument = await findByDocument(
      wanted.filter((select) => !byBytes.has(select)),
      free.filter((photo) => !taken.has(photo)),
      options,
    );
    for (const { select, candidates } of open) {
      take(select, byBytes.get(select) ?? byDocument.get(select) ?? [], candidates.length > 0);
    }
    return { targets, missing: missing.sort(), ambiguous: ambiguous.sort() };
  }

  /** What becomes of a file. `edit` is null where nothing changes. */
  private async changeOf(
    tree: FolderTree,
    { path, kind, exists, isFull }: Target,
    selects: readonly Select[],
    isReplacing: boolean,
  ): Promise<{ readonly isKept: boolean; readonly edit: Edit | null }> {
    // darktable and digiKam, whose sidecars these are, know the English words only.
    const language = isFull ? 'en' : this.options.language();
    let isKept = false;
    const edited = (packet: Uint8Array | null): Uint8Array | null => {
      const present = packet ? readMarks(packet) : { rating: null, label: null };
      const plan = planMarks(present, wantedOf(selects), { isReplacing, language });
      const { rating, label } = plan.marks;
      ({ isKept } = plan);
      return rating === null && label === null ? packet : markXmp(packet, plan.marks);
    };
    const stat = exists ? await tree.stat(path) : null;
    const source = await this.contentOf(tree, path);
    if ((source !== null || stat !== null) !== exists) {
      throw new ChangedError();
    }
    try {
      const pieces =
        source && kind === 'embedded'
          ? await planPacket(source, edited)
          : changedPieces(source && (await source.read(0, source.size)), edited);
      if (pieces !== null) {
        return { isKept, edit: { source: source ?? inMemory(new Uint8Array(0)), pieces, stat } };
      }
    } catch (error) {
      await source?.close();
      throw error;
    }
    await source?.close();
    return { isKept, edit: null };
  }

  /** Stores how the change is undone, then makes it. @throws {CwError} */
  private async apply(
    tree: FolderTree,
    { path, exists }: Target,
    { source, pieces, stat }: Edit,
  ): Promise<void> {
    const { clock } = this.options;
    const former = exists ? await digestOf(source, clock) : '';
    const sha256 = await digestOf(source, clock, pieces);
    const stored = await reversed(source, pieces);
    const key = await this.undoLog.add({ path, hadFile: exists, sha256, former }, stored);
    try {
      const now = await tree.stat(path);
      if (now?.size !== stat?.size || now?.modified !== stat?.modified) {
        throw new ChangedError();
      }
      await tree.replace(path, bytesOf(source, pieces));
    } catch (error) {
      await this.undoLog.remove(key);
      throw error;
    }
  }

  /** @returns false when the file has changed since @throws {CwError} */
  private async putBack(tree: FolderTree, entry: UndoEntry): Promise<boolean> {
    const { path, hadFile, sha256, former, pieces } = entry;
    await tree.recover(path, hadFile);
    const source = await this.contentOf(tree, path);
    try {
      const digest = source ? await digestOf(source, this.options.clock) : '';
      if (digest === former) {
        return true;
      }
      if (!source || digest !== sha256) {
        return false;
      }
      await (hadFile ? tree.replace(path, bytesOf(source, pieces)) : tree.remove(path));
      return true;
    } finally {
      await source?.close();
    }
  }

  /** Null when there is no file. @throws {CwError} CW-602, CW-703 */
  private async contentOf(tree: FolderTree, path: string): Promise<Edit['source'] | null> {
    if (SIDECAR.test(path)) {
      const bytes = await tree.read(path, MAX_SIDECAR_BYTES);
      return bytes && inMemory(bytes);
    }
    return (await tree.stat(path)) && tree.open(path);
  }

  /** A kill may have left a file beside the one that was being written last. */
  private async recover(): Promise<void> {
    const [last] = this.undoLog.list();
    const token = this.undoLog.folderToken;
    if (last && token !== null) {
      const [, { path, hadFile }] = last;
      await (await this.open(token)).tree.recover(path, hadFile);
    }
  }

  /** @throws {CwError} CW-705 */
  private async open(token: string): Promise<ChosenFolder> {
    const folder = await this.options.folders?.openFolder(token);
    if (!folder) {
      throw new CwError('CW-705', 'there is no folder');
    }
    return folder;
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

  private async feedback(
    query: string,
    most: number,
    signal: CancelSignal,
  ): Promise<readonly unknown[]> {
    const entries: unknown[] = [];
    let path: string | null = `/feedback?${query}`;
    for (let page = 0; path !== null && page < most; page += 1) {
      const body: JsonObject | null = await this.request(path, undefined, signal);
      const listed: unknown = body?.['feedback'];
      entries.push(...(Array.isArray(listed) ? (listed as readonly unknown[]) : []));
      const next = body && textField(body, 'next');
      const { api, baseUrl } = this.options;
      path = next?.startsWith('/') === true ? (baseUrl + next).slice(api.length) : null;
    }
    return entries;
  }

  /** The body of an answer; null for a 404. @throws {CwError} @throws {CancelledError} */
  private async request(
    path: string,
    body: object | undefined,
    signal: CancelSignal,
  ): Promise<JsonObject | null> {
    const { status, text } = await this.options.requests.send(
      {
        method: body ? 'POST' : 'GET',
        url: `${this.options.api}${path}`,
        headers: {
          Accept: 'application/json',
          ...(body && { 'Content-Type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        maxResponseLength: MAX_ANSWER_LENGTH,
        repeatable: true,
        expectedStatuses: [404],
        isAnswer: (response) => response.status === 404 || parseJsonObject(response.text) !== null,
      },
      signal,
    );
    return status === 404 ? null : parseJsonObject(text);
  }

  /** What this account has chosen. The folder and the setting belong to the computer. */
  private ownChoice(): Choice {
    const keys: readonly string[] = this.options.owner.get()?.keys ?? [];
    return keys.includes(this.choice.owner) ? this.choice : { ...this.choice, link: null };
  }

  private async change(changed: Partial<Choice>): Promise<void> {
    const owner = this.options.owner.get()?.keys[0] ?? '';
    this.choice = { ...this.ownChoice(), ...changed, owner };
    this.set({ result: null, error: null });
    await this.options.records.put(CHOICE_KEY, JSON.stringify(this.choice));
  }

  private update(): void {
    this.set({});
  }

  private set(changed: Partial<SelectsState>): void {
    const account = this.options.account.state.get();
    const { link, folder, isReplacing, isIntoFiles } = this.ownChoice();
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

function readChoice(body: JsonObject): Choice {
  const link = isJsonObject(body['link']) ? body['link'] : {};
  const folder = isJsonObject(body['folder']) ? body['folder'] : {};
  const id = textField(link, 'id');
  const token = textField(folder, 'token');
  return {
    owner: textField(body, 'owner') ?? '',
    link:
      id === null || !isServiceId(id)
        ? null
        : { id, name: textField(link, 'name') ?? '', expires: numberField(link, 'expires') },
    folder: token === null ? null : { token, name: textField(folder, 'name') ?? '' },
    isReplacing: body['isReplacing'] === true,
    isIntoFiles: body['isIntoFiles'] === true,
  };
}

/** Another program has changed a file in between. */
class ChangedError extends Error {}

/** Does the same with each file. One that fails is noted; what concerns all of them ends it. */
async function eachFile<T>(
  files: readonly T[],
  work: (file: T) => Promise<void>,
  nameOf: (file: T) => string,
): Promise<Pick<SelectsResult, 'failed' | 'stopped'>> {
  const failed: SelectsFailure[] = [];
  for (const file of files) {
    try {
      await work(file);
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === null) {
        const stopped = error instanceof CancelledError ? 'cancelled' : unexpected(error);
        return { failed, stopped };
      }
      failed.push({ name: nameOf(file), reason });
    }
  }
  return { failed, stopped: null };
}

/** Null for a failure that is not that of one file. */
function reasonOf(error: unknown): FailureReason | null {
  if (error instanceof UnwritableError) {
    return 'unknown-xmp';
  }
  if (error instanceof ChangedError) {
    return 'changed';
  }
  const code = error instanceof CwError ? error.code : null;
  const reasons = { 'CW-602': 'unreadable', 'CW-811': 'refused', 'CW-703': 'full' } as const;
  return code === 'CW-602' || code === 'CW-811' || code === 'CW-703' ? reasons[code] : null;
}

function unexpected(error: unknown): CwError {
  return toCwError(error, 'CW-901', 'selects could not be written');
}
