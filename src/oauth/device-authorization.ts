/**
 * The OAuth 2.0 Device Authorization Grant ([RFC 8628](https://www.rfc-editor.org/rfc/rfc8628)): ask for a code, show
 * it, poll until the person has approved it in the browser. Showing is the panel's job.
 * @packageDocumentation
 */
import { backoffDelay } from '../base/backoff.js';
import { NEVER_CANCELLED, throwIfCancelled, type CancelSignal } from '../base/cancel.js';
import { sleep, type Clock } from '../base/clock.js';
import { CwError, isTransient } from '../base/errors.js';
import { numberField, parseJsonObject, textField } from '../base/json.js';
import { isSecure, parseHttpUrl } from '../base/url.js';
import type { HttpResponse, SendHttp } from '../host/http.js';
import { deviceAuthorizationEndpoint, type OAuthClient } from './client.js';
import { answerDetails, errorFromAnswer, isTransientStatus } from './errors.js';
import {
  deviceTokenRequest,
  formPost,
  readTokenResponse,
  type TokenSet,
} from './token-endpoint.js';

/**
 * A sign-in in progress ([RFC 8628 §3.2](https://www.rfc-editor.org/rfc/rfc8628#section-3.2)). Times in milliseconds.
 * `deviceCode` is a secret.
 */
export interface DeviceAuthorization {
  readonly deviceCode: string;
  /** The code for the person, as the service wrote it. */
  readonly userCode: string;
  /** Where the person enters the code; on the service's own origin. */
  readonly verificationUri: string;
  /** The same with the code in it, when the service offers that; on the service's own origin. */
  readonly verificationUriComplete: string | null;
  /** Wall-clock time at which the code ends. */
  readonly expiresAt: number;
  /** Least wait between two polls. */
  readonly intervalMs: number;
}

const DEFAULT_LIFETIME_S = 900;
const DEFAULT_INTERVAL_S = 5;
const SLOW_DOWN_MS = 5_000;
const LONGEST_LIFETIME_S = 86_400;
const LONGEST_INTERVAL_S = 300;
/** Added to each wait: timers are not exact, and one that is too fast would poll too soon. Milliseconds. */
const WAIT_MARGIN = 1.02;
/** Longest sign-in address that is shown, kept and opened. Real ones have fewer than a hundred characters. */
const LONGEST_ADDRESS = 2_000;
const BACKOFF = { firstMs: 5_000, longestMs: 60_000 };

/**
 * Asks the service for a device code and a user code
 * ([RFC 8628 §3.1](https://www.rfc-editor.org/rfc/rfc8628#section-3.1)).
 * @throws {CwError} CW-101 refused, CW-104 a sign-in address elsewhere, CW-305 no sensible answer, CW-30x connection
 */
export async function requestDeviceAuthorization(
  send: SendHttp,
  client: OAuthClient,
  now: () => number,
  signal?: CancelSignal,
): Promise<DeviceAuthorization> {
  const askedAt = now();
  const response = await send(
    formPost(deviceAuthorizationEndpoint(client), {
      client_id: client.clientId,
      scope: client.scope,
    }),
    signal,
  );
  if (response.status !== 200) {
    throw errorFromAnswer(response, 'CW-101', now());
  }
  return readDeviceAuthorization(response, client, askedAt);
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
    throw new CwError('CW-305', 'the device authorization answer is not a JSON object');
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
  const lifetimeS = numberField(body, 'expires_in') ?? DEFAULT_LIFETIME_S;
  const intervalS = numberField(body, 'interval') ?? DEFAULT_INTERVAL_S;
  return {
    deviceCode,
    userCode,
    verificationUri: ownAddress(verificationUri, client),
    verificationUriComplete: complete === null ? null : ownAddress(complete, client),
    expiresAt: askedAt + clamp(lifetimeS, 1, LONGEST_LIFETIME_S) * 1000,
    intervalMs: clamp(intervalS, 1, LONGEST_INTERVAL_S) * 1000,
  };
}

export interface PollOptions {
  readonly send: SendHttp;
  readonly client: OAuthClient;
  readonly clock: Clock;
  /** A number from 0 to 1 for each call, for back-off. */
  readonly random: () => number;
  readonly authorization: DeviceAuthorization;
  readonly signal?: CancelSignal;
  /** Told of each poll's outcome while waiting: null when the service answers, else the passing trouble. */
  readonly onTrouble?: (trouble: CwError | null) => void;
}

/**
 * Polls until the person has decided ([RFC 8628 §3.4](https://www.rfc-editor.org/rfc/rfc8628#section-3.4),
 * [§3.5](https://www.rfc-editor.org/rfc/rfc8628#section-3.5)). Waits at least the interval after every answer;
 * `slow_down` adds 5 seconds for good; passing troubles back off further. Ends at the code's lifetime, by the wall
 * clock or by the time waited, whichever comes first: a clock that is set back or a computer that slept cannot make
 * it outlive the code.
 * @throws {CwError} CW-102 expired, CW-103 denied, CW-106 refused, CW-305 no sensible answer
 * @throws {CancelledError}
 */
