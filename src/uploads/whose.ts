import { sha256 } from '@noble/hashes/sha2.js';
import type { Account } from '../api/account.js';
import { hexOf } from '../base/hex.js';
import { encodeUtf8 } from '../base/utf8.js';
import type { Whose } from './delivery-history.js';

/** Bytes of a digest that are kept: enough to know accounts apart. */
const KEPT_BYTES = 16;

/** Names an account in its workspace without saying who it is: what is kept on disk in plain text tells no user name. */
export function accountKey({ username, workspace }: Account): string {
  return digestOf('account', username, workspace.id);
}

/**
 * Who is connected: by the account where the service tells it, and by the session, which ends.
 * @param sessionId  null for a session of an older version
 */
export function whoseOf(account: Account | null, sessionId: string | null): Whose {
  const session = digestOf('session', sessionId ?? '');
  return account
    ? { owners: [accountKey(account), session], workspace: account.workspace.name }
    : { owners: [session], workspace: null };
}

function digestOf(...parts: readonly string[]): string {
  return hexOf(sha256(encodeUtf8(JSON.stringify(parts))).subarray(0, KEPT_BYTES));
}
