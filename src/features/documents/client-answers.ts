import type { Owner } from '../../account/owner.js';
import type { RequestQueue } from '../../api/request-queue.js';
import type { CapabilitySource } from '../../api/tus-capabilities.js';
import {
  CancelledError,
  CancelSource,
  orCancelled,
  throwIfCancelled,
  type CancelSignal,
} from '../../util/cancel.js';
import type { Clock } from '../../util/clock.js';
import { CwError } from '../../util/errors.js';
import { isJsonObject, numberField, parseJsonObject, textField } from '../../util/json.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import { readTime } from '../../api/project.js';

/** What clients decided about a photo on a page that a link leads to. */
export interface PhotoAnswer {
  /** The newest approval. */
  readonly approval: PhotoApproval;
  /** The page that shows the photo, on the service's own origin; null when the service names none. */
  readonly pageUrl: string | null;
}

export interface PhotoApproval {
  /** The number of the approved version, 1 for the first. */
  readonly version: number;
  /** SHA-256 of the approved file, in lower-case hex; null when the service does not report it. */
  readonly sha256: string | null;
  /** Whether the photo still has the approved file. */
  readonly isCurrent: boolean;
  /** Wall-clock time in milliseconds; 0 when the service does not report it. */
  readonly at: number;
}

export interface ClientAnswersOptions {
  readonly requests: Pick<RequestQueue, 'sendOutOfBand'>;
  readonly capabilities: Pick<CapabilitySource, 'get'>;
  /** Address of the upload collection. */
  readonly endpoint: string;
  /** Null when no account is connected. */
  readonly owner: Pick<ReadableObservable<Owner | null>, 'get'>;
  /** Whether a browser may open the address: it is on the service's own origin. */
  readonly isOwnAddress: (address: string) => boolean;
  readonly clock: Pick<Clock, 'startTimer'>;
}

/** An answer of the service. */
interface Entry {
  readonly owner: Owner;
  readonly photos: readonly PhotoAnswer[];
}

/** For how many documents answers are kept. */
const MAX_DOCUMENTS = 50;
/** How many photos of a document are asked for: its formats, pages and artboards. */
const MAX_PHOTOS = 100;
/** Room for so many photos with long captions. */
const MAX_ANSWER_LENGTH = 512 * 1024;
/** For so long an export waits for them, in milliseconds. */
const MAX_WAIT_MS = 15_000;

/**
 * What clients decided about the photos of documents: a request when a document comes to the front, after an upload and
 * after each change of an approval. Nothing waits for it. Without an answer, the last one stays.
 */
export class ClientAnswers {
  private readonly entries = new Map<string, Entry>();
  private readonly store = new Observable(0);
  private running: CancelSource | null = null;

  /** Another number after each answer. */
  readonly changes: ReadableObservable<number> = this.store;

  constructor(private readonly options: ClientAnswersOptions) {}

  /** What was decided about the photos of a document, as far as known. Another account does not see it. */
  of(document: string): readonly PhotoAnswer[] {
    const entry = this.entries.get(document);
    const keys: readonly string[] = this.options.owner.get()?.keys ?? [];
    return entry?.owner.keys.some((key) => keys.includes(key)) ? entry.photos : [];
  }

  /** Requests the answers for the document in front, and no longer for the one before. Returns at once. */
  load(document: string): void {
    this.running?.cancel();
    const running = new CancelSource();
    this.running = running;
    // Nobody needs to see why there is no answer.
    void this.request(document, running.signal).catch(() => undefined);
  }

  /**
   * What was decided about a document up to now, for an export that depends on it. Empty at a service without such a list.
   * @throws {CwError} CW-301 when there is no answer in time, or why there is none
   */
  async latest(document: string): Promise<readonly PhotoAnswer[]> {
    const limit = new CancelSource();
    const stopTimer = this.options.clock.startTimer(MAX_WAIT_MS, () => {
      limit.cancel();
    });
    try {
      return await orCancelled(this.request(document, limit.signal), limit.signal);
    } catch (error) {
      throw error instanceof CancelledError
        ? new CwError('CW-301', 'no answers of clients in time', { cause: error })
        : error;
    } finally {
      stopTimer();
    }
  }

  /** @throws {CwError} why there is no answer */
  private async request(document: string, signal: CancelSignal): Promise<readonly PhotoAnswer[]> {
    const { requests, capabilities, endpoint } = this.options;
    // Only a service with versions gets the identities of documents.
    if (!(await capabilities.get(signal)).photoVersions) {
      return [];
    }
    const owner = this.options.owner.get();
    if (!owner) {
      throw new CwError('CW-201', 'nobody is connected');
    }
    const url = `${endpoint}?document=${encodeURIComponent(document)}&limit=${MAX_PHOTOS}`;
    const headers = { Accept: 'application/json' };
    const { status, text } = await requests.sendOutOfBand(
      { method: 'GET', url, headers, maxResponseLength: MAX_ANSWER_LENGTH },
      signal,
    );
    if (status === 404) {
      return [];
    }
    const uploads: unknown = status === 200 ? parseJsonObject(text)?.['uploads'] : null;
    if (!Array.isArray(uploads)) {
      throw new CwError('CW-303', 'no answers of clients', { status });
    }
    throwIfCancelled(signal);
    const photos = uploads.flatMap((upload: unknown) => this.read(upload) ?? []);
    // The newest is the last.
    this.entries.delete(document);
    this.entries.set(document, { owner, photos });
    const [oldest] = this.entries.keys();
    if (this.entries.size > MAX_DOCUMENTS && oldest !== undefined) {
      this.entries.delete(oldest);
    }
    this.store.set(this.store.get() + 1);
    return photos;
  }

  /** Reads a photo of the list; null for one that nobody has approved. */
  private read(upload: unknown): PhotoAnswer | null {
    if (!isJsonObject(upload)) {
      return null;
    }
    const approval = readApproval(upload['approval']);
    const page = textField(upload, 'page');
    return (
      approval && {
        approval,
        pageUrl: page !== null && this.options.isOwnAddress(page) ? page : null,
      }
    );
  }
}

function readApproval(value: unknown): PhotoApproval | null {
  if (!isJsonObject(value)) {
    return null;
  }
  const version = numberField(value, 'version');
  return version !== null && Number.isSafeInteger(version) && version > 0
    ? {
        version,
        sha256: textField(value, 'sha256'),
        isCurrent: value['is_current'] === true,
        at: readTime(value['at']) ?? 0,
      }
    : null;
}
