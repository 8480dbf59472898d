import { Outbox } from '../../account/outbox.js';
import type { RequestQueue } from '../../api/request-queue.js';
import type { CapabilitySource } from '../../api/tus-capabilities.js';
import { isServiceId } from '../../api/project.js';
import type { PlacedFiles } from '../../host/placed-files.js';
import type { RecordStore } from '../../host/storage.js';
import type { CancelSignal } from '../../util/cancel.js';
import { CwError, isAboutSession } from '../../util/errors.js';
import type { UploadHistory } from '../history/index.js';
import type { LinkedFiles } from './linked-files.js';

export interface SentPlacementsOptions {
  /** Null in an app without such an interface. */
  readonly host: Pick<PlacedFiles, 'list'> | null;
  readonly linked: Pick<LinkedFiles, 'uploadsOf'>;
  readonly requests: Pick<RequestQueue, 'send'>;
  readonly capabilities: Pick<CapabilitySource, 'get'>;
  /** Address of the uploads. */
  readonly endpoint: string;
  /** Of the service. */
  readonly origin: string;
  readonly records: Pick<RecordStore, 'put'>;
  /** The uploaded photos of the connected account. */
  readonly history: Pick<UploadHistory, 'changes' | 'photos'>;
}

/** The files that were placed in a document when it was exported. */
interface Placement {
  /** Ids of uploads. */
  readonly placed: readonly string[];
}

const KEY = 'placements';
/** How many uploads can wait. */
const MAX_PENDING = 200;
/** How many files the service takes for one upload. */
const MAX_PLACED = 500;

/** Sends which files are placed in a document, after the document was uploaded. */
export class SentPlacements {
  private readonly outbox: Outbox<Placement>;

  constructor(private readonly options: SentPlacementsOptions) {
    const { records, history } = options;
    this.outbox = new Outbox<Placement>({
      records,
      key: KEY,
      max: MAX_PENDING,
      canSend: (id) => this.uploadOf(id) !== null,
      send: (id, entry, signal) => this.sendOne(id, entry, signal),
      remaining: () => null,
      read: ({ placed }) =>
        Array.isArray(placed)
          ? { placed: placed.filter((id): id is string => typeof id === 'string') }
          : null,
    });
    history.changes.subscribe(() => {
      this.outbox.send();
    });
  }

  restore(records: ReadonlyMap<string, string>): void {
    this.outbox.restore(records);
  }

  /** To be called when there is a session. */
  start(): void {
    this.outbox.start();
  }

  /** Ends that. */
  stop(): void {
    this.outbox.stop();
  }

  /**
   * The ids of the uploads that are placed in an open document, also of those that were placed by other means and recognised
   * by their bytes. Never rejects.
   */
  async of(documentKey: string): Promise<readonly string[]> {
    const { host, linked, origin } = this.options;
    const files = (await host?.list(documentKey).catch(() => [])) ?? [];
    const recognised = await linked.uploadsOf(files);
    const ids = files.flatMap(({ key, identity }): readonly string[] => {
      const recognisedAs = recognised.get(key);
      if (!identity) {
        return recognisedAs === undefined ? [] : [recognisedAs];
      }
      return identity.origin === origin ? [identity.uploadId] : [];
    });
    return [...new Set(ids.filter(isServiceId))].slice(0, MAX_PLACED);
  }

  /** Keeps which files are placed in an export until it is uploaded. Never rejects: the upload matters more. */
  async note(photoId: string, placed: readonly string[]): Promise<void> {
    if (placed.length > 0) {
      await this.outbox.put(photoId, { placed }).catch(() => undefined);
    }
  }

  private uploadOf(photoId: string): string | null {
    return this.options.history.photos().find(({ id }) => id === photoId)?.uploadId ?? null;
  }

  /** @returns whether the service has it, or never takes it */
  private async sendOne(id: string, { placed }: Placement, signal: CancelSignal): Promise<boolean> {
    const { requests, capabilities, endpoint } = this.options;
    try {
      // A service with a list of files has placements, too.
      if (!(await capabilities.get(signal)).photoList) {
        return false;
      }
      await requests.send(
        {
          method: 'PUT',
          url: `${endpoint}/${this.uploadOf(id) ?? ''}/placements`,
          headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
          body: JSON.stringify({ placements: placed.map((upload) => ({ id: upload })) }),
          repeatable: true,
          isAnswer: ({ status }) => status === 204,
        },
        signal,
      );
      return true;
    } catch (error) {
      // A refusal is final: the upload is gone.
      return error instanceof CwError && !isAboutSession(error) && error.code !== 'CW-304';
    }
  }
}
