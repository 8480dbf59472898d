import { CancelledError, NEVER_CANCELLED } from '../base/cancel.js';
import type { Clock } from '../base/clock.js';
import { CwError } from '../base/errors.js';
import { isSecure, parseHttpUrl, type HttpUrl } from '../base/url.js';
import type { HttpResponse, SendHttp, Xhr } from '../host/http.js';

/**
 * One HTTP exchange on XMLHttpRequest: the only way of the host that has upload progress and a
 * documented abort. Sends to one origin only, and treats an answer from elsewhere as an error.
 */
export interface TransportOptions {
  readonly createXhr: () => Xhr;
  readonly clock: Clock;
  /** The service's origin; nothing is ever sent anywhere else. */
  readonly origin: HttpUrl;
  /** An exchange in which no byte moves for this long has failed. Milliseconds; default 60 000. */
  readonly idleTimeoutMs?: number;
  /** Longest answer that is read. UTF-16 units; default 65 536. */
  readonly maxResponseLength?: number;
}

const HEADERS_RECEIVED = 2;

export function createTransport(options: TransportOptions): SendHttp {
  const { createXhr, clock, origin, idleTimeoutMs = 60_000, maxResponseLength = 65_536 } = options;

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
      let settled = false;
      let stopIdleTimer = (): void => undefined;

      const settle = (finish: () => void): void => {
        if (settled) return;
        settled = true;
        stopIdleTimer();
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
        stopIdleTimer();
        if (settled) return;
        stopIdleTimer = clock.startTimer(idleTimeoutMs, () => {
          fail(new CwError('CW-302', 'no byte moved for too long'));
        });
      };
      const stopListening = signal.onCancel(() => {
        fail(new CancelledError());
      });

      xhr.upload.onprogress = (event) => {
        restartIdleTimer();
        if (!settled) request.onUploadProgress?.(event.loaded);
      };
      xhr.onreadystatechange = () => {
        restartIdleTimer();
        if (xhr.readyState !== HEADERS_RECEIVED) return;
        if (cameFromElsewhere(xhr, origin)) {
          fail(new CwError('CW-304', 'an answer came from a foreign origin'));
        } else if (request.method !== 'HEAD' && announcedLength(xhr) > maxResponseLength) {
          fail(new CwError('CW-305', 'an answer is too large', { status: xhr.status }));
        }
      };
      xhr.onload = () => {
        if (cameFromElsewhere(xhr, origin)) {
          fail(new CwError('CW-304', 'an answer came from a foreign origin'));
          return;
        }
        const text = xhr.responseText;
        if (text.length > maxResponseLength) {
          fail(new CwError('CW-305', 'an answer is too large', { status: xhr.status }));
          return;
        }
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
        xhr.send(request.body ?? null);
      } catch {
        fail(refused());
      }
    });
}

/** A redirect is followed by the host itself; only the final address shows that one took place. */
function cameFromElsewhere(xhr: Xhr, origin: HttpUrl): boolean {
  return xhr.responseURL !== '' && parseHttpUrl(xhr.responseURL)?.origin !== origin.origin;
}

function announcedLength(xhr: Xhr): number {
  const header = xhr.getResponseHeader('Content-Length');
  return header !== null && /^\d+$/.test(header) ? Number(header) : 0;
}
