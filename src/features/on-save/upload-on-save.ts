import type { Owner } from '../../account/owner.js';
import { backoffDelay } from '../../util/backoff.js';
import type { Clock } from '../../util/clock.js';
import { CwError } from '../../util/errors.js';
import { Mutex } from '../../util/mutex.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import type { DocumentExporter } from '../../host/document-export.js';
import type { DocumentSaves, OpenDocument, OpenDocumentPort } from '../../host/open-document.js';
import type { RecordStore } from '../../host/storage.js';
import type { Destinations } from '../destinations/index.js';
import type { DocumentUploads } from '../documents/index.js';
import { type Preset, recipeOf } from '../presets/index.js';
import type { PhotoStore } from '../queue/index.js';
import {
  CHOICES_KEY,
  MARKS_KEY,
  NO_CHOICES,
  readChoices,
  readMarks,
  withDocument,
  writeChoices,
  writeMarks,
  type OnSaveChoices,
  type SaveMark,
} from './on-save-records.js';

/** A save is followed for so long: it fires several events, and some come before it has ended. Milliseconds. */
const REST_MS = 500;
/** Waits while the app is busy. */
const BUSY = { firstMs: 5_000, longestMs: 60_000 };

/** A saved document of which no copy could be made. */
export interface MissedSave {
  readonly documentId: string;
  readonly name: string;
  /** Wall-clock time of the save, in milliseconds. */
  readonly since: number;
  /** Why; null when it was closed, or the app ended, before the copy was made. */
  readonly error: CwError | null;
}

export interface OnSaveState {
  /** Whether the app reports saves. */
  readonly isAvailable: boolean;
  readonly all: boolean;
  /** Identities of the documents for which it is on, if it is not on for all. */
  readonly documents: readonly string[];
  /** The preset that is used; null in an app without an export. */
  readonly preset: Preset | null;
  /** The last save; null before the first. `waiting`: the app is busy, and the plugin retries. */
  readonly last: {
    readonly name: string;
    readonly at: number;
    readonly kind: 'exporting' | 'waiting' | 'queued' | 'stopped';
  } | null;
  /** They are tried again when they are opened or saved again. */
  readonly missed: readonly MissedSave[];
}

/** The state in an app that reports no saves. */
export const NO_SAVES: OnSaveState = {
  isAvailable: false,
  all: false,
  documents: [],
  preset: null,
  last: null,
  missed: [],
};

export type OnSaveMode = 'off' | 'document' | 'all';

export interface UploadOnSaveOptions {
  /** Null in an app that reports no saves. */
  readonly saves: DocumentSaves | null;
  readonly openDocument: Pick<OpenDocumentPort, 'current' | 'find'> | null;
  readonly exporter: Pick<DocumentExporter, 'documents'> | null;
  readonly documents: Pick<DocumentUploads, 'uploadOnce' | 'wasQueued'>;
  readonly destinations: Pick<Destinations, 'forDocument'>;
  readonly presets: { find(id: string): Preset | null; readonly chosen: Preset | null };
  readonly records: Pick<RecordStore, 'put' | 'remove'>;
  readonly photoStore: Pick<PhotoStore, 'track' | 'isSuperseded'>;
  readonly clock: Clock;
  /** The connected account; null when there is none. */
  readonly owner: Pick<ReadableObservable<Owner | null>, 'get'>;
  /** Whether the user has disconnected: then saves do not count. */
  readonly isSignedOut: () => boolean;
  /** Shown by apps that are blocked during the export. */
  readonly title: () => string;
  /** Receives the errors of exports. */
  readonly onFailure: (error: CwError) => void;
}

interface Mark extends SaveMark {
  /** Why it was not exported; undefined while it is to be exported. */
  readonly missed?: { readonly error: CwError | null };
}

/**
 * Uploads documents when they are saved, once the user has switched it on. A mark is stored before a document is exported
 * and removed when its copy is safe in the queue. Only a document that is open can be exported: what was closed before,
 * by the user or by a kill, is reported, and exported when it is open again.
 */
