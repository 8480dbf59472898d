/**
 * One HTTP exchange on XMLHttpRequest, the only interface of the host with upload progress and a
 * documented abort. Sends to one origin only, and treats an answer from another origin as an error.
 *
 * Whatever the service does, an exchange ends, and the part of its answer that is read is bounded.
 * @packageDocumentation
 */
import { decodeUtf8 } from '../../packages/utf8/index.js';
import { CancelledError, NEVER_CANCELLED, type CancelSignal } from '../util/cancel.js';
import type { Clock } from '../util/clock.js';
import { CwError } from '../util/errors.js';
import { isSecure, parseHttpUrl, type HttpUrl } from '../util/url.js';
import type { HttpRequest, HttpResponse, SendHttp, Xhr } from '../host/http.js';
import { enforceLimits, type ResponseLimits } from './response-limits.js';

export interface TransportOptions extends Partial<ResponseLimits> {
  readonly createXhr: () => Xhr;
  readonly clock: Clock;
  /** The service's origin; nothing is ever sent anywhere else. */
  readonly origin: HttpUrl;
}

/**
 * Gives the function that sends requests to `origin`. Limits that are left out have the defaults of
 * {@link ResponseLimits}. What the function throws is described at {@link SendHttp}.
 */
export function createTransport(options: TransportOptions): SendHttp {
  const { createXhr, clock, origin } = options;
  const limits: ResponseLimits = {
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
        reject(new CwError('CW-304', 'a request for a foreign or insecure origin'));
        return;
      }
      let xhr: Xhr;
      try {
        xhr = createXhr();
      } catch {
        reject(refusedByHost());
        return;
      }
      const settle: Settle = { resolve, reject };
      const { maxResponseLength = limits.maxResponseLength } = request;
      const own = { ...limits, maxResponseLength };
      runExchange(xhr, request, signal, origin, own, clock, settle);
    });
}

/** Replaces what a host throws. The thrown value may quote a header with a token, so it is not stored. */
const HOST_REFUSED = Symbol('the host refused');

function refusedByHost(): CwError {
  return new CwError('CW-301', 'the host refused to send a request', { cause: HOST_REFUSED });
}

/** Whether the host refused to send the request: the same request is likely to be refused again. */
export function isRefusedByHost(error: CwError): boolean {
  return error.cause === HOST_REFUSED;
}

interface Settle {
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (error: Error) => void;
}

/** One request and its answer. Settles exactly once, whatever the host calls and in whatever order. */
function runExchange(
  xhr: Xhr,
  request: HttpRequest,
  signal: CancelSignal,
  origin: HttpUrl,
  limits: ResponseLimits,
  clock: Clock,
  { resolve, reject }: Settle,
): void {
  let isSettled = false;
  const settle = (finish: () => void): void => {
    if (!isSettled) {
      isSettled = true;
      guard.stop();
      stopListening();
      finish();
    }
  };
  const fail = (error: Error): void => {
    // `xhr.abort()` fires the event `abort`, which calls `fail` again.
    if (!isSettled) {
      settle(() => {
        reject(error);
      });
      xhr.abort();
    }
  };
  const guard = enforceLimits(xhr, request, origin, limits, clock, fail, () => isSettled);
  const stopListening = signal.onCancel(() => {
    fail(new CancelledError());
  });

  xhr.upload.onprogress = ({ loaded }) => {
    if (!isSettled) {
      guard.sent(loaded);
      request.onUploadProgress?.(loaded);
    }
  };
  xhr.onprogress = ({ loaded }) => {
    if (!isSettled) {
      guard.checkLength(loaded);
    }
  };
  xhr.onreadystatechange = () => {
    guard.stateChanged();
  };
  xhr.onload = () => {
    if (isSettled || guard.isCrossOrigin()) {
      return;
    }
    const { status } = xhr;
    const bytes = request.isBinary ? bytesIn(xhr) : null;
    if (request.isBinary && !bytes) {
      fail(new CwError('CW-305', 'the host gave no bytes', { status }));
      return;
    }
    guard.checkLength(bytes ? bytes.byteLength : xhr.responseText.length);
    // Only an error of the service has a text that is read.
    const isText = !bytes || status < 200 || status > 299;
    const text = !isText ? '' : bytes ? textIn(bytes) : xhr.responseText;
    const header = (name: string): string | null => xhr.getResponseHeader(name);
    settle(() => {
      resolve({ status, text, header, ...(bytes && { bytes }) });
    });
  };
  xhr.onerror = () => {
    fail(new CwError('CW-301', 'the service could not be reached'));
  };
  xhr.onabort = () => {
    fail(new CwError('CW-301', 'the host ended the exchange'));
  };
  try {
    open(xhr, request);
    guard.started();
    xhr.send(request.body ?? null);
  } catch {
    fail(refusedByHost());
  }
}

/** A buffer of the host may be of another realm, where `instanceof` fails. */
function bytesIn({ response }: Xhr): ArrayBuffer | null {
  return typeof response === 'object' && response !== null && 'byteLength' in response
    ? (response as ArrayBuffer)
    : null;
}

function textIn(bytes: ArrayBuffer): string {
  return decodeUtf8(new Uint8Array(bytes)) ?? '';
}

function open(xhr: Xhr, { method, url, headers, isBinary }: HttpRequest): void {
  xhr.open(method, url, true);
  if (isBinary) {
    xhr.responseType = 'arraybuffer';
  }
  // The service needs the Bearer token alone: no cookie may be sent.
  xhr.withCredentials = false;
  for (const [name, value] of Object.entries(headers)) {
    xhr.setRequestHeader(name, value);
  }
}
