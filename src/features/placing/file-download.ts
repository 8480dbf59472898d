import { sha256 } from '@noble/hashes/sha2.js';
import { readReprDigest } from '../../api/repr-digest.js';
import type { RequestQueue } from '../../api/request-queue.js';
import type { ChosenFolder } from '../../host/folders.js';
import type { DownloadedFile, Downloads, FilePart } from '../../host/downloads.js';
import type { PlacedIdentity } from '../../host/placed-files.js';
import type { HttpResponse } from '../../host/http.js';
import { backoffDelay } from '../../util/backoff.js';
import {
  CancelledError,
  CancelSource,
  NEVER_CANCELLED,
  throwIfCancelled,
  type CancelSignal,
} from '../../util/cancel.js';
import { sleep, type Clock } from '../../util/clock.js';
import { CwError, InterceptionLimit, isTransient } from '../../util/errors.js';
import { asFileName, numberedName, splitName } from '../../util/file-name.js';
import { hexOf } from '../../util/hex.js';

/** A file at the service, as a list of files has it. Nothing of it is trusted. */
export interface DeliveredFile {
  /** Id of the upload. */
  readonly id: string;
  readonly name: string;
  /** Bytes of the original. */
  readonly size: number;
  /** Of the original, in hexadecimal digits; null when it is not known. */
  readonly sha256: string | null;
  /** Media type; null when it is not known. */
  readonly type: string | null;
}

/** The original, or a smaller picture of it, a JPEG. */
export type FileSize = PlacedIdentity['size'];

/** A file in a folder of the user, with what a document keeps about it. */
export interface Delivered {
  readonly file: DownloadedFile;
  readonly identity: PlacedIdentity;
}

export interface FileDownloadOptions {
  readonly downloads: Downloads;
  readonly requests: Pick<RequestQueue, 'send'>;
  /** Address of the data API. */
  readonly api: string;
  /** Of the service. */
  readonly origin: string;
  readonly clock: Clock;
}

/** How much one request brings: from what a slow connection brings in time, to what memory has room for. Bytes. */
const LEAST_CHUNK = 64 * 1024;
const FIRST_CHUNK = 1024 * 1024;
const MOST_CHUNK = 4 * 1024 * 1024;
/** How many parts come at a time, so that the connection never waits. One more is in memory, which is stored and hashed. */
const COMING = 2;
/** A request that takes less makes the next one larger, one that takes more makes it smaller. Milliseconds. */
const SHORT_MS = 1_000;
const LONG_MS = 8_000;
/** Hashed before the next look at the clock. Bytes. */
const SLICE_BYTES = 128 * 1024;
/** Hashed at a time, so that the panel can be drawn in between. Milliseconds. */
const HASH_MS = 8;
/** Longest picture in web size. Bytes. */
const MAX_WEB_BYTES = 32 * 1024 * 1024;
/** What an earlier run has left is deleted after this time. Milliseconds. */
const KEEP_PARTS_MS = 7 * 24 * 60 * 60_000;
/** Numbers in names of files that are not the same. */
const MAX_NUMBER = 999;
const BACKOFF = { firstMs: 1_000, longestMs: 15_000 };

type Hash = ReturnType<typeof sha256.create>;

/** Bytes with their digest in a closed part. */
interface Complete {
  readonly part: FilePart;
  readonly size: number;
  readonly sha256: string;
}

/**
 * Brings files of the service into a folder of the user. A part of an original is named by its digest, so any later run goes
 * on with it. A file gets its name when its digest is right.
 */
export class FileDownload {
  constructor(private readonly options: FileDownloadOptions) {}

  /**
   * @param onProgress  gets how many bytes of how many are there
   * @throws {CwError} CW-617 the digest is wrong, CW-618 the file is gone, CW-619 no web size, CW-706 the folder refuses,
   *   CW-707 disk full, CW-203 without permission, CW-201 or CW-202 without a session
   * @throws {CancelledError}
   */
  async download(
    file: DeliveredFile,
    size: FileSize,
    folder: ChosenFolder,
    onProgress: (received: number, total: number) => void = () => undefined,
    signal: CancelSignal = NEVER_CANCELLED,
  ): Promise<Delivered> {
    const { origin, clock, downloads } = this.options;
    await downloads.removeParts(clock.now() - KEEP_PARTS_MS);
    const original = await this.originalOf(file, signal);
    const saved =
      size === 'web'
        ? await this.saveWeb(file, folder, signal)
        : await this.saveOriginal(file, original, folder, onProgress, signal);
    return {
      file: saved,
      identity: { origin, uploadId: file.id, sha256: original.sha256, size },
    };
  }

