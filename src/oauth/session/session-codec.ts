import { isJsonObject, numberField, parseJsonObject, textField } from '../../util/json.js';
import type { TokenSet } from '../token-endpoint.js';

/**
 * The keys in secure storage. Each holds a JSON text, except the refresh lease, which is plain text. A text that cannot
 * be read counts as absent, but as an ended session under `session`.
 */
export const SECRET_KEYS = {
  session: 'creative-workspace.session',
  signIn: 'creative-workspace.sign-in',
  revocations: 'creative-workspace.revocations',
  refreshLease: 'creative-workspace.refresh-lease',
  account: 'creative-workspace.account',
} as const;

/** The session in secure storage. `ended` records, without any token, that reconnecting is needed. */
export type StoredSession =
  | { readonly kind: 'none' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'tokens'; readonly tokens: StoredTokens };

/** Tokens as they are stored. */
export interface StoredTokens extends TokenSet {
  /** Names the refresh of these tokens that was begun and may be under way; null when none was. */
  readonly refreshAttempt: string | null;
  /** Names the sign-in that the tokens come from, through all refreshes; null in what older versions wrote. */
  readonly sessionId: string | null;
  /** A token of the session that this one replaced, until it is among the revocations; null when there is none. */
  readonly replacedToken: string | null;
}

/** Values stored with the tokens; each is null when there is none. */
export type SessionExtras = Pick<StoredTokens, 'refreshAttempt' | 'sessionId' | 'replacedToken'>;

/** Gives the JSON text that stores a session. */
export function writeSession(tokens: TokenSet, beside: Partial<SessionExtras> = {}): string {
  const { accessToken, refreshToken, obtainedAt, expiresAt, refreshAttemptSupported } = tokens;
  const there = Object.entries(beside).filter(([, value]) => value !== null);
  return JSON.stringify({
    version: 1,
    accessToken,
    refreshToken,
    obtainedAt,
    expiresAt,
    ...(refreshAttemptSupported && { refreshAttemptSupported }),
    ...Object.fromEntries(there),
  });
}

/** Stored when the service has ended the session: no token, only that reconnecting is needed. */
export const ENDED_SESSION = JSON.stringify({ version: 1, ended: true });

/** Reads a stored session. No text is `none`; a text that cannot be read counts as `ended`. */
export function readSession(text: string | null): StoredSession {
  const body = text === null ? null : parseJsonObject(text);
  if (body?.['version'] !== 1) {
    return { kind: text === null ? 'none' : 'ended' };
  }
  const accessToken = textField(body, 'accessToken');
  const obtainedAt = numberField(body, 'obtainedAt');
  if (body['ended'] === true || accessToken === null || obtainedAt === null) {
    return { kind: 'ended' };
  }
  return {
    kind: 'tokens',
    tokens: {
      accessToken,
      refreshToken: textField(body, 'refreshToken'),
      obtainedAt,
      expiresAt: numberField(body, 'expiresAt'),
      ...(body['refreshAttemptSupported'] === true && { refreshAttemptSupported: true }),
      refreshAttempt: textField(body, 'refreshAttempt'),
      sessionId: textField(body, 'sessionId'),
      replacedToken: textField(body, 'replacedToken'),
    },
  };
}

/** Reads the tokens that are not yet revoked at the service, the oldest first. Unreadable text gives none. */
export function readRevocations(text: string | null): readonly string[] {
  if (text === null) {
    return [];
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const list: unknown = isJsonObject(value) ? value['tokens'] : null;
  return Array.isArray(list)
    ? list.filter((token): token is string => typeof token === 'string')
    : [];
}

/** Gives the JSON text that stores tokens to be revoked. */
export function writeRevocations(tokens: readonly string[]): string {
  return JSON.stringify({ version: 1, tokens });
}
