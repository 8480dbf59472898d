import type { Owner } from '../../account/owner.js';
import type { RequestQueue } from '../../api/request-queue.js';
import type { CapabilitySource } from '../../api/tus-capabilities.js';
import { CancelSource, type CancelSignal } from '../../util/cancel.js';
import { isJsonObject, numberField, parseJsonObject, textField } from '../../util/json.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import { readTime } from '../../api/project.js';

/** What clients said about a photo on a page that a link leads to. */
export interface PhotoAnswer {
  /** The newest approval; null without one. */
  readonly approval: PhotoApproval | null;
  /** How many comments are not done. */
  readonly comments: number;
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

/**
 * What clients said about the photos of documents: one request when a document comes to the front, and one after an
 * upload. Nothing waits for it. Without an answer, the last one stays.
 */
export class ClientAnswers {
  private readonly entries = new Map<string, Entry>();
  private readonly store = new Observable(0);
  private running: CancelSource | null = null;

  /** Another number after each answer. */
  readonly changes: ReadableObservable<number> = this.store;

  constructor(private readonly options: ClientAnswersOptions) {}

  /** What was said about the photos of a document, as far as known. Another account does not see it. */
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

  private async request(document: string, signal: CancelSignal): Promise<void> {
    const { requests, capabilities, endpoint } = this.options;
    // Only a service with versions gets the identities of documents.
    if (!(await capabilities.get(signal)).photoVersions) {
      return;
    }
    const owner = this.options.owner.get();
    if (!owner) {
      return;
    }
    const url = `${endpoint}?document=${encodeURIComponent(document)}&limit=${MAX_PHOTOS}`;
    const headers = { Accept: 'application/json' };
    const { status, text } = await requests.sendOutOfBand(
      { method: 'GET', url, headers, maxResponseLength: MAX_ANSWER_LENGTH },
      signal,
    );
    const uploads: unknown = status === 200 ? parseJsonObject(text)?.['uploads'] : null;
    if (!Array.isArray(uploads) || signal.cancelled) {
      return;
    }
    const photos = uploads.flatMap((upload: unknown) => this.read(upload) ?? []);
    // The newest is the last.
    this.entries.delete(document);
    this.entries.set(document, { owner, photos });
    const [oldest] = this.entries.keys();
    if (this.entries.size > MAX_DOCUMENTS && oldest !== undefined) {
      this.entries.delete(oldest);
    }
    this.store.set(this.store.get() + 1);
  }

  /** Reads a photo of the list; null for one about which nobody said anything. */
  private read(upload: unknown): PhotoAnswer | null {
    if (!isJsonObject(upload)) {
      return null;
    }
    const approval = readApproval(upload['approval']);
    const comments = countIn(numberField(upload, 'comments'));
    const page = textField(upload, 'page');
    return approval || comments > 0
      ? {
          approval,
          comments,
          pageUrl: page !== null && this.options.isOwnAddress(page) ? page : null,
        }
      : null;
  }
}

function readApproval(value: unknown): PhotoApproval | null {
  if (!isJsonObject(value)) {
    return null;
  }
  const version = countIn(numberField(value, 'version'));
  return version > 0
    ? {
        version,
        sha256: textField(value, 'sha256'),
        isCurrent: value['is_current'] === true,
        at: readTime(value['at']) ?? 0,
      }
    : null;
}

function countIn(value: number | null): number {
  return value !== null && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