export class UploadOnSave {
  private readonly store: Observable<OnSaveState>;
  private choices: OnSaveChoices = NO_CHOICES;
  /** By the identity of the document. */
  private readonly marks = new Map<string, Mark>();
  private readonly notes = new Mutex();
  /** Keys of documents that were saved before storage was read; null afterwards. */
  private early: Set<string> | null = new Set();
  /** The identity that each open document had last. The first save gives it another one. */
  private readonly identities = new Map<string, string>();
  /** Ends the wait of each document. */
  private readonly timers = new Map<string, () => void>();
  /** Keys of documents to export, in this order. */
  private readonly due = new Set<string>();
  private readonly busyTries = new Map<string, number>();
  /** Keys of documents that were exported because of an earlier run or failure. */
  private readonly retried = new Set<string>();
  private isExporting = false;

  readonly state: ReadableObservable<OnSaveState>;

  constructor(private readonly options: UploadOnSaveOptions) {
    this.store = new Observable<OnSaveState>({
      ...NO_SAVES,
      isAvailable: options.saves !== null && options.exporter !== null,
    });
    this.state = this.store;
    options.saves?.onSave((key) => {
      this.onSave(key);
    });
  }

  /** Takes over what an earlier run left, from the list's other records. A choice of this run stays. */
  restore(records: ReadonlyMap<string, string>): void {
    if (this.choices === NO_CHOICES) {
      this.choices = readChoices(records.get(CHOICES_KEY) ?? '');
    }
    for (const mark of readMarks(records.get(MARKS_KEY) ?? '')) {
      if (!this.marks.has(mark.documentId)) {
        this.marks.set(mark.documentId, { ...mark, missed: { error: null } });
      }
    }
    this.update();
  }

  /** Call when the queue has been read, too: begins to export what was saved in the meantime. */
  async onRestored(): Promise<void> {
    const early = this.early ?? new Set();
    this.early = null;
    await this.retryMissed();
    for (const key of early) {
      this.onSave(key);
    }
  }

  /** Call when the session or the account has changed. */
  async onAccount(): Promise<void> {
    this.update();
    if (this.early === null) {
      await this.retryMissed();
    }
  }

  /** Call when another document is in front: one that was missed may be open again. */
  onFront(document: OpenDocument | null): void {
    if (document?.documentId === undefined || document.documentId === null) {
      return;
    }
    const { key, documentId } = document;
    if (!this.identities.has(key)) {
      this.identities.set(key, documentId);
    }
    if (this.isOn(documentId) && !this.retried.has(key)) {
      this.exportMissed(key, documentId);
    }
  }

  /** Switches it on or off. @param documentId  the document in front; null when it has no identity */
  async choose(mode: OnSaveMode, documentId: string | null): Promise<void> {
    const owner = this.options.owner.get()?.keys[0] ?? this.choices.owner;
    const { documents, preset } = this.isOwn ? this.choices : NO_CHOICES;
    const others = { owner, preset, documents: documents.filter((id) => id !== documentId) };
    this.choices =
      mode === 'document' && documentId !== null
        ? withDocument({ ...others, all: false }, documentId)
        : { ...others, all: mode === 'all' };
    this.update();
    await this.storeChoices();
  }

  /** Switches it off for every document. */
  async switchOff(): Promise<void> {
    this.choices = { ...this.choices, all: false, documents: [] };
    this.update();
    await this.storeChoices();
  }

  async choosePreset(preset: string): Promise<void> {
    this.choices = { ...this.choices, preset };
    this.update();
    await this.storeChoices();
  }

  /** Exports a missed document again. @throws {CwError} CW-803 when it is not open */
  async retry(documentId: string): Promise<void> {
    for (const [key, document] of await this.openDocuments()) {
      if (document.documentId === documentId) {
        this.exportMissed(key, documentId);
        return;
      }
    }
    throw new CwError('CW-803', 'the document is not open');
  }

  /** Forgets a missed document. */
  async dismiss(documentId: string): Promise<void> {
    await this.unmark(documentId);
  }

