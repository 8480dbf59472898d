import { sha256 } from '@noble/hashes/sha2.js';
import { hexOf } from '../util/hex.js';
import { encodeUtf8 } from '../util/utf8.js';
import type { Account } from './current-account.js';

/** The connected account, as the upload history needs it. */
export interface Owner {
  /** Digests that stand for the account and for its session. The first stays the same longest. */
  readonly keys: readonly [string, ...string[]];
  /** Name of the workspace; null when the service does not report the account. */
  readonly workspace: string | null;
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
export function ownerOf(account: Account | null, sessionId: string | null): Owner {
  const session = sessionKey(sessionId);
  return account
    ? { keys: [ownerKey(account), session], workspace: account.workspace.name }
    : { keys: [session], workspace: null };
}

function digestOf(...parts: readonly string[]): string {
  return hexOf(sha256(encodeUtf8(JSON.stringify(parts))).subarray(0, DIGEST_BYTES));
}
