import type { AdapterPayload } from 'oidc-provider';
import { sha256 } from '../hash.js';
import { namesGrant } from './refresh-token-form.js';

/** Kinds whose id is itself the credential a client or browser sends: only its SHA-256 is stored. */
const HASHED_KINDS = new Set([
  'AccessToken',
  'RefreshToken',
  'AuthorizationCode',
  'DeviceCode',
  'Session',
  'Interaction',
]);

/**
 * What is found by something else than its id (a device code by the user code) has an id that nobody
 * knows any more. In its place stands the stored hash behind this mark.
 */
const HASH_MARK = 'sha256:';

/** Stands in the payload of a refresh token that need not be kept once it was used. */
export const NAMES_GRANT = 'namesGrant';

/** The parameters of a request that are needed again later, by the kind that keeps them. */
const KEPT_PARAMS: Readonly<Record<string, readonly string[]>> = {
  DeviceCode: ['client_id', 'scope', 'resource'],
  Interaction: [
    ...['client_id', 'scope', 'resource', 'redirect_uri', 'response_type', 'response_mode'],
    ...['state', 'nonce', 'code_challenge', 'code_challenge_method', 'prompt', 'max_age'],
  ],
};

/**
 * The payload as it is stored. Left out: a token's own value, also where an interaction repeats it
 * or that of the browser's session; parameters of a request that nothing needs; `consumed`, which
 * has a column; and `inFlight`, with which oidc-provider locks a device code at its first entry,
 * so that a person who goes back and enters it again would be told that it is used.
 */
export function storedPayload(kind: string, payload: AdapterPayload): AdapterPayload {
  const stored = { ...payload };
  delete stored.consumed;
  delete stored.inFlight;
  if (HASHED_KINDS.has(kind)) {
    delete stored.jti;
  }
  if (kind === 'RefreshToken' && namesGrant(payload.jti)) {
    stored[NAMES_GRANT] = true;
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
      // The details repeat hints, of which nothing is made.
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

/** The id of the row, given an id as the adapter has told it. */
export function keyOf(kind: string, id: string): string {
  const isMarked = HASHED_KINDS.has(kind) && id.startsWith(HASH_MARK);
  return isMarked ? id.slice(HASH_MARK.length) : hashedKeyOf(kind, id);
}

/** The id of the row, given what a client or browser sent. */
export function hashedKeyOf(kind: string, id: string): string {
  return HASHED_KINDS.has(kind) ? sha256(id) : id;
}

/** The id that a payload has which was found by something else than its id; see {@link HASH_MARK}. */
export function markedId(kind: string, rowId: string): { jti?: string } {
  return HASHED_KINDS.has(kind) ? { jti: HASH_MARK + rowId } : {};
}

function withoutEnd(text: string, end: string): string {
  return text.endsWith(end) ? text.slice(0, text.length - end.length) : text;
}
