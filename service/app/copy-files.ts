import { buffer } from 'node:stream/consumers';
import type { Database } from '../kernel/database/database.js';
import { UnavailableError } from '../kernel/errors.js';
import {
  countUploads,
  fileProblem,
  finishedUploads,
  removeCopiesOfDeleted,
  StorageRefusedError,
  storedPictures,
  UploadRepository,
  type FilesToCopy,
  type StoredPicture,
  type StoredUpload,
} from '../library/index.js';

/** How many uploads are copied at the same time. Each sends one part at a time, of 8 MiB. */
const UPLOADS_AT_ONCE = 4;

/** How long to wait before the next tries while the storage is away, in milliseconds. */
const RETRY_MS = [1_000, 5_000, 30_000];

/** How often the progress is reported, in milliseconds. */
const PROGRESS_MS = 10_000;

export interface CopyDeps extends FilesToCopy {
  readonly database: Database;
  /** Prints one line. */
  readonly report: (line: string) => void;
  /** Waits so many milliseconds. */
  readonly wait: (ms: number) => Promise<unknown>;
}

/** What a run has done. An original and each of its pictures are files. */
export interface CopyResult {
  readonly copied: number;
  /** Files that are missing or damaged in the folder. Each was reported. */
  readonly failed: number;
  /** Uploads that were removed from the bucket, because they were deleted since they were copied. */
  readonly removed: number;
  /** Uploads that have not all their bytes. They are not copied. */
  readonly unfinished: number;
}

/**
 * Copies the originals and pictures of all finished uploads from the folder into the bucket, and removes copies of uploads that
 * were deleted since. The folder stays as it is. After an interruption, run it again: what the bucket has with the same size
 * and digest is left out. A service may use the folder during a run. A run after its stop copies what came in between.
 * @throws {UnavailableError} when the storage or the database stays away.
 */
export async function copyFiles(deps: CopyDeps): Promise<CopyResult> {
  const { database, report } = deps;
  const total = await countUploads(database);
  const run = { copied: 0, failed: 0, uploads: 0 };
  const progress = (): void => {
    report(`${run.uploads} of ${total.finished} uploads; ${run.copied} files copied`);
  };
  const one = new UploadCopy(deps, () => {
    run.copied += 1;
  });
  const ids = finishedUploads(database);
  const work = async (): Promise<void> => {
    // All workers take from the same list.
    for await (const id of ids) {
      const problems = await patiently(deps, () => one.copy(id));
      problems.forEach(report);
      run.failed += problems.length;
      run.uploads += 1;
    }
  };
  const timer = setInterval(progress, PROGRESS_MS);
  try {
    const ended = await Promise.allSettled(Array.from({ length: UPLOADS_AT_ONCE }, work));
    const failure = ended.find(({ status }) => status === 'rejected');
    if (failure?.status === 'rejected') {
      throw failure.reason;
    }
  } finally {
    clearInterval(timer);
  }
  progress();
  const removed = await patiently(deps, () => removeCopiesOfDeleted(database, deps));
  return { copied: run.copied, failed: run.failed, removed, unfinished: total.unfinished };
}

/** Tries again while the storage or the database is away. A refusal stays one. */
async function patiently<T>(
  { report, wait }: Pick<CopyDeps, 'report' | 'wait'>,
  work: () => Promise<T>,
): Promise<T> {
  for (const pause of RETRY_MS) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UnavailableError) || error instanceof StorageRefusedError) {
        throw error;
      }
      report(`Waiting, because ${error.reason}`);
      await wait(pause);
    }
  }
  return work();
}

class UploadCopy {
  private readonly uploads: UploadRepository;

  constructor(
    private readonly deps: CopyDeps,
    private readonly onCopied: () => void,
  ) {
    this.uploads = new UploadRepository(deps.database);
  }

  /**
   * Copies an upload with its pictures. A running service may change it at the same time, so a problem is looked at twice.
   * @returns a line for each file that is missing or damaged in the folder
   */
  async copy(id: string): Promise<readonly string[]> {
    const problems = await this.tryCopy(id);
    return problems.length === 0 ? problems : this.tryCopy(id);
  }

  private async tryCopy(id: string): Promise<readonly string[]> {
    const { database, bucket } = this.deps;
    const upload = await this.uploads.find(id);
    if (upload?.sha256 === undefined) {
      return [];
    }
    const problems = [await this.copyOriginal(upload, upload.sha256)];
    for (const picture of await storedPictures(database, id)) {
      problems.push(await this.copyPicture(upload, picture));
    }
    if ((await this.uploads.find(id)) === undefined) {
      await bucket.discard(id);
      return [];
    }
    return problems.filter((problem) => problem !== undefined);
  }

  private async copyOriginal(upload: StoredUpload, sha256: string): Promise<string | undefined> {
    const { bucket, folder } = this.deps;
    const { id, size, name } = upload;
    const read = (start: number) => folder.readRange(id, { start, end: size - 1 });
    let problem: string | undefined;
    try {
      const copied = await bucket.copy(upload, sha256, read);
      if (copied !== 'different') {
        if (copied === 'copied') {
          this.onCopied();
        }
        return undefined;
      }
      problem = (await fileProblem(folder, upload)) ?? 'changed on the way';
    } catch (error) {
      if (error instanceof UnavailableError) {
        throw error;
      }
      problem = await fileProblem(folder, upload);
      if (problem === undefined && (await this.uploads.find(id)) !== undefined) {
        throw error;
      }
    }
    return problem && `Not copied: ${name} (${id}), ${problem}`;
  }

  private async copyPicture(
    { id, name }: StoredUpload,
    { variant, size }: StoredPicture,
  ): Promise<string | undefined> {
    const { bucket, folder } = this.deps;
    const stored = await folder.readPreview(id, size, variant);
    const bytes = stored && (await buffer(stored));
    if (await bucket.hasPicture(id, variant, { size, bytes })) {
      return undefined;
    }
    if (bytes === undefined) {
      const what = typeof variant === 'string' ? variant : `${variant.as} of page ${variant.page}`;
      return `Not copied: ${what} of ${name} (${id}), missing or of another size`;
    }
    await bucket.copyPicture(id, variant, bytes);
    this.onCopied();
    return undefined;
  }
}
