import type { CurrentAccount } from '../../account/current-account.js';
import type { Owner } from '../../account/owner.js';
import {
  OWN_FILES_SCOPE,
  WORKSPACE_SCOPE,
  type ServiceAccess,
} from '../../account/service-access.js';
import type { ProjectRef } from '../../api/project.js';
import type { RequestQueue } from '../../api/request-queue.js';
import type { CapabilitySource } from '../../api/tus-capabilities.js';
import type { RecordStore } from '../../host/storage.js';
import { CancelledError, CancelSource } from '../../util/cancel.js';
import type { Clock } from '../../util/clock.js';
import { CwError, isTransient, toCwError } from '../../util/errors.js';
import { parseJsonObject, textField } from '../../util/json.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import { readLibraryFile, type LibraryFile } from './library-file.js';
import {
  FIRST_QUERY,
  MAX_SEARCH_LENGTH,
  queryString,
  readQuery,
  writeQuery,
  type LibraryQuery,
} from './library-query.js';

/** The files of the workspace, as far as they are loaded. */
export interface LibraryState {
  readonly access: ServiceAccess;
  /** The scope that the query needs and the session lacks; null when there is none. */
  readonly neededScope: string | null;
  readonly query: LibraryQuery;
  readonly files: readonly LibraryFile[];
  /** The projects that have been seen in the list. */
  readonly projects: readonly ProjectRef[];
  readonly isLoading: boolean;
  /** Whether the service has more. */
  readonly hasMore: boolean;
  /** Why the last request failed; null when it did not. */
  readonly error: CwError | null;
}

export interface LibraryOptions {
  readonly requests: Pick<RequestQueue, 'send' | 'state'>;
  readonly capabilities: Pick<CapabilitySource, 'get'>;
  readonly baseUrl: string;
  /** Path of the list, from the origin. */
  readonly path: string;
  readonly account: Pick<CurrentAccount, 'state'>;
  readonly owner: Pick<ReadableObservable<Owner | null>, 'get'>;
  readonly records: Pick<RecordStore, 'put'>;
  readonly clock: Clock;
}

/** A search begins this long after the last key, in milliseconds. */
export const SEARCH_AFTER_MS = 250;
/** No more files are kept in memory: a search finds the others. */
export const MAX_FILES = 20_000;
const MAX_PROJECTS = 200;
const MAX_ANSWER_LENGTH = 2 * 1024 * 1024;
const KEY = 'library';

export const NO_FILES: LibraryState = {
  access: 'unknown',
  neededScope: null,
  query: FIRST_QUERY,
  files: [],
  projects: [],
  isLoading: false,
  hasMore: false,
  error: null,
};

/** Lists the files of the workspace while a view shows them, page by page. */
export class Library {
  private readonly store = new Observable(NO_FILES);
  private running: CancelSource | null = null;
  private stopWaiting: (() => void) | null = null;
  /** The address of the next page; null when there is none. */
  private next: string | null = null;
  private isOpen = false;
  /** The service offers the list. */
  private isOffered: boolean | null = null;
  /** The service has refused the scopes of the session. */
  private isRefused = false;
  /** What an earlier run left, until the account is known. */
  private stored: ReturnType<typeof readQuery> = null;
  private isRestored = false;
  /** Whose files these are. */
  private ownerKey: string | null = null;
  private scopes = '';

  readonly state: ReadableObservable<LibraryState> = this.store;

  constructor(private readonly options: LibraryOptions) {
    options.account.state.subscribe((account) => {
      const scopes = account?.scopes?.join(' ') ?? '';
      const isChanged = scopes !== this.scopes;
      this.scopes = scopes;
      this.isRefused &&= !isChanged;
      const isOther = this.takeOwner();
      this.update();
      if ((isChanged || isOther) && this.isOpen) {
        this.reload();
      }
    });
    options.requests.state.subscribe(({ kind }) => {
      const { error } = this.store.get();
      if (kind === 'closed' && this.isOpen && error !== null && isTransient(error)) {
        this.more();
      }
    });
  }

