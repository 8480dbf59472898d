import type { RecordStore } from '../../host/storage.js';
import {
  FILE_PREFIX,
  isSameStat,
  keyOf,
  readBefore,
  readFile,
  writeBefore,
  writeFile,
  type KnownFile,
  type SettledFile,
  type TakingFile,
} from './known-file.js';

const BEFORE_KEY = 'folder-before';
/** So many files are remembered; the oldest of those that are gone are forgotten. */
const MAX_KNOWN = 20_000;
/** Records that are removed in one step. */
const AT_ONCE = 1_000;

/** The files of the watched folder as they were last seen, with a record of each. */
export class FileRecords {
  /** By their names, the oldest first. */
  private readonly files = new Map<string, KnownFile>();
  /** Keys of records of a folder that is not watched any more. */
  private strayKeys: readonly string[] = [];
  /** Names of files whose records could not be written. */
  private readonly unsaved = new Set<string>();

  constructor(private readonly records: Pick<RecordStore, 'put' | 'remove'>) {}

  /** Takes over the records of an earlier run. @param isWatched  whether their folder is still chosen */
  restore(records: ReadonlyMap<string, string>, isWatched: boolean): void {
    const keys = [...records.keys()].filter(
      (key) => key === BEFORE_KEY || key.startsWith(FILE_PREFIX),
    );
    if (!isWatched) {
      this.strayKeys = keys;
      return;
    }
    const before = readBefore(records.get(BEFORE_KEY) ?? '');
    const later = keys.flatMap((key) => readFile(records.get(key) ?? '') ?? []);
    later.sort((a, b) => a.at - b.at);
    this.hold([...before, ...later]);
  }

  /** Begins with the files that were there when the folder was chosen. @throws {CwError} CW-702 to CW-704 */
  async begin(before: readonly KnownFile[]): Promise<void> {
    await this.records.put(BEFORE_KEY, writeBefore(before));
    this.hold(before);
  }

  /** Forgets them, then removes their records. @throws {CwError} CW-702 to CW-704 */
  async clear(): Promise<void> {
    const own = [...this.files.keys()].map(keyOf);
    const keys = [...new Set([...this.strayKeys, ...own, BEFORE_KEY])];
    this.strayKeys = keys;
    this.files.clear();
    this.unsaved.clear();
    for (let start = 0; start < keys.length; start += AT_ONCE) {
      await this.records.remove(...keys.slice(start, start + AT_ONCE));
    }
    this.strayKeys = [];
  }

  get(name: string): KnownFile | null {
    return this.files.get(name) ?? null;
  }

  names(): ReadonlySet<string> {
    return new Set(this.files.keys());
  }

  all(): readonly KnownFile[] {
    return [...this.files.values()];
  }

  unfinished(): readonly TakingFile[] {
    return this.all().filter((file) => file.state === 'taking');
  }

  settled(): readonly SettledFile[] {
    return this.all().filter((file) => file.state !== 'taking');
  }

  others({ name }: KnownFile): readonly KnownFile[] {
    return this.all().filter((other) => other.name !== name);
  }

  /** The file that had another name, and is gone; null when there is none. */
  renamedFrom(file: TakingFile, mark: string, listed: ReadonlySet<string>): SettledFile | null {
    const found = this.settled().find(
      (other) =>
        !listed.has(other.name) &&
        isSameStat(other, file) &&
        (other.mark === null || other.mark === mark),
    );
    return found ?? null;
  }

  /**
   * Follows names that a sync program has written in the other normal form of Unicode: `ä` as one character, or as a letter
   * and a mark.
   * @throws {CwError} CW-702 to CW-704
   */
  async followSpelling(names: readonly string[], listed: ReadonlySet<string>): Promise<void> {
    const unknown = names.filter((name) => !this.files.has(name) && /[^ -~]/.test(name));
    if (unknown.length === 0) {
      return;
    }
    const gone = new Map<string, KnownFile>();
    for (const file of this.settled()) {
      if (!listed.has(file.name)) {
        gone.set(file.name.normalize('NFC'), file);
      }
    }
    for (const name of unknown) {
      const file = gone.get(name.normalize('NFC'));
      if (file) {
        await this.rename(file, name);
      }
    }
  }

  /** @throws {CwError} CW-702 to CW-704 */
  async rename(file: KnownFile, name: string): Promise<void> {
    await this.save({ ...file, name }, keyOf(file.name));
    this.files.delete(file.name);
  }

  /** Notes a file as the newest. It stays, although its record may not be written. @throws {CwError} CW-702 to CW-704 */
  async settle(file: SettledFile): Promise<void> {
    const forgotten = this.oldestGone();
    this.unsaved.add(file.name);
    this.files.delete(file.name);
    this.files.set(file.name, file);
    await this.save(file, ...forgotten);
  }

  /** Writes the records that could not be written. @throws {CwError} CW-702 to CW-704 */
  async saveRest(): Promise<void> {
    for (const name of [...this.unsaved]) {
      const file = this.files.get(name);
      if (file) {
        await this.save(file);
      }
    }
  }

  /** Notes what a file is. Without a record it is what it was before. @throws {CwError} CW-702 to CW-704 */
  async save(file: KnownFile, ...gone: readonly string[]): Promise<void> {
    const before = this.files.get(file.name);
    this.files.set(file.name, file);
    try {
      await this.records.put(keyOf(file.name), writeFile(file), ...gone);
      this.unsaved.delete(file.name);
    } catch (error) {
      if (before && !this.unsaved.has(file.name)) {
        this.files.set(file.name, before);
      } else if (!before) {
        this.files.delete(file.name);
      }
      throw error;
    }
  }

  private hold(files: readonly KnownFile[]): void {
    this.files.clear();
    for (const file of files) {
      this.files.set(file.name, file);
    }
  }

  /** @returns the key of the oldest file if there are too many */
  private oldestGone(): readonly string[] {
    if (this.files.size <= MAX_KNOWN) {
      return [];
    }
    for (const { name, state } of this.files.values()) {
      if (state === 'moved' || state === 'taken') {
        this.files.delete(name);
        return [keyOf(name)];
      }
    }
    return [];
  }
}