  private async saveOriginal(
    file: DeliveredFile,
    { size, sha256: digest }: { readonly size: number; readonly sha256: string },
    folder: ChosenFolder,
    onProgress: (received: number, total: number) => void,
    signal: CancelSignal,
  ): Promise<DownloadedFile> {
    const name = safeName(file.name);
    const present = await this.find(folder, name, size, digest, signal);
    if (present.same) {
      return present.same;
    }
    for (;;) {
      const part = await this.options.downloads.openPart(digest);
      try {
        const { found, wasContinued } = await this.fill(
          part,
          file,
          size,
          onProgress,
          signal,
          digest,
        );
        if (found === digest) {
          return await this.keep({ part, size, sha256: digest }, name, folder, signal);
        }
        // What an earlier run has left may be damaged: then everything is loaded once more.
        if (!wasContinued) {
          throw new CwError('CW-617', 'the bytes do not have the digest of the file');
        }
        await part.remove();
      } catch (error) {
        await this.leave(part, error);
        throw error;
      }
    }
  }

  /** Downloads what a part does not have yet. @returns the digest of all its bytes */
  private async fill(
    part: FilePart,
    file: DeliveredFile,
    size: number,
    onProgress: (received: number, total: number) => void,
    signal: CancelSignal,
    digest: string,
  ): Promise<{ readonly found: string; readonly wasContinued: boolean }> {
    const hash = sha256.create();
    const wasContinued = part.size > 0;
    if (part.size > size) {
      return { found: '', wasContinued };
    }
    for await (const chunk of part.chunks()) {
      throwIfCancelled(signal);
      await this.hash(hash, chunk, signal);
    }
    let at = part.size;
    onProgress(at, size);
    const ranges = new Ranges(this.options, file.id, size, digest, signal);
    for await (const bytes of ranges.from(at)) {
      const writing = part.write(bytes, at);
      writing.catch(() => undefined);
      try {
        await this.hash(hash, new Uint8Array(bytes), signal);
      } finally {
        // The part must not be closed before.
        await writing;
      }
      at += bytes.byteLength;
      onProgress(at, size);
    }
    return { found: hexOf(hash.digest()), wasContinued };
  }

  private async saveWeb(
    file: DeliveredFile,
    folder: ChosenFolder,
    signal: CancelSignal,
  ): Promise<DownloadedFile> {
    const { requests, api } = this.options;
    const response = await this.ask(
      requests.send(
        {
          method: 'GET',
          url: `${api}/uploads/${encodeURIComponent(file.id)}/preview`,
          headers: { Accept: 'image/jpeg' },
          isBinary: true,
          repeatable: true,
          maxResponseLength: MAX_WEB_BYTES,
          isAnswer: (answer) => answer.status === 204 || digestIn(answer) !== null,
        },
        signal,
      ),
    );
    const { bytes } = response;
    if (response.status === 204 || !bytes) {
      throw new CwError('CW-619', 'the service has no preview of the file');
    }
    const hash = sha256.create();
    await this.hash(hash, new Uint8Array(bytes), signal);
    const digest = hexOf(hash.digest());
    if (digest !== digestIn(response)) {
      throw new CwError('CW-617', 'the preview does not have its digest');
    }
    const name = safeName(`${splitName(file.name)[0]} (web).jpg`);
    const { same } = await this.find(folder, name, bytes.byteLength, digest, signal);
    if (same) {
      return same;
    }
    const part = await this.emptyPart(`web-${digest}`);
    try {
      await part.write(bytes, 0);
      return await this.keep(
        { part, size: bytes.byteLength, sha256: digest },
        name,
        folder,
        signal,
      );
    } catch (error) {
      await part.remove();
      throw error;
    }
  }

  private async emptyPart(id: string): Promise<FilePart> {
    const { downloads } = this.options;
    const part = await downloads.openPart(id);
    if (part.size === 0) {
      return part;
    }
    await part.remove();
    return downloads.openPart(id);
  }

  /** Gives a complete part its name in the folder. Another app may be doing the same. */
  private async keep(
    { part, size, sha256: digest }: Complete,
    name: string,
    folder: ChosenFolder,
    signal: CancelSignal,
  ): Promise<DownloadedFile> {
    await part.close();
    for (;;) {
      throwIfCancelled(signal);
      const { same, free } = await this.find(folder, name, size, digest, signal);
      if (same) {
        await part.remove();
        return same;
      }
      if (await part.moveTo(folder, free)) {
        return await this.options.downloads.file(folder, free);
      }
    }
  }

