import type { CurrentAccount } from '../../account/current-account.js';
import type { Owner } from '../../account/owner.js';
import { Polling } from '../../account/polling.js';
import { FEEDBACK_SCOPE, lacksScope } from '../../account/service-access.js';
import type { RequestQueue } from '../../api/request-queue.js';
import type { CapabilitySource } from '../../api/tus-capabilities.js';
import type { RecordStore } from '../../host/storage.js';
import type { CancelSignal } from '../../util/cancel.js';
import type { Clock } from '../../util/clock.js';
import { isJsonObject, parseJsonObject, textField } from '../../util/json.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import { readEntry, type FeedbackEntry } from './feedback-entry.js';
import type { FeedbackOutbox, PendingAnswer } from './feedback-outbox.js';

/** What guests said about the open document. */
export interface DocumentFeedbackState {
  /** The newest first, with what the user did about them. */
  readonly entries: readonly ShownEntry[];
  /** How many have come since the list was last open. */
  readonly unseen: number;
  /** Whether the list, or what the user did, waits for a permission of the user. */
  readonly needsPermission: boolean;
}

export interface ShownEntry extends FeedbackEntry {
  /** Whether it has come since the list was last open. */
  readonly isNew: boolean;
  /** Whether something about it is still to be sent. */
  readonly isWaiting: boolean;
}

export interface DocumentFeedbackOptions {
  readonly requests: Pick<RequestQueue, 'sendOutOfBand'>;
  readonly capabilities: Pick<CapabilitySource, 'get'>;
  readonly baseUrl: string;
  /** Address of the feedback. */
  readonly endpoint: string;
  readonly owner: Pick<ReadableObservable<Owner | null>, 'get'>;
  readonly account: Pick<CurrentAccount, 'state'>;
  readonly clock: Clock;
  readonly records: Pick<RecordStore, 'put'>;
  readonly outbox: Pick<FeedbackOutbox, 'pending' | 'start' | 'send' | 'stop'>;
  /** Called when the list of a document has other approvals than the one before. */
  readonly onApprovals: () => void;
}

/** How often the service is asked while a document is open, in milliseconds. */
const REFRESH_MS = 45_000;
/** Pages of the list that are read. */
const MAX_PAGES = 20;
const MAX_ANSWER_LENGTH = 2 * 1024 * 1024;
const SEEN_KEY = 'feedback-seen';
/** For how many documents the time of the last look is kept. */
const MAX_SEEN = 200;

/** The last list of the service. */
interface Known {
  readonly owner: Owner;
  readonly entries: readonly FeedbackEntry[];
  /** Of the clients, as one text to compare. */
  readonly approvals: string;
}

const NOTHING: DocumentFeedbackState = { entries: [], unseen: 0, needsPermission: false };

/** Follows what guests say about the document in front. */
export class DocumentFeedback {
  private readonly store = new Observable(NOTHING);
  /** Identity of the document in front; null when it has none, or none is open. */
  private document: string | null = null;
  private known: Known | null = null;
  /** The time of the newest entry that was seen, by document. */
  private seen = new Map<string, number>();
  private isRestored = false;
  private isRefused = false;
  /** The session lacks the permission for the list. */
  private isListRefused = false;
  private readonly polling: Polling;

  readonly state: ReadableObservable<DocumentFeedbackState> = this.store;

  constructor(private readonly options: DocumentFeedbackOptions) {
    const { outbox, account, clock } = options;
    this.polling = new Polling({
      clock,
      account,
      everyMs: REFRESH_MS,
      load: (signal) => {
        this.isListRefused = false;
        outbox.send();
        return this.document === null ? null : this.load(this.document, signal);
      },
    });
    outbox.pending.subscribe(() => {
      this.update();
    });
    account.state.subscribe((now) => {
      if (now?.scopes?.includes(FEEDBACK_SCOPE)) {
        this.isRefused = false;
        outbox.send();
      }
      this.update();
    });
  }

  restore(records: ReadonlyMap<string, string>): void {
    this.isRestored = true;
    const seen = parseJsonObject(records.get(SEEN_KEY) ?? '') ?? {};
    for (const [document, at] of Object.entries(seen)) {
      if (typeof at === 'number') {
        this.seen.set(document, Math.max(at, this.seen.get(document) ?? 0));
      }
    }
    this.update();
  }

  /** Begins to ask the service. To be called when there is a session. */
  start(): void {
    this.options.outbox.start();
    this.polling.start();
  }

  /** Ends that. */
  stop(): void {
    this.isRefused = false;
    this.isListRefused = false;
    this.options.outbox.stop();
    this.polling.stop();
    this.known = null;
    this.update();
  }

  /** Call with the identity of the document in front; null when it has none, or none is open. */
  setDocument(document: string | null): void {
    if (document !== this.document) {
      this.document = document;
      this.known = null;
      this.update();
      this.polling.now();
    }
  }

