import PQueue from 'p-queue';
import { backoffDelay } from '../util/backoff.js';
import {
  CancelledError,
  NEVER_CANCELLED,
  throwIfCancelled,
  type CancelSignal,
} from '../util/cancel.js';
import { sleep, type Clock } from '../util/clock.js';
import { CwError, InterceptionLimit, isTransient, type ErrorCode } from '../util/errors.js';
import { Observable, type ReadableObservable } from '../util/observable.js';
import type { HttpRequest, HttpResponse, SendHttp } from '../host/http.js';
import {
  answerDetails,
  errorFromAnswer,
  intercepted,
  isFromService,
  isSuccessStatus,
} from '../oauth/errors.js';
import type { Session } from '../oauth/session/session.js';
import { CircuitBreaker, type CircuitState } from './circuit-breaker.js';

export interface RequestQueueOptions {
  readonly send: SendHttp;
  readonly session: Session;
  readonly clock: Clock;
  readonly random: () => number;
  /** How many requests are under way at once. At least 1; default 3. */
  readonly concurrency?: number;
}

export interface ApiRequest extends HttpRequest {
  /**
   * Whether sending it again after a lost answer is harmless. A chunk of an upload is not repeatable:
   * the service may hold part of it, and only it can say how much. After a 401 it is sent again: the service read none of it.
   */
  readonly repeatable: boolean;
  /** Statuses, besides 2xx, that the caller wants as an answer of the service rather than as an error. */
  readonly expectedStatuses?: readonly number[];
  /**
   * Whether a 2xx response is the service's; by default each is. Any other comes from something on the way, such as the
   * login page of a network.
   */
  readonly isAnswer?: (response: HttpResponse) => boolean;
}

/**
 * No host reports reliably whether its panel is visible, so every delay is short enough for a waiting user. One small
 * request every 15 seconds costs the service little. Only the service can require longer delays (Retry-After).
 */
const BACKOFF = { firstMs: 1_000, longestMs: 15_000 };

/**
 * All requests to `/api/v1` are sent here. Each waits for a slot, gets a fresh access token for each attempt, and is
 * retried, if allowed, while its errors are transient. A response that is not from the service decides nothing: the
 * request is retried for some minutes.
 *
 * When the service is unreachable or requires a delay, all requests wait. A single probe is sent; all continue when it
 * succeeds.
 */
export class RequestQueue {
  private readonly queue: PQueue;
  private readonly breaker: CircuitBreaker;
  private readonly store = new Observable<CircuitState>({ kind: 'closed' });

  readonly state: ReadableObservable<CircuitState> = this.store;

  constructor(private readonly options: RequestQueueOptions) {
    const { concurrency = 3 } = options;
    if (!Number.isInteger(concurrency) || concurrency < 1) {
      throw new TypeError(`concurrency must be a whole number of at least 1, not ${concurrency}`);
    }
    this.queue = new PQueue({ concurrency });
    this.breaker = new CircuitBreaker({
      clock: options.clock,
      random: options.random,
      policy: BACKOFF,
      onChange: (state) => {
        this.store.set(state);
      },
    });
  }

  /**
   * Sends one request when its turn comes.
   * @throws {CwError} when it failed for good: CW-201, CW-202, CW-701 without a session; CW-203, CW-306, CW-603 to
   *   CW-606, CW-620 refused; CW-304 when something keeps responding in the service's place; CW-305 for an answer that cannot
   *   be used; a transient error only if the request is not repeatable
   * @throws {CancelledError}
   */
  async send(request: ApiRequest, signal: CancelSignal = NEVER_CANCELLED): Promise<HttpResponse> {
    const limit = new InterceptionLimit();
    for (let failures = 0; ; failures += 1) {
      throwIfCancelled(signal);
      const error = await this.enqueueAttempt(request, signal);
      if (!(error instanceof CwError)) {
        return error;
      }
      if (!isTransient(error) || !request.repeatable) {
        throw error;
      }
      limit.note(error);
      if (!this.breaker.isClosed) {
        continue;
      } // the circuit breaker waits, for all requests
      const { clock, random } = this.options;
      await sleep(clock, backoffDelay(BACKOFF, failures + 1, random(), error.retryAfterMs), signal);
    }
  }

