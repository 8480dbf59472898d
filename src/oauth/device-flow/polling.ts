/**
 * The second half of the OAuth 2.0 Device Authorization Grant ([RFC 8628](https://www.rfc-editor.org/rfc/rfc8628)):
 * poll until the user has approved the code in the browser.
 * @packageDocumentation
 */
import { backoffDelay } from '../../util/backoff.js';
import {
  CancelledError,
  CancelSource,
  NEVER_CANCELLED,
  throwIfCancelled,
  type CancelSignal,
} from '../../util/cancel.js';
import { sleep, type Clock } from '../../util/clock.js';
import { CwError, isTransient, type CwErrorDetails } from '../../util/errors.js';
import { parseJsonObject, textField } from '../../util/json.js';
import { SkippableDelay } from '../../util/skippable-delay.js';
import type { HttpResponse, SendHttp } from '../../host/http.js';
import type { OAuthClient } from '../client.js';
import type { DeviceAuthorization } from './authorization.js';
import {
  answerDetails,
  errorFromAnswer,
  intercepted,
  isFromService,
  isOAuthSuccess,
} from '../errors.js';
import { deviceTokenRequest, readTokenResponse, type TokenSet } from '../token-endpoint.js';

const SLOW_DOWN_MS = 5_000;
/**
 * Every delay exceeds the interval or the service's Retry-After by this factor: a timer that runs fast must not make
 * the plugin poll too soon.
 */
const WAIT_MARGIN = 1.02;
/**
 * Delays after errors. With the random part none exceeds 15 s, because a user waits at the panel, unless the interval
 * or Retry-After is longer.
 */
const BACKOFF = { firstMs: 5_000, longestMs: 14_000 };
/** Largest random addition to delays after errors, so that plugins do not all return at once. Milliseconds. */
const SPREAD_MS = 1_000;
/** How many numbers the service offers. */
const NUMBER_COUNT = 3;

export interface PollOptions {
  readonly send: SendHttp;
  readonly client: OAuthClient;
  readonly clock: Clock;
  /** A number from 0 to 1 for each call, for back-off. */
  readonly random: () => number;
  readonly authorization: DeviceAuthorization;
  readonly signal?: CancelSignal;
  /** The waits between polls. When a wait is hurried, the next poll comes as soon as the interval allows. */
  readonly waits?: SkippableDelay;
  /** Called after each poll that leaves the sign-in open: with null if the service answered, else with the error. */
  readonly onTrouble?: (trouble: CwError | null) => void;
  /** The user's choice of the offered numbers, for the next poll; null for none. */
  readonly chosenNumber?: () => string | null;
  /**
   * Called after each poll with `authorization_pending`.
   * @param choices  the numbers of which the browser shows one; null when the service requests no choice
   * @param sent  the number that this poll contained
   */
  readonly onNumbers?: (choices: readonly string[] | null, sent: string | null) => void;
}

/**
 * Polls until the user has decided ([RFC 8628 §3.4](https://www.rfc-editor.org/rfc/rfc8628#section-3.4),
 * [§3.5](https://www.rfc-editor.org/rfc/rfc8628#section-3.5)). Waits at least the interval after every answer, even
 * when skipped. `slow_down` permanently adds 5 seconds to the interval. After transient errors the delays grow, up to
 * 15 seconds or the interval. Ends when the code expires, by the wall clock or by timers, whichever is first: a clock
 * that is set back or a computer that slept cannot make the polling outlive the code.
 * @throws {CwError} CW-102 expired, CW-103 denied, CW-106 refused, CW-107 wrong number, CW-108 not allowed by a
 *   policy, CW-305 malformed answer
 * @throws {CancelledError}
 */
export async function pollForTokens(options: PollOptions): Promise<TokenSet> {
  const { clock, authorization, signal = NEVER_CANCELLED } = options;
  const life = new CancelSource();
  const endLife = (): void => {
    life.cancel();
  };
  const stopTimer = clock.startTimer(authorization.expiresAt - clock.now(), endLife);
  const stopListening = signal.onCancel(endLife);
  try {
    return await pollFor(options, life.signal);
  } catch (error) {
    throwIfCancelled(signal);
    throw error instanceof CancelledError ? expired() : error;
  } finally {
    stopTimer();
    stopListening();
  }
}

/** @param life  fires when the code has expired; a poll that is under way then may still bring the tokens */
async function pollFor(options: PollOptions, life: CancelSignal): Promise<TokenSet> {
  const { clock, authorization, onTrouble, onNumbers } = options;
  const { waits = new SkippableDelay(clock), chosenNumber = () => null } = options;
  const pace = new PollPace(authorization.intervalMs, options.random);
  for (;;) {
    const leftMs = authorization.expiresAt - clock.now();
    if (pace.leastMs >= leftMs) {
      await sleep(clock, leftMs, life);
      throw expired();
    }
    if (await waits.wait(pace.leastMs, Math.min(pace.mostMs, leftMs), life)) {
      pace.beginAnew();
    }
    if (clock.now() >= authorization.expiresAt) {
      throw expired();
    }
    const number = chosenNumber();
    const outcome = await poll(options, number);
    if ('accessToken' in outcome) {
      return outcome;
    }
    pace.follow(outcome);
    if (outcome.kind === 'pending') {
      onNumbers?.(outcome.choices, number);
    }
    onTrouble?.(outcome.kind === 'trouble' ? outcome.error : null);
  }
}

