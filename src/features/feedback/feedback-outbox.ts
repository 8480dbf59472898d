import type { CurrentAccount } from '../../account/current-account.js';
import { Outbox } from '../../account/outbox.js';
import type { Owner } from '../../account/owner.js';
import { FEEDBACK_SCOPE, lacksScope } from '../../account/service-access.js';
import type { RequestQueue } from '../../api/request-queue.js';
import type { RecordStore } from '../../host/storage.js';
import type { CancelSignal } from '../../util/cancel.js';
import { CwError } from '../../util/errors.js';
import { parseJsonObject, textField, type JsonObject } from '../../util/json.js';
import type { ReadableObservable } from '../../util/observable.js';

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

/** Replies and marks of the user. Each is sent until it is confirmed: the service ignores a repeated one. */
export class FeedbackOutbox {
  private readonly outbox: Outbox<PendingAnswer>;

  /** By the ids of the comments. */
  readonly pending: ReadableObservable<ReadonlyMap<string, PendingAnswer>>;

  constructor(private readonly options: FeedbackOutboxOptions) {
    const { records, owner, account } = options;
    this.outbox = new Outbox({
      records,
      key: KEY,
      max: MAX_PENDING,
      canSend: (_id, answer) => {
        const keys: readonly string[] = owner.get()?.keys ?? [];
        return keys.includes(answer.owner) && !lacksScope(account.state.get(), FEEDBACK_SCOPE);
      },
      send: (id, answer, signal) => this.sendOne(id, answer, signal),
      remaining,
      read: readPending,
    });
    this.pending = this.outbox.pending;
  }

  restore(records: ReadonlyMap<string, string>): void {
    this.outbox.restore(records);
  }

  /** Stores a change, then sends it. @throws {CwError} CW-702 to CW-704; it is then sent in this run only */
  async add(id: string, change: Omit<PendingAnswer, 'owner'>): Promise<void> {
    const owner = this.options.owner.get()?.keys[0];
    if (owner === undefined) {
      return;
    }
    const before = this.pending.get().get(id);
    const isOwn = before?.owner === owner;
    await this.outbox.put(id, { ...(isOwn && before), ...change, owner });
  }

  start(): void {
    this.outbox.start();
  }

  send(): void {
    this.outbox.send();
  }

  stop(): void {
    this.outbox.stop();
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

function readPending(value: JsonObject): PendingAnswer | null {
  const owner = textField(value, 'owner');
  const reply = textField(value, 'reply');
  const { isDone } = value;
  return owner === null
    ? null
    : {
        owner,
        ...(typeof isDone === 'boolean' && { isDone }),
        ...(reply !== null && { reply }),
      };
}
