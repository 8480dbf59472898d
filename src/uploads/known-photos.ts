import type { RequestQueue } from '../api/request-queue.js';
import type { CapabilitySource } from '../api/service-question.js';
import {
  CancelledError,
  CancelSource,
  throwIfCancelled,
  type CancelSignal,
} from '../base/cancel.js';
import { sleep, type Clock } from '../base/clock.js';
import { CwError, isAboutSession, isTransient } from '../base/errors.js';
import type { Spool } from '../host/host.js';
import { sha256OfCopy } from './copy-sha256.js';
import { askKnownUploads, fitInQuestion, type KnownUpload } from './known-uploads.js';
import type { ListHealth } from './list-health.js';
import type { PhotoRecord } from './photo-record.js';
import type { UploadList } from './upload-list.js';

export interface KnownPhotosOptions {
  readonly list: Pick<
    UploadList,
    'get' | 'unasked' | 'release' | 'setAside' | 'askAgain' | 'summary'
  >;
  readonly queue: Pick<RequestQueue, 'send'>;
  /** Address of the upload collection. */
  readonly endpoint: string;
  readonly spool: Spool;
  readonly clock: Clock;
  readonly health: ListHealth;
  readonly capabilities: Pick<CapabilitySource, 'get'>;
  /** Whether anything may be sent now. */
  readonly mayAsk: () => boolean;
  /** Told when photos may begin that were waited with. */
  readonly onReleased: () => void;
}

/** Between two questions about photos that come one by one. Milliseconds. */
const GATHER_MS = 500;
/** After trouble with the session. Milliseconds. */
const TRY_AGAIN_MS = 5_000;
/** How often a question is asked that meets trouble with the service, or that does not get through. */
const MOST_TROUBLES = 3;
const MOST_UNREACHED = 12;
/** Photos looked at to fill one question. */
const MOST_LOOKED_AT = 250;

/**
 * Finds the photos that the service holds already, before they are sent: by name and size, which the service is asked
 * about for many at once, and then by the digest of the copy, which is made of those alone that match. They are set
 * aside (CW-611) for the person to decide. A match that bears the photo's own id is our own upload whose answer was
 * lost: it goes on.
 *
 * A question that cannot be answered holds nothing up: photos are then sent as if there were no such question.
 */
export class KnownPhotos {
  /** Photos of which the service holds some of the same name and size, with the digests of those. */
  private readonly suspects = new Map<string, ReadonlySet<string>>();
  private working: CancelSource | null = null;
  private resting: Promise<void> | null = null;
  /** The question does not get through: nothing is asked any more while this session lasts. */
  private isOff = false;
  /** A photo that is sent without a question, to see whether uploads get through. */
  private scout: string | null = null;

  constructor(private readonly options: KnownPhotosOptions) {}

  /** Asks about what has not been asked about. Returns at once. Call whenever something may have become possible. */
  look(): void {
    const { list, clock, mayAsk } = this.options;
    if (this.working || list.unasked(1).length === 0 || !mayAsk()) {
      return;
    }
    const working = new CancelSource();
    this.working = working;
    void this.work(working.signal)
      .catch(() => sleep(clock, TRY_AGAIN_MS, working.signal))
      .catch(() => undefined)
      .then(() => {
        if (this.working === working) {
          this.working = null;
          this.look();
        }
      });
  }

  /** Stops at once; {@link look} goes on. */
  stop(): void {
    this.working?.cancel();
    this.working = null;
  }

  /** Forgets the answers: they were about the account before, and the next one may be another. */
  reset(): void {
    this.stop();
    this.suspects.clear();
    this.isOff = false;
    this.options.list.askAgain();
  }

  private async work(signal: CancelSignal): Promise<void> {
    const { list } = this.options;
    while (!signal.cancelled) {
      const photos = list.unasked(MOST_LOOKED_AT, this.suspects);
      const [suspect] = this.suspects;
      if (photos.length === MOST_LOOKED_AT || (photos.length > 0 && !this.resting)) {
        await this.askAbout(photos.slice(0, fitInQuestion(photos)), signal);
      } else if (suspect) {
        await this.compare(...suspect, signal);
      } else if (photos.length > 0) {
        await this.resting;
      } else {
        return;
      }
    }
  }

