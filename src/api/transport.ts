import { CancelledError, NEVER_CANCELLED, type CancelSignal } from '../base/cancel.js';
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

type Limits = Required<
  Pick<
    TransportOptions,
    'idleTimeoutMs' | 'leastProgressBytes' | 'answerTimeoutMs' | 'maxResponseLength'
  >
>;

export function createTransport(options: TransportOptions): SendHttp {
  const { createXhr, clock, origin } = options;
  const limits: Limits = {
    idleTimeoutMs: options.idleTimeoutMs ?? 60_000,
    leastProgressBytes: options.leastProgressBytes ?? 1024,
    answerTimeoutMs: options.answerTimeoutMs ?? 60_000,
    maxResponseLength: options.maxResponseLength ?? 65_536,
  };

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
      let xhr: Xhr;
      try {
        xhr = createXhr();
      } catch {
        reject(refusedByHost());
        return;
      }
      const exchange = new Exchange(xhr, request, origin, limits, new Timers(clock), {
        resolve,
        reject,
      });
      exchange.start(signal);
    });
}

/** What a host throws may quote a header, and with it a token: it is kept nowhere, not even as a cause. */
function refusedByHost(): CwError {
  return new CwError('CW-301', 'the host refused to send a request');
}

/** One request and its answer. Settles exactly once, whatever the host calls and in whatever order. */
class Exchange {
  private isSettled = false;
  /** Bytes of the body that had left when the idle timer was last started anew. */
  private countedBytes = 0;
  private readonly bodyBytes: number;
  private stopListening = (): void => undefined;

  constructor(
    private readonly xhr: Xhr,
    private readonly request: HttpRequest,
    private readonly origin: HttpUrl,
    private readonly limits: Limits,
    private readonly timers: Timers,
    private readonly promise: {
      readonly resolve: (response: HttpResponse) => void;
      readonly reject: (error: Error) => void;
    },
  ) {
    this.bodyBytes = binarySize(request);
  }

  start(signal: CancelSignal): void {
    const { xhr } = this;
    this.stopListening = signal.onCancel(() => {
      this.fail(new CancelledError());
    });
    xhr.upload.onprogress = ({ loaded }) => {
      this.onSent(loaded);
    };
    xhr.onprogress = ({ loaded }) => {
      if (!this.isSettled) this.checkLength(loaded);
    };
    xhr.onreadystatechange = () => {
      this.onStateChange();
    };
    xhr.onload = () => {
      this.onWholeAnswer();
    };
    xhr.onerror = () => {
      this.fail(new CwError('CW-301', 'the service could not be reached'));
    };
    xhr.onabort = () => {
      this.fail(new CwError('CW-301', 'the host ended the exchange'));
    };
    try {
      this.send();
    } catch {
      this.fail(refusedByHost());
    }
  }

  private send(): void {
    const { xhr, request } = this;
    xhr.open(request.method, request.url, true);
    // Bearer tokens are all the service wants: no cookie may travel along.
    xhr.withCredentials = false;
    for (const [name, value] of Object.entries(request.headers)) xhr.setRequestHeader(name, value);
    this.restartIdleTimer();
    if (this.bodyBytes === 0) this.startAnswerTimer();
    xhr.send(request.body ?? null);
  }

  private onSent(bytes: number): void {
    if (this.isSettled) return;
    const isAll = bytes >= this.bodyBytes;
    if (isAll || bytes >= this.countedBytes + this.limits.leastProgressBytes) {
      this.countedBytes = bytes;
      this.restartIdleTimer();
    }
    if (isAll) this.startAnswerTimer();
    this.request.onUploadProgress?.(bytes);
  }

  private onStateChange(): void {
    const { xhr } = this;
    this.restartIdleTimer();
    if (this.isSettled || !isAnswering(xhr)) return;
    this.startAnswerTimer();
    if (this.failIfFromElsewhere()) return;
    if (this.request.method === 'HEAD') return;
    this.checkLength(announcedLength(xhr));
    this.watchLength();
  }

  private onWholeAnswer(): void {
    const { xhr } = this;
    if (this.isSettled || this.failIfFromElsewhere()) return;
    const text = xhr.responseText;
    this.checkLength(text.length);
    const status = xhr.status;
    this.settle(() => {
      this.promise.resolve({ status, text, header: (name) => xhr.getResponseHeader(name) });
    });
  }

  private settle(finish: () => void): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.timers.stopAll();
    this.stopListening();
    finish();
  }

  private fail(error: Error): void {
    // Aborting fires `abort`, which comes here again.
    if (this.isSettled) return;
    this.settle(() => {
      this.promise.reject(error);
    });
    this.xhr.abort();
  }

  private failIfFromElsewhere(): boolean {
    if (!cameFromElsewhere(this.xhr, this.origin)) return false;
    this.fail(new CwError('CW-304', 'an answer came from a foreign origin'));
    return true;
  }

  private checkLength(length: number): void {
    if (length > this.limits.maxResponseLength)
      this.fail(new CwError('CW-305', 'an answer is too large', { status: this.xhr.status }));
  }

  private watchLength(): void {
    this.checkLength(lengthSoFar(this.xhr));
    if (this.isSettled) return;
    this.timers.restart('length', LOOK_EVERY_MS, () => {
      this.watchLength();
    });
  }

  private restartIdleTimer(): void {
    if (this.isSettled) return;
    this.timers.restart('idle', this.limits.idleTimeoutMs, () => {
      this.fail(new CwError('CW-302', 'nothing moved for too long'));
    });
  }

  private startAnswerTimer(): void {
    if (this.isSettled || this.timers.isRunning('answer')) return;
    this.timers.restart('answer', this.limits.answerTimeoutMs, () => {
      this.fail(new CwError('CW-302', 'the answer took too long'));
    });
  }
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
