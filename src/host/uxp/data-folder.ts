import { isUxpFile, type UxpFile, type UxpFileSystem, type UxpFolder } from './modules.js';

/** The named sub-folder of the plugin's data folder. Creates it when it does not exist. */
export async function dataSubfolder(fileSystem: UxpFileSystem, name: string): Promise<UxpFolder> {
  const data = await fileSystem.getDataFolder();
  const found = await findEntry(data, name);
  if (found && !isUxpFile(found)) {
    return found;
  }
  try {
    return await data.createFolder(name);
  } catch (error) {
    // Other work may have created it meanwhile.
    const made = await findEntry(data, name);
    if (made && !isUxpFile(made)) {
      return made;
    }
    throw error;
  }
}

/** The entry of that name, or null; the host rejects for an absent one. */
export async function findEntry(
  folder: UxpFolder,
  name: string,
): Promise<UxpFile | UxpFolder | null> {
  try {
    return await folder.getEntry(name);
  } catch {
    return null;
  }
}

/** Whether an error of the host's file system says that the disk is full (storage.errors page: OutOfSpace). */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) {
    return false;
  }
  return /out\s*of\s*space|ENOSPC|no space left/i.test(`${error.name} ${error.message}`);
}