/** How long to wait after the last answer, in milliseconds. */
class PollPace {
  private troubles = 0;
  /** The shortest wait, even when hurried: the interval, or the service's requested delay if that is longer. */
  leastMs: number;
  /** The delay when it is not skipped. */
  mostMs: number;

  constructor(
    private intervalMs: number,
    private readonly random: () => number,
  ) {
    this.leastMs = this.mostMs = withMargin(intervalMs);
  }

  /** The next error counts as the first again. */
  beginAnew(): void {
    this.troubles = 0;
  }

  follow(outcome: Waiting): void {
    if (outcome.kind === 'slow_down') {
      this.intervalMs += SLOW_DOWN_MS;
    }
    const retryAfterMs = outcome.kind === 'trouble' ? (outcome.error.retryAfterMs ?? 0) : 0;
    this.leastMs = withMargin(Math.max(this.intervalMs, retryAfterMs));
    this.mostMs = this.leastMs;
    if (outcome.kind !== 'trouble') {
      this.troubles = 0;
      return;
    }
    this.troubles += 1;
    const policy = {
      firstMs: Math.max(BACKOFF.firstMs, this.intervalMs),
      longestMs: Math.max(BACKOFF.longestMs, this.intervalMs),
    };
    const backoffMs = backoffDelay(policy, this.troubles, 0) + this.random() * SPREAD_MS;
    this.mostMs = Math.max(this.leastMs, Math.round(backoffMs));
  }
}

function withMargin(ms: number): number {
  return Math.ceil(ms * WAIT_MARGIN);
}

/** An answer after which polling continues. */
type Waiting =
  | { readonly kind: 'pending'; readonly choices: readonly string[] | null }
  | { readonly kind: 'slow_down' }
  | { readonly kind: 'trouble'; readonly error: CwError };

async function poll(
  { send, client, clock, authorization, signal = NEVER_CANCELLED }: PollOptions,
  number: string | null,
): Promise<TokenSet | Waiting> {
  const askedAt = clock.now();
  let response: HttpResponse;
  try {
    response = await send(deviceTokenRequest(client, authorization.deviceCode, number), signal);
  } catch (error) {
    throwIfCancelled(signal);
    // Without a response there is no verdict on the code.
    if (error instanceof CwError) {
      return { kind: 'trouble', error };
    }
    throw error;
  }
  throwIfCancelled(signal);
  if (!isOAuthSuccess(response)) {
    return readPollRefusal(response, clock.now());
  }
  try {
    return readTokenResponse(response, askedAt);
  } catch (error) {
    if (error instanceof CwError && isTransient(error)) {
      return { kind: 'trouble', error };
    }
    throw error;
  }
}

/** Reads an answer that gives no tokens ([RFC 8628 §3.5](https://www.rfc-editor.org/rfc/rfc8628#section-3.5)). */
function readPollRefusal(response: HttpResponse, now: number): Waiting {
  const details = answerDetails(response, now);
  if (details.oauthError === 'slow_down') {
    return { kind: 'slow_down' };
  }
  const error = errorFromAnswer(response, 'CW-106', now);
  if (isTransient(error)) {
    return { kind: 'trouble', error };
  }
  if (!isFromService(response)) {
    return { kind: 'trouble', error: intercepted(response, now) };
  }
  switch (details.oauthError) {
    case 'authorization_pending':
      return { kind: 'pending', choices: numberChoices(response) };
    case 'access_denied':
      throw denied(response, details);
    case 'expired_token':
      throw expired();
    case undefined:
    default:
      throw error;
  }
}

/**
 * The numbers to choose from, if the service requests a choice (docs/oauth.md): three different ones. A list that cannot
 * be shown is no request, so that the user does not choose by accident.
 */
function numberChoices({ text }: HttpResponse): readonly string[] | null {
  const choices: unknown = parseJsonObject(text)?.['number_choices'];
  if (!Array.isArray(choices)) {
    return null;
  }
  const numbers = choices.filter(
    (choice): choice is string => typeof choice === 'string' && /^\d{2}$/.test(choice),
  );
  const isComplete = numbers.length === choices.length && new Set(numbers).size === NUMBER_COUNT;
  return isComplete && numbers.length === NUMBER_COUNT ? numbers : null;
}

/** Our service adds the `reason` (docs/oauth.md). Without one, the user chose Deny. */
function denied({ text }: HttpResponse, details: CwErrorDetails): CwError {
  const reason = textField(parseJsonObject(text) ?? {}, 'reason');
  if (reason === 'wrong_number') {
    return new CwError('CW-107', 'another number was chosen than the browser shows', details);
  }
  return reason === 'not_allowed'
    ? new CwError('CW-108', 'the workspace does not allow this sign-in', details)
    : new CwError('CW-103', 'the sign-in was denied', details);
}

function expired(): CwError {
  return new CwError('CW-102', 'the code expired before it was approved');
}
