import BaseUpload, { type TusRequest, type TusResponse } from 'tus-js-client/lib/upload.js';
import type { ApiRequest, RequestQueue } from '../api/request-queue.js';
import { CancelledError, CancelSource, type CancelSignal } from '../base/cancel.js';
import type { Clock } from '../base/clock.js';
import { CwError, toCwError } from '../base/errors.js';
import { parseHttpUrl } from '../base/url.js';
import type { SpoolReader } from '../host/host.js';
import type { BinaryBody, HttpMethod, HttpResponse } from '../host/http.js';
import { isGone, UploadPace } from './upload-pace.js';
import type { PhotoRecord } from './photo-record.js';

/**
 * One resumable upload by tus 1.0.0 (https://tus.io/protocols/resumable-upload), from its creation or
 * from wherever the service says it stands, to its last byte.
 *
 * tus-js-client speaks the protocol; every request goes through the request queue. After trouble the
 * service is asked how much it holds (HEAD) before anything is sent again.
 */
export interface TusUploadOptions {
  readonly queue: RequestQueue;
  /** Address of the upload collection, `{base_url}/api/v1/uploads`. */
  readonly endpoint: string;
  readonly record: PhotoRecord;
  readonly reader: SpoolReader;
  /** Bytes per request. */
  readonly chunkBytes: number;
  /**
   * Bytes that the creation brings; as many as any request when left out. Until it is answered the
   * upload has no address, and what it brought is lost with its answer.
   */
  readonly firstChunkBytes?: number;
  readonly clock: Clock;
  /** A number from 0 to 1 for each call, for jitter. */
  readonly random: () => number;
  readonly signal: CancelSignal;
  /** Asked before the service is, at the start and after every interruption; rejects to stop. */
  readonly mayGoOn?: () => Promise<void>;
  /**
   * Bytes handed to the network, and bytes the service has confirmed. Only the second is a promise; it
   * falls when the service no longer knows the upload.
   */
  readonly onProgress: (sentBytes: number, confirmedBytes: number) => void;
  /** Told the upload's address when there is more to send to it than the creation brought; may be told again. */
  readonly onUploadUrl: (url: string) => void;
}

/** A chunk as tus-js-client passes it on: it looks at `size` alone. */
interface Chunk {
  readonly size: number;
  readonly body: BinaryBody;
}

/** Longest address of an upload that is believed, kept and sent to. */
const LONGEST_ADDRESS = 2_000;

/**
 * Uploads until the service has confirmed the last byte.
 * @throws CwError when the photo cannot be uploaded, or the session is gone; CW-305 when the service's
 *   answers lead nowhere
 * @throws CancelledError
 */
export async function uploadPhoto(options: TusUploadOptions): Promise<void> {
  const pace = new UploadPace(options);
  let uploadUrl = options.record.uploadUrl;
  // A creation whose answer was lost may have left bytes at the service: the next one brings none, and
  // learns how many.
  let createsWithBytes = true;
  for (;;) {
    await options.mayGoOn?.();
    const outcome = await runOnce(options, pace, uploadUrl, createsWithBytes);
    createsWithBytes = false;
    uploadUrl = outcome.uploadUrl ?? uploadUrl;
    if (outcome.error === null) return;
    if (!(outcome.error instanceof CwError)) throw outcome.error;
    await pace.afterTrouble(outcome.error);
  }
}

interface Outcome {
  readonly error: Error | null;
  readonly uploadUrl: string | null;
}

