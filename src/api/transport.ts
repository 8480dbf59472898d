import { CancelledError, NEVER_CANCELLED } from '../base/cancel.js';
import type { Clock } from '../base/clock.js';
import { CwError } from '../base/errors.js';
import { isSecure, parseHttpUrl, type HttpUrl } from '../base/url.js';
import type { HttpRequest, HttpResponse, SendHttp, Xhr } from '../host/http.js';

/**
 * One HTTP exchange on XMLHttpRequest: the only way of the host that has upload progress and a
 * documented abort. Sends to one origin only, and treats an answer from elsewhere as an error.
 *
 * Whatever the other end does, an exchange ends and what is read of its answer is bounded.
 */
export interface TransportOptions {
  readonly createXhr: () => Xhr;
  readonly clock: Clock;
  /** The service's origin; nothing is ever sent anywhere else. */
  readonly origin: HttpUrl;
  /** An exchange in which nothing moves for this long has failed. Milliseconds; default 60 000. */
  readonly idleTimeoutMs?: number;
  /** Of a body to send, fewer bytes than this do not count as moving, unless they are its last. Default 1024. */
  readonly leastProgressBytes?: number;
  /**
   * The answer must be there whole this long after the request went out whole, however busily it drips
   * in. Milliseconds; default 60 000.
   */
  readonly answerTimeoutMs?: number;
  /** Longest answer that is read. Bytes, or UTF-16 units where the host counts no bytes; default 65 536. */
  readonly maxResponseLength?: number;
}

const HEADERS_RECEIVED = 2;
const LOADING = 3;
/** While an answer comes in, its length is looked at this often: a host need not tell of each part. Milliseconds. */
const LOOK_EVERY_MS = 100;

export function createTransport(options: TransportOptions): SendHttp {
  const {
    createXhr,
    clock,
    origin,
    idleTimeoutMs = 60_000,
    leastProgressBytes = 1024,
    answerTimeoutMs = 60_000,
    maxResponseLength = 65_536,
  } = options;

  return (request, signal = NEVER_CANCELLED) =>
    new Promise<HttpResponse>((resolve, reject) => {
      if (signal.cancelled) {
        reject(new CancelledError());
        return;
      }
      const target = parseHttpUrl(request.url);
      if (target?.origin !== origin.origin || !isSecure(target)) {
        reject(new CwError('CW-304', 'a request was meant for a foreign or insecure origin'));
        return;
      }

      // What a host throws here may quote a header, and with it a token: it is kept nowhere.
      const refused = (): CwError => new CwError('CW-301', 'the host refused to send a request');
      let xhr: Xhr;
      try {
        xhr = createXhr();
      } catch {
        reject(refused());
        return;
      }
      const timers = new Timers(clock);
      let settled = false;

      const settle = (finish: () => void): void => {
        if (settled) return;
        settled = true;
        timers.stopAll();
        stopListening();
        finish();
      };
      const fail = (error: Error): void => {
        // Aborting fires `abort`, which comes here again.
        if (settled) return;
        settle(() => {
          reject(error);
        });
        xhr.abort();
      };
      const restartIdleTimer = (): void => {
        if (settled) return;
        timers.restart('idle', idleTimeoutMs, () => {
          fail(new CwError('CW-302', 'nothing moved for too long'));
        });
      };
      const startAnswerTimer = (): void => {
        if (settled || timers.isRunning('answer')) return;
        timers.restart('answer', answerTimeoutMs, () => {
          fail(new CwError('CW-302', 'the answer took too long'));
        });
      };
      const checkLength = (length: number): void => {
        if (length > maxResponseLength)
          fail(new CwError('CW-305', 'an answer is too large', { status: xhr.status }));
      };
      const look = (): void => {
        checkLength(lengthSoFar(xhr));
        if (!settled) timers.restart('look', LOOK_EVERY_MS, look);
      };
      const stopListening = signal.onCancel(() => {
        fail(new CancelledError());
      });

      const bodyBytes = binarySize(request);
      let countedBytes = 0;
      xhr.upload.onprogress = ({ loaded }) => {
        if (settled) return;
        if (loaded >= countedBytes + leastProgressBytes || loaded >= bodyBytes) {
          countedBytes = loaded;
          restartIdleTimer();
        }
        if (loaded >= bodyBytes) startAnswerTimer();
        request.onUploadProgress?.(loaded);
      };
      xhr.onprogress = ({ loaded }) => {
        if (!settled) checkLength(loaded);
      };
      xhr.onreadystatechange = () => {
        restartIdleTimer();
        if (settled || !isAnswering(xhr)) return;
        startAnswerTimer();
        if (cameFromElsewhere(xhr, origin)) {
          fail(new CwError('CW-304', 'an answer came from a foreign origin'));
        } else if (request.method !== 'HEAD') {
          checkLength(announcedLength(xhr));
          look();
        }
      };
      xhr.onload = () => {
        if (settled) return;
        if (cameFromElsewhere(xhr, origin)) {
          fail(new CwError('CW-304', 'an answer came from a foreign origin'));
          return;
        }
        const text = xhr.responseText;
        checkLength(text.length);
        const status = xhr.status;
        settle(() => {
          resolve({ status, text, header: (name) => xhr.getResponseHeader(name) });
        });
      };
      xhr.onerror = () => {
        fail(new CwError('CW-301', 'the service could not be reached'));
      };
      xhr.onabort = () => {
        fail(new CwError('CW-301', 'the host ended the exchange'));
      };

      try {
        xhr.open(request.method, request.url, true);
        // Bearer tokens are all the service wants: no cookie may travel along.
        xhr.withCredentials = false;
        for (const [name, value] of Object.entries(request.headers))
          xhr.setRequestHeader(name, value);
        restartIdleTimer();
        if (bodyBytes === 0) startAnswerTimer();
        xhr.send(request.body ?? null);
      } catch {
        fail(refused());
      }
    });
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
    for (const stop of this.stops.values()) stop();
    this.stops.clear();
  }
}

/** Whether headers have come, and the end has not. Where the host hides the state, the status tells of the headers. */
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

/** How much of the answer has come; 0 where the host does not let anybody look before its end. */
function lengthSoFar(xhr: Xhr): number {
  try {
    return xhr.responseText.length;
  } catch {
    return 0;
  }
}

/** Bytes of a body that takes its time to be sent; a form is so short that its answer is waited for at once. */
function binarySize({ body }: HttpRequest): number {
  if (body === undefined || typeof body === 'string') return 0;
  return 'size' in body ? body.size : body.byteLength;
}
