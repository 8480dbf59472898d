import type { RequestQueue } from '../../api/request-queue.js';
import { BASIC_CAPABILITIES } from '../../api/capabilities.js';
import type { CapabilitySource } from '../../api/tus-capabilities.js';
import {
  CancelledError,
  CancelSource,
  throwIfCancelled,
  type CancelSignal,
} from '../../util/cancel.js';
import { sleep, type Clock } from '../../util/clock.js';
import { CwError, isAboutSession, isTransient } from '../../util/errors.js';
import type { Spool } from '../../host/spool.js';
import {
  type PhotoRecord,
  type PhotoStore,
  type UploadQueue,
  hasBegun,
  spoolSha256,
} from '../queue/index.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import { findKnownUploads, batchSize, type KnownFiles, type KnownUpload } from './duplicate-api.js';
import { previousOf, type PreviousAnswer, type PreviousVersion } from './previous-version.js';

export interface DuplicateCheckOptions {
  readonly queue: Pick<
    UploadQueue,
    'get' | 'unchecked' | 'pass' | 'fail' | 'recheckAll' | 'askAbout' | 'setReplaces'
  >;
  readonly photoStore: Pick<PhotoStore, 'track' | 'report'>;
  readonly requests: Pick<RequestQueue, 'send'>;
  /** Address of the upload collection. */
  readonly endpoint: string;
  readonly spool: Spool;
  readonly clock: Clock;
  readonly capabilities: Pick<CapabilitySource, 'get'>;
  /** Whether anything may be sent now. */
  readonly canQuery: () => boolean;
  /** Called when photos that were held back may begin. */
  readonly onUnique: () => void;
}

/** The wait between two questions about photos that come one by one. Milliseconds. */
const BATCH_DELAY_MS = 500;
/** Delay after a session error. Milliseconds. */
const RETRY_MS = 5_000;
/** After this many attempts that failed at the service, the check is turned off. */
const MAX_ERRORS = 3;
/** After so many tries that did not reach the service or that something else responded to, a photo is sent to find out whether uploads get through. */
const MAX_UNREACHABLE = 12;
/** How many photos are considered for one request, and about the most that it can hold. */
const MAX_BATCH = 250;

/**
 * Finds photos that the service already holds, before they are sent. The first step compares names and sizes, many
 * photos per request. The second computes the SHA-256 of the copies that match. Photos whose digest also matches are
 * set aside (CW-611), and the user decides. A match with the photo's own id is our own upload whose answer was lost:
 * that upload continues.
 *
 * The same request finds earlier versions. A photo of the same document becomes a new version without a question. One that
 * only has the same name waits until the user has answered, see {@link answer}. If it was queued without the user, it
 * becomes a new photo.
 *
 * A failed check delays photos but stops none: they are then sent unchecked, as new photos.
 */
export class DuplicateCheck {
  /** Ids of photos that match uploads at the service by name and size, with the digests of those uploads. */
  private readonly suspects = new Map<string, ReadonlySet<string>>();
  /** Earlier versions that the last answers named, by the ids of photos that are not released yet. */
  private readonly earlier = new Map<string, PreviousVersion>();
  private readonly previousStore = new Observable<readonly PreviousVersion[]>([]);
  private run: CancelSource | null = null;
  private pause: Promise<void> | null = null;
  /** The check does not work: it is off for the rest of this session. */
  private isOff = false;
  /** The id of a photo that is sent without a question, to see whether uploads get through. */
  private probeId: string | null = null;
  /** How many photos a question is about at most. Fewer after an answer that was too long to be read. */
  private batchLimit = MAX_BATCH;

  /** The questions about earlier versions. */
  readonly previous: ReadableObservable<readonly PreviousVersion[]> = this.previousStore;

  constructor(private readonly options: DuplicateCheckOptions) {}

  /** Answers all questions in `previous`. The photos begin once the answer is stored. */
  async answer(answer: PreviousAnswer): Promise<void> {
    const { queue, photoStore, onUnique } = this.options;
    const replaces = new Map(
      this.previousStore
        .get()
        .map(({ id, replaces: upload }) => [id, answer === 'replace' ? upload : 'none']),
    );
    this.previousStore.set([]);
    await photoStore.track(() => queue.setReplaces(replaces));
    onUnique();
  }

