import { sha256 } from '@noble/hashes/sha2.js';
import { hexOf } from '../util/hex.js';
import { encodeUtf8 } from '../../packages/utf8/index.js';
import type { ReadableObservable } from '../util/observable.js';
import type { Session } from '../oauth/session/session.js';
import type { Account, CurrentAccount } from './current-account.js';

/** The connected account, as the upload history needs it. */
export interface Owner {
  /** Digests that stand for the account and for its session. The first stays the same longest. */
  readonly keys: readonly [string, ...string[]];
  /** Name of the workspace; null when the service does not report the account. */
  readonly workspace: string | null;
}

/** The owner of photos that are queued now. */
export interface SessionOwner extends Owner {
  /** Digest of the session. */
  readonly session: string;
  /** Digest of the account; null while the service has not reported it. */
  readonly account: string | null;
}

/** How many bytes of a digest are kept: enough to distinguish accounts. */
const DIGEST_BYTES = 16;

/** The digest of an account in its workspace. No user name is on disk in plain text. */
export function ownerKey({ username, workspace }: Account): string {
  return digestOf('account', username, workspace.id);
}

/**
 * The digest of a session, which is the owner of the photos queued in it.
 * @param sessionId  null for a session without an id
 */
export function sessionKey(sessionId: string | null): string {
  return digestOf('session', sessionId ?? '');
}

/** The `next` owner of a record that names none. Each start finds the same one, although nothing has stored it. */
export function unstoredOwner(record: string): string {
  return digestOf('next', record);
}

/** The owner of photos that are uploaded now: the account if the service reports it, and its session. */
export function ownerOf(account: Account | null, sessionId: string | null): SessionOwner {
  const session = sessionKey(sessionId);
  if (!account) {
    return { session, account: null, keys: [session], workspace: null };
  }
  const key = ownerKey(account);
  return { session, account: key, keys: [key, session], workspace: account.workspace.name };
}

/** The owner of new photos; null while there is no session. One change of session or account costs one computation. */
export class ConnectedOwner implements ReadableObservable<SessionOwner | null> {
  private known: {
    readonly id: string | null;
    readonly account: Account | null;
    readonly owner: SessionOwner;
  } | null = null;

  constructor(
    private readonly session: Pick<Session, 'state' | 'id'>,
    private readonly account: Pick<CurrentAccount, 'state'>,
  ) {}

  get(): SessionOwner | null {
    if (this.session.state.get().kind !== 'signed-in') {
      return null;
    }
    const { id } = this.session;
    const account = this.account.state.get();
    // The id changes without a change of the state when another session replaces the connected one.
    if (this.known?.id !== id || this.known.account !== account) {
      this.known = { id, account, owner: ownerOf(account, id) };
    }
    return this.known.owner;
  }

  subscribe(listener: (owner: SessionOwner | null) => void): () => void {
    const changed = (): void => {
      listener(this.get());
    };
    const stops = [this.session.state.subscribe(changed), this.account.state.subscribe(changed)];
    return () => {
      for (const stop of stops) {
        stop();
      }
    };
  }
}

function digestOf(...parts: readonly string[]): string {
  return hexOf(sha256(encodeUtf8(JSON.stringify(parts))).subarray(0, DIGEST_BYTES));
}
