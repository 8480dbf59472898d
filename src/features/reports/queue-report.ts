import type { RequestQueue } from '../../api/request-queue.js';
import type { CapabilitySource } from '../../api/tus-capabilities.js';
import type { Device } from '../device/index.js';
import type { RecordStore } from '../../host/storage.js';
import { isSuccessStatus } from '../../oauth/errors.js';
import type { Clock } from '../../util/clock.js';
import type { ErrorCode } from '../../util/errors.js';
import { parseJsonObject } from '../../util/json.js';
import type { ReadableObservable } from '../../util/observable.js';
import type { UploadItem } from '../queue/index.js';
import type { UploadManagerState } from '../uploads/index.js';

/** What is reported about the photos that have not arrived. It names none of them. */
export interface QueueFacts {
  readonly waiting: number;
  /** Wall-clock time in milliseconds at which the oldest was queued; null without any. */
  readonly since: number | null;
  /** `blocked`: the user must do something at this computer. */
  readonly state: 'uploading' | 'paused' | 'blocked';
  /** Why they are blocked, if that has a code. */
  readonly reason: ErrorCode | null;
}

export interface QueueReportsOptions {
  readonly requests: Pick<RequestQueue, 'sendOutOfBand'>;
  readonly capabilities: Pick<CapabilitySource, 'get'>;
  /** Address of the computers, `{base_url}/api/v1/devices`. */
  readonly endpoint: string;
  readonly clock: Clock;
  readonly records: Pick<RecordStore, 'put'>;
  readonly device: Pick<Device, 'identify'>;
  readonly isConnected: () => boolean;
  readonly facts: () => QueueFacts;
  /** Whatever the facts depend on. */
  readonly changes: readonly ReadableObservable<unknown>[];
}

/** Pause after a change, in which more of them may follow. */
const SETTLE_MS = 5_000;
/** Reports are at least this far apart, but for the first one that nothing waits any more. */
const REST_MS = 60_000;
/** While photos wait, an unchanged report is repeated after this time: else the computer counts as offline. */
const REPEAT_MS = 5 * 60_000;
/** The key of the record; photos' keys are hexadecimal. */
const KEY = 'queue-report';

/**
 * Reports to the service how many photos wait on this computer, so that the user and the owners of the workspace see it
 * elsewhere. Only a service with `device-queue` gets reports. A report that fails is left to the next one.
 */
export class QueueReports {
  private isRestored = false;
  /** Whether the service has a report about waiting photos, perhaps of an earlier run. */
  private isOpen = false;
  private sent: QueueFacts | null = null;
  private lastAt: number | null = null;
  private quietMs = 0;
  private isBusy = false;
  private stopTimer: (() => void) | null = null;
  private isResting = false;
  /** Whether the last report, perhaps a failed one, was about waiting photos. */
  private wasWaiting = false;

  constructor(private readonly options: QueueReportsOptions) {
    for (const source of options.changes) {
      source.subscribe(() => {
        this.onChange();
      });
    }
  }

  /** For diagnostics: when the last report was sent. Wall-clock time in milliseconds; null for not in this run. */
  get lastSentAt(): number | null {
    return this.lastAt;
  }

  /** Takes over what an earlier run left, from the list's other records. */
  restore(records: ReadonlyMap<string, string>): void {
    this.isRestored = true;
    this.isOpen = parseJsonObject(records.get(KEY) ?? '')?.['open'] === true;
    this.onChange();
  }

  /** Call when there is a session, perhaps a new one: another account has no report yet. */
  onSignedIn(): void {
    this.sent = null;
    this.onChange();
  }

  private onChange(): void {
    if (this.isBusy || !this.isDue()) {
      return;
    }
    // The app may be closed right after the last photo: its report must not rest.
    const isFinished = this.wasWaiting && this.options.facts().waiting === 0;
    if (this.stopTimer === null || (this.isResting && isFinished)) {
      this.stopTimer?.();
      this.wait(SETTLE_MS);
    }
  }

  /** Whether the service should hear something that it has not heard. */
  private isDue(): boolean {
    const { isConnected, facts } = this.options;
    if (!this.isRestored || !isConnected()) {
      return false;
    }
    const now = facts();
    return this.sent === null
      ? now.waiting > 0 || this.isOpen
      : !isSame(now, this.sent) || (now.waiting > 0 && this.quietMs >= REPEAT_MS);
  }

  private wait(delayMs: number): void {
    this.isResting = delayMs === REST_MS;
    this.stopTimer = this.options.clock.startTimer(delayMs, () => {
      this.stopTimer = null;
      this.quietMs += delayMs;
      void this.step();
    });
  }

  private async step(): Promise<void> {
    if (this.isDue()) {
      this.isBusy = true;
      await this.send().catch(() => undefined);
      this.isBusy = false;
      this.quietMs = 0;
      this.wait(REST_MS);
      this.onChange();
    } else if (this.options.isConnected() && this.options.facts().waiting > 0) {
      this.wait(REST_MS);
    }
  }

  private async send(): Promise<void> {
    const { requests, capabilities, endpoint, clock } = this.options;
    if (!(await capabilities.get()).deviceQueue) {
      return;
    }
    const device = this.options.device.identify();
    if (!device) {
      return;
    }
    const facts = this.options.facts();
    this.wasWaiting = facts.waiting > 0;
    const age = facts.since === null ? null : Math.max(0, clock.now() - facts.since);
    const { status } = await requests.sendOutOfBand({
      method: 'PUT',
      url: `${endpoint}/${device.id}/queue`,
      headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
      body: JSON.stringify({
        device_name: device.name,
        waiting: facts.waiting,
        waiting_seconds: age === null ? null : Math.floor(age / 1000),
        state: facts.state,
        reason: facts.reason,
      }),
    });
    if (!isSuccessStatus(status)) {
      return;
    }
    this.sent = facts;
    this.lastAt = clock.now();
    const isOpen = facts.waiting > 0;
    if (isOpen !== this.isOpen) {
      this.isOpen = isOpen;
      await this.options.records.put(KEY, JSON.stringify({ version: 1, open: isOpen }));
    }
  }
}

/** What to report about a list. Photos that the service has already do not wait. */
export function queueFacts(
  photos: readonly UploadItem[],
  {
    paused,
    question,
    storageError,
    waitingForPermission,
    space,
  }: Pick<
    UploadManagerState,
    'paused' | 'question' | 'storageError' | 'waitingForPermission' | 'space'
  >,
): QueueFacts {
  const open = photos.filter(
    ({ phase, record }) => phase !== 'uploaded' && record.failure !== 'CW-611',
  );
  const failed = open.filter(({ phase }) => phase === 'failed');
  const isFull = space.kind === 'waiting';
  const isStuck =
    (isFull || failed.length + waitingForPermission >= open.length) && open.length > 0;
  const isBlocked = question !== null || storageError !== null || isStuck;
  return {
    waiting: open.length,
    since: open.reduce<number | null>(
      (oldest, { record }) => Math.min(oldest ?? record.queuedAt, record.queuedAt),
      null,
    ),
    state: paused ? 'paused' : isBlocked ? 'blocked' : 'uploading',
    reason:
      paused || !isBlocked
        ? null
        : (storageError?.code ?? (isFull ? space.error.code : (failed[0]?.record.failure ?? null))),
  };
}

function isSame(one: QueueFacts, other: QueueFacts): boolean {
  return (
    one.waiting === other.waiting &&
    one.since === other.since &&
    one.state === other.state &&
    one.reason === other.reason
  );
}
