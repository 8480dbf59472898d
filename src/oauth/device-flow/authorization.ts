/**
 * The first half of the OAuth 2.0 Device Authorization Grant ([RFC 8628](https://www.rfc-editor.org/rfc/rfc8628)):
 * request a code. The panel shows it; `polling.ts` then polls until the user has decided.
 * @packageDocumentation
 */
import type { CancelSignal } from '../../util/cancel.js';
import { CwError } from '../../util/errors.js';
import { numberField, parseJsonObject, textField } from '../../util/json.js';
import { sanitizeDisplayName } from '../../util/sanitize-display-name.js';
import { isSecure, ownAddress } from '../../util/url.js';
import type { HttpResponse, SendHttp } from '../../host/http.js';
import { deviceAuthorizationEndpoint, type OAuthClient } from '../client.js';
import { errorFromAnswer, intercepted, isOAuthSuccess } from '../errors.js';
import { formPost } from '../token-endpoint.js';

/**
 * A sign-in in progress ([RFC 8628 §3.2](https://www.rfc-editor.org/rfc/rfc8628#section-3.2)). Times in milliseconds.
 * `deviceCode` is a secret.
 */
export interface DeviceAuthorization {
  readonly deviceCode: string;
  /** The code for the user, as the service wrote it. */
  readonly userCode: string;
  /** Where the user enters the code; on the service's own origin. */
  readonly verificationUri: string;
  /** The same address with the user_code in it; null when the service offers none. On the service's own origin. */
  readonly verificationUriComplete: string | null;
  /** Wall-clock time at which the code expires. */
  readonly expiresAt: number;
  /** Least wait between two polls. */
  readonly intervalMs: number;
}

/**
 * What the consent page shows about this computer, so that the user recognises it (docs/oauth.md). A service may ignore
 * it.
 */
export interface DeviceDetails {
  /** Null while it is not known. */
  readonly id: string | null;
  readonly name: string | null;
  /** The creative app and its version. */
  readonly app: string;
  /** The operating system and its version; empty when not known. */
  readonly os: string;
  readonly softwareVersion: string;
}

/** Longest texts that the service takes. UTF-16 code units. */
const MAX_DETAIL_LENGTH = { name: 100, app: 60, os: 60, softwareVersion: 40 };

const DEFAULT_LIFETIME_S = 900;
const DEFAULT_INTERVAL_S = 5;
const MAX_LIFETIME_S = 86_400;
const MAX_INTERVAL_MS = 300_000;
/** Longest sign-in address that is shown, kept and opened. Real ones have fewer than a hundred characters. */
const MAX_ADDRESS_LENGTH = 2_000;

/**
 * Requests a device code and a user code ([RFC 8628 §3.1](https://www.rfc-editor.org/rfc/rfc8628#section-3.1)).
 * A service that refuses the request with the details gets it again without them.
 * @param details  null to send none
 * @param now  wall-clock time in milliseconds
 * @throws {CwError} CW-101 refused, CW-104 a sign-in address elsewhere, CW-305 malformed answer, else a transient error
 */
export async function requestDeviceAuthorization(
  send: SendHttp,
  client: OAuthClient,
  details: DeviceDetails | null,
  now: () => number,
  signal?: CancelSignal,
): Promise<DeviceAuthorization> {
  const askedAt = now();
  const response = await send(
    formPost(deviceAuthorizationEndpoint(client), {
      client_id: client.clientId,
      scope: client.scope,
      ...(details && deviceFields(details)),
    }),
    signal,
  );
  if (!isOAuthSuccess(response)) {
    const error = errorFromAnswer(response, 'CW-101', now());
    if (details && error.oauthError === 'invalid_request') {
      return requestDeviceAuthorization(send, client, null, now, signal);
    }
    throw error;
  }
  return readDeviceAuthorization(response, client, askedAt);
}

/** Leaves out what the service would refuse: a detail must not prevent the sign-in. */
function deviceFields({ id, ...texts }: DeviceDetails): Readonly<Record<string, string>> {
  const field = (name: keyof typeof texts): string =>
    sanitizeDisplayName(texts[name] ?? '', MAX_DETAIL_LENGTH[name]) ?? '';
  const fields = {
    device_id: id ?? '',
    device_name: field('name'),
    device_app: field('app'),
    device_os: field('os'),
    software_version: field('softwareVersion'),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}

/**
 * Reads the answer ([RFC 8628 §3.2](https://www.rfc-editor.org/rfc/rfc8628#section-3.2)). Only the three fields that
 * the service's interface promises must be there.
 */
function readDeviceAuthorization(
  response: HttpResponse,
  client: OAuthClient,
  askedAt: number,
): DeviceAuthorization {
  const body = parseJsonObject(response.text);
  if (!body) {
    throw intercepted(response, askedAt);
  }
  const deviceCode = textField(body, 'device_code');
  const userCode = textField(body, 'user_code');
  const verificationUri = textField(body, 'verification_uri');
  if (deviceCode === null || !/^[!-~]{1,4096}$/.test(deviceCode)) {
    throw new CwError('CW-305', 'the device authorization answer has no device_code');
  }
  if (userCode === null || !/^[!-~](?:[ -~]{0,30}[!-~])?$/.test(userCode)) {
    throw new CwError('CW-305', 'the device authorization answer has no user_code');
  }
  if (verificationUri === null) {
    throw new CwError('CW-305', 'the device authorization answer has no verification_uri');
  }
  const complete = textField(body, 'verification_uri_complete');
  const lifetimeS = numberField(body, 'expires_in') ?? 0;
  const intervalS = numberField(body, 'interval') ?? DEFAULT_INTERVAL_S;
  return {
    deviceCode,
    userCode,
    verificationUri: checkedAddress(verificationUri, client),
    verificationUriComplete: complete === null ? null : checkedAddress(complete, client),
    // A code that has expired before it was shown would make no sense.
    expiresAt:
      askedAt + clamp(lifetimeS > 0 ? lifetimeS : DEFAULT_LIFETIME_S, 1, MAX_LIFETIME_S) * 1000,
    intervalMs: boundedInterval(intervalS * 1000),
  };
}

/**
 * Checks an address of the answer: the browser only opens the service's own origin.
 * @param text  absolute, or a path, as the interface of the service writes it (`/oauth/device`)
 * @throws {CwError} CW-104 when it is on another origin, CW-305 when it is too long to be an address for users
 */
function checkedAddress(text: string, client: OAuthClient): string {
  if (text.length > MAX_ADDRESS_LENGTH) {
    throw new CwError('CW-305', 'the sign-in address is too long');
  }
  const url = ownAddress(text, client.origin);
  if (!url || !isSecure(url)) {
    throw new CwError('CW-104', 'the sign-in address is not on the service’s own origin');
  }
  return url.href;
}

/** Whether a stored sign-in may continue. It is checked like an answer: storage is trusted no more than the network. */
export function isUsable(authorization: DeviceAuthorization, client: OAuthClient): boolean {
  const { verificationUri, verificationUriComplete, intervalMs } = authorization;
  if (intervalMs !== boundedInterval(intervalMs)) {
    return false;
  }
  try {
    for (const address of [verificationUri, verificationUriComplete ?? verificationUri]) {
      checkedAddress(address, client);
    }
  } catch {
    return false;
  }
  return true;
}

/** Without a bound, an interval of zero would send polls without a pause. */
function boundedInterval(intervalMs: number): number {
  return clamp(intervalMs, 1000, MAX_INTERVAL_MS);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
