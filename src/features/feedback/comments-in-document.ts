import type { DocumentComment, DocumentComments } from '../../host/document-comments.js';
import type { RecordStore } from '../../host/storage.js';
import { type CwError, toCwError } from '../../util/errors.js';
import { isJsonObject, parseJsonObject } from '../../util/json.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import type { FeedbackEntry } from './feedback-entry.js';

/** The comments that are shown in the document in front. */
export interface InDocumentState {
  /** Whether the app can show comments in a document, and whether it can go to their places. */
  readonly canShow: boolean;
  readonly canGoTo: boolean;
  readonly isWorking: boolean;
  /** What was done last for this document; null before that. */
  readonly last: 'shown' | 'removed' | null;
  /** By its id, the number of each comment that is shown, from 1. */
  readonly numbers: ReadonlyMap<string, number>;
  /** How many of them are not certainly at their place, and how many have no place in the document. */
  readonly uncertain: number;
  readonly unplaced: number;
  readonly error: CwError | null;
}

/** The texts that end up in the document. */
export interface DocumentWords {
  /** Who wrote a comment, and about which version. */
  titleOf(entry: FeedbackEntry): string;
  /** Of the group or the layer, and of the step in the history. */
  nameOf(entries: readonly FeedbackEntry[]): string;
}

export interface CommentsInDocumentOptions {
  readonly host: DocumentComments | null;
  readonly records: Pick<RecordStore, 'put'>;
}

/** The document in front. */
interface Front {
  readonly key: string;
  readonly documentId: string | null;
}

const KEY = 'feedback-in-document';
/** For how many documents is kept what was put into them. */
const MAX_DOCUMENTS = 50;

const NOTHING = {
  isWorking: false,
  last: null,
  numbers: new Map<string, number>(),
  uncertain: 0,
  unplaced: 0,
  error: null,
} as const;

/** Shows the open comments in the document in front, when the user wants it, and removes them again. */
export class CommentsInDocument {
  private readonly store: Observable<InDocumentState>;
  private front: Front | null = null;
  /** What the app needs to find the comments again, by the identity of the document. */
  private readonly marks = new Map<string, ReadonlyMap<string, string>>();
  private isRestored = false;

  readonly state: ReadableObservable<InDocumentState>;

  constructor(private readonly options: CommentsInDocumentOptions) {
    const { host } = options;
    this.store = new Observable<InDocumentState>({
      ...NOTHING,
      canShow: host !== null,
      canGoTo: host?.canGoTo === true,
    });
    this.state = this.store;
  }

  restore(records: ReadonlyMap<string, string>): void {
    this.isRestored = true;
    const stored = parseJsonObject(records.get(KEY) ?? '') ?? {};
    for (const [document, marks] of Object.entries(stored)) {
      if (isJsonObject(marks) && !this.marks.has(document)) {
        const texts = Object.entries(marks).filter(
          (entry): entry is [string, string] => typeof entry[1] === 'string',
        );
        this.marks.set(document, new Map(texts));
      }
    }
    this.reset();
  }

  /** Call with the document in front. */
  setFront(front: Front | null): void {
    const isOther = front?.key !== this.front?.key || front?.documentId !== this.front?.documentId;
    this.front = front;
    if (isOther) {
      this.reset();
    }
  }

  /** Goes to the place of a comment. @returns false when the app cannot */
  async goTo(entry: FeedbackEntry): Promise<boolean> {
    const { host } = this.options;
    return (
      host?.canGoTo === true && this.front !== null && host.goTo(this.front.key, placeOf(entry))
    );
  }

  /** Shows the comments that are not done, in this order, and no others. Failures become part of the state. */
  async show(entries: readonly FeedbackEntry[], words: DocumentWords): Promise<void> {
    await this.work('shown', async (host, front, marks) => {
      const open = entries.filter(({ kind, isDone }) => kind === 'comment' && !isDone);
      const comments = commentsOf(open, words);
      const shown = await host.show(front.key, comments, marks, words.nameOf(open));
      const placed = open.filter(({ id }) => shown.marks.has(id));
      await this.keep(front, shown.marks);
      return {
        numbers: new Map(placed.map(({ id }, index) => [id, index + 1])),
        uncertain: shown.uncertain.length,
        unplaced: shown.unplaced.length,
      };
    });
  }

  /** Removes what `show` has put into the document. Failures become part of the state. */
  async remove(entries: readonly FeedbackEntry[], words: DocumentWords): Promise<void> {
    await this.work('removed', async (host, front, marks) => {
      await host.remove(front.key, commentsOf(entries, words), marks, words.nameOf(entries));
      await this.keep(front, new Map());
      return { numbers: new Map(), uncertain: 0, unplaced: 0 };
    });
  }

  private async work(
    last: 'shown' | 'removed',
    run: (
      host: DocumentComments,
      front: Front,
      marks: ReadonlyMap<string, string>,
    ) => Promise<Pick<InDocumentState, 'numbers' | 'uncertain' | 'unplaced'>>,
  ): Promise<void> {
    const { host } = this.options;
    const { front } = this;
    if (!host || !front || this.store.get().isWorking) {
      return;
    }
    this.set({ isWorking: true, error: null });
    try {
      const done = await run(host, front, this.marksOf(front));
      this.finish(front, { ...done, last });
    } catch (error) {
      this.finish(front, {
        error: toCwError(error, 'CW-814', 'the comments were not put into the document'),
      });
    }
  }

  /** The user may have gone to another document. */
  private finish(front: Front, change: Partial<InDocumentState>): void {
    this.set({ isWorking: false, ...(front.key === this.front?.key && change) });
  }

  private marksOf({ documentId, key }: Front): ReadonlyMap<string, string> {
    return this.marks.get(documentId ?? key) ?? new Map<string, string>();
  }

  /** The document has them already, so a storage that fails is no failure. */
  private async keep(
    { documentId, key }: Front,
    marks: ReadonlyMap<string, string>,
  ): Promise<void> {
    const name = documentId ?? key;
    this.marks.delete(name);
    if (marks.size > 0) {
      this.marks.set(name, marks);
    }
    const [oldest] = this.marks.keys();
    if (this.marks.size > MAX_DOCUMENTS && oldest !== undefined) {
      this.marks.delete(oldest);
    }
    if (this.isRestored) {
      const stored = [...this.marks].map(([document, one]) => [document, Object.fromEntries(one)]);
      await this.options.records
        .put(KEY, JSON.stringify(Object.fromEntries(stored)))
        .catch(() => undefined);
    }
  }

  /** For another document: what was put into it in an earlier run. */
  private reset(): void {
    const ids = this.front ? [...this.marksOf(this.front).keys()] : [];
    const { isWorking } = this.store.get();
    this.set({
      ...NOTHING,
      isWorking,
      last: ids.length > 0 ? 'shown' : null,
      numbers: new Map(ids.map((id, index) => [id, index + 1])),
    });
  }

  private set(change: Partial<InDocumentState>): void {
    this.store.set({ ...this.store.get(), ...change });
  }
}

function commentsOf(
  entries: readonly FeedbackEntry[],
  words: DocumentWords,
): readonly DocumentComment[] {
  return entries
    .filter(({ kind }) => kind === 'comment')
    .map((entry) => ({
      id: entry.id,
      place: placeOf(entry),
      title: words.titleOf(entry),
      text: entry.text,
    }));
}

function placeOf({ place, source }: FeedbackEntry): DocumentComment['place'] {
  const { page = null, start = null, end = null, spot = null } = place;
  return { page, start, end, spot, source };
}