  /** Call when photos have left the list or wait for the check again: their questions are over. */
  dropAnswered(): void {
    const open = this.previousStore.get();
    const left = open.filter(({ id }) => this.options.queue.get(id)?.state === 'asking');
    if (left.length < open.length) {
      this.previousStore.set(left);
    }
  }

  /** Checks the photos that are still unchecked. Returns at once. Call whenever a check may have become possible. */
  start(): void {
    const { queue, clock, canQuery: mayAsk } = this.options;
    if (this.run || queue.unchecked(1).length === 0 || !mayAsk()) {
      return;
    }
    const working = new CancelSource();
    this.run = working;
    void this.work(working.signal)
      .catch(() => sleep(clock, RETRY_MS, working.signal))
      .catch(() => undefined)
      .then(() => {
        if (this.run === working) {
          this.run = null;
          this.start();
        }
      });
  }

  /** Stops at once; the next {@link start} continues. */
  stop(): void {
    this.run?.cancel();
    this.run = null;
  }

  /** Forgets the answers: they were about the account before, and the next one may be another. */
  reset(): void {
    this.stop();
    this.suspects.clear();
    this.earlier.clear();
    this.previousStore.set([]);
    this.isOff = false;
    this.probeId = null;
    this.options.queue.recheckAll();
  }

  private async work(signal: CancelSignal): Promise<void> {
    const { queue } = this.options;
    while (!signal.cancelled) {
      const photos = queue.unchecked(MAX_BATCH, this.suspects);
      const [suspect] = this.suspects;
      if (photos.length === MAX_BATCH || (photos.length > 0 && !this.pause)) {
        await this.checkBatch(photos, signal);
      } else if (suspect) {
        await this.compare(...suspect, signal);
      } else if (photos.length > 0) {
        await this.pause;
      } else {
        return;
      }
    }
  }

  /**
   * Checks as many of these photos as one answer can hold. Releases those that the service does not hold; the others
   * become suspects.
   */
  private async checkBatch(unchecked: readonly PhotoRecord[], signal: CancelSignal): Promise<void> {
    const can = this.isOff ? BASIC_CAPABILITIES : await this.options.capabilities.get(signal);
    const { knownUploads, photoVersions } = can;
    const photos = unchecked.slice(0, batchSize(unchecked, this.batchLimit, photoVersions));
    const answer = knownUploads ? await this.query(photos, photoVersions, signal) : UNKNOWN;
    if (signal.cancelled || answer.kind === 'again') {
      return;
    }
    const { known, previous } = answer.kind === 'found' ? answer.files : NOTHING;
    const byName = new Map<string, KnownUpload[]>();
    for (const upload of known) {
      byName.set(upload.name, [...(byName.get(upload.name) ?? []), upload]);
    }
    const free = photos.filter((photo) => {
      const { id, name, size } = photo;
      const same = (byName.get(name) ?? []).filter((upload) => upload.size === size);
      const isOwn = same.some(({ clientUploadId }) => clientUploadId === id);
      const earlier = isOwn || hasBegun(photo) ? null : previousOf(photo, previous);
      if (earlier) {
        this.earlier.set(id, earlier);
      } else {
        this.earlier.delete(id);
      }
      if (same.length > 0 && !isOwn) {
        this.suspects.set(id, new Set(same.map(({ sha256 }) => sha256)));
        return false;
      }
      return true;
    });
    this.markUnique(free);
    if (!this.isOff && answer.kind === 'found') {
      this.startPause();
    }
  }