  /** Call when the service refuses for lack of a permission. */
  refuse(): void {
    this.isRefused = true;
    this.update();
  }

  /** Call when the service has what the user did. A response that is under way may not have it. */
  confirm(id: string, { isDone, reply }: PendingAnswer): void {
    const { known } = this;
    if (known) {
      const entries = known.entries.map((entry) =>
        entry.id === id
          ? { ...entry, isDone: isDone ?? entry.isDone, reply: reply ?? entry.reply }
          : entry,
      );
      this.known = { ...known, entries };
    }
    this.polling.now();
  }

  /** Notes that the user has the list before them. @throws {CwError} CW-702 to CW-704 */
  async markSeen(): Promise<void> {
    const { document } = this;
    const newest = Math.max(0, ...this.store.get().entries.map(({ at }) => at));
    if (document === null || newest <= (this.seen.get(document) ?? 0)) {
      return;
    }
    this.seen.delete(document);
    this.seen.set(document, newest);
    const [oldest] = this.seen.keys();
    if (this.seen.size > MAX_SEEN && oldest !== undefined) {
      this.seen.delete(oldest);
    }
    this.update();
    if (this.isRestored) {
      await this.options.records.put(SEEN_KEY, JSON.stringify(Object.fromEntries(this.seen)));
    }
  }

  /** @returns false when the service refuses the list */
  private async load(document: string, signal: CancelSignal): Promise<boolean> {
    const { requests, capabilities, endpoint, baseUrl } = this.options;
    // Only a service with versions gets the identities of documents.
    if (!(await capabilities.get(signal)).photoVersions) {
      return true;
    }
    const owner = this.options.owner.get();
    const entries: FeedbackEntry[] = [];
    const approvals: string[] = [];
    let url: string | null = `${endpoint}?document=${encodeURIComponent(document)}`;
    for (let page = 0; url !== null && page < MAX_PAGES; page += 1) {
      const { status, text } = await requests.sendOutOfBand(
        {
          method: 'GET',
          url,
          headers: { Accept: 'application/json' },
          maxResponseLength: MAX_ANSWER_LENGTH,
        },
        signal,
      );
      if (status === 403 || status === 404) {
        this.refuseList(parseJsonObject(text)?.['error'] === 'insufficient_scope', signal);
        return false;
      }
      const body = status === 200 ? parseJsonObject(text) : null;
      const listed: unknown = body?.['feedback'];
      if (!body || !Array.isArray(listed)) {
        return true;
      }
      entries.push(...listed.flatMap((entry: unknown) => readEntry(entry, baseUrl) ?? []));
      approvals.push(...listed.flatMap((entry: unknown) => readApproval(entry) ?? []));
      const next = textField(body, 'next');
      url = next?.startsWith('/') === true ? baseUrl + next : null;
    }
    if (owner && !signal.cancelled) {
      // The approvals that were loaded with the document may be older than its first list.
      const before = this.known?.approvals ?? '';
      this.known = { owner, entries: [...entries].reverse(), approvals: approvals.join() };
      this.update();
      if (before !== this.known.approvals) {
        this.options.onApprovals();
      }
    }
    return true;
  }

  private refuseList(needsPermission: boolean, signal: CancelSignal): void {
    if (!signal.cancelled) {
      this.isListRefused = needsPermission;
      this.known = null;
      this.update();
    }
  }

  private update(): void {
    const { outbox, owner, account } = this.options;
    const keys: readonly string[] = owner.get()?.keys ?? [];
    const isOwn = this.known?.owner.keys.some((key) => keys.includes(key)) === true;
    const seen = this.seen.get(this.document ?? '') ?? 0;
    const pending = outbox.pending.get();
    const own = new Map([...pending].filter(([, one]) => keys.includes(one.owner)));
    const entries = (isOwn ? (this.known?.entries ?? []) : []).map((entry) =>
      withPending(entry, own.get(entry.id), seen),
    );
    this.store.set({
      entries,
      unseen: entries.filter(({ isNew }) => isNew).length,
      needsPermission:
        this.isListRefused ||
        (own.size > 0 && (this.isRefused || lacksScope(account.state.get(), FEEDBACK_SCOPE))),
    });
  }
}

/** What differs between approvals, and when one was withdrawn; null for another entry. */
function readApproval(value: unknown): string | null {
  return isJsonObject(value) && value['kind'] === 'approval'
    ? `${textField(value, 'id')} ${textField(value, 'withdrawn')}`
    : null;
}

function withPending(
  entry: FeedbackEntry,
  pending: PendingAnswer | undefined,
  seen: number,
): ShownEntry {
  return {
    ...entry,
    isDone: pending?.isDone ?? entry.isDone,
    reply: pending?.reply ?? entry.reply,
    isNew: entry.at > seen,
    isWaiting: pending !== undefined,
  };
}
