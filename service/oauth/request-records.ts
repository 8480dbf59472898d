import { AsyncLocalStorage } from 'node:async_hooks';
import type { AdapterPayload } from 'oidc-provider';
import type { Account } from '../accounts/accounts.js';

/** A row of `oidc_records`, as oidc-provider's adapter needs it. */
export interface RecordRow {
  id: string;
  payload: AdapterPayload;
  consumed_at: Date | null;
}

/** A record that is to be stored. */
export interface NewRecord {
  readonly kind: string;
  /** As it is stored: the hash of a credential. */
  readonly id: string;
  /** As it is stored. */
  readonly payload: string;
  readonly expiresAt: Date | undefined;
}

/** The writes of a refresh. They are gathered, and made all at once when the last one comes. */
export interface Exchange {
  /** Whether this is the refresh token that is exchanged. It is marked as used together with the other writes. */
  uses(id: string): boolean;
  /** Takes a record. The access token is the last one: then everything is stored, or the refresh fails. */
  store(record: NewRecord): Promise<void>;
}

/** What was read for a request at its beginning, in one statement, and what the request is about to write. */
export interface RequestRecords {
  /** By kind and id. Undefined stands for a record that is not there. */
  readonly records: ReadonlyMap<string, RecordRow | undefined>;
  readonly account?: Account | undefined;
  readonly exchange?: Exchange;
  /** Whether the device whose poll this is polled too soon. */
  readonly isTooFast?: boolean;
  /** The grants that this request has ended, or is ending: none is ended twice. */
  readonly ended: Map<string, Promise<void>>;
}

const current = new AsyncLocalStorage<RequestRecords>();

/** The key of a record in {@link RequestRecords.records}. */
export function recordKey(kind: string, id: string): string {
  return `${kind} ${id}`;
}

/**
 * Runs the work of a request, which then uses these records instead of reading them again. They are gone with the
 * request: the next one reads anew, so that a revoked token is refused at once.
 */
export function withRecords<T>(
  records: Omit<RequestRecords, 'ended'>,
  work: () => Promise<T>,
): Promise<T> {
  return current.run({ ...records, ended: new Map() }, work);
}

/** What was read for the current request, if anything was. */
export function requestRecords(): RequestRecords | undefined {
  return current.getStore();
}
