/**
 * One resumable upload by tus 1.0.0 (https://tus.io/protocols/resumable-upload), from its creation or its present
 * offset to its last byte.
 *
 * tus-js-client implements the protocol; every request is sent through the request queue. After an error the offset is
 * read (HEAD) before more bytes are sent.
 * @packageDocumentation
 */
import BaseUpload, { type TusRequest, type TusResponse } from 'tus-js-client/lib/upload.js';
import type { Capabilities } from '../../../api/capabilities.js';
import type { RequestQueue } from '../../../api/request-queue.js';
import type { CapabilitySource } from '../../../api/tus-capabilities.js';
import { CancelledError, CancelSource, type CancelSignal } from '../../../util/cancel.js';
import type { Clock } from '../../../util/clock.js';
import { CwError, toCwError } from '../../../util/errors.js';
import type { SpoolReader } from '../../../host/spool.js';
import { readPageUrl, readPhotoVersion } from './response-headers.js';
import { readReprDigest, writeReprDigest } from '../../../api/repr-digest.js';
import { precomputedDigest, CrcDigest, type Digest } from './crc-digest.js';
import { type PhotoRecord, type UploadReceipt, hasBegun } from '../../queue/index.js';
import { checkedUrl, createTusRequest, readUploadId, type Chunk } from './tus-request.js';
import { UploadBackoff } from './upload-backoff.js';

export interface TusUploadOptions {
  readonly queue: RequestQueue;
  readonly capabilities: CapabilitySource;
  /** Address of the upload collection, `{base_url}/api/v1/uploads`. */
  readonly endpoint: string;
  readonly record: PhotoRecord;
  readonly reader: SpoolReader;
  /** Bytes per request. */
  readonly chunkBytes: number;
  /**
   * Bytes that the creation brings, if the service takes any then; `chunkBytes` when left out. Until the creation is
   * answered the upload has no address, and a run that begins without one sends these bytes again.
   */
  readonly firstChunkBytes?: number;
  /** How many bytes a request may bring at most, as far as this run has found out. */
  readonly chunkLimit?: ChunkLimit;
  readonly clock: Clock;
  /** A number from 0 to 1 for each call, for jitter. */
  readonly random: () => number;
  readonly signal: CancelSignal;
  /**
   * Called at the start, unless `onBegin` is, and after every interruption, before any request. Rejects to stop the
   * upload.
   */
  readonly checkStillOwner?: () => Promise<void>;
  /**
   * Called with the bytes handed to the network and the bytes the service has confirmed. Only the second number is
   * reliable; it falls when the service has dropped the upload.
   */
  readonly onProgress: (sentBytes: number, confirmedBytes: number) => void;
  /**
   * Called with the upload URL before bytes are sent to it, possibly several times. Settles when the address is in durable
   * storage. If the service cannot find uploads by client_upload_id, no byte is sent before that, and a rejection ends
   * the upload.
   */
  readonly onUploadUrl: (url: string) => Promise<void>;
  /**
   * Called before the first creation at a service with projects or versions. Settles when the photo is known to have
   * begun, in durable storage. Rejects when another instance owns that storage; a rejection ends the upload.
   */
  readonly onBegin?: () => Promise<void>;
  /** Called when the upload restarts because the service held other bytes than the copy: once in all runs. */
  readonly onRestart: () => Promise<void>;
}

/**
 * Uploads until the service has confirmed the last byte. If the service sends a digest of the stored bytes, compares it
 * with the digest of the sent bytes. If they differ, restarts the upload, once.
 * @throws {CwError} when the photo cannot be uploaded, or the session has ended. CW-304: something keeps responding in
 *   the service's place. CW-305: the service's answers lead nowhere. CW-306: it holds other bytes once more. CW-604:
 *   the photo is larger than the service accepts. CW-607: the kept copy is damaged. CW-612: its project no longer exists
 * @throws {CancelledError}
 */
