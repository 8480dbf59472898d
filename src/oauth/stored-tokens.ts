import { isJsonObject, numberField, parseJsonObject, textField } from '../base/json.js';
import type { TokenSet } from './token-endpoint.js';
import type { DeviceAuthorization } from './device-authorization.js';

/** How secrets lie in secure storage: one JSON text per key. What does not read back as written counts as absent. */
export const SECRET_KEYS = {
  session: 'creative-workspace.session',
  signIn: 'creative-workspace.sign-in',
  revocations: 'creative-workspace.revocations',
  refreshLease: 'creative-workspace.refresh-lease',
} as const;

/** What secure storage says about the session. `ended` remembers, without any token, that reconnecting is needed. */
export type StoredSession =
  | { readonly kind: 'none' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'tokens'; readonly tokens: StoredTokens };

/** Tokens as they lie in storage. */
export interface StoredTokens extends TokenSet {
  /** Names the refresh of these tokens that was begun and may be under way; null when none was. */
  readonly refreshAttempt: string | null;
}

/** @param refreshAttempt  names the refresh of these tokens that is about to begin */
export function writeSession(tokens: TokenSet, refreshAttempt: string | null = null): string {
  return JSON.stringify({
    version: 1,
    ...tokens,
    ...(refreshAttempt !== null && { refreshAttempt }),
  });
}

export const ENDED_SESSION = JSON.stringify({ version: 1, ended: true });

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
    },
  };
}

export function writeSignIn(authorization: DeviceAuthorization): string {
  return JSON.stringify({ version: 1, ...authorization });
}

export function readSignIn(text: string | null): DeviceAuthorization | null {
  const body = text === null ? null : parseJsonObject(text);
  if (body?.['version'] !== 1) {
    return null;
  }
  const deviceCode = textField(body, 'deviceCode');
  const userCode = textField(body, 'userCode');
  const verificationUri = textField(body, 'verificationUri');
  const expiresAt = numberField(body, 'expiresAt');
  const intervalMs = numberField(body, 'intervalMs');
  if (
    deviceCode === null ||
    userCode === null ||
    verificationUri === null ||
    expiresAt === null ||
    intervalMs === null
  ) {
    return null;
  }
  return {
    deviceCode,
    userCode,
    verificationUri,
    verificationUriComplete: textField(body, 'verificationUriComplete'),
    expiresAt,
    intervalMs,
  };
}

/** Tokens that the service has still to be told to revoke, the oldest first. */
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

export function writeRevocations(tokens: readonly string[]): string {
  return JSON.stringify({ version: 1, tokens });
}