/** One run of tus-js-client, up to its end or its first error. */
function runOnce(
  options: TusUploadOptions,
  pace: UploadPace,
  uploadUrl: string | null,
  createsWithBytes: boolean,
): Promise<Outcome> {
  const { record, reader, endpoint, chunkBytes, firstChunkBytes = chunkBytes, signal } = options;
  const { onProgress } = options;
  const requests = new CancelSource();
  const stopListening = signal.onCancel(() => {
    requests.cancel();
  });
  let confirmed = 0;
  let isCreating = false;
  let toldUrl = uploadUrl;

  return new Promise<Outcome>((resolve) => {
    const finish = (error: Error | null): void => {
      stopListening();
      resolve({ error: signal.cancelled ? new CancelledError() : error, uploadUrl: upload.url });
    };
    const upload = new BaseUpload<Chunk>(record, {
      endpoint,
      uploadUrl,
      metadata: { filename: record.name, filetype: record.type, client_upload_id: record.id },
      headers: {},
      chunkSize: chunkBytes,
      uploadDataDuringCreation: true,
      retryDelays: null,
      parallelUploads: 1,
      storeFingerprintForResuming: false,
      removeFingerprintOnSuccess: false,
      protocol: 'tus-v1',
      fingerprint: () => Promise.resolve(null),
      fileReader: {
        openFile: () =>
          Promise.resolve({
            size: record.size,
            slice: async (start, end) => {
              const most = isCreating ? (createsWithBytes ? firstChunkBytes : 0) : chunkBytes;
              const last = Math.min(start + most, end, record.size);
              const body = await reader.read(start, last);
              return { value: { size: last - start, body }, done: last === record.size };
            },
            close: () => undefined,
          }),
      },
      httpStack: {
        createRequest: (method, url) => {
          isCreating = method === 'POST';
          // Not at the creation: an upload that ends with it needs no address, and a photo of which the
          // address was lost is found again by its client_upload_id.
          if (method === 'PATCH' && url !== toldUrl) {
            toldUrl = url;
            options.onUploadUrl(url);
          }
          return createRequest(options, pace, requests.signal, method, url, {
            // What the service turns out to hold is progress too, when a chunk was cut short.
            onHeld: (held) => {
              confirmed = held;
              onProgress(held, held);
            },
            onSent: (sent) => {
              onProgress(sent, confirmed);
            },
          });
        },
        getName: () => 'request-queue',
      },
      // tus-js-client's own progress begins at nothing before a request has left: who waits for a connection would
      // see what was sent fall to nothing. What moves is told by the requests.
      onChunkComplete: (_size, accepted) => {
        confirmed = accepted;
        onProgress(accepted, accepted);
      },
      onSuccess: () => {
        finish(null);
      },
      onError: (error) => {
        finish(causeOf(error));
      },
    });
    upload.start();
  });
}

/** tus-js-client wraps what our requests reject with; everything else it says is about a senseless answer. */
function causeOf(error: Error & { readonly causingError?: Error | null }): Error {
  const cause = error.causingError ?? error;
  if (cause instanceof CancelledError) return cause;
  return toCwError(cause, 'CW-305', 'an upload was answered in a way that makes no sense');
}

function createRequest(
  { queue, endpoint, record }: TusUploadOptions,
  pace: UploadPace,
  signal: CancelSignal,
  method: string,
  url: string,
  told: {
    /** The service was asked and holds this many bytes of the photo. */
    readonly onHeld: (bytes: number) => void;
    /** So many bytes of the photo have left, with those the service has. */
    readonly onSent: (bytes: number) => void;
  },
): TusRequest {
  const headers: Record<string, string> = {};
  const cancel = new CancelSource();
  const stopListening = signal.onCancel(() => {
    cancel.cancel();
  });
  return {
    getMethod: () => method,
    getURL: () => url,
    setHeader: (name, value) => {
      headers[name] = value;
    },
    getHeader: (name) => headers[name],
    setProgressHandler: () => undefined,
    async send(body) {
      const chunk = isChunk(body) ? body : null;
      const isChunkRequest = method === 'PATCH';
      const bringsBytes = chunk !== null && chunk.size > 0;
      const request: ApiRequest = {
        method: asMethod(method),
        url: method === 'POST' ? endpoint : checkedUrl(url, endpoint),
        headers,
        ...(chunk === null ? {} : { body: chunk.body }),
        onUploadProgress: (sent) => {
          if (bringsBytes) told.onSent(Number(headers['Upload-Offset'] ?? 0) + sent);
        },
        // Creating is repeatable because the service knows the upload by its client_upload_id; but what
        // it brought need not travel twice.
        repeatable: !bringsBytes,
        // Gone at the service: tus-js-client then starts the upload anew.
        expectedStatuses: method === 'HEAD' ? [404, 410] : [],
      };
      try {
        await pace.beforeSending(chunk?.size ?? 0);
        const response = await queue.send(request, cancel.signal);
        checkAnswer(response, headers, chunk?.size ?? 0, record.size);
        // Of an upload it no longer knows, the service holds nothing.
        const held = response.status < 300 ? Number(response.header('Upload-Offset')) : 0;
        if (isChunkRequest) pace.took(Number(headers['Upload-Offset']), held);
        else pace.holds(held);
        if (method === 'HEAD') told.onHeld(held);
        return asTusResponse(response);
      } catch (error) {
        if (isChunkRequest && error instanceof CwError && isGone(error.status))
          throw new CwError('CW-303', 'the service no longer knows the upload', {
            cause: error,
            ...(error.status === undefined ? {} : { status: error.status }),
          });
        throw error;
      } finally {
        stopListening();
      }
    },
    abort: () => {
      cancel.cancel();
      return Promise.resolve();
    },
    getUnderlyingObject: () => null,
  };
}