  /**
   * Looks for a file with these bytes under this name, or the name with a number.
   * @returns it, and the first name that is free
   * @throws {CwError} CW-706 when no name is free
   */
  private async find(
    folder: ChosenFolder,
    name: string,
    size: number,
    digest: string,
    signal: CancelSignal,
  ): Promise<{ readonly same: DownloadedFile | null; readonly free: string }> {
    const { downloads } = this.options;
    const names = new Map(
      (await this.namesIn(folder)).map((present) => [comparable(present), present]),
    );
    for (let number = 1; number <= MAX_NUMBER; number += 1) {
      throwIfCancelled(signal);
      const free = numberedName(name, number);
      const taken = names.get(comparable(free));
      if (taken === undefined) {
        return { same: null, free };
      }
      const stat = await folder.tree.stat(taken);
      if (stat?.size === size && (await this.digestOf(folder, taken, signal)) === digest) {
        return { same: await downloads.file(folder, taken), free };
      }
    }
    throw new CwError('CW-706', 'too many files have this name');
  }

  /** @throws {CwError} CW-706, CW-707 disk full */
  private async digestOf(
    folder: ChosenFolder,
    name: string,
    signal: CancelSignal,
  ): Promise<string> {
    const file = await folder.tree.open(name).catch(unreadable);
    try {
      const hash = sha256.create();
      for (let at = 0; at < file.size; at += FIRST_CHUNK) {
        const end = Math.min(file.size, at + FIRST_CHUNK);
        await this.hash(hash, await file.read(at, end).catch(unreadable), signal);
      }
      return hexOf(hash.digest());
    } finally {
      await file.close();
    }
  }

  private async namesIn(folder: ChosenFolder): Promise<readonly string[]> {
    try {
      return await folder.list();
    } catch (error) {
      throw new CwError('CW-706', 'the folder cannot be read', { cause: error });
    }
  }

  /** Size and digest of the original. */
  private async originalOf(
    { id, size, sha256: given }: DeliveredFile,
    signal: CancelSignal,
  ): Promise<{ readonly size: number; readonly sha256: string }> {
    if (given !== null && /^[\da-f]{64}$/.test(given) && Number.isSafeInteger(size) && size >= 0) {
      return { size, sha256: given };
    }
    const { requests, api } = this.options;
    const answer = await this.ask(
      requests.send(
        {
          method: 'HEAD',
          url: contentUrl(api, id),
          headers: {},
          repeatable: true,
          isAnswer: (response) => etagOf(response) !== null,
        },
        signal,
      ),
    );
    const length = Number(answer.header('Content-Length') ?? Number.NaN);
    const digest = etagOf(answer);
    if (digest === null || !Number.isSafeInteger(length)) {
      throw new CwError('CW-617', 'the service gives no size of the file');
    }
    return { size: length, sha256: digest };
  }

  /** @throws {CwError} CW-618 for a file that the service refuses */
  private ask(sending: Promise<HttpResponse>): Promise<HttpResponse> {
    return sending.catch(refused);
  }

  private async hash(hash: Hash, bytes: Uint8Array, signal: CancelSignal): Promise<void> {
    const { clock } = this.options;
    let began = clock.now();
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
      hash.update(bytes.subarray(at, at + SLICE_BYTES));
      if (Math.abs(clock.now() - began) >= HASH_MS) {
        await sleep(clock, 0, signal);
        began = clock.now();
      }
    }
    throwIfCancelled(signal);
  }

  /** After a failure that another try can go on from, the part stays. */
  private async leave(part: FilePart, error: unknown): Promise<void> {
    const isPassing = error instanceof CwError && /^CW-[23]/.test(error.code);
    await (isPassing ? part.close() : part.remove());
  }
}

/** Loads a file piece by piece. The pieces grow and shrink with the connection. */
class Ranges {
  private chunk = FIRST_CHUNK;

  constructor(
    private readonly options: Pick<FileDownloadOptions, 'requests' | 'api' | 'clock'>,
    private readonly id: string,
    private readonly size: number,
    private readonly digest: string,
    private readonly signal: CancelSignal,
  ) {}

