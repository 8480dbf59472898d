import type { CurrentAccount } from '../../account/current-account.js';
import type { Owner } from '../../account/owner.js';
import { FEEDBACK_SCOPE, lacksScope } from '../../account/service-access.js';
import type { RequestQueue } from '../../api/request-queue.js';
import type { RecordStore } from '../../host/host.js';
import { CancelSource, type CancelSignal } from '../../util/cancel.js';
import { CwError } from '../../util/errors.js';
import { isJsonObject, parseJsonObject, textField } from '../../util/json.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';

/** What the user did about a comment and the service has not confirmed yet. */
export interface PendingAnswer {
  /** The first key of the account that did it. */
  readonly owner: string;
  readonly isDone?: boolean;
  readonly reply?: string;
}

export interface FeedbackOutboxOptions {
  readonly requests: Pick<RequestQueue, 'send'>;
  /** Address of the feedback, `{base_url}/api/v1/feedback`. */
  readonly endpoint: string;
  readonly records: Pick<RecordStore, 'put'>;
  /** Null when no account is connected. */
  readonly owner: Pick<ReadableObservable<Owner | null>, 'get'>;
  readonly account: Pick<CurrentAccount, 'state'>;
  /** Called when the service refuses for lack of a permission. */
  readonly onNoPermission: () => void;
  /** Called when the service has a change. */
  readonly onSent: (id: string, sent: PendingAnswer) => void;
}

const KEY = 'feedback-outbox';
/** How many comments can wait; beyond, the oldest are dropped. */
const MAX_PENDING = 500;

/**
 * Replies and marks of the user, kept in storage until the service has them. Each is sent until it is confirmed: the
 * service ignores a repeated one.
 */
export class FeedbackOutbox {
  private readonly store = new Observable<ReadonlyMap<string, PendingAnswer>>(new Map());
  private isRestored = false;
  private hasSession = false;
  private running: CancelSource | null = null;

  /** By the ids of the comments. */
  readonly pending: ReadableObservable<ReadonlyMap<string, PendingAnswer>> = this.store;

  constructor(private readonly options: FeedbackOutboxOptions) {}

  /** Takes over what an earlier run left. What was done in this run stays. */
  restore(records: ReadonlyMap<string, string>): void {
    this.isRestored = true;
    const found = readPending(records.get(KEY) ?? '');
    this.store.set(new Map([...found, ...this.store.get()]));
    this.send();
  }

  /** Stores a change, then sends it. @throws {CwError} CW-702 to CW-704; it is then sent in this run only */
  async add(id: string, change: Omit<PendingAnswer, 'owner'>): Promise<void> {
    const owner = this.options.owner.get()?.keys[0];
    if (owner === undefined) {
      return;
    }
    const before = this.store.get().get(id);
    const isOwn = before?.owner === owner;
    this.set(id, { ...(isOwn && before), ...change, owner });
    try {
      await this.save();
    } finally {
      this.send();
    }
  }

  /** To be called when there is a session. */
  start(): void {
    this.hasSession = true;
    this.send();
  }

  /** Sends what waits, one after the other. Returns at once. */
  send(): void {
    if (
      !this.hasSession ||
      this.running ||
      lacksScope(this.options.account.state.get(), FEEDBACK_SCOPE)
    ) {
      return;
    }
    const running = new CancelSource();
    this.running = running;
    void this.sendAll(running.signal).then((areSent) => {
      if (this.running === running) {
        this.running = null;
        // Something may have been added since the last look.
        if (areSent && this.next()) {
          this.send();
        }
      }
    });
  }

  /** Ends {@link FeedbackOutbox.start}: the next session may be another account's. */
  stop(): void {
    this.hasSession = false;
    this.running?.cancel();
    this.running = null;
  }

  /** @returns whether nothing waits any more */
  private async sendAll(signal: CancelSignal): Promise<boolean> {
    for (let next = this.next(); next; next = this.next()) {
      const [id, sent] = next;
      if (!(await this.sendOne(id, sent, signal)) || signal.cancelled) {
        return false;
      }
      // What the user did in the meantime is still to be sent.
      const now = this.store.get().get(id);
      this.set(id, now ? remaining(now, sent) : null);
      await this.save().catch(() => undefined);
    }
    return true;
  }

  private next(): readonly [string, PendingAnswer] | null {
    const keys: readonly string[] = this.options.owner.get()?.keys ?? [];
    return [...this.store.get()].find(([, { owner }]) => keys.includes(owner)) ?? null;
  }

  /** @returns whether the service has it, or never takes it */
  private async sendOne(id: string, sent: PendingAnswer, signal: CancelSignal): Promise<boolean> {
    const { isDone, reply } = sent;
    try {
      if (reply !== undefined) {
        await this.post(`${id}/reply`, { text: reply }, signal);
      }
      if (isDone !== undefined) {
        await this.post(`${id}/${isDone ? 'done' : 'reopen'}`, null, signal);
      }
      this.options.onSent(id, sent);
      return true;
    } catch (error) {
      const code = error instanceof CwError ? error.code : null;
      if (code === 'CW-203') {
        this.options.onNoPermission();
      }
      // The comment is gone, or not the user's.
      return code === 'CW-603';
    }
  }

  private async post(path: string, body: object | null, signal: CancelSignal): Promise<void> {
    await this.options.requests.send(
      {
        method: 'POST',
        url: `${this.options.endpoint}/${path}`,
        headers: {
          Accept: 'application/json',
          ...(body && { 'Content-Type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        repeatable: true,
        isAnswer: ({ text }) => parseJsonObject(text) !== null,
      },
      signal,
    );
  }

  private set(id: string, answer: PendingAnswer | null): void {
    const next = new Map(this.store.get());
    next.delete(id);
    if (answer) {
      next.set(id, answer);
    }
    const [oldest] = next.keys();
    if (next.size > MAX_PENDING && oldest !== undefined) {
      next.delete(oldest);
    }
    this.store.set(next);
  }

  private async save(): Promise<void> {
    if (this.isRestored) {
      await this.options.records.put(KEY, JSON.stringify([...this.store.get()]));
    }
  }
}

/** What is still to be sent of a change, after a part was sent; null for nothing. */
function remaining(now: PendingAnswer, sent: PendingAnswer): PendingAnswer | null {
  const { owner, isDone, reply } = now;
  const rest = {
    ...(isDone !== undefined && isDone !== sent.isDone && { isDone }),
    ...(reply !== undefined && reply !== sent.reply && { reply }),
  };
  return Object.keys(rest).length === 0 ? null : { owner, ...rest };
}

function readPending(text: string): (readonly [string, PendingAnswer])[] {
  const entries: unknown = parseJsonObject(`{"entries":${text === '' ? '[]' : text}}`)?.['entries'];
  if (!Array.isArray(entries)) {
    return [];
  }
  return entries.flatMap((entry: unknown) => {
    const [id, value] = Array.isArray(entry) ? (entry as readonly unknown[]) : [];
    const owner = isJsonObject(value) ? textField(value, 'owner') : null;
    if (typeof id !== 'string' || !isJsonObject(value) || owner === null) {
      return [];
    }
    const { isDone } = value;
    const reply = textField(value, 'reply');
    const answer = {
      owner,
      ...(typeof isDone === 'boolean' && { isDone }),
      ...(reply !== null && { reply }),
    };
    return [[id, answer] as const];
  });
}
