import type { AdapterPayload } from 'oidc-provider';
import { sha256 } from '../../kernel/hash.js';

/** Kinds whose id is the credential that a client or browser sends. Only its SHA-256 is stored. */
const HASHED_KINDS = new Set([
  'AccessToken',
  'RefreshToken',
  'AuthorizationCode',
  'DeviceCode',
  'Session',
  'Interaction',
]);

/**
 * The prefix of the id of a record that was found by another key, such as a device code by its user code. The rest is
 * the stored hash, because the id itself is not stored.
 */
const HASH_MARK = 'sha256:';

/** The parameters of a request that are needed later, by the kind of record that keeps them. */
const KEPT_PARAMS: Readonly<Record<string, readonly string[]>> = {
  DeviceCode: ['client_id', 'scope', 'resource'],
  Interaction: [
    ...['client_id', 'scope', 'resource', 'redirect_uri', 'response_type', 'response_mode'],
    ...['state', 'nonce', 'code_challenge', 'code_challenge_method', 'prompt', 'max_age'],
    'dpop_jkt',
    'code_entry',
  ],
};

/**
 * The payload as it is stored. It omits:
 * - the record's own credential, also at the end of an interaction's address, and that of the browser's session;
 * - request parameters that are not used later;
 * - `consumed`, which has a column;
 * - `inFlight`, with which oidc-provider locks a device code when it is first entered. Otherwise users who go back and
 *   enter it again would see that it is used.
 */
export function storedPayload(kind: string, payload: AdapterPayload): AdapterPayload {
  const stored = { ...payload };
  delete stored.consumed;
  delete stored.inFlight;
  if (HASHED_KINDS.has(kind)) {
    delete stored.jti;
  }
  const kept = KEPT_PARAMS[kind];
  if (kept !== undefined && stored.params !== undefined) {
    stored.params = Object.fromEntries(
      Object.entries(stored.params).filter(([name]) => kept.includes(name)),
    );
  }
  if (kind === 'Interaction') {
    stored.returnTo = withoutEnd(String(payload.returnTo), payload.jti ?? '');
    if (payload.prompt !== undefined) {
      // The details repeat hints of the request, which nothing here uses.
      const { name, reasons } = payload.prompt;
      stored.prompt = { name, reasons, details: {} };
    }
    if (payload.session !== undefined) {
      const { accountId, uid } = payload.session;
      stored.session = { accountId, uid };
    }
  }
  return stored;
}

/** The id of the row, given an id that the adapter gave out; it may be marked. */
export function recordId(kind: string, id: string): string {
  const isMarked = HASHED_KINDS.has(kind) && id.startsWith(HASH_MARK);
  return isMarked ? id.slice(HASH_MARK.length) : hashedRecordId(kind, id);
}

/** The id of the row for a value from a client or browser. */
export function hashedRecordId(kind: string, id: string): string {
  return HASHED_KINDS.has(kind) ? sha256(id) : id;
}

/** The id for the payload of a record that was found by something else than its id; see {@link HASH_MARK}. */
export function opaqueId(kind: string, rowId: string): { jti?: string } {
  return HASHED_KINDS.has(kind) ? { jti: HASH_MARK + rowId } : {};
}

function withoutEnd(text: string, end: string): string {
  return text.endsWith(end) ? text.slice(0, text.length - end.length) : text;
}
