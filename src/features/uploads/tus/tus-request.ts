import type { TusRequest, TusResponse } from 'tus-js-client/lib/upload.js';
import type { ApiRequest, RequestQueue } from '../../../api/request-queue.js';
import { CancelSource, type CancelSignal } from '../../../util/cancel.js';
import { CwError } from '../../../util/errors.js';
import { ownAddress, parseHttpUrl } from '../../../util/url.js';
import type { BinaryBody, HttpMethod, HttpResponse } from '../../../host/http.js';
import { isServiceId } from '../../../api/project.js';
import type { PhotoRecord } from '../../queue/index.js';
import { isGone, type UploadBackoff } from './upload-backoff.js';

/** A chunk as tus-js-client passes it on. The library itself reads only `size`. */
export interface Chunk {
  readonly size: number;
  readonly body: BinaryBody;
}

/** Longest address of an upload that is accepted, stored and sent to. */
const MAX_ADDRESS_LENGTH = 2_000;

export interface TusRequestOptions {
  readonly queue: RequestQueue;
  /** Address of the upload collection. */
  readonly endpoint: string;
  readonly record: PhotoRecord;
}

export interface TusRequestListeners {
  /** Called with the upload offset after a HEAD. */
  readonly onHeld: (bytes: number) => void;
  /** Called with the number of bytes sent so far, including those at the service. */
  readonly onSent: (bytes: number) => void;
  /**
   * Called before a request that brings bytes of the photo. If it rejects, the request is not sent and fails with that.
   * @param end  where in the photo these bytes end
   * @returns more headers for the request
   */
  readonly beforeBytes: (end: number) => Promise<Readonly<Record<string, string>>>;
}

/**
 * A request of tus-js-client that goes through the request queue. The service's answer is checked before the library
 * sees it.
 * @param signal  cancels the request
 */