  /**
   * The pieces from a place on, in their order. The next ones come while one is used.
   * @throws {CwError} as `FileDownload.download`
   * @throws {CancelledError}
   */
  async *from(start: number): AsyncGenerator<ArrayBuffer, void> {
    const { clock } = this.options;
    const limit = new InterceptionLimit();
    let failures = 0;
    for (let at = start; at < this.size;) {
      try {
        for await (const bytes of this.unlessOneFails(at)) {
          at += bytes.byteLength;
          failures = 0;
          limit.reset();
          yield bytes;
        }
      } catch (error) {
        if (!(error instanceof CwError) || !isTransient(error)) {
          throw error;
        }
        limit.note(error);
        failures += 1;
        // A slow connection may not bring as much within the time of a request.
        this.chunk = Math.max(LEAST_CHUNK, this.chunk / 4);
        await sleep(clock, backoffDelay(BACKOFF, failures, 0, error.retryAfterMs), this.signal);
      }
    }
  }

  /** Ends with the first failure: the sizes of the pieces behind it may be others then. */
  private async *unlessOneFails(start: number): AsyncGenerator<ArrayBuffer, void> {
    const requests = new CancelSource();
    const stopListening = this.signal.onCancel(() => {
      requests.cancel();
    });
    const coming: Promise<ArrayBuffer>[] = [];
    let end = start;
    const request = (): void => {
      while (coming.length < COMING && end < this.size) {
        const from = end;
        end = Math.min(this.size, from + this.chunk);
        const piece = this.request(from, end, requests.signal);
        piece.catch(() => undefined);
        coming.push(piece);
      }
    };
    try {
      request();
      for (let piece = coming.shift(); piece; piece = coming.shift()) {
        const bytes = await piece;
        request();
        yield bytes;
      }
    } finally {
      stopListening();
      requests.cancel();
    }
  }

  private async request(start: number, end: number, signal: CancelSignal): Promise<ArrayBuffer> {
    const { requests, api, clock } = this.options;
    const began = clock.now();
    const tag = `"${this.digest}"`;
    const answer = await requests
      .send(
        {
          method: 'GET',
          url: contentUrl(api, this.id),
          headers: { Range: `bytes=${start}-${end - 1}`, 'If-Range': tag },
          isBinary: true,
          // The size of the next try may be another one.
          repeatable: false,
          maxResponseLength: MOST_CHUNK + LEAST_CHUNK,
          isAnswer: (response) => etagOf(response) !== null,
        },
        signal,
      )
      .catch(refused);
    const { bytes } = answer;
    const range = answer.header('Content-Range');
    const isPart = answer.status === 206 && range === `bytes ${start}-${end - 1}/${this.size}`;
    const isWhole = answer.status === 200 && start === 0 && end === this.size;
    if (
      etagOf(answer) !== this.digest ||
      !(isPart || isWhole) ||
      bytes?.byteLength !== end - start
    ) {
      throw new CwError('CW-617', 'the service sent another part than was requested');
    }
    const took = clock.now() - began;
    if (took < SHORT_MS) {
      this.chunk = Math.min(MOST_CHUNK, this.chunk * 2);
    } else if (took > LONG_MS) {
      this.chunk = Math.max(LEAST_CHUNK, this.chunk / 2);
    }
    return bytes;
  }
}

function contentUrl(api: string, id: string): string {
  return `${api}/uploads/${encodeURIComponent(id)}/content`;
}

/** The digest in a strong `ETag` of an original; null when it is none. */
function etagOf(response: HttpResponse): string | null {
  return /^"([\da-f]{64})"$/.exec(response.header('ETag') ?? '')?.[1] ?? null;
}

function digestIn(response: HttpResponse): string | null {
  return readReprDigest((name) => response.header(name)).sha256;
}

/** @throws {CwError} CW-618 in the place of a refusal, else what it gets */
function refused(error: unknown): never {
  if (error instanceof CancelledError || !(error instanceof CwError) || error.code !== 'CW-603') {
    throw error;
  }
  throw new CwError('CW-618', 'the service refused the file', { cause: error });
}

/** @throws {CwError} CW-706, CW-707 disk full */
function unreadable(cause: unknown): never {
  throw cause instanceof CwError && cause.code === 'CW-703'
    ? new CwError('CW-707', 'no space left to compare a file', { cause })
    : new CwError('CW-706', 'a file of the folder cannot be read', { cause });
}

/** The name of a file in every system, whatever the service names it. */
function safeName(name: string): string {
  const [base, ending] = splitName(name.normalize('NFC'));
  return `${asFileName(base) || 'file'}${ending}`;
}

/** Names that a file system may take for the same one. */
function comparable(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
