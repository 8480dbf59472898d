/**
 * The host's protected storage for small secrets. It may lose everything at any time.
 * All methods throw CwError CW-701 when the storage fails.
 */
export interface SecretStore {
  /** The text stored under `key`, or null when there is none or it is not text. */
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<void>;
  /** Also succeeds when nothing was stored. */
  remove(key: string): Promise<void>;
}

/**
 * Durable small records, written whole: after a crash each exists as last written, or is missing.
 *
 * Several instances of the plugin may run on one storage (a reload while the old instance still runs): the
 * one that loaded last owns the records. All methods throw CwError CW-702, CW-703 when the disk is
 * full, or CW-704 when another instance owns the records now; the change may then have been made or not.
 * Before the first successful `load`, a change throws CW-702 and nothing is written.
 */
export interface RecordStore {
  /**
   * Gives every record by its key. From now on this instance of the plugin owns them. If they cannot be read, nothing has
   * changed: an earlier owner still owns them, and this can be called again.
   */
  load(): Promise<ReadonlyMap<string, string>>;
  /**
   * Writes a record and removes others in the same step. After a crash some of the others may be left, but none is gone
   * unless the record is written.
   * @param gone  keys to remove; they need not exist
   */
  put(key: string, value: string, ...gone: readonly string[]): Promise<void>;
  /** As {@link put}, for several records. After a crash some of them may be missing. */
  putAll(written: ReadonlyMap<string, string>, ...gone: readonly string[]): Promise<void>;
  /** Removes records in one step, if they exist: many at once cost little more than one. */
  remove(...keys: readonly string[]): Promise<void>;
  /** Whether this instance of the plugin has loaded the records, and no other has taken them over. */
  isOwner(): Promise<boolean>;
}