  /** Takes over what an earlier run left, from the list's other records. */
  restore(records: ReadonlyMap<string, string>): void {
    this.isRestored = true;
    this.stored = readQuery(records.get(KEY) ?? '');
    this.takeOwner();
  }

  /** Call when there is a session: finds out whether the service has the list. Never fails. */
  async onSignedIn(): Promise<void> {
    this.takeOwner();
    const can = await this.options.capabilities.get().catch(() => null);
    this.isOffered = can?.photoList ?? this.isOffered;
    this.update();
  }

  /** Call when the session has ended. */
  onSessionEnded(): void {
    this.cancel();
    this.isOffered = null;
    this.isRefused = false;
    this.next = null;
    this.store.set({ ...NO_FILES, query: this.store.get().query });
  }

  /** Call when a view shows the files: they are loaded. */
  open(): void {
    this.isOpen = true;
    this.reload();
  }

  /** Call when no view shows them any longer. */
  close(): void {
    this.isOpen = false;
    this.cancel();
    this.set({ query: { ...this.store.get().query, text: '' } });
  }

  /** Lists other files. A change of the text waits for more keys. */
  change(change: Partial<LibraryQuery>): void {
    const { query } = this.store.get();
    const text = (change.text ?? query.text).slice(0, MAX_SEARCH_LENGTH);
    this.isRefused &&= (change.isMine ?? query.isMine) === query.isMine;
    this.set({ query: { ...query, ...change, text } });
    this.update();
    if (Object.keys(change).some((name) => name !== 'text')) {
      void this.save();
      this.reload();
    } else {
      this.cancel();
      this.stopWaiting = this.options.clock.startTimer(SEARCH_AFTER_MS, () => {
        this.reload();
      });
    }
  }

  /** Loads from the top. What is shown stays until the answer has come. */
  reload(): void {
    this.cancel();
    this.next = null;
    const { access, query } = this.store.get();
    if (this.isOpen && access !== 'needs-permission' && access !== 'unsupported') {
      void this.load(this.options.path + queryString(query), true);
    } else {
      this.set({ files: [], hasMore: false, error: null });
    }
  }

  /** Loads the next page, or again what has failed. */
  more(): void {
    const { isLoading, error } = this.store.get();
    if (isLoading || this.stopWaiting) {
      return;
    }
    if (this.next !== null) {
      void this.load(this.next, false);
    } else if (error) {
      this.reload();
    }
  }

  private cancel(): void {
    this.stopWaiting?.();
    this.stopWaiting = null;
    this.running?.cancel();
    this.running = null;
    this.set({ isLoading: false });
  }

  private async load(path: string, isFirst: boolean): Promise<void> {
    const source = new CancelSource();
    this.running = source;
    this.set({ isLoading: true, error: null });
    try {
      const page = await this.request(path, source);
      if (!source.signal.cancelled) {
        this.add(page, path, isFirst);
      }
    } catch (error) {
      if (!(error instanceof CancelledError) && !source.signal.cancelled) {
        this.fail(toCwError(error, 'CW-901', 'the list of files could not be read'));
      }
    }
    if (this.running === source) {
      this.running = null;
      this.set({ isLoading: false });
    }
  }

  private async request(path: string, { signal }: CancelSource): Promise<Page> {
    const { requests, baseUrl } = this.options;
    const { status, text } = await requests.send(
      {
        method: 'GET',
        url: baseUrl + path,
        headers: { Accept: 'application/json' },
        maxResponseLength: MAX_ANSWER_LENGTH,
        // A failure is shown, and the user may try again.
        repeatable: false,
        isAnswer: (response) => parseJsonObject(response.text) !== null,
      },
      signal,
    );
    const body = parseJsonObject(text) ?? {};
    const listed: unknown = body['photos'];
    if (!Array.isArray(listed)) {
      throw new CwError('CW-305', 'the answer lists no files', { status });
    }
    const next = textField(body, 'next') ?? '';
    return {
      files: listed.flatMap((entry: unknown) => readLibraryFile(entry, baseUrl) ?? []),
      next: next.startsWith(`${this.options.path}?`) ? next : null,
    };
  }