  private onSave(key: string): void {
    if (this.early) {
      this.early.add(key);
      return;
    }
    void this.notes.run(() => this.note(key));
  }

  /** Marks a saved document, and exports it when it has rested. */
  private async note(key: string): Promise<void> {
    const { openDocument, clock, photoStore, isSignedOut } = this.options;
    if (photoStore.isSuperseded || isSignedOut()) {
      return;
    }
    const document = (await openDocument?.find(key)) ?? null;
    if (document?.documentId === undefined || document.documentId === null) {
      return;
    }
    await this.followIdentity(key, document.documentId);
    if (!this.isOn(document.documentId)) {
      return;
    }
    await this.mark(document);
    this.timers.get(key)?.();
    this.timers.set(
      key,
      clock.startTimer(REST_MS, () => {
        this.timers.delete(key);
        this.busyTries.delete(key);
        this.exportSoon(key);
      }),
    );
  }

  /**
   * The first save gives a document its identity, and saving it under another name gives it another one. It stays on for
   * the open document.
   */
  private async followIdentity(key: string, documentId: string): Promise<void> {
    const before = this.identities.get(key);
    this.identities.set(key, documentId);
    if (before === undefined || before === documentId || !this.isOwn) {
      return;
    }
    if (this.choices.documents.includes(before)) {
      this.choices = withDocument(this.choices, documentId);
      this.update();
      await this.storeChoices();
    }
  }

  private exportSoon(key: string): void {
    this.due.add(key);
    if (!this.isExporting) {
      void this.exportAll();
    }
  }

  private async exportAll(): Promise<void> {
    this.isExporting = true;
    try {
      for (const key of this.due) {
        this.due.delete(key);
        await this.export(key);
      }
    } finally {
      this.isExporting = false;
    }
  }

  private async export(key: string): Promise<void> {
    const { openDocument, destinations, documents, photoStore, title } = this.options;
    const document = (await openDocument?.find(key)) ?? null;
    const documentId = document?.documentId ?? null;
    const { preset } = this.store.get();
    if (!document || documentId === null || !preset) {
      this.miss(this.identities.get(key) ?? '', null);
      return;
    }
    if (photoStore.isSuperseded) {
      return;
    }
    const project = destinations.forDocument(documentId);
    await this.mark(document, recipeOf(preset, project));
    this.setLast(document.name, 'exporting');
    const outcome = await documents.uploadOnce({
      preset,
      project,
      target: { documentKey: key, partId: null },
      title: title(),
      open: document,
    });
    if (outcome === 'queued' || outcome === 'cancelled') {
      this.setLast(document.name, outcome === 'queued' ? 'queued' : 'stopped');
      // Unless it was saved again in the meantime.
      if (!this.timers.has(key) && !this.due.has(key)) {
        await this.unmark(documentId);
      }
    } else if (outcome.code === 'CW-807') {
      this.setLast(document.name, 'waiting');
      this.waitUntilFree(key);
    } else {
      this.options.onFailure(outcome);
      this.miss(documentId, outcome.code === 'CW-803' ? null : outcome);
    }
  }

  private waitUntilFree(key: string): void {
    if (this.timers.has(key) || this.due.has(key)) {
      return;
    }
    const tries = (this.busyTries.get(key) ?? 0) + 1;
    this.busyTries.set(key, tries);
    const stop = this.options.clock.startTimer(backoffDelay(BUSY, tries, 0), () => {
      this.timers.delete(key);
      this.exportSoon(key);
    });
    this.timers.set(key, stop);
  }

  /** Exports what is open among the missed documents. What the queue has settles its mark. */
  private async retryMissed(): Promise<void> {
    const { documents } = this.options;
    const missed = [...this.marks.values()].filter((mark) => mark.missed);
    for (const { documentId, stateId, recipe } of missed) {
      if (documents.wasQueued({ documentId, stateId }, recipe)) {
        await this.unmark(documentId);
      }
    }
    if (!this.isOwn || ![...this.marks.values()].some((mark) => mark.missed)) {
      return;
    }
    for (const [key, { documentId }] of await this.openDocuments()) {
      if (documentId !== null && this.isOn(documentId) && !this.retried.has(key)) {
        this.exportMissed(key, documentId);
      }
    }
  }

