import type { RequestQueue } from '../../api/request-queue.js';
import type { RecordStore } from '../../host/storage.js';
import { CwError } from '../../util/errors.js';
import { parseJsonObject, textField } from '../../util/json.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';

/** This computer, as the pages of the service show it. */
export interface DeviceIdentity {
  /** Random; it reveals nothing about the computer. */
  readonly id: string;
  /** The name that the user chose; else the kind of computer with the first digits of the id. */
  readonly name: string;
  /** The first digits of the id, for support. */
  readonly shortId: string;
}

export interface DeviceOptions {
  readonly records: Pick<RecordStore, 'put'>;
  readonly newId: () => string;
  /** The kind of computer, such as "Mac". */
  readonly kind: string;
  readonly requests: Pick<RequestQueue, 'send'>;
  /** Address of `PATCH /api/v1/connection`. */
  readonly endpoint: string;
  readonly isConnected: () => boolean;
}

/** The key of the record; photos' keys are hexadecimal. */
const KEY = 'device';
/** Longest name that the service takes. UTF-16 code units. */
export const MAX_DEVICE_NAME_LENGTH = 100;
/** This many digits of the id distinguish computers of one kind. */
const SHORT_ID = 4;

/** What the service refuses in names: controls, invisible characters, and those that reorder the text around them. */
const NOT_IN_NAMES =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u2800]|(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

/**
 * The identity and the name of this computer. The id is stored when it is first used. The service keeps the name of a
 * connection, so a name that it reports replaces the one here.
 */
export class Device {
  private readonly store = new Observable<DeviceIdentity | null>(null);
  private chosenName: string | null = null;
  private isStored = false;
  /** A name that was reported before storage was read. */
  private reported: string | null = null;

  /** Null before storage was read. */
  readonly state: ReadableObservable<DeviceIdentity | null> = this.store;

  constructor(private readonly options: DeviceOptions) {}

  /** Takes over what an earlier run left, from the list's other records. */
  restore(records: ReadonlyMap<string, string>): void {
    const stored = parseJsonObject(records.get(KEY) ?? '');
    const id = stored && textField(stored, 'id');
    const isKnown = id !== null && /^[\w-]{16,64}$/.test(id);
    this.isStored = isKnown;
    this.chosenName = computerName((stored && textField(stored, 'name')) ?? '');
    this.show(isKnown ? id : this.options.newId());
    if (this.reported !== null) {
      this.onReported(this.reported);
    }
  }

  /** The computer, to be named to the service: its id is then kept over restarts. Null before storage was read. */
  identify(): DeviceIdentity | null {
    if (!this.isStored && this.store.get()) {
      this.isStored = true;
      void this.save().catch(() => {
        this.isStored = false;
      });
    }
    return this.store.get();
  }

  /** Call with the name that the service reports for this connection. */
  onReported(text: string): void {
    this.reported = text;
    const device = this.store.get();
    const name = computerName(text);
    if (device && name !== null && name !== device.name) {
      this.setName(device, name);
      void this.save().catch(() => undefined);
    }
  }

  /**
   * Changes the name: at the service, if there is a connection, then here. An empty one restores the first name.
   * @throws {CwError} CW-204 when the service refuses it, a transient error, or CW-702 to CW-704
   */
  async rename(text: string): Promise<void> {
    const { isConnected } = this.options;
    const device = this.store.get();
    if (!device) {
      return;
    }
    const name = computerName(text) ?? this.firstName(device.id);
    if (isConnected()) {
      await this.send(name);
    }
    this.setName(device, name);
    await this.save();
  }

  /** A service without this address shows the new name after the next sign-in. */
  private async send(name: string): Promise<void> {
    const { requests, endpoint } = this.options;
    try {
      await requests.send({
        method: 'PATCH',
        url: endpoint,
        headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
        body: JSON.stringify({ device_name: name }),
        repeatable: false,
        expectedStatuses: [404, 405],
        isAnswer: ({ text }) => parseJsonObject(text) !== null,
      });
    } catch (error) {
      if (error instanceof CwError && error.code === 'CW-603') {
        throw new CwError('CW-204', 'the service refused the name of this computer', {
          cause: error,
          ...(error.status !== undefined && { status: error.status }),
        });
      }
      throw error;
    }
  }

  private setName({ id }: DeviceIdentity, name: string): void {
    this.chosenName = name === this.firstName(id) ? null : name;
    this.show(id);
  }

  private show(id: string): void {
    const name = this.chosenName ?? this.firstName(id);
    this.store.set({ id, name, shortId: shortIdOf(id) });
  }

  private firstName(id: string): string {
    return `${this.options.kind} · ${shortIdOf(id)}`;
  }

  private async save(): Promise<void> {
    const id = this.store.get()?.id;
    await this.options.records.put(KEY, JSON.stringify({ version: 1, id, name: this.chosenName }));
    this.isStored = true;
  }
}

function shortIdOf(id: string): string {
  return id.slice(0, SHORT_ID).toUpperCase();
}

/** The name as the service takes it; null when nothing of it can be read. */
function computerName(text: string): string | null {
  const name = text
    .slice(0, MAX_DEVICE_NAME_LENGTH)
    .replace(NOT_IN_NAMES, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(name) ? name : null;
}
