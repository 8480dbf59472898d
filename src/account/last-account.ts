import { parseJsonObject, textField } from '../util/json.js';
import type { RecordStore } from '../host/storage.js';
import { unstoredOwner } from './owner.js';

/** The account that is connected, or was connected last, and the photos that are its own. */
export interface LastAccount {
  /** Digest of the account (`ownerKey`); null while the service has not reported it. */
  readonly account: string | null;
  /** Owners of the photos that go to this account without a question: its sessions. Empty after a sign-out. */
  readonly owners: readonly string[];
  /** Owner of the photos that are queued while no account is connected or was last: they go to the next account. */
  readonly next: string;
  /** Whether the user has chosen another account, and the account of the new session is not known yet. */
  readonly isSwitching: boolean;
}

/** The key of the record; photos' keys are hexadecimal. */
const KEY = 'last-account';
/** Photos of older sessions need a confirmation again. Each session adds two owners: its own, and the `next` before it. */
const MAX_OWNERS = 200;

/** Keeps the last account in durable storage, next to the photos: secure storage loses it when a session ends. */
export class LastAccountStore {
  private current = readLastAccount('');

  constructor(private readonly records: RecordStore) {}

  get value(): LastAccount {
    return this.current;
  }

  /** Takes over what an earlier run left. A record that cannot be read counts as nobody. */
  restore(records: ReadonlyMap<string, string>): void {
    this.current = readLastAccount(records.get(KEY) ?? '');
  }

  /** Changes the value in memory at once, then in storage. @throws {CwError} CW-702 to CW-704 */
  async set(value: LastAccount): Promise<void> {
    this.change(value);
    await this.save();
  }

  /** Changes the value in memory only. Call {@link save} later. */
  change(value: LastAccount): void {
    this.current = { ...value, owners: [...new Set(value.owners)].slice(-MAX_OWNERS) };
  }

  /** Stores the value. @throws {CwError} CW-702 to CW-704 */
  async save(): Promise<void> {
    await this.records.put(KEY, JSON.stringify({ version: 1, ...this.current }));
  }
}

/** @param text  the record; empty where there is none */
function readLastAccount(text: string): LastAccount {
  const json = parseJsonObject(text);
  const body = json?.['version'] === 1 ? json : {};
  const owners: unknown = body['owners'];
  return {
    account: textField(body, 'account'),
    owners: Array.isArray(owners)
      ? owners.filter((owner): owner is string => typeof owner === 'string')
      : [],
    next: textField(body, 'next') ?? unstoredOwner(text),
    isSwitching: body['isSwitching'] === true,
  };
}