export async function uploadPhoto(options: TusUploadOptions): Promise<UploadReceipt> {
  const { record, capabilities, signal, endpoint, queue, onProgress } = options;
  const can = await capabilities.get(signal);
  if (can.maxSize !== null && record.size > can.maxSize) {
    throw new CwError('CW-604', 'the photo is larger than the service takes');
  }
  if (options.onBegin && !hasBegun(record) && (can.projectDestination || can.photoVersions)) {
    await options.onBegin();
  } else {
    await options.checkStillOwner?.();
  }
  const first = new UploadAttempt(options, can, record.uploadUrl);
  try {
    return await first.run();
  } catch (error) {
    if (!(error instanceof CwError) || error.code !== 'CW-306' || record.restarted) {
      throw error;
    }
    const isCopyGood = await spoolMatchesOriginal(options);
    await options.onRestart();
    onProgress(0, 0);
    if (first.address !== null) {
      // So that the new creation does not find this upload by its client_upload_id. If the service refuses to drop it,
      // the next try fails with CW-306 again.
      await terminateUpload(queue, endpoint, first.address, signal).catch(() => undefined);
    }
    if (!isCopyGood) {
      throw new CwError('CW-607', 'the kept copy has other bytes than the photo');
    }
    await options.checkStillOwner?.();
    return new UploadAttempt(options, can, null).run();
  }
}

/**
 * Whether the copy still has the bytes that were chosen; true if their digest is not known.
 * @throws {CwError} CW-607
 */
async function spoolMatchesOriginal({
  record,
  reader,
  signal,
}: TusUploadOptions): Promise<boolean> {
  const { crc32c = null } = record;
  return crc32c === null || (await new CrcDigest(reader, record.size, signal).value()) === crc32c;
}

function digestOf(
  { crc32c, size }: PhotoRecord,
  reader: SpoolReader,
  signal: CancelSignal,
): Digest {
  return crc32c === undefined ? new CrcDigest(reader, size, signal) : precomputedDigest(crc32c);
}

/**
 * The photo's metadata for the creation. The service itself would make a photo a version of another one with the same
 * name: only the user decides that, or the identity of the document.
 */
function metadataOf(
  record: PhotoRecord,
  { projectDestination, photoVersions }: Capabilities,
): Readonly<Record<string, string>> {
  const { id, name, type, project, document, byDocument, replaces, source } = record;
  const replaced = replaces ?? (document === null ? 'none' : null);
  return {
    filename: name,
    filetype: type,
    client_upload_id: id,
    ...(projectDestination && project !== null && { project: project.id }),
    ...(photoVersions && document !== null && { document }),
    ...(photoVersions && document !== null && byDocument && { version_by: 'document' }),
    ...(photoVersions && source !== undefined && { source }),
    ...(photoVersions && replaced !== null && { replaces: replaced }),
  };
}

/** The headers of an answer, by their names. */
type HeaderOf = (name: string) => string | null;

interface Outcome {
  readonly error: Error | null;
  /** The last answer of an upload that is complete. */
  readonly headerOf: HeaderOf;
}

/** No request is made shorter than this. Bytes. */
const MIN_REQUEST_BYTES = 64 * 1024;

/**
 * How many bytes one request may bring. A proxy may accept shorter bodies than the service (nginx accepts 1 MiB by
 * default). A limit found with one photo applies to all photos of this run.
 */
export class ChunkLimit {
  private most = Infinity;

  /** @returns `bytes`, or as many as one request may bring */
  fit(bytes: number): number {
    return Math.min(bytes, this.most);
  }

  /**
   * Halves the limit after a request that was too long. Several requests of the same length halve it once.
   * @param bytes  the bytes of the request
   * @returns whether a shorter request may get through
   */
  lowerBelow(bytes: number): boolean {
    if (bytes <= MIN_REQUEST_BYTES) {
      return false;
    }
    this.most = Math.min(this.most, Math.max(MIN_REQUEST_BYTES, Math.floor(bytes / 2)));
    return true;
  }
}

/** After this many tries in a row that gained nothing, requests become shorter: something on the way may cut long ones. */
const MAX_FAILED_ATTEMPTS = 3;

/** One upload, from its creation or its present offset to its last byte. */
class UploadAttempt {
  private readonly backoff: UploadBackoff;
  private readonly digest: Digest | null;
  /** The address that is in storage. */
  private storedAddress: string | null;
  /**
   * False after the first error: a creation whose answer was lost may have left bytes at the service. The next creation
   * brings none, and learns the offset.
   */
  private createsWithBytes = true;
  private readonly chunkLimit: ChunkLimit;
  /** The request made last, and how many bytes of the photo it brought. */
  private last = { isCreation: false, bytes: 0 };

