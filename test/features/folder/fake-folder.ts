import { CwError } from '../../../src/util/errors.js';
import type { ChosenFolder, FolderPort } from '../../../src/host/folders.js';
import { mediaTypeOf } from '../../../src/host/media-type.js';
import type { Clock } from '../../../src/util/clock.js';
import type { MemoryStorage } from '../../support/memory-host.js';

interface FakeFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly modified: number;
}

/** A folder of the user's computer, which other programs write to. */
export class FakeFolder {
  readonly files = new Map<string, FakeFile>();
  /** The files in its subfolder. */
  readonly uploaded: string[] = [];
  /** Whether it was moved or deleted. */
  isGone = false;
  path = '/Users/anna/Exports';
  /** The number of calls of `stat`. */
  stats = 0;
  /** Called before a file is copied. */
  onCopy: (name: string) => void = () => undefined;
  /** Files that another program holds open. */
  readonly locked = new Set<string>();
  /** Files that the app does not move. */
  readonly unmovable = new Set<string>();

  constructor(
    private readonly storage: MemoryStorage,
    private readonly clock: Clock,
  ) {}

  write(name: string, content: string | Uint8Array, modified = this.clock.now()): void {
    this.files.set(name, { bytes: new Uint8Array(Buffer.from(content)), modified });
  }

  rename(from: string, to: string): void {
    const file = this.files.get(from);
    if (!file) throw new Error(`there is no ${from}`);
    this.files.delete(from);
    this.files.set(to, file);
  }

  /** The picker gives this folder. Its token names its path. */
  readonly port: FolderPort = {
    pickFolder: () => Promise.resolve(this.chosen()),
    openFolder: (token) =>
      this.isGone || token !== this.path
        ? Promise.reject(new CwError('CW-705', 'gone'))
        : Promise.resolve(this.chosen()),
  };

  private chosen(): ChosenFolder {
    const { path } = this;
    const check = (): void => {
      if (this.isGone || path !== this.path) throw new CwError('CW-705', 'gone');
    };
    return {
      token: path,
      name: 'Exports',
      path,
      list: async () => {
        await Promise.resolve();
        check();
        return [...this.files.keys()];
      },
      stat: async (name) => {
        await Promise.resolve();
        this.stats += 1;
        const file = this.files.get(name);
        return file ? { size: file.bytes.length, modified: file.modified } : null;
      },
      photo: (name) => ({
        name,
        type: mediaTypeOf(name),
        copyToSpool: (id) =>
          this.storage.run('spool.copy', id, () => {
            this.onCopy(name);
            const bytes = this.files.get(name)?.bytes;
            if (!bytes || this.locked.has(name)) throw new CwError('CW-602', 'no file');
            this.storage.spool.set(id, bytes.slice());
            return { size: bytes.length, crc32c: null };
          }),
      }),
      tree: null as never,
      moveInto: async (_subfolder, name) => {
        await Promise.resolve();
        check();
        if (this.unmovable.has(name)) throw new CwError('CW-705', 'not answered');
        if (!this.files.delete(name)) throw new CwError('CW-705', 'gone');
        this.uploaded.push(name);
      },
    };
  }
}
