import type { CurrentAccount } from '../../account/current-account.js';
import type { Owner } from '../../account/owner.js';
import type { RequestQueue } from '../../api/request-queue.js';
import type { CapabilitySource } from '../../api/tus-capabilities.js';
import { CancelledError } from '../../util/cancel.js';
import { CwError, toCwError } from '../../util/errors.js';
import { parseJsonObject, textField } from '../../util/json.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import type { RecordStore } from '../../host/storage.js';
import type { PhotoStore } from '../queue/index.js';
import { lacksScope, PROJECT_SCOPE, type ServiceAccess } from '../../account/service-access.js';
import { readProject, type Project, type ProjectRef } from '../../api/project.js';
import {
  NO_SELECTIONS,
  readSelections,
  SELECTIONS_KEY,
  withSelection,
  writeSelections,
  type Selections,
} from './selections.js';

/** Where new photos go, and where they could go. */
export interface DestinationState {
  readonly availability: ServiceAccess;
  /** The projects of the workspace, those used last first. Without archived ones. */
  readonly projects: readonly Project[];
  /** The project for new photos; null for none. */
  readonly selected: ProjectRef | null;
  readonly isLoading: boolean;
  /** Why the projects could not be loaded the last time, if they could not. */
  readonly error: CwError | null;
}

export interface DestinationsOptions {
  readonly requests: Pick<RequestQueue, 'send'>;
  readonly capabilities: Pick<CapabilitySource, 'get'>;
  /** Address of the projects, `{base_url}/api/v1/projects`. */
  readonly endpoint: string;
  readonly account: Pick<CurrentAccount, 'state'>;
  /** The connected account; null when there is none. */
  readonly owner: Pick<ReadableObservable<Owner | null>, 'get'>;
  readonly records: Pick<RecordStore, 'put'>;
  /** Shows a storage error. */
  readonly photoStore: Pick<PhotoStore, 'track'>;
}

/** Room for the thousand projects that a workspace may have, with the longest names. */
const MAX_LIST_LENGTH = 1024 * 1024;

/**
 * The project that new photos go to. The choice is remembered for the open document. A document without one, and files, get
 * the last choice. Another account does not see these choices.
 */
export class Destinations {
  private readonly store = new Observable<DestinationState>({
    availability: 'unknown',
    projects: [],
    selected: null,
    isLoading: false,
    error: null,
  });
  private selections: Selections = NO_SELECTIONS;
  /** Identity of the open document; null when it has none. */
  private document: string | null = null;
  private isSignedOut = false;
  /** Whether storage has been read. Nothing is written before. */
  private isRestored = false;
  private loading: Promise<void> | null = null;

  readonly state: ReadableObservable<DestinationState> = this.store;

  constructor(private readonly options: DestinationsOptions) {
    options.account.state.subscribe((account) => {
      if (!account) {
        this.set({ availability: 'unknown', projects: [], error: null });
      }
      this.update();
      if (account?.scopes) {
        void this.load();
      }
    });
  }

  /** The project of photos that are chosen now; null for none. */
  forNewPhotos(): ProjectRef | null {
    const { availability, selected } = this.store.get();
    return availability === 'unsupported' ? null : selected;
  }

  /** The project of an open document that need not be in front; null for none. @param document  its identity */
  forDocument(document: string | null): ProjectRef | null {
    return this.store.get().availability === 'unsupported' ? null : this.chosenFor(document);
  }

  /** Takes over what an earlier run left, from the list's other records. A choice of this run stays. */
  restore(records: ReadonlyMap<string, string>): void {
    this.isRestored = true;
    if (this.selections === NO_SELECTIONS) {
      this.selections = readSelections(records.get(SELECTIONS_KEY) ?? '');
    } else {
      void this.save();
    }
    this.update();
  }

  /** Call when another document is open. @param document  its identity; null when it has none, or none is open */
  setDocument(document: string | null): void {
    this.document = document;
    this.update();
  }

  /** Call when there is a session, perhaps a new one. */
  onSignedIn(): void {
    this.isSignedOut = false;
    this.update();
  }

  /** Call when the user has disconnected: anybody may connect next. */
  onSignedOut(): void {
    this.isSignedOut = true;
    this.set({ availability: 'unknown', projects: [], error: null });
    this.update();
  }

  /** Loads the projects. Never fails: `state.error` has the reason. */
  load(): Promise<void> {
    this.loading ??= this.loadAll().finally(() => {
      this.loading = null;
      this.set({ isLoading: false });
    });
    return this.loading;
  }

  /** Chooses the project for new photos. */
  async select(project: ProjectRef | null): Promise<void> {
    const owner = this.options.owner.get()?.keys[0] ?? this.selections.owner;
    const before = this.isOwn ? this.selections : NO_SELECTIONS;
    this.selections = withSelection({ ...before, owner }, this.document, project);
    this.update();
    await this.save();
  }

  /**
   * Creates a project. If the name is taken, gives the project that has it.
   * @throws {CwError} CW-203 without permission; CW-613 when the service refuses the name, or an archived project has it;
   *   or a transient error
   */
  async create(name: string): Promise<ProjectRef> {
    const project = (await this.post(name)) ?? (await this.findNamed(name));
    if (!project) {
      throw new CwError('CW-613', 'no open project has this name', { status: 409 });
    }
    const others = this.store.get().projects.filter(({ id }) => id !== project.id);
    this.set({ availability: 'ready', projects: [project, ...others] });
    return { id: project.id, name: project.name };
  }