  private add({ files, next }: Page, path: string, isFirst: boolean): void {
    const known = isFirst ? [] : this.store.get().files;
    const ids = new Set(known.map(({ id }) => id));
    const added = files.filter(({ id }) => !ids.has(id) && ids.add(id));
    const all = [...known, ...added].slice(0, MAX_FILES);
    // A service that repeats an address would be read for ever.
    this.next = next === path || all.length === MAX_FILES ? null : next;
    this.set({ files: all, hasMore: this.next !== null, projects: this.projectsWith(added) });
  }

  private projectsWith(files: readonly LibraryFile[]): readonly ProjectRef[] {
    const { projects } = this.store.get();
    const known = new Map(projects.map((project) => [project.id, project]));
    for (const { project } of files) {
      if (project && known.size < MAX_PROJECTS) {
        known.set(project.id, project);
      }
    }
    return known.size === projects.length ? projects : [...known.values()];
  }

  private fail(error: CwError): void {
    const { code, status } = error;
    if (code === 'CW-203') {
      this.isRefused = true;
      this.set({ files: [], hasMore: false });
    } else if (code === 'CW-603' && (status === 404 || status === 405)) {
      this.isOffered = false;
    } else if (code === 'CW-603') {
      // The place in the list may be what it refuses.
      this.next = null;
      const details = status === undefined ? {} : { status };
      this.set({
        error: new CwError('CW-616', 'a list was refused', { ...details, cause: error }),
      });
    } else {
      this.set({ error });
    }
    this.update();
  }

  /**
   * Forgets the files of another account, and takes over the query that is this one's.
   * @returns whether the list is to be loaded again
   */
  private takeOwner(): boolean {
    const owner = this.options.owner.get();
    const keys: readonly string[] = owner?.keys ?? [];
    const { query } = this.store.get();
    if (this.stored && keys.includes(this.stored.owner)) {
      this.set({ query: this.stored.query });
      this.stored = null;
    }
    const [key = null] = keys;
    // While a session begins, the account is not known yet.
    if (key !== null && this.options.account.state.get() !== null) {
      if (this.ownerKey !== null && !keys.includes(this.ownerKey)) {
        this.cancel();
        this.next = null;
        this.set({ query: FIRST_QUERY, files: [], projects: [], hasMore: false, error: null });
      }
      this.ownerKey = key;
    }
    return this.store.get().query !== query;
  }

  private update(): void {
    const scopes = this.options.account.state.get()?.scopes ?? null;
    const { isMine } = this.store.get().query;
    const wanted = isMine ? OWN_FILES_SCOPE : WORKSPACE_SCOPE;
    const lacks =
      this.isRefused ||
      (scopes !== null && !scopes.includes(wanted) && !scopes.includes(WORKSPACE_SCOPE));
    this.set({
      access:
        this.isOffered === null
          ? 'unknown'
          : !this.isOffered
            ? 'unsupported'
            : lacks
              ? 'needs-permission'
              : 'ready',
      neededScope: lacks ? wanted : null,
    });
  }

  private async save(): Promise<void> {
    const owner = this.options.owner.get()?.keys[0];
    if (this.isRestored && owner !== undefined) {
      this.stored = null;
      // Without it the next run begins without filters.
      await this.options.records
        .put(KEY, writeQuery(this.store.get().query, owner))
        .catch(() => undefined);
    }
  }

  private set(change: Partial<LibraryState>): void {
    const before = this.store.get();
    const isChange = (Object.keys(change) as (keyof LibraryState)[]).some(
      (key) => change[key] !== before[key],
    );
    if (isChange) {
      this.store.set({ ...before, ...change });
    }
  }
}

interface Page {
  readonly files: readonly LibraryFile[];
  readonly next: string | null;
}