  /** Requests the service's copies of these photos. */
  private async query(
    photos: readonly PhotoRecord[],
    findsVersions: boolean,
    signal: CancelSignal,
  ): Promise<KnownAnswer> {
    const { requests, endpoint } = this.options;
    let troubles = 0;
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await findKnownUploads(requests, endpoint, photos, findsVersions, signal);
        this.probeId = null;
        return { kind: 'found', files: answer ?? NOTHING };
      } catch (error) {
        if (!(error instanceof CwError) || isAboutSession(error)) {
          throw error;
        }
        if (error.code === 'CW-305' || error.status === 413) {
          return this.shrinkBatch(photos);
        }
        if (error.code === 'CW-301' || error.isIntercepted) {
          if (tries >= MAX_UNREACHABLE) {
            return this.sendProbe(photos);
          }
          continue;
        }
        troubles += 1;
        if (!isTransient(error) || troubles >= MAX_ERRORS) {
          this.isOff = true;
          return UNKNOWN;
        }
      }
    }
  }

  /** For an answer that was too long to be read: the service holds some of these photos several times. */
  private shrinkBatch(photos: readonly PhotoRecord[]): KnownAnswer {
    this.isOff = photos.length === 1;
    this.batchLimit = Math.floor(photos.length / 2) || MAX_BATCH;
    return this.isOff ? UNKNOWN : AGAIN;
  }

  /**
   * Finds out whether only this request is blocked: sends one photo unchecked. If that upload succeeds and the request
   * still fails, all photos are sent unchecked.
   */
  private sendProbe(photos: readonly PhotoRecord[]): KnownAnswer {
    const { queue } = this.options;
    const state = this.probeId === null ? null : (queue.get(this.probeId)?.state ?? 'uploaded');
    if (state === 'uploaded') {
      this.isOff = true;
      return UNKNOWN;
    }
    if (state === null || state === 'failed' || state === 'unchecked') {
      this.probeId = photos[0]?.id ?? null;
      this.markUnique(photos.slice(0, 1));
    }
    return AGAIN;
  }

  private async compare(
    id: string,
    digests: ReadonlySet<string>,
    signal: CancelSignal,
  ): Promise<void> {
    const { queue, photoStore, spool, clock } = this.options;
    const record = queue.get(id)?.record;
    if (record) {
      let digest: string | null = null;
      try {
        digest = await spoolSha256(id, record.size, { spool, clock, signal });
      } catch (error) {
        if (error instanceof CancelledError) {
          throw error;
        }
        if (error instanceof CwError && error.code === 'CW-702') {
          // It can be compared later; the other photos first.
          this.suspects.delete(id);
          this.suspects.set(id, digests);
          photoStore.report(error);
          throw error;
        }
        // The copy is gone or damaged. The photo's upload will fail for the same reason and report it.
      }
      // If another account may be connected by now, `reset` has cancelled this work.
      throwIfCancelled(signal);
      if (digest !== null && digests.has(digest)) {
        await photoStore.track(() => queue.fail(id, 'CW-611'));
      } else {
        this.markUnique([record]);
      }
    }
    this.suspects.delete(id);
  }

  /** Releases photos that the service does not hold, except those that need an answer. */
  private markUnique(photos: readonly PhotoRecord[]): void {
    const { queue, onUnique: onReleased } = this.options;
    const asked: PreviousVersion[] = [];
    const unattended: string[] = [];
    const free: string[] = [];
    for (const { id, unattended: isUnattended } of photos) {
      const earlier = this.earlier.get(id);
      this.earlier.delete(id);
      if (earlier && isUnattended) {
        unattended.push(id);
      } else if (earlier) {
        asked.push(earlier);
      } else {
        free.push(id);
      }
    }
    if (asked.length > 0) {
      queue.askAbout(asked.map(({ id }) => id));
      this.previousStore.set([...this.previousStore.get(), ...asked]);
      this.dropAnswered();
    }
    if (unattended.length > 0) {
      void this.uploadAsNew(unattended);
    }
    queue.pass(free);
    onReleased();
  }

  /** Nobody is there to answer, and only the name suggests that it is the same photo. */
  private async uploadAsNew(ids: readonly string[]): Promise<void> {
    const { queue, photoStore, onUnique: onReleased } = this.options;
    queue.askAbout(ids);
    await photoStore.track(() => queue.setReplaces(new Map(ids.map((id) => [id, 'none']))));
    onReleased();
  }

  private startPause(): void {
    const resting = sleep(this.options.clock, BATCH_DELAY_MS).then(() => {
      this.pause = null;
    });
    this.pause = resting;
  }
}

const NOTHING: KnownFiles = { known: [], previous: [] };

/** The service's copies of some photos: `unknown` when it does not answer, `again` when the request is repeated later. */
type KnownAnswer =
  | { readonly kind: 'found'; readonly files: KnownFiles }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'again' };

const UNKNOWN: KnownAnswer = { kind: 'unknown' };
const AGAIN: KnownAnswer = { kind: 'again' };