  private exportMissed(key: string, documentId: string): void {
    const mark = this.marks.get(documentId);
    if (!mark?.missed) {
      return;
    }
    this.retried.add(key);
    this.marks.set(documentId, withoutMiss(mark));
    this.update();
    this.exportSoon(key);
  }

  private async openDocuments(): Promise<ReadonlyMap<string, OpenDocument>> {
    const { exporter, openDocument } = this.options;
    const front = (await openDocument?.current()) ?? null;
    const keys = ((await exporter?.documents()) ?? []).map(({ key }) => key);
    const found = new Map<string, OpenDocument>(front ? [[front.key, front]] : []);
    for (const key of keys) {
      const document = found.has(key) ? null : await openDocument?.find(key);
      if (document) {
        found.set(key, document);
      }
    }
    return found;
  }

  /** @param recipe  when it is about to be exported */
  private async mark(
    { documentId, name, stateId }: OpenDocument,
    recipe: string | null = null,
  ): Promise<void> {
    if (documentId === null) {
      return;
    }
    const before = this.marks.get(documentId);
    const mark: Mark = {
      documentId,
      name,
      stateId,
      since: recipe !== null && before ? before.since : this.options.clock.now(),
      recipe: recipe ?? before?.recipe ?? '',
    };
    this.marks.set(documentId, mark);
    this.update();
    const isStored = before?.stateId === stateId && before.recipe === mark.recipe;
    if (!isStored) {
      await this.storeMarks();
    }
  }

  private async unmark(documentId: string): Promise<void> {
    if (this.marks.delete(documentId)) {
      this.update();
      await this.storeMarks();
    }
  }

  private miss(documentId: string, error: CwError | null): void {
    const mark = this.marks.get(documentId);
    if (mark) {
      this.marks.set(documentId, { ...mark, missed: { error } });
    }
    this.store.set({ ...this.store.get(), last: null });
    this.update();
  }

  private isOn(documentId: string): boolean {
    return this.isOwn && (this.choices.all || this.choices.documents.includes(documentId));
  }

  /** Whether the choices are those of the connected account, or of the last one while its session has only ended. */
  private get isOwn(): boolean {
    const owner = this.options.owner.get();
    const { owner: own } = this.choices;
    return owner ? own !== null && owner.keys.includes(own) : !this.options.isSignedOut();
  }

  private async storeChoices(): Promise<void> {
    const { records, photoStore } = this.options;
    await photoStore.track(() => records.put(CHOICES_KEY, writeChoices(this.choices)));
  }

  private async storeMarks(): Promise<void> {
    const { records, photoStore } = this.options;
    const marks = [...this.marks.values()];
    await photoStore.track(() =>
      marks.length === 0 ? records.remove(MARKS_KEY) : records.put(MARKS_KEY, writeMarks(marks)),
    );
  }

  private setLast(name: string, kind: 'exporting' | 'waiting' | 'queued' | 'stopped'): void {
    const last = { name, kind, at: this.options.clock.now() };
    this.store.set({ ...this.store.get(), last });
  }

  /** Updates the state from choices, marks and presets. */
  update(): void {
    const { all, documents, preset } = this.isOwn ? this.choices : NO_CHOICES;
    const { presets } = this.options;
    const missed = [...this.marks.values()].flatMap(({ missed: miss, documentId, name, since }) =>
      miss ? [{ documentId, name, since, error: miss.error }] : [],
    );
    this.store.set({
      ...this.store.get(),
      all,
      documents,
      preset: (preset === null ? null : presets.find(preset)) ?? presets.chosen,
      missed: this.isOwn ? missed : [],
    });
  }
}

function withoutMiss(mark: Mark): Mark {
  const { documentId, name, since, stateId, recipe } = mark;
  return { documentId, name, since, stateId, recipe };
}
