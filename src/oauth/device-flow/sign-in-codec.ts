import { isJsonObject, numberField, parseJsonObject, textField } from '../../util/json.js';
import type { DeviceAuthorization } from './authorization.js';

/** A session that a sign-in in progress is to replace. Sessions that older versions stored have no id. */
export interface ReplacedSession {
  readonly id: string | null;
}

/** A sign-in in progress; `replaces` is null when there was no session when it began. */
export interface StoredSignIn {
  readonly authorization: DeviceAuthorization;
  readonly replaces: ReplacedSession | null;
  /** The scope that it was begun for; null when it was begun for an account. */
  readonly scope: string | null;
}

/** Gives the JSON text that stores a sign-in in progress, its device_code included. */
export function writeSignIn({ authorization, replaces, scope }: StoredSignIn): string {
  return JSON.stringify({
    version: 1,
    ...authorization,
    ...(replaces && { replaces }),
    ...(scope !== null && { scope }),
  });
}

/** Reads a stored sign-in; null when there is none or it cannot be read. Only types are checked, no values. */
export function readSignIn(text: string | null): StoredSignIn | null {
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
  const { replaces } = body;
  return {
    authorization: {
      deviceCode,
      userCode,
      verificationUri,
      verificationUriComplete: textField(body, 'verificationUriComplete'),
      expiresAt,
      intervalMs,
    },
    replaces: isJsonObject(replaces) ? { id: textField(replaces, 'id') } : null,
    scope: textField(body, 'scope'),
  };
}