  /** @returns null when the name is taken */
  private async post(name: string): Promise<Project | null> {
    const { requests, endpoint } = this.options;
    try {
      const { status, text } = await requests.send({
        method: 'POST',
        url: endpoint,
        headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
        body: JSON.stringify({ name }),
        repeatable: false,
        expectedStatuses: [409],
        isAnswer: (response) => parseJsonObject(response.text) !== null,
      });
      const body = parseJsonObject(text);
      if (status === 409 && body && textField(body, 'error') === 'name_taken') {
        return null;
      }
      const project = status === 409 ? null : readProject(body);
      if (!project) {
        throw new CwError('CW-613', 'the service created no project', { status });
      }
      return project;
    } catch (error) {
      if (!(error instanceof CwError)) {
        throw error;
      }
      if (error.code === 'CW-203') {
        this.set({ availability: 'needs-permission' });
      }
      const { status } = error;
      throw error.code === 'CW-603' && status !== undefined
        ? new CwError('CW-613', 'the service refused the project', { cause: error, status })
        : error;
    }
  }

  private async findNamed(name: string): Promise<Project | null> {
    await this.loading;
    await this.load();
    const { projects, error } = this.store.get();
    if (error) {
      throw error;
    }
    return projects.find((project) => sameName(project.name, name)) ?? null;
  }

  private async loadAll(): Promise<void> {
    const { account, owner } = this.options;
    const who = owner.get();
    if (!who) {
      return;
    }
    if (lacksScope(account.state.get(), PROJECT_SCOPE)) {
      this.set({ availability: 'needs-permission', projects: [], error: null });
      return;
    }
    this.set({ isLoading: true });
    let result: Partial<DestinationState>;
    try {
      result = await this.request();
    } catch (thrown) {
      if (thrown instanceof CancelledError) {
        return;
      }
      result = { error: toCwError(thrown, 'CW-901', 'the projects were not loaded') };
    }
    const now = owner.get();
    if (!now) {
      return;
    }
    // The answer was for the session before.
    if (!now.keys.some((key) => who.keys.includes(key))) {
      await this.loadAll();
      return;
    }
    this.set({ error: null, ...result });
    this.update();
  }

  private async request(): Promise<Partial<DestinationState>> {
    const { requests, capabilities, endpoint } = this.options;
    if (!(await capabilities.get()).projectDestination) {
      return { availability: 'unsupported', projects: [] };
    }
    const { status, text } = await requests.send({
      method: 'GET',
      url: endpoint,
      headers: { Accept: 'application/json' },
      repeatable: true,
      maxResponseLength: MAX_LIST_LENGTH,
      expectedStatuses: [403, 404, 405],
      isAnswer: (response) => parseJsonObject(response.text) !== null,
    });
    if (status === 403) {
      return { availability: 'needs-permission', projects: [] };
    }
    if (status >= 400) {
      return { availability: 'unsupported', projects: [] };
    }
    const entries: unknown = parseJsonObject(text)?.['projects'];
    if (!Array.isArray(entries)) {
      throw new CwError('CW-305', 'the answer lists no projects', { status });
    }
    const projects = entries.flatMap((entry: unknown) => readProject(entry) ?? []);
    return { availability: 'ready', projects };
  }

  /** Whether the choices are those of the connected account, or of the last one while its session has only ended. */
  private get isOwn(): boolean {
    const owner = this.options.owner.get();
    const { owner: own } = this.selections;
    return owner ? own !== null && owner.keys.includes(own) : !this.isSignedOut;
  }

  private chosenFor(document: string | null): ProjectRef | null {
    const { availability, projects } = this.store.get();
    const { selections } = this;
    const chosen = selections.documents.find(([id]) => id === document)?.[1];
    const project = this.isOwn ? (chosen === undefined ? selections.last : chosen) : null;
    // A loaded list has the present name. A project that it lacks is archived or gone.
    const known = projects.find(({ id }) => id === project?.id);
    const present = known && { id: known.id, name: known.name };
    return (availability === 'ready' ? present : project) ?? null;
  }

  /** Updates `selected` and whether permission is missing. */
  private update(): void {
    const { selected: before } = this.store.get();
    const selected = this.chosenFor(this.document);
    const isUnchanged = selected?.id === before?.id && selected?.name === before?.name;
    const lacks = lacksScope(this.options.account.state.get(), PROJECT_SCOPE);
    this.set({
      ...(!isUnchanged && { selected }),
      ...(lacks && { availability: 'needs-permission', projects: [] }),
    });
  }

  private async save(): Promise<void> {
    const { records, photoStore } = this.options;
    if (this.isRestored) {
      await photoStore.track(() => records.put(SELECTIONS_KEY, writeSelections(this.selections)));
    }
  }

  private set(change: Partial<DestinationState>): void {
    const before = this.store.get();
    const next = { ...before, ...change };
    const isChange = (Object.keys(change) as (keyof DestinationState)[]).some(
      (key) => next[key] !== before[key],
    );
    if (isChange) {
      this.store.set(next);
    }
  }
}

/** As the service compares names. */
function sameName(one: string, other: string): boolean {
  const plain = (name: string): string => name.trim().normalize('NFC').toLowerCase();
  return plain(one) === plain(other);
}
