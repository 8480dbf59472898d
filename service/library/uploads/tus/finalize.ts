import { UnavailableError } from '../../../kernel/errors.js';
import type { Digests } from '../digests.js';
import { SingleFlight } from '../../../kernel/single-flight.js';
import type { StoredUpload } from '../upload.js';
import type { UploadStorage } from '../storage/upload-storage.js';
import type { UploadRepository } from '../repository/upload-repository.js';

/**
 * The outcome of an upload. `rejected`: its bytes are not those that its client expected, and it was removed, so that
 * the client can start again.
 */
export type Outcome =
  | { readonly state: 'rejected' | 'missing' }
  | { readonly state: 'finished'; readonly digests: Digests; readonly isVersion: boolean };

const UNFINISHED = { state: 'unfinished' } as const;

export interface UploadFinalizerDeps {
  readonly uploads: UploadRepository;
  readonly store: UploadStorage;
  readonly now: () => Date;
  readonly reportError: (error: unknown) => void;
  /** Is called when an upload is finished; `head` is the beginning of its file. */
  readonly onFinished: (upload: StoredUpload, head: Uint8Array) => void;
}

/** Finishes uploads whose bytes were all received: reads the stored bytes, then accepts or rejects the upload. */
export class UploadFinalizer {
  private readonly running = new SingleFlight<Outcome | typeof UNFINISHED>();

  constructor(private readonly deps: UploadFinalizerDeps) {}

  /** Like {@link UploadFinalizer.finishComplete}, for the upload with this id. */
  async finish(id: string): Promise<Outcome> {
    const record = await this.deps.uploads.find(id);
    return record === undefined ? { state: 'missing' } : this.finishComplete(record);
  }

  /**
   * Finishes an upload whose bytes were all seen to be here.
   * @throws {UnavailableError} when bytes are missing nevertheless. The client must not take the upload for complete.
   */
  async finishComplete(record: StoredUpload): Promise<Outcome> {
    let problem: unknown = new UnavailableError('received bytes of an upload are missing');
    try {
      const outcome = await this.finishIfComplete(record);
      if (outcome.state !== 'unfinished') {
        return outcome;
      }
    } catch (error) {
      problem = error;
    }
    // Another process may have dropped the upload, bytes and all, since the row was read.
    const now = await this.deps.uploads.find(record.id);
    const outcome = now === undefined ? { state: 'missing' as const } : outcomeOf(now);
    if (outcome === undefined) {
      throw problem;
    }
    return outcome;
  }

  /**
   * Finishes an upload if it is complete. Reads the whole file then; therefore it runs once, however many ask at the
   * same time.
   */
  async finishIfComplete(record: StoredUpload): Promise<Outcome | typeof UNFINISHED> {
    return outcomeOf(record) ?? this.running.run(record.id, () => this.verify(record));
  }

  private async verify(record: StoredUpload): Promise<Outcome | typeof UNFINISHED> {
    const { uploads, store, now } = this.deps;
    const content = await store.contentIfComplete(record);
    if (content === undefined) {
      return UNFINISHED;
    }
    const settled = await uploads.finish(record.id, content, now());
    if (settled === undefined) {
      return { state: 'missing' };
    }
    if (settled === 'rejected') {
      // The row is removed first: bytes without a row do no harm, but a row without its bytes would.
      await store.discard(record.id).catch(this.deps.reportError);
      return { state: 'rejected' };
    }
    this.deps.onFinished(record, content.head);
    return outcomeOf(settled) ?? UNFINISHED;
  }
}

/** The outcome if the row is finished; undefined otherwise. */
function outcomeOf({ finishedAt, sha256, crc32c, versionOf }: StoredUpload): Outcome | undefined {
  return finishedAt === undefined || sha256 === undefined
    ? undefined
    : { state: 'finished', digests: { sha256, crc32c }, isVersion: versionOf !== undefined };
}
