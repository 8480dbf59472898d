import type { Clock } from '../../util/clock.js';
import { StorageRetry, StorageTimeoutError } from '../storage-retry.js';
import { type FileEntry, type FileSystem, type FolderEntry, isFileEntry } from './files.js';

/** Classes of the host's errors (storage.errors page) for failures that no other try can help. */
const LASTING_ERRORS =
  /EntryExists|EntryIsNotA|InvalidFileName|InvalidFileFormat|FormatMismatch|FileIsReadOnly|NotAFileSystem|ProviderMismatch/i;

/** Retries operations that the host's file system refuses briefly. */
export function createFileRetry(clock: Clock): StorageRetry {
  return new StorageRetry(
    clock,
    (error) => isDiskFull(error) || (error instanceof Error && LASTING_ERRORS.test(error.name)),
  );
}

/**
 * The named sub-folder of the plugin's data folder. Creates it when it does not exist.
 * @throws {unknown} what the host throws last
 */
export function dataSubfolder(
  fileSystem: Pick<FileSystem, 'getDataFolder'>,
  name: string,
  retry: StorageRetry,
): Promise<FolderEntry> {
  return retry.run(async () => {
    const data = await fileSystem.getDataFolder();
    const found = await getEntry(data, name);
    if (found && !isFileEntry(found)) {
      return found;
    }
    try {
      return await data.createFolder(name);
    } catch (error) {
      // Other work may have created it in the meantime.
      const made = await getEntry(data, name);
      if (made && !isFileEntry(made)) {
        return made;
      }
      throw error;
    }
  });
}

/**
 * The entry of that name; null when it is absent or the host refuses it: hosts reject for both.
 * @throws {StorageTimeoutError}
 */
export function getEntry(
  folder: FolderEntry,
  name: string,
): Promise<FileEntry | FolderEntry | null> {
  return folder.getEntry(name).catch((error: unknown) => {
    if (error instanceof StorageTimeoutError) {
      throw error;
    }
    return null;
  });
}

/**
 * The entry of that name; null when the folder has none. A host rejects for an absent entry as for a failure, so the
 * folder is listed before an entry counts as absent.
 * @throws {unknown} what the host throws last, when it cannot be found out
 */
export async function findEntry(
  folder: FolderEntry,
  name: string,
  retry: StorageRetry,
): Promise<FileEntry | FolderEntry | null> {
  const entry = await getEntry(folder, name);
  if (entry) {
    return entry;
  }
  const entries = await listEntries(folder, retry);
  return entries.find((other) => other.name === name) ?? null;
}

/** The entries of a folder. @throws {unknown} the host's last error */
export function listEntries(
  folder: FolderEntry,
  retry: StorageRetry,
): Promise<readonly (FileEntry | FolderEntry)[]> {
  return retry.run(() => folder.getEntries());
}

/**
 * Deletes an entry; a folder has to be empty before it can be deleted (Entry.delete).
 * @throws {unknown} what the host throws last
 */
export async function removeTree(
  entry: FileEntry | FolderEntry,
  retry: StorageRetry,
): Promise<void> {
  if (!isFileEntry(entry)) {
    for (const child of await listEntries(entry, retry)) {
      await removeTree(child, retry);
    }
  }
  await retry.run(() => entry.delete());
}

/** Whether an error of the host's file system means that the disk is full (storage.errors page: OutOfSpace). */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) {
    return false;
  }
  return /out\s*of\s*space|ENOSPC|no space left/i.test(`${error.name} ${error.message}`);
}
