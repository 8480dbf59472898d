/**
 * One resumable upload by tus 1.0.0 (https://tus.io/protocols/resumable-upload), from its creation or
 * from wherever the service says it stands, to its last byte.
 *
 * tus-js-client speaks the protocol; every request goes through the request queue. After trouble the
 * service is asked how much it holds (HEAD) before anything is sent again.
 * @packageDocumentation
 */
import BaseUpload, { type TusRequest } from 'tus-js-client/lib/upload.js';
import type { RequestQueue } from '../api/request-queue.js';
import { CancelledError, CancelSource, type CancelSignal } from '../base/cancel.js';
import type { Clock } from '../base/clock.js';
import { CwError, toCwError } from '../base/errors.js';
import type { SpoolReader } from '../host/host.js';
import type { Delivery } from './delivery.js';
import type { PhotoRecord } from './photo-record.js';
import { checkedUrl, createTusRequest, type Chunk } from './tus-request.js';
import { UploadPace } from './upload-pace.js';

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

/**
 * Uploads until the service has confirmed the last byte.
 * @returns what is known of the photo that has arrived
 * @throws {CwError} when the photo cannot be uploaded, or the session is gone; CW-305 when the service's
 *   answers lead nowhere
 * @throws {CancelledError}
 */
export async function uploadPhoto(options: TusUploadOptions): Promise<Delivery> {
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
    if (outcome.error === null) {
      return { checked: false, sha256: null, pageUrl: null };
    }
    if (!(outcome.error instanceof CwError)) {
      throw outcome.error;
    }
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
  const { record, endpoint, chunkBytes, signal } = options;
  const requests = new CancelSource();
  const stopListening = signal.onCancel(() => {
    requests.cancel();
  });
  const run = startRun(options, pace, uploadUrl, createsWithBytes, requests.signal);

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
            slice: (start, end) => run.readChunk(start, end),
            close: () => undefined,
          }),
      },
      httpStack: {
        createRequest: (method, url) => run.createRequest(method, url),
        getName: () => 'request-queue',
      },
      // tus-js-client's own progress begins at nothing before a request has left: who waits for a connection would
      // see what was sent fall to nothing. What moves is told by the requests.
      onChunkComplete: (_size, accepted) => {
        run.noteConfirmed(accepted);
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

/** What one run of tus-js-client asks for, and what has to be remembered between its requests. */
function startRun(
  options: TusUploadOptions,
  pace: UploadPace,
  uploadUrl: string | null,
  createsWithBytes: boolean,
  signal: CancelSignal,
): {
  /** The next chunk, of as many bytes as the request under way may bring. */
  readChunk(start: number, end: number): Promise<{ value: Chunk; done: boolean }>;
  createRequest(method: string, url: string): TusRequest;
  noteConfirmed(bytes: number): void;
} {
  const { record, reader, chunkBytes, firstChunkBytes = chunkBytes, onProgress } = options;
  let confirmedBytes = 0;
  let isCreating = false;
  let toldUrl = uploadUrl;

  const noteConfirmed = (bytes: number): void => {
    confirmedBytes = bytes;
    onProgress(bytes, bytes);
  };

  return {
    noteConfirmed,
    async readChunk(start, end) {
      const most = isCreating ? (createsWithBytes ? firstChunkBytes : 0) : chunkBytes;
      const last = Math.min(start + most, end, record.size);
      const body = await reader.read(start, last);
      return { value: { size: last - start, body }, done: last === record.size };
    },
    createRequest(method, url) {
      isCreating = method === 'POST';
      // Not at the creation: an upload that ends with it needs no address, and a photo of which the
      // address was lost is found again by its client_upload_id.
      if (method === 'PATCH' && url !== toldUrl) {
        toldUrl = url;
        options.onUploadUrl(url);
      }
      return createTusRequest(options, pace, signal, method, url, {
        // What the service turns out to hold is progress too, when a chunk was cut short.
        onHeld: noteConfirmed,
        onSent: (bytes) => {
          onProgress(bytes, confirmedBytes);
        },
      });
    },
  };
}

/** tus-js-client wraps what our requests reject with; everything else it says is about a senseless answer. */
function causeOf(error: Error & { readonly causingError?: Error | null }): Error {
  const cause = error.causingError ?? error;
  if (cause instanceof CancelledError) {
    return cause;
  }
  return toCwError(cause, 'CW-305', 'an upload was answered in a way that makes no sense');
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