  /**
   * Sends a less important request, once. It takes no place in the queue, but waits while the circuit is open. Its
   * outcome neither opens nor closes it. Every status is an answer here, 401 too.
   * @throws {CwError} when there is no answer or no session
   * @throws {CancelledError}
   */
  async sendOutOfBand(
    request: HttpRequest,
    signal: CancelSignal = NEVER_CANCELLED,
  ): Promise<HttpResponse> {
    await this.breaker.whenClosed(signal);
    const token = await this.options.session.accessToken();
    throwIfCancelled(signal);
    return this.exchange(request, token, signal);
  }

  /** Retries at once instead of waiting out the back-off, at the user's request. */
  retryNow(): void {
    this.options.session.retryNow();
    this.breaker.probeNow();
  }

  /** One attempt: waits for a place and a closed circuit, then sends. Gives the answer, or the error if it is a CwError. */
  private enqueueAttempt(
    request: ApiRequest,
    signal: CancelSignal,
  ): Promise<HttpResponse | CwError> {
    return new Promise((resolve, reject) => {
      // A cancelled request ends at once, even while it still waits for its turn.
      const stopListening = signal.onCancel(() => {
        reject(new CancelledError());
      });
      this.queue
        .add(() => this.breaker.pass(() => this.attempt(request, signal), signal))
        .catch((error: unknown) => {
          if (error instanceof CwError) {
            return error;
          }
          throw error;
        })
        .then(resolve, reject)
        .finally(stopListening);
    });
  }

  private async attempt(request: ApiRequest, signal: CancelSignal): Promise<HttpResponse> {
    const { session } = this.options;
    const token = await session.accessToken();
    throwIfCancelled(signal);
    const response = await this.exchange(request, token, signal);
    if (response.status !== 401) {
      return this.toResultOrError(request, response);
    }

    await session.rejected(token);
    const fresh = await session.accessToken();
    throwIfCancelled(signal);
    const again = await this.exchange(request, fresh, signal);
    // The service refuses a token that it has just issued. Such a contradiction may pass.
    if (again.status === 401) {
      const details = answerDetails(again, this.options.clock.now());
      throw new CwError('CW-303', 'a fresh access token was refused', details);
    }
    return this.toResultOrError(request, again);
  }

  private exchange(
    request: HttpRequest,
    accessToken: string,
    signal: CancelSignal,
  ): Promise<HttpResponse> {
    const headers = { ...request.headers, Authorization: `Bearer ${accessToken}` };
    return this.options.send({ ...request, headers }, signal);
  }

  private toResultOrError(request: ApiRequest, response: HttpResponse): HttpResponse {
    const { status } = response;
    const { expectedStatuses = [], isAnswer = () => true } = request;
    const isOurs = isSuccessStatus(status) ? isAnswer(response) : isFromService(response);
    if (isOurs && (isSuccessStatus(status) || expectedStatuses.includes(status))) {
      return response;
    }
    // Final, whatever the sender: the caller handles a body that was too long.
    if (status === 413) {
      throw new CwError('CW-604', 'a request was too large', { status });
    }
    const now = this.options.clock.now();
    throw isSuccessStatus(status)
      ? intercepted(response, now)
      : errorFromAnswer(
          response,
          refusalCode(status, answerDetails(response, now).oauthError),
          now,
        );
  }
}

function refusalCode(status: number, word: string | undefined): ErrorCode {
  switch (status) {
    case 403:
      return 'CW-203';
    case 413:
      return 'CW-604';
    case 415:
      return 'CW-605';
    // Not a registered status: tus uses it for bytes that do not match their checksum.
    case 460:
      return 'CW-306';
    case 507:
      return word === 'insufficient_disk_space' ? 'CW-620' : 'CW-606';
    default:
      return status >= 400 && status < 500 ? 'CW-603' : 'CW-305';
  }
}
