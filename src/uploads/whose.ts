import { sha256 } from '@noble/hashes/sha2.js';
import type { Account } from '../api/account.js';
import { hexOf } from '../base/hex.js';
import { encodeUtf8 } from '../base/utf8.js';
import type { Whose } from './delivery-history.js';

/** How many bytes of a digest are kept: enough to tell accounts apart. */
const KEPT_BYTES = 16;

/** A digest that stands for an account in its workspace, so that plain text on disk tells no user name. */
export function accountKey({ username, workspace }: Account): string {
  return digestOf('account', username, workspace.id);
}

/**
 * Who is connected: named by the account if the service tells it, and by the session, which lasts less long.
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