export async function pollForTokens(options: PollOptions): Promise<TokenSet> {
  const { send, client, clock, authorization, signal = NEVER_CANCELLED, onTrouble } = options;
  const lifetimeMs = authorization.expiresAt - clock.now();
  let intervalMs = authorization.intervalMs;
  let waitedMs = 0;
  let troubles = 0;
  let waitMs = intervalMs;

  for (;;) {
    const leftMs = Math.min(authorization.expiresAt - clock.now(), lifetimeMs - waitedMs);
    if (leftMs <= 0) {
      throw expired();
    }
    const thisWait = Math.ceil(waitMs * WAIT_MARGIN);
    if (thisWait >= leftMs) {
      await sleep(clock, leftMs, signal);
      throw expired();
    }
    await sleep(clock, thisWait, signal);
    waitedMs += thisWait;
    if (clock.now() >= authorization.expiresAt) {
      throw expired();
    }

    const pollStartedAt = clock.now();
    const outcome = await poll(send, client, clock, authorization, signal);
    throwIfCancelled(signal);
    waitedMs += Math.max(0, clock.now() - pollStartedAt);
    if ('accessToken' in outcome) {
      return outcome;
    }
    if (outcome.kind === 'trouble') {
      troubles += 1;
      onTrouble?.(outcome.error);
      waitMs = backoffDelay(
        {
          firstMs: Math.max(BACKOFF.firstMs, intervalMs),
          longestMs: Math.max(BACKOFF.longestMs, intervalMs),
        },
        troubles,
        0,
        outcome.error.retryAfterMs,
      );
      waitMs = Math.max(intervalMs, waitMs + Math.round(options.random() * 1000));
    } else {
      troubles = 0;
      onTrouble?.(null);
      if (outcome.kind === 'slow_down') {
        intervalMs += SLOW_DOWN_MS;
      }
      waitMs = intervalMs;
    }
  }
}

type PollOutcome =
  | TokenSet
  | { readonly kind: 'pending' }
  | { readonly kind: 'slow_down' }
  | { readonly kind: 'trouble'; readonly error: CwError };

async function poll(
  send: SendHttp,
  client: OAuthClient,
  clock: Clock,
  authorization: DeviceAuthorization,
  signal: CancelSignal,
): Promise<PollOutcome> {
  const askedAt = clock.now();
  let response: HttpResponse;
  try {
    response = await send(deviceTokenRequest(client, authorization.deviceCode), signal);
  } catch (error) {
    if (error instanceof CwError && (isTransient(error) || error.code === 'CW-305')) {
      return { kind: 'trouble', error };
    }
    throw error;
  }
  if (response.status === 200) {
    // Not JSON: a proxy or the login page of a network answered instead of the service. That passes.
    if (parseJsonObject(response.text) === null) {
      return {
        kind: 'trouble',
        error: new CwError('CW-305', 'a poll was answered with something other than JSON'),
      };
    }
    return readTokenResponse(response, askedAt);
  }
  return readPollRefusal(response, clock.now());
}

/** Reads an answer that gives no tokens ([RFC 8628 §3.5](https://www.rfc-editor.org/rfc/rfc8628#section-3.5)). */
function readPollRefusal(response: HttpResponse, now: number): PollOutcome {
  const details = answerDetails(response, now);
  if (!isTransientStatus(response.status)) {
    switch (details.oauthError) {
      case 'authorization_pending':
        return { kind: 'pending' };
      case 'slow_down':
        return { kind: 'slow_down' };
      case 'access_denied':
        throw new CwError('CW-103', 'the sign-in was denied', details);
      case 'expired_token':
        throw expired();
      case undefined:
        // No error word: a proxy or the login page of a network answered instead of the service. That passes.
        return {
          kind: 'trouble',
          error: new CwError(
            'CW-305',
            `a poll was answered ${response.status} without an error`,
            details,
          ),
        };
      default:
        throw errorFromAnswer(response, 'CW-106', now);
    }
  }
  if (details.oauthError === 'slow_down') {
    return { kind: 'slow_down' };
  }
  return { kind: 'trouble', error: errorFromAnswer(response, 'CW-106', now) };
}

function expired(): CwError {
  return new CwError('CW-102', 'the code expired before it was approved');
}

/**
 * The browser is only ever sent to the service's own origin, whatever the answer says.
 * @throws {CwError} CW-104 elsewhere, CW-305 when it is too long to be an address for people
 */
function ownAddress(text: string, client: OAuthClient): string {
  if (text.length > LONGEST_ADDRESS) {
    throw new CwError('CW-305', 'the sign-in address is too long');
  }
  const url = parseHttpUrl(text);
  if (url?.origin !== client.origin.origin || !isSecure(url)) {
    throw new CwError('CW-104', 'the sign-in address is not on the service’s own origin');
  }
  return url.href;
}

/** Whether a stored sign-in may go on. It is checked like an answer: storage is trusted no more than the network. */
export function isUsable(authorization: DeviceAuthorization, client: OAuthClient): boolean {
  const { verificationUri, verificationUriComplete } = authorization;
  try {
    for (const address of [verificationUri, verificationUriComplete ?? verificationUri]) {
      ownAddress(address, client);
    }
  } catch {
    return false;
  }
  return true;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
