/**
 * Ends an HTTP exchange in which nothing moves, whose answer is late or too long, or that was answered from elsewhere:
 * whatever the other end does, an exchange ends, and what is read of its answer is bounded.
 * @packageDocumentation
 */
import type { Clock } from '../base/clock.js';
import { CwError } from '../base/errors.js';
import { parseHttpUrl, type HttpUrl } from '../base/url.js';
import type { HttpRequest, Xhr } from '../host/http.js';

export interface ExchangeLimits {
  /** An exchange in which nothing moves for this long has failed. Milliseconds; default 60 000. */
  readonly idleTimeoutMs: number;
  /** Of a body to send, fewer bytes than this do not count as moving, unless they are its last. Default 1024. */
  readonly leastProgressBytes: number;
  /**
   * The answer must be there whole this long after the request went out whole, however busily it drips
   * in. Milliseconds; default 60 000.
   */
  readonly answerTimeoutMs: number;
  /** Longest answer that is read. Bytes, or UTF-16 units where the host counts no bytes; default 65 536. */
  readonly maxResponseLength: number;
}

const HEADERS_RECEIVED = 2;
const LOADING = 3;
/** How often the length of an answer is looked at while it comes in. Hosts need not fire an event for each part. Milliseconds. */
const LOOK_EVERY_MS = 100;

/** Sees to it that an exchange ends in time, that its answer is not too long, and that it comes from the service. */
export interface ExchangeGuard {
  started(): void;
  /** @param bytes  of the body that have left so far */
  sent(bytes: number): void;
  stateChanged(): void;
  checkLength(length: number): void;
  /** Whether the answer came from another origin; then the exchange has failed. */
  isFromElsewhere(): boolean;
  stop(): void;
}

// oxlint-disable-next-line max-lines-per-function -- one state, which all of it shares
export function guardExchange(
  xhr: Xhr,
  request: HttpRequest,
  origin: HttpUrl,
  limits: ExchangeLimits,
  clock: Clock,
  fail: (error: Error) => void,
  isSettled: () => boolean,
): ExchangeGuard {
  const timers = new Timers(clock);
  const bodyBytes = binarySize(request);
  let countedBytes = 0;

  const restartIdleTimer = (): void => {
    timers.restart('idle', limits.idleTimeoutMs, () => {
      fail(new CwError('CW-302', 'nothing moved for too long'));
    });
  };
  const startAnswerTimer = (): void => {
    if (!timers.isRunning('answer')) {
      timers.restart('answer', limits.answerTimeoutMs, () => {
        fail(new CwError('CW-302', 'the answer took too long'));
      });
    }
  };
  const checkLength = (length: number): void => {
    if (length > limits.maxResponseLength) {
      fail(new CwError('CW-305', 'an answer is too large', { status: xhr.status }));
    }
  };
  const isFromElsewhere = (): boolean => {
    const isElsewhere = cameFromElsewhere(xhr, origin);
    if (isElsewhere) {
      fail(new CwError('CW-304', 'an answer came from a foreign origin'));
    }
    return isElsewhere;
  };
  const look = (): void => {
    checkLength(lengthSoFar(xhr));
    if (!isSettled()) {
      timers.restart('look', LOOK_EVERY_MS, look);
    }
  };

  return {
    started() {
      if (isSettled()) {
        return;
      }
      restartIdleTimer();
      if (bodyBytes === 0) {
        startAnswerTimer();
      }
    },
    sent(bytes) {
      const isAll = bytes >= bodyBytes;
      if (isAll || bytes >= countedBytes + limits.leastProgressBytes) {
        countedBytes = bytes;
        restartIdleTimer();
      }
      if (isAll) {
        startAnswerTimer();
      }
    },
    stateChanged() {
      if (isSettled()) {
        return;
      }
      restartIdleTimer();
      if (!isAnswering(xhr)) {
        return;
      }
      startAnswerTimer();
      if (!isFromElsewhere() && request.method !== 'HEAD') {
        checkLength(announcedLength(xhr));
        look();
      }
    },
    checkLength,
    isFromElsewhere,
    stop: () => {
      timers.stopAll();
    },
  };
}

/** Timers by name, one of each at most, that end together. */
class Timers {
  private readonly stops = new Map<string, () => void>();

  constructor(private readonly clock: Clock) {}

  isRunning(name: string): boolean {
    return this.stops.has(name);
  }

  restart(name: string, delayMs: number, callback: () => void): void {
    this.stops.get(name)?.();
    this.stops.set(name, this.clock.startTimer(delayMs, callback));
  }

  stopAll(): void {
    for (const stop of this.stops.values()) {
      stop();
    }
    this.stops.clear();
  }
}

/** Whether the headers are here and the end is not. Where the host hides the state, a status says that headers are here. */
function isAnswering({ readyState, status }: Xhr): boolean {
  return readyState === undefined
    ? status !== 0
    : readyState === HEADERS_RECEIVED || readyState === LOADING;
}

/** A redirect is followed by the host itself; only the final address shows that one took place. */
function cameFromElsewhere(xhr: Xhr, origin: HttpUrl): boolean {
  return xhr.responseURL !== '' && parseHttpUrl(xhr.responseURL)?.origin !== origin.origin;
}

function announcedLength(xhr: Xhr): number {
  const header = xhr.getResponseHeader('Content-Length');
  return header !== null && /^\d+$/.test(header) ? Number(header) : 0;
}

/** How much of the answer is here; 0 where the host does not show it before its end. */
function lengthSoFar(xhr: Xhr): number {
  try {
    return xhr.responseText.length;
  } catch {
    return 0;
  }
}

/** Bytes of a body that takes time to send. A form counts as 0: it is so short that the wait for the answer begins at once. */
function binarySize({ body }: HttpRequest): number {
  if (body === undefined || typeof body === 'string') {
    return 0;
  }
  return 'size' in body ? body.size : body.byteLength;
}
