import type { Clock } from '../../util/clock.js';
import { CwError } from '../../util/errors.js';
import type { StorageRetry } from '../storage-retry.js';
import type { ChosenFolder, FileStat, FolderPort, FolderTree } from '../folders.js';
import type { PhotoSource } from '../photo-source.js';
import { createFileRetry, getEntry } from './data-folder.js';
import { UxpFolderTree, type UnansweredChanges } from './folder-tree.js';
import { isUxpFile, type UxpFile, type UxpFolder } from './uxp-module.js';
import type { UxpModules } from './modules.js';
import type { UxpSpool } from './spool.js';

/** A name in the subfolder gets a number up to this one. */
const MAX_NUMBER = 9_999;

/**
 * Folders of the user's computer. The permission `request` allows a folder that the user has picked, and a persistent
 * token opens it after a restart.
 */
export function createUxpFolders(
  modules: Pick<UxpModules, 'uxp' | 'fs'>,
  spool: Pick<UxpSpool, 'toPhotoSource'>,
  clock: Clock,
): FolderPort {
  const files = modules.uxp.storage.localFileSystem;
  const retry = createFileRetry(clock);
  const unanswered: UnansweredChanges = new Map();
  const chosen = (token: string, folder: UxpFolder): ChosenFolder => {
    const tree = new UxpFolderTree(folder, modules, retry, clock, unanswered);
    return new UxpChosenFolder(token, folder, spool, retry, tree);
  };
  return {
    async pickFolder() {
      let folder: UxpFolder | null | undefined;
      try {
        folder = await files.getFolder();
      } catch (error) {
        throw new CwError('CW-802', 'the folder picker failed', { cause: error });
      }
      if (!folder) {
        return null;
      }
      try {
        return chosen(await files.createPersistentToken(folder), folder);
      } catch (error) {
        throw goneError(error);
      }
    },

    async openFolder(token) {
      let entry: UxpFile | UxpFolder;
      try {
        entry = await retry.limit(files.getEntryForPersistentToken(token));
      } catch (error) {
        throw goneError(error);
      }
      if (isUxpFile(entry)) {
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
  private files: ReadonlyMap<string, UxpFile> = new Map();

  constructor(
    readonly token: string,
    readonly folder: UxpFolder,
    private readonly spool: Pick<UxpSpool, 'toPhotoSource'>,
    private readonly retry: StorageRetry,
    readonly tree: FolderTree,
  ) {
    this.name = folder.name;
    this.path = folder.nativePath;
  }

  async list(): Promise<readonly string[]> {
    let entries: readonly (UxpFile | UxpFolder)[];
    try {
      entries = await this.retry.limit(this.folder.getEntries());
    } catch (error) {
      throw goneError(error);
    }
    const files = new Map<string, UxpFile>();
    for (const entry of entries) {
      if (isUxpFile(entry)) {
        files.set(entry.name, entry);
      }
    }
    this.files = files;
    return [...files.keys()];
  }

  async stat(name: string): Promise<FileStat | null> {
    try {
      const { size, dateModified } = await this.retry.limit(this.file(name).getMetadata());
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
      const target = await this.subfolder(subfolder);
      await file.moveTo(target, { overwrite: false, newName: await freeName(target, name) });
    } catch (error) {
      throw goneError(error);
    }
  }

  private async subfolder(name: string): Promise<UxpFolder> {
    const found = await getEntry(this.folder, name);
    return found && !isUxpFile(found) ? found : this.folder.createFolder(name);
  }

  /** @throws {Error} for a name that is not in the last list */
  private file(name: string): UxpFile {
    const file = this.files.get(name);
    if (!file) {
      throw new Error('the file is not in the folder');
    }
    return file;
  }
}

/** `Coast.jpg`, or `Coast (2).jpg` when there is one. */
async function freeName(folder: UxpFolder, name: string): Promise<string> {
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