  /** @param address  the upload's address; null when it does not exist yet, or its address was lost */
  constructor(
    private readonly options: TusUploadOptions,
    private readonly capabilities: Capabilities,
    public address: string | null,
  ) {
    const { reader, record, signal } = options;
    this.backoff = new UploadBackoff(options);
    this.chunkLimit = options.chunkLimit ?? new ChunkLimit();
    this.digest = capabilities.reprDigest ? digestOf(record, reader, signal) : null;
    this.storedAddress = address;
  }

  /** @throws {CwError} CW-306 when the service holds other bytes */
  async run(): Promise<UploadReceipt> {
    try {
      return await this.runToEnd();
    } finally {
      this.digest?.close();
    }
  }

  private async runToEnd(): Promise<UploadReceipt> {
    for (;;) {
      const { error, headerOf } = await this.runOnce();
      if (error === null) {
        return this.receiptFrom(headerOf);
      }
      if (!(error instanceof CwError) || error.code === 'CW-306') {
        throw error;
      }
      if (error.code === 'CW-305' || (error.isIntercepted && (error.status ?? 0) < 300)) {
        this.options.capabilities.invalidate();
      }
      this.createsWithBytes = false;
      if (!this.shortenAfter(error)) {
        await this.backoff.delayAfter(error);
      }
      await this.options.checkStillOwner?.();
    }
  }

  /**
   * Makes the next requests shorter if the last one was too long (413), or may have been: a proxy that cuts long
   * requests need not respond.
   * @returns whether the upload may continue at once
   * @throws {CwError} `error` when the photo itself is too large; CW-305 when requests cannot become any shorter
   */
  private shortenAfter(error: CwError): boolean {
    const { isCreation, bytes } = this.last;
    if (error.status !== 413) {
      const isLost = error.isIntercepted || error.code === 'CW-301' || error.code === 'CW-302';
      if (isLost && !isCreation && this.backoff.failedAttempts >= MAX_FAILED_ATTEMPTS) {
        this.chunkLimit.lowerBelow(bytes);
      }
      return false;
    }
    if (bytes === 0) {
      throw error;
    }
    if (!this.chunkLimit.lowerBelow(bytes) && !isCreation) {
      throw new CwError('CW-305', 'the shortest request was too long', { status: 413 });
    }
    return true;
  }

  /** The receipt, from the last answer. @throws {CwError} CW-306 when the digests differ */
  private async receiptFrom(headerOf: HeaderOf): Promise<UploadReceipt> {
    const { crc32c, sha256 } = readReprDigest(headerOf);
    const own = crc32c === null ? null : await this.ownDigest();
    if (own !== null && own !== crc32c) {
      throw new CwError('CW-306', 'the service holds other bytes than were sent');
    }
    if (this.digest && crc32c === null) {
      this.options.capabilities.invalidate();
    }
    return {
      hasMatchingCrc: own !== null,
      sha256,
      pageUrl: readPageUrl(headerOf, this.options.endpoint),
      uploadId: readUploadId(this.address, this.options.endpoint),
      ...readPhotoVersion(headerOf),
    };
  }

  /** The digest of the sent bytes. Null when none is computed, or when the copy of an uploaded photo is gone. */
  private async ownDigest(): Promise<number | null> {
    try {
      return (await this.digest?.value()) ?? null;
    } catch (error) {
      if (error instanceof CwError && error.code === 'CW-607') {
        return null;
      }
      throw error;
    }
  }

  /** One run of tus-js-client, up to its end or its first error. */
  private runOnce(): Promise<Outcome> {
    const { record, endpoint, chunkBytes, signal } = this.options;
    const requests = new CancelSource();
    const stopListening = signal.onCancel(() => {
      requests.cancel();
    });
    const run = this.startRun(requests.signal);

    return new Promise<Outcome>((resolve) => {
      const finish = (error: Error | null, answer?: TusResponse): void => {
        stopListening();
        this.address = upload.url ?? this.address;
        resolve({
          error: signal.cancelled ? new CancelledError() : error,
          headerOf: (name) => answer?.getHeader(name) ?? null,
        });
      };
      const upload = new BaseUpload<Chunk>(record, {
        endpoint,
        uploadUrl: this.address,
        metadata: metadataOf(record, this.capabilities),
        headers: {},
        chunkSize: chunkBytes,
        // A service that cannot find uploads by client_upload_id makes a second one when a creation is repeated: then
        // creations must bring no bytes.
        uploadDataDuringCreation:
          this.capabilities.creationWithUpload && this.capabilities.clientUploadId,
        retryDelays: null,
        parallelUploads: 1,
        storeFingerprintForResuming: false,
        removeFingerprintOnSuccess: false,
        protocol: 'tus-v1',
        fingerprint: () => Promise.resolve(null),
        fileReader: {
          openFile: () =>
            Promise.resolve({ size: record.size, slice: run.readChunk, close: () => undefined }),
        },
        httpStack: { createRequest: run.createRequest, getName: () => 'request-queue' },
        // Progress comes from the requests, not from tus-js-client: its own starts at 0 before a request has left, so
        // it would fall to 0 while the upload waits for a connection.
        onChunkComplete: (_size, accepted) => {
          run.noteConfirmed(accepted);
        },
        onSuccess: ({ lastResponse }) => {
          finish(null, lastResponse);
        },
        onError: (error) => {
          finish(causeOf(error));
        },
      });
      upload.start();
    });
  }

