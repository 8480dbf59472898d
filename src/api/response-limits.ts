/**
 * Ends an HTTP exchange in which nothing moves, whose answer is late or too long, or that was answered from another
 * origin. So an exchange always ends, and the part of its answer that is read is bounded.
 * @packageDocumentation
 */
import type { Clock } from '../util/clock.js';
import { CwError } from '../util/errors.js';
import { parseHttpUrl, type HttpUrl } from '../util/url.js';
import type { HttpRequest, Xhr } from '../host/http.js';

export interface ResponseLimits {
  /** An exchange in which nothing moves for this long has failed. Milliseconds; default 60 000. */
  readonly idleTimeoutMs: number;
  /** A body that grows by fewer bytes than this does not count as progress, unless they are its last. Default 1024. */
  readonly leastProgressBytes: number;
  /**
   * The whole answer must be complete this long after the request was sent or the answer began, whichever is first,
   * even if bytes keep coming. Milliseconds; default 60 000.
   */
  readonly answerTimeoutMs: number;
  /** Longest answer that is read. Bytes, or UTF-16 units where the host counts no bytes; default 65 536. */
  readonly maxResponseLength: number;
}

const HEADERS_RECEIVED = 2;
const LOADING = 3;
/**
 * Interval at which the length of an incomplete answer is polled: hosts need not fire an event for each part.
 * Milliseconds.
 */
const LOOK_EVERY_MS = 100;

/** Makes sure that an exchange ends in time, that its answer is not too long, and that it comes from the service. */
export interface ResponseGuard {
  /** Call right before the request is sent. */
  started(): void;
  /** @param bytes  how many bytes of the body have left so far */
  sent(bytes: number): void;
  /** Call for each `readystatechange`. */
  stateChanged(): void;
  /** Fails the exchange when an answer of this length is too long. Bytes or UTF-16 code units. */
  checkLength(length: number): void;
  /** Whether the answer came from another origin; if so, it has failed the exchange. */
  isCrossOrigin(): boolean;
  /** Stops all timers. Call when the exchange has ended. */
  stop(): void;
}

/**
 * Creates the guard of one exchange. The caller reports events to it.
 * @param origin  the only origin an answer may come from
 * @param fail  called with the error when a limit is broken: CW-302 idle or late, CW-304 answered from another origin
 *   or by a page that is too long, CW-305 JSON that is too long. It must end the exchange
 * @param isSettled  whether the exchange has ended
 */
export function enforceLimits(
  xhr: Xhr,
  request: HttpRequest,
  origin: HttpUrl,
  limits: ResponseLimits,
  clock: Clock,
  fail: (error: Error) => void,
  isSettled: () => boolean,
): ResponseGuard {
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
      const { status } = xhr;
      fail(
        isJson(xhr)
          ? new CwError('CW-305', 'an answer is too large', { status })
          : new CwError('CW-304', 'a page is too large for an answer', {
              status,
              isIntercepted: true,
            }),
      );
    }
  };
  const isFromElsewhere = (): boolean => {
    const isElsewhere = cameFromElsewhere(xhr, origin);
    if (isElsewhere) {
      fail(
        new CwError('CW-304', 'an answer came from a foreign origin', {
          status: xhr.status,
          isIntercepted: true,
        }),
      );
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
    isCrossOrigin: isFromElsewhere,
    stop: () => {
      timers.stopAll();
    },
  };
}

/** Timers by name, at most one of each, that can be stopped together. */
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

/** Whether the headers are here but not the end. Where the host hides `readyState`, a status means that they are. */
function isAnswering({ readyState, status }: Xhr): boolean {
  return readyState === undefined
    ? status !== 0
    : readyState === HEADERS_RECEIVED || readyState === LOADING;
}

/** The host follows redirects automatically; only the final address shows that there was one. */
function cameFromElsewhere(xhr: Xhr, origin: HttpUrl): boolean {
  return xhr.responseURL !== '' && parseHttpUrl(xhr.responseURL)?.origin !== origin.origin;
}

function announcedLength(xhr: Xhr): number {
  const header = xhr.getResponseHeader('Content-Length');
  return header !== null && /^\d+$/.test(header) ? Number(header) : 0;
}

/** Whether the service may have sent this body: it responds with JSON, or with nothing. */
function isJson(xhr: Xhr): boolean {
  return /^application\/([\w.+-]+\+)?json\b/i.test(xhr.getResponseHeader('Content-Type') ?? '');
}

/** How much of the answer is here, in UTF-16 code units; 0 where the host does not show it before its end. */
function lengthSoFar(xhr: Xhr): number {
  try {
    return xhr.responseText.length;
  } catch {
    return 0;
  }
}

/** Bytes of a binary body. Text counts as 0: it is so short that the wait for the answer begins at once. */
function binarySize({ body }: HttpRequest): number {
  if (body === undefined || typeof body === 'string') {
    return 0;
  }
  return 'size' in body ? body.size : body.byteLength;
}