/**
 * An answer about an upload must fit the photo: the length is the photo's, the offset lies within what
 * was there and what was sent, and a chunk that was taken moves it. Otherwise an upload could end early
 * or never. Numbers are digits and nothing else, for tus-js-client reads them in a way of its own; an
 * address is of a length that can be kept.
 */
function checkAnswer(
  response: HttpResponse,
  requestHeaders: Readonly<Record<string, string>>,
  chunkSize: number,
  photoSize: number,
): void {
  if (response.status < 200 || response.status >= 300) return;
  const length = response.header('Upload-Length');
  const sentFrom = requestHeaders['Upload-Offset'];
  const offset = readBytes(response.header('Upload-Offset'));
  const fits =
    (length === null || readBytes(length) === photoSize) &&
    offset <= photoSize &&
    (sentFrom === undefined ||
      (offset > Number(sentFrom) && offset <= Number(sentFrom) + chunkSize));
  if (!fits) throw new CwError('CW-305', 'the service’s upload offset does not fit the photo');
  if ((response.header('Location') ?? '').length > LONGEST_ADDRESS)
    throw new CwError('CW-305', 'the address of an upload is too long');
}

/** A count of bytes in a header; NaN for anything but digits. */
function readBytes(header: string | null): number {
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : NaN;
}

function asTusResponse(response: HttpResponse): TusResponse {
  return {
    getStatus: () => response.status,
    getHeader: (name) => response.header(name) ?? undefined,
    getBody: () => response.text,
    getUnderlyingObject: () => null,
  };
}

function isChunk(body: unknown): body is Chunk {
  return typeof body === 'object' && body !== null && 'body' in body && 'size' in body;
}

function asMethod(method: string): HttpMethod {
  switch (method) {
    case 'HEAD':
    case 'POST':
    case 'PATCH':
    case 'DELETE':
      return method;
    default:
      throw new CwError('CW-901', 'tus asked for an unknown method');
  }
}

/** An upload's address must lie under the collection's: a Location elsewhere is a fault, not a place to send photos. */
function checkedUrl(url: string, endpoint: string): string {
  const target = parseHttpUrl(url);
  if (!target?.href.startsWith(`${endpoint}/`) || target.href.length > LONGEST_ADDRESS)
    throw new CwError('CW-304', 'an upload address is not under the service’s upload collection');
  return target.href;
}

/** Takes an upload back at the service (tus termination). An upload that is gone already is fine. */
export async function terminateUpload(
  queue: RequestQueue,
  endpoint: string,
  uploadUrl: string,
  signal: CancelSignal,
): Promise<void> {
  await queue.send(
    {
      method: 'DELETE',
      url: checkedUrl(uploadUrl, endpoint),
      headers: { 'Tus-Resumable': '1.0.0' },
      repeatable: true,
      expectedStatuses: [403, 404, 410],
    },
    signal,
  );
}