export function createTusRequest(
  options: TusRequestOptions,
  pace: UploadBackoff,
  signal: CancelSignal,
  method: string,
  url: string,
  listeners: TusRequestListeners,
): TusRequest {
  const headers: Record<string, string> = {};
  const cancel = new CancelSource();
  const stopListening = signal.onCancel(() => {
    cancel.cancel();
  });

  const exchange = async (chunk: Chunk | null): Promise<HttpResponse> => {
    const size = chunk?.size ?? 0;
    if (size > 0) {
      const more = await listeners.beforeBytes(Number(headers['Upload-Offset'] ?? 0) + size);
      Object.assign(headers, more);
    }
    const request = apiRequest(options, method, url, headers, chunk, listeners.onSent);
    await pace.beforeSending(size);
    const response = await options.queue.send(request, cancel.signal);
    checkAnswer(response, headers, chunk?.size ?? null, options.record.size);
    reportHeld(response, method, headers, pace, listeners);
    return response;
  };

  return {
    getMethod: () => method,
    getURL: () => url,
    setHeader: (name, value) => {
      headers[name] = value;
    },
    getHeader: (name) => headers[name],
    setProgressHandler: () => undefined,
    async send(body) {
      try {
        return asTusResponse(await exchange(isChunk(body) ? body : null));
      } catch (error) {
        throw method === 'PATCH' ? chunkError(error) : error;
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

/** Passes on how many bytes of the photo the service holds, according to its answer. */
function reportHeld(
  response: HttpResponse,
  method: string,
  headers: Readonly<Record<string, string>>,
  pace: UploadBackoff,
  { onHeld }: TusRequestListeners,
): void {
  // An upload that no longer exists holds no bytes.
  const held = response.status < 300 ? Number(response.header('Upload-Offset')) : 0;
  if (method === 'PATCH') {
    pace.onChunkAccepted(Number(headers['Upload-Offset']), held);
  } else {
    pace.onOffset(held);
  }
  if (method === 'HEAD') {
    onHeld(held);
  }
}

function apiRequest(
  { endpoint }: TusRequestOptions,
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  chunk: Chunk | null,
  onSent: (bytes: number) => void,
): ApiRequest {
  const bringsBytes = chunk !== null && chunk.size > 0;
  return {
    method: asMethod(method),
    url: method === 'POST' ? endpoint : checkedUrl(url, endpoint),
    headers,
    ...(chunk === null ? {} : { body: chunk.body }),
    onUploadProgress: (sent) => {
      if (bringsBytes) {
        onSent(Number(headers['Upload-Offset'] ?? 0) + sent);
      }
    },
    // A creation without bytes may be repeated: the service finds the upload by its client_upload_id, or creates a
    // second, empty one. Bytes are never resent before the offset is read.
    repeatable: !bringsBytes,
    // When the service has dropped the upload, tus-js-client creates it again.
    expectedStatuses: method === 'HEAD' ? [404, 410] : [],
    isAnswer: (response) =>
      requiredHeaders(method, bringsBytes).every((name) => response.header(name) !== null),
  };
}

/** The headers that every 2xx response of a tus service has. Without them the effect of the request is unknown. */
function requiredHeaders(method: string, bringsBytes: boolean): readonly string[] {
  switch (method) {
    case 'HEAD':
      return ['Upload-Offset', 'Upload-Length'];
    case 'PATCH':
      return ['Upload-Offset'];
    default:
      return bringsBytes ? ['Location', 'Upload-Offset'] : ['Location'];
  }
}

/** Makes "the upload is gone" (404, 410 to a chunk) a transient error, so that the upload is created again. */
function chunkError(error: unknown): unknown {
  if (!(error instanceof CwError) || error.isIntercepted || !isGone(error.status)) {
    return error;
  }
  return new CwError('CW-303', 'the service no longer has the upload', {
    cause: error,
    ...(error.status === undefined ? {} : { status: error.status }),
  });
}

/**
 * Checks that a 2xx answer about an upload fits the photo: the length is the photo's, the upload offset is at most the
 * end of the sent bytes, and an accepted chunk moves it. Otherwise an upload could end early or never. Numbers must be
 * plain digits, since tus-js-client is more lenient. An address must be short enough to be stored.
 * @param chunkSize  null for a request that could bring no bytes. The answer to a creation without bytes needs no
 *   offset
 * @throws {CwError} CW-305
 */
function checkAnswer(
  response: HttpResponse,
  requestHeaders: Readonly<Record<string, string>>,
  chunkSize: number | null,
  photoSize: number,
): void {
  if (response.status < 200 || response.status >= 300) {
    return;
  }
  const length = response.header('Upload-Length');
  const sentFrom = requestHeaders['Upload-Offset'];
  const offsetHeader = response.header('Upload-Offset');
  const isCreation = 'Upload-Length' in requestHeaders;
  const offset =
    isCreation && (chunkSize ?? 0) === 0 && offsetHeader === null ? 0 : readBytes(offsetHeader);
  const fits =
    (length === null || readBytes(length) === photoSize) &&
    offset <= photoSize &&
    (sentFrom === undefined ||
      (offset > Number(sentFrom) && offset <= Number(sentFrom) + (chunkSize ?? 0)));
  if (!fits) {
    throw new CwError('CW-305', 'the service’s upload offset does not fit the photo');
  }
  if ((response.header('Location') ?? '').length > MAX_ADDRESS_LENGTH) {
    throw new CwError('CW-305', 'the address of an upload is too long');
  }
}

/** A count of bytes in a header; NaN for anything but digits. */
function readBytes(header: string | null): number {
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : NaN;
}

function asTusResponse(response: HttpResponse): TusResponse {
  return {
    getStatus: () => response.status,
    // A creation without bytes: if the service already holds some, it rejects the next chunk, and the offset is read
    // again.
    getHeader: (name) => response.header(name) ?? (name === 'Upload-Offset' ? '0' : undefined),
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

/** The id in an upload's address; null for an address of another form. */
export function readUploadId(address: string | null, endpoint: string): string | null {
  const id = address?.startsWith(`${endpoint}/`) ? address.slice(endpoint.length + 1) : '';
  return isServiceId(id) ? id : null;
}

/**
 * Checks that an upload's address is under that of the collection, `endpoint`: photos are sent nowhere else. Plain http
 * from a service that does not know of the TLS in front of it becomes https.
 * @returns the address in normal form
 * @throws {CwError} CW-304 when it is not
 */
export function checkedUrl(url: string, endpoint: string): string {
  const service = parseHttpUrl(endpoint);
  const target = service && ownAddress(url, service);
  if (!target?.href.startsWith(`${endpoint}/`) || target.href.length > MAX_ADDRESS_LENGTH) {
    throw new CwError('CW-304', 'an upload address is not the service’s');
  }
  return target.href;
}
