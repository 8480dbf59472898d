/** Photos whose media type browsers do not know. */
const PHOTO =
  /\.(jpe?g|heic|heif|avif|tiff?|psd|psb|dng|cr[23w]|nef|nrw|arw|sr2|raf|rw2|orf|pef|srw|3fr|fff|iiq|x3f|gpr)$/i;

/** The dropped files, and the photos in dropped folders. */
export async function droppedFiles(transfer: DataTransfer | null): Promise<File[]> {
  // All at once: what was dropped can be read only during the event.
  const dropped = [...(transfer?.items ?? [])].map((item) => {
    const entry = item.webkitGetAsEntry();
    return entry?.isDirectory === true ? (entry as FileSystemDirectoryEntry) : item.getAsFile();
  });
  const files: File[] = [];
  for (const one of dropped) {
    if (one instanceof File) {
      files.push(one);
    } else if (one !== null) {
      files.push(...(await photosIn(one)));
    }
  }
  return files;
}

/** The photos of a folder and its folders, by name. What cannot be read is left out. */
async function photosIn(folder: FileSystemDirectoryEntry): Promise<File[]> {
  const entries = await entriesOf(folder).catch(() => []);
  entries.sort((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }));
  const found: File[] = [];
  for (const entry of entries) {
    if (entry.isDirectory) {
      found.push(...(await photosIn(entry as FileSystemDirectoryEntry)));
    } else {
      const file = await fileOf(entry as FileSystemFileEntry).catch(() => undefined);
      if (file !== undefined && isPhoto(file)) {
        found.push(file);
      }
    }
  }
  return found;
}

/** Browsers give a hundred at a time. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (some.length === 0) {
      return all;
    }
    all.push(...some);
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => {
    entry.file(resolve, reject);
  });
}

function isPhoto({ name, type }: File): boolean {
  // macOS puts `._name` beside files on other disks.
  return !name.startsWith('.') && (type.startsWith('image/') || PHOTO.test(name));
}
