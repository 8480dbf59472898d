import type {
  ChosenFolder,
  FileStat,
  FolderPort,
  FolderTree,
  OpenFile,
} from '../../src/host/folders.js';
import type { Downloads, FilePart } from '../../src/host/downloads.js';
import type { PagePlacing } from '../../src/host/browser/creative-app.js';

const NAME = 'Pictures';
const PATH = `/Users/mia/${NAME}`;
const CHUNK_BYTES = 1024 * 1024;

/** A folder on the computer of the simulated app, in memory. Its picker chooses it at once. */
export class PictureFolder implements Pick<PagePlacing, 'downloads' | 'folders'> {
  private readonly files = new Map<string, File>();
  private readonly parts = new Map<string, Blob>();

  /** Its path as the app writes it. */
  pathOf(name: string): string {
    return `${PATH}/${name}`;
  }

  read(name: string): File | null {
    return this.files.get(name) ?? null;
  }

  write(name: string, bytes: Blob): void {
    this.files.set(name, new File([bytes], name, { type: bytes.type }));
  }

  readonly downloads: Downloads = {
    openPart: (id) => Promise.resolve(this.part(id)),
    removeParts: () => Promise.resolve(),
    file: (_folder, name) => Promise.resolve({ name, path: this.pathOf(name) }),
  };

  folders(toPhoto: Parameters<PagePlacing['folders']>[0]): FolderPort {
    const folder: ChosenFolder = {
      token: NAME,
      name: NAME,
      path: PATH,
      list: () => Promise.resolve([...this.files.keys()]),
      stat: (name) => this.stat(name),
      photo: (name) => toPhoto(this.read(name) ?? new File([], name)),
      moveInto: (_subfolder, name) => {
        this.files.delete(name);
        return Promise.resolve();
      },
      tree: this.tree,
    };
    return {
      pickFolder: () => Promise.resolve(folder),
      openFolder: () => Promise.resolve(folder),
    };
  }

  private readonly tree: FolderTree = {
    list: () => Promise.resolve([...this.files.keys()]),
    stat: (path) => this.stat(path),
    read: async (path) => {
      const file = this.read(path);
      return file && new Uint8Array(await file.arrayBuffer());
    },
    open: (path) => {
      const file = this.read(path) ?? new File([], path);
      const open: OpenFile = {
        size: file.size,
        read: async (start, end) => new Uint8Array(await file.slice(start, end).arrayBuffer()),
        close: () => Promise.resolve(),
      };
      return Promise.resolve(open);
    },
    replace: async (path, _before, parts) => {
      const all: Uint8Array<ArrayBuffer>[] = [];
      for await (const part of parts) {
        all.push(new Uint8Array(part));
      }
      this.write(path, new Blob(all));
      return 'replaced';
    },
    remove: (path) => {
      this.files.delete(path);
      return Promise.resolve();
    },
    recover: () => Promise.resolve(new Set()),
  };

  private stat(name: string): Promise<FileStat | null> {
    const file = this.read(name);
    return Promise.resolve(file && { size: file.size, modified: file.lastModified });
  }

  private part(id: string): FilePart {
    const { parts } = this;
    const before = parts.get(id) ?? new Blob([]);
    return {
      size: before.size,
      write: (bytes, at) => {
        parts.set(id, new Blob([(parts.get(id) ?? before).slice(0, at), bytes]));
        return Promise.resolve();
      },
      async *chunks() {
        for (let at = 0; at < before.size; at += CHUNK_BYTES) {
          yield new Uint8Array(await before.slice(at, at + CHUNK_BYTES).arrayBuffer());
        }
      },
      close: () => Promise.resolve(),
      moveTo: (_folder, name) => {
        const isFree = this.read(name) === null;
        if (isFree) {
          this.write(name, parts.get(id) ?? before);
          parts.delete(id);
        }
        return Promise.resolve(isFree);
      },
      remove: () => {
        parts.delete(id);
        return Promise.resolve();
      },
    };
  }
}