  /** The functions that one run of tus-js-client calls, with their state between its requests. */
  private startRun(signal: CancelSignal): {
    /** The next chunk, of as many bytes as the request under way may bring. */
    readonly readChunk: (start: number, end: number) => Promise<{ value: Chunk; done: boolean }>;
    readonly createRequest: (method: string, url: string) => TusRequest;
    readonly noteConfirmed: (bytes: number) => void;
  } {
    const { record, reader, chunkBytes, firstChunkBytes = chunkBytes, onProgress } = this.options;
    let confirmedBytes = 0;
    let isCreating = false;

    const noteConfirmed = (bytes: number): void => {
      confirmedBytes = bytes;
      onProgress(bytes, bytes);
    };

    return {
      noteConfirmed,
      readChunk: async (start, end) => {
        const most = isCreating ? (this.createsWithBytes ? firstChunkBytes : 0) : chunkBytes;
        const last = Math.min(start + this.chunkLimit.fit(most), end, record.size);
        this.last = { isCreation: isCreating, bytes: last - start };
        const body = await reader.read(start, last);
        this.digest?.update(start, body);
        return { value: { size: last - start, body }, done: last === record.size };
      },
      createRequest: (method, url) => {
        isCreating = method === 'POST';
        this.last = { isCreation: isCreating, bytes: 0 };
        return createTusRequest(this.options, this.backoff, signal, method, url, {
          // When a chunk was cut short, its accepted part counts as progress, too.
          onHeld: noteConfirmed,
          onSent: (bytes) => {
            onProgress(bytes, confirmedBytes);
          },
          beforeBytes: async (end) => {
            // Not needed at the creation: an upload that ends with it needs no address, and one whose address was
            // lost is found again by its client_upload_id.
            if (!isCreating) {
              await this.storeAddress(url);
            }
            return end === record.size ? this.digestHeader() : {};
          },
        });
      },
    };
  }

  private async storeAddress(url: string): Promise<void> {
    if (url === this.storedAddress) {
      return;
    }
    const kept = this.options.onUploadUrl(url);
    if (this.capabilities.clientUploadId) {
      kept.catch(() => undefined);
    } else {
      await kept;
    }
    this.storedAddress = url;
  }

  /** For the request that completes the upload: the service detects a difference before it accepts the photo. */
  private async digestHeader(): Promise<Readonly<Record<string, string>>> {
    return this.digest ? { 'Repr-Digest': writeReprDigest(await this.digest.value()) } : {};
  }
}

/**
 * Unwraps what our requests reject with. Any other error of tus-js-client is about an answer without sense (CW-305).
 */
function causeOf(error: Error & { readonly causingError?: Error | null }): Error {
  const cause = error.causingError ?? error;
  if (cause instanceof CancelledError) {
    return cause;
  }
  if (cause instanceof CwError && cause.status === 422 && cause.oauthError === 'unknown_project') {
    return new CwError('CW-612', 'the project no longer exists', { cause, status: 422 });
  }
  return toCwError(cause, 'CW-305', 'an upload was answered in a way that makes no sense');
}

/**
 * Drops an unfinished upload at the service ([tus termination](https://tus.io/protocols/resumable-upload#termination)).
 * An upload that is gone (404, 410) or finished (403) is no error.
 * @throws {CwError} CW-304 for an address that is not under `endpoint`, else as {@link RequestQueue.send}
 * @throws {CancelledError}
 */
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
      isAnswer: (response) => response.status === 204 || response.header('Tus-Resumable') !== null,
    },
    signal,
  );
}
