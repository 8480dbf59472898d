import type { Clock } from '../../util/clock.js';
import { CwError } from '../../util/errors.js';
import type { RandomBytes } from '../../util/random-id.js';
import type { ChosenFolder, FileStat, FolderPort, FolderTree } from '../folders.js';
import type { PhotoSource } from '../photo-source.js';
import { StorageTimeoutError } from '../storage-retry.js';
import { createFileRetry, getEntry } from './data-folder.js';
import { UxpFolderTree, type TreeChanges } from './folder-tree.js';
import type { UxpSpool } from './spool.js';
import { type FileEntry, type FolderEntry, isFileEntry, type Files } from './files.js';

/** A name in the subfolder gets a number up to this one. */
const MAX_NUMBER = 9_999;

/**
 * Folders of the user's computer. The permission `request` allows a folder that the user has picked, and a persistent
 * token opens it after a restart.
 */
export function createUxpFolders(
  files: Files,
  spool: Pick<UxpSpool, 'toPhotoSource'>,
  randomBytes: RandomBytes,
  clock: Clock,
): FolderPort {
  const retry = createFileRetry(clock);
  const changes: TreeChanges = { unanswered: new Map(), begun: new Set(), reading: new Set() };
  const moving = new Set<string>();
  const chosen = (token: string, folder: FolderEntry): ChosenFolder => {
    const tree = new UxpFolderTree(folder, files, retry, randomBytes, clock, changes);
    return new UxpChosenFolder(token, folder, spool, tree, moving);
  };
  return {
    async pickFolder() {
      let folder: FolderEntry | null;
      try {
        folder = await files.fileSystem.pickFolder();
      } catch (error) {
        throw new CwError('CW-802', 'the folder picker failed', { cause: error });
      }
      if (!folder) {
        return null;
      }
      try {
        return chosen(await files.fileSystem.createPersistentToken(folder), folder);
      } catch (error) {
        throw goneError(error);
      }
    },

    async openFolder(token) {
      let entry: FileEntry | FolderEntry;
      try {
        entry = await files.fileSystem.getEntryForPersistentToken(token);
      } catch (error) {
        throw goneError(error);
      }
      if (isFileEntry(entry)) {
        throw goneError(new Error('the token is for a file'));
      }
      return chosen(token, entry);
    },
  };
}

export class UxpChosenFolder implements ChosenFolder {
  readonly name: string;
  readonly path: string;
  /** Of the last list, by their names. */
  private files: ReadonlyMap<string, FileEntry> = new Map();

  constructor(
    readonly token: string,
    readonly folder: FolderEntry,
    private readonly spool: Pick<UxpSpool, 'toPhotoSource'>,
    readonly tree: FolderTree,
    /** Paths of files that the app may still move. */
    private readonly moving: Set<string>,
  ) {
    this.name = folder.name;
    this.path = folder.nativePath;
  }

  async list(): Promise<readonly string[]> {
    let entries: readonly (FileEntry | FolderEntry)[];
    try {
      entries = await this.folder.getEntries();
    } catch (error) {
      throw goneError(error);
    }
    const files = new Map<string, FileEntry>();
    for (const entry of entries) {
      if (isFileEntry(entry)) {
        files.set(entry.name, entry);
      }
    }
    this.files = files;
    return [...files.keys()];
  }

  async stat(name: string): Promise<FileStat | null> {
    try {
      const { size, dateModified } = await this.file(name).getMetadata();
      const modified = dateModified.getTime();
      return Number.isFinite(modified) ? { size, modified } : null;
    } catch {
      return null;
    }
  }

  photo(name: string): PhotoSource {
    return this.spool.toPhotoSource(this.file(name));
  }

  async moveInto(subfolder: string, name: string): Promise<void> {
    try {
      const file = this.file(name);
      if (this.moving.has(file.nativePath)) {
        throw new Error('the app has not answered yet');
      }
      const before = await file.getMetadata();
      const target = await this.subfolder(subfolder);
      const newName = await freeName(target, name);
      await file.moveTo(target, { overwrite: false, newName }).catch((error: unknown) => {
        if (error instanceof StorageTimeoutError) {
          void this.follow(error.later, file.nativePath, name, before, () =>
            getEntry(target, newName),
          );
        }
        throw error;
      });
    } catch (error) {
      throw goneError(error);
    }
  }

  /** Brings a file back that had another content when the app moved it at last: it is a new one. Never rejects. */
  private async follow(
    move: Promise<unknown>,
    path: string,
    name: string,
    before: Awaited<ReturnType<FileEntry['getMetadata']>>,
    moved: () => ReturnType<typeof getEntry>,
  ): Promise<void> {
    this.moving.add(path);
    try {
      await move;
      const file = await moved();
      if (file && isFileEntry(file)) {
        const { size, dateModified } = await file.getMetadata();
        const isSame =
          size === before.size && dateModified.getTime() === before.dateModified.getTime();
        if (!isSame) {
          await file.moveTo(this.folder, { overwrite: false, newName: name });
        }
      }
    } catch {
      // The file is where it was, or in the subfolder.
    }
    this.moving.delete(path);
  }

  private async subfolder(name: string): Promise<FolderEntry> {
    const found = await getEntry(this.folder, name);
    return found && !isFileEntry(found) ? found : this.folder.createFolder(name);
  }

  /** @throws {Error} for a name that is not in the last list */
  private file(name: string): FileEntry {
    const file = this.files.get(name);
    if (!file) {
      throw new Error('the file is not in the folder');
    }
    return file;
  }
}

/** `Coast.jpg`, or `Coast (2).jpg` when there is one. */
async function freeName(folder: FolderEntry, name: string): Promise<string> {
  const dot = name.lastIndexOf('.');
  const [base, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  for (let number = 1; number < MAX_NUMBER; number += 1) {
    const free = number === 1 ? name : `${base} (${number})${ending}`;
    if (!(await getEntry(folder, free))) {
      return free;
    }
  }
  throw new Error('too many files have this name');
}

function goneError(cause: unknown): CwError {
  return new CwError('CW-705', 'the watched folder cannot be read', { cause });
}