  /** Lets those go that the service does not hold; the others become suspects. */
  private async askAbout(photos: readonly PhotoRecord[], signal: CancelSignal): Promise<void> {
    const known = await this.ask(photos, signal);
    if (signal.cancelled || known === 'again') {
      return;
    }
    const byName = new Map<string, KnownUpload[]>();
    for (const upload of known) {
      byName.set(upload.name, [...(byName.get(upload.name) ?? []), upload]);
    }
    const free = photos.filter(({ id, name, size }) => {
      const same = (byName.get(name) ?? []).filter((upload) => upload.size === size);
      const isOwn = same.some(({ clientUploadId }) => clientUploadId === id);
      if (same.length > 0 && !isOwn) {
        this.suspects.set(id, new Set(same.map(({ sha256 }) => sha256)));
        return false;
      }
      return true;
    });
    this.letGo(free);
    if (!this.isOff && known !== NOTHING) {
      this.rest();
    }
  }

  /** What the service holds of these; nothing when that cannot be found out. `again` when it is to be tried again. */
  private async ask(
    photos: readonly PhotoRecord[],
    signal: CancelSignal,
  ): Promise<readonly KnownUpload[] | 'again'> {
    const { queue, endpoint, capabilities } = this.options;
    if (this.isOff || !(await capabilities.get(signal)).knownUploads) {
      return NOTHING;
    }
    let troubles = 0;
    for (let tries = 1; ; tries += 1) {
      try {
        return (await askKnownUploads(queue, endpoint, photos, signal)) ?? [];
      } catch (error) {
        if (!(error instanceof CwError) || isAboutSession(error)) {
          throw error;
        }
        if (error.code === 'CW-301') {
          if (tries >= MOST_UNREACHED) {
            return this.sendScout(photos);
          }
          continue;
        }
        troubles += 1;
        if (!isTransient(error) || troubles >= MOST_TROUBLES) {
          this.isOff = true;
          return NOTHING;
        }
      }
    }
  }

  /**
   * Either nothing gets through, or this question alone does not. One photo is sent to find out. If it arrives and the
   * question still does not get through, all photos are sent without it.
   */
  private sendScout(photos: readonly PhotoRecord[]): readonly KnownUpload[] | 'again' {
    const { list } = this.options;
    const phase = this.scout === null ? null : (list.get(this.scout)?.phase ?? 'uploaded');
    if (phase === 'uploaded') {
      this.isOff = true;
      return NOTHING;
    }
    if (phase !== 'waiting' && phase !== 'uploading') {
      this.scout = photos[0]?.id ?? null;
      this.letGo(photos.slice(0, 1));
    }
    return 'again';
  }

  private async compare(
    id: string,
    digests: ReadonlySet<string>,
    signal: CancelSignal,
  ): Promise<void> {
    const { list, spool, clock, health } = this.options;
    const record = list.get(id)?.record;
    if (record) {
      let digest: string | null = null;
      try {
        digest = await sha256OfCopy(id, record.size, { spool, clock, signal });
      } catch (error) {
        if (error instanceof CancelledError) {
          throw error;
        }
        // Its upload will meet the same trouble, and say so.
      }
      // Somebody else may be connected by now.
      throwIfCancelled(signal);
      if (digest !== null && digests.has(digest)) {
        await health.watch(() => list.setAside(id, 'CW-611'));
      } else {
        this.letGo([record]);
      }
    }
    this.suspects.delete(id);
  }

  private letGo(photos: readonly PhotoRecord[]): void {
    const { list, onReleased } = this.options;
    list.release(photos.map(({ id }) => id));
    onReleased();
  }

  private rest(): void {
    const resting = sleep(this.options.clock, GATHER_MS).then(() => {
      this.resting = null;
    });
    this.resting = resting;
  }
}

/** What a service is taken to hold that is not asked. */
const NOTHING: readonly KnownUpload[] = [];
