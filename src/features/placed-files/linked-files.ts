import type { ChosenFolder, FolderPort } from '../../host/folders.js';
import type { PlacedFile } from '../../host/placed-files.js';
import type { RecordStore } from '../../host/storage.js';
import { CancelledError, CancelSource, throwIfCancelled } from '../../util/cancel.js';
import type { Clock } from '../../util/clock.js';
import { comparable } from '../../util/comparable.js';
import { toCwError, type CwError } from '../../util/errors.js';
import { isJsonObject, numberField, parseJsonObject, textField } from '../../util/json.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import { readFileFacts, type FileFacts } from '../selects/index.js';

/** Files that were placed by other means, as far as they are read. */
export interface LinkedFilesState {
  /** Whether the app has folders that can be chosen. */
  readonly canRead: boolean;
  /** How many files of how many are read; null while none is. */
  readonly progress: { readonly done: number; readonly total: number } | null;
  /** Why files could not be read, by the keys of their links. */
  readonly unread: ReadonlyMap<string, Unread>;
  /** Why the reading ended early; null when it did not. */
  readonly error: CwError | null;
}

/** The file is in no folder that was chosen, or it is longer than what is read. */
export type Unread = 'outside' | 'too-long';

export interface LinkedFilesOptions {
  /** Null in a host that has none. */
  readonly folders: FolderPort | null;
  readonly records: Pick<RecordStore, 'put'>;
  readonly clock: Clock;
}

/** What was read of a file, while it has this length and this time of change. */
interface Known extends FileFacts {
  /** Of the folder. */
  readonly token: string;
  /** In the folder. */
  readonly path: string;
  readonly size: number;
  readonly modified: number;
  /** The id of the upload that has these bytes, by the last answer of a service; null when there is none. */
  readonly upload: string | null;
}

interface OpenFolder {
  readonly folder: ChosenFolder;
  /** The paths in it, by what is compared of them. */
  readonly paths: ReadonlyMap<string, string>;
}

const KEY = 'linked-files';
/** Folders that stay chosen. */
const MAX_FOLDERS = 4;
/** Files of one folder that are found. */
const MAX_LISTED = 20_000;
/** Files about which facts are kept: more than documents have, since what is forgotten is read again. */
const MAX_KNOWN = 2_000;
/** The longest file that is read, and how much is read at once. Bytes. */
const MAX_FILE_BYTES = 512 * 1024 * 1024;
const MAX_BYTES = 4 * 1024 * 1024 * 1024;

/**
 * Reads the files of links without an identity. A plugin reaches no file by its path, so the user chooses the folder that
 * has them.
 */
export class LinkedFiles {
  private readonly store: Observable<LinkedFilesState>;
  private cancelling = new CancelSource();
  /** Tokens of the folders, the one chosen last in front. */
  private tokens: readonly string[] = [];
  /** By the paths of links, those read last at the end. */
  private known = new Map<string, Known>();

  readonly state: ReadableObservable<LinkedFilesState>;

  constructor(private readonly options: LinkedFilesOptions) {
    const canRead = options.folders !== null;
    this.store = new Observable<LinkedFilesState>({
      ...{ canRead, progress: null, unread: new Map(), error: null },
    });
    this.state = this.store;
  }

  restore(records: ReadonlyMap<string, string>): void {
    const { folders, files } = parseJsonObject(records.get(KEY) ?? '') ?? {};
    if (this.tokens.length === 0 && Array.isArray(folders)) {
      this.tokens = folders.filter((one: unknown): one is string => typeof one === 'string');
      const entries: readonly unknown[] = Array.isArray(files) ? files : [];
      this.known = new Map(entries.map(readKnown).filter((one) => one !== null));
    }
  }

  /** What is known about files without an identity, by their paths, as long as they are unchanged. Never rejects. */
  factsOf(files: readonly PlacedFile[]): Promise<ReadonlyMap<string, FileFacts>> {
    return this.unchanged(files);
  }

  /** Keeps the ids of the uploads that have the bytes of files, by their paths; null for a file that no upload has. */
  async keepUploads(uploads: ReadonlyMap<string, string | null>): Promise<void> {
    const changed = [...uploads].flatMap(([path, upload]) => {
      const known = this.known.get(path);
      return known && known.upload !== upload ? [[path, { ...known, upload }] as const] : [];
    });
    for (const [path, known] of changed) {
      this.known.set(path, known);
    }
    if (changed.length > 0) {
      await this.keep();
    }
  }

  /** The ids of the uploads that files without an identity are, by the keys of their links. Never rejects. */
  async uploadsOf(files: readonly PlacedFile[]): Promise<ReadonlyMap<string, string>> {
    const known = await this.unchanged(files);
    return new Map(
      readable(files).flatMap(({ key, path }) => {
        const upload = known.get(path)?.upload ?? null;
        return upload === null ? [] : [[key, upload] as const];
      }),
    );
  }

  private async unchanged(files: readonly PlacedFile[]): Promise<ReadonlyMap<string, Known>> {
    const wanted = readable(files).flatMap(({ path }) => {
      const known = this.known.get(path);
      return known ? [{ path, known }] : [];
    });
    const tokens = [...new Set(wanted.map(({ known }) => known.token))];
    const folders = new Map(await Promise.all(tokens.map((one) => this.open(one))));
    const facts = await Promise.all(
      wanted.map(async ({ path, known }) => {
        const stat = await folders.get(known.token)?.tree.stat(known.path);
        return stat?.size === known.size && stat.modified === known.modified
          ? ([[path, known]] as const)
          : [];
      }),
    );
    return new Map(facts.flat());
  }

  /**
   * Reads the files of links without an identity that are not known yet. Lets the user choose a folder when there is none, or
   * another one is wanted. Failures become part of the state.
   */
  async read(files: readonly PlacedFile[], isOther: boolean): Promise<void> {
    if (this.store.get().progress) {
      return;
    }
    const { signal } = (this.cancelling = new CancelSource());
    const wanted = readable(files);
    this.set({ error: null, progress: { done: 0, total: wanted.length } });
    try {
      // The picker must open within the press.
      if (this.tokens.length === 0 || isOther) {
        const folder = await this.options.folders?.pickFolder();
        if (!folder) {
          return;
        }
        this.tokens = [...new Set([folder.token, ...this.tokens])].slice(0, MAX_FOLDERS);
      }
      const folders = await this.listFolders();
      const unread = new Map<string, Unread>();
      let budget = MAX_BYTES;
      for (const [done, { key, path }] of wanted.entries()) {
        throwIfCancelled(signal);
        this.set({ progress: { done, total: wanted.length } });
        const outcome = await this.readOne(path, folders);
        if (typeof outcome === 'string') {
          unread.set(key, outcome);
          continue;
        }
        budget -= outcome.bytes;
        if (budget < 0) {
          // Another press reads on.
          break;
        }
      }
      this.set({ unread });
    } catch (error) {
      if (!(error instanceof CancelledError)) {
        this.set({ error: toCwError(error, 'CW-602', 'a linked file was not read') });
      }
    } finally {
      await this.keep();
      this.set({ progress: null });
    }
  }

  /** Ends the reading. What was read stays. */
  cancel(): void {
    this.cancelling.cancel();
  }

  /** @returns how many bytes were read, or why none were */
  private async readOne(
    path: string,
    folders: readonly OpenFolder[],
  ): Promise<Unread | { readonly bytes: number }> {
    for (const { folder, paths } of folders) {
      const inside = pathsWithin(folder.path, path).flatMap((one) => paths.get(one) ?? []);
      const [found] = inside;
      const stat = found === undefined ? null : await folder.tree.stat(found);
      if (found !== undefined && stat) {
        const { size, modified } = stat;
        const before = this.known.get(path);
        if (before?.size === size && before.modified === modified) {
          return { bytes: 0 };
        }
        if (size > MAX_FILE_BYTES) {
          return 'too-long';
        }
        const facts = await readFileFacts(folder.tree, found, this.options.clock);
        if (!facts) {
          return 'outside';
        }
        this.known.delete(path);
        const place = { token: folder.token, path: found };
        this.known.set(path, { ...facts, ...place, size, modified, upload: null });
        return { bytes: size };
      }
    }
    return 'outside';
  }

  private async listFolders(): Promise<readonly OpenFolder[]> {
    const open = await Promise.all(this.tokens.map((token) => this.open(token)));
    const folders: OpenFolder[] = [];
    for (const [, folder] of open) {
      const paths = (await folder?.tree.list(MAX_LISTED).catch(() => [])) ?? [];
      if (folder) {
        folders.push({ folder, paths: new Map(paths.map((path) => [comparable(path), path])) });
      }
    }
    return folders;
  }

  private async open(token: string): Promise<readonly [string, ChosenFolder | null]> {
    const folder = await this.options.folders?.openFolder(token).catch(() => null);
    return [token, folder ?? null];
  }

  private async keep(): Promise<void> {
    this.known = new Map([...this.known].slice(-MAX_KNOWN));
    const files = [...this.known].map(([link, known]) => ({ link, ...known }));
    // Without storage, another run reads them again.
    await this.options.records
      .put(KEY, JSON.stringify({ folders: this.tokens, files }))
      .catch(() => undefined);
  }

  private set(change: Partial<LinkedFilesState>): void {
    this.store.set({ ...this.store.get(), ...change });
  }
}

/** Links without an identity whose file is there, as the app last read it. */
function readable(
  files: readonly PlacedFile[],
): readonly { readonly key: string; readonly path: string }[] {
  return files.flatMap(({ key, path, identity, state }) =>
    identity === null && path !== null && (state === 'present' || state === 'unknown')
      ? [{ key, path }]
      : [],
  );
}

/**
 * Where a file may be in a folder, as it is compared. InDesign's paths on a Mac begin with the name of the volume and have
 * colons (Link page): the folder `/Users/anna` has `Macintosh HD:Users:anna:Coast.jpg`, `/Volumes/Disk` has `Disk:Coast.jpg`.
 */
function pathsWithin(folder: string, path: string): readonly string[] {
  const isColons = !/[/\\]/.test(path);
  const parts = comparable(path).split(isColons ? ':' : /[/\\]+/);
  const outer = comparable(folder)
    .split(/[/\\]+/)
    .filter((part) => part !== '');
  const ways = isColons
    ? [
        { outer, inner: parts.slice(1) },
        { outer: outer.slice(1), inner: outer[0] === 'volumes' ? parts : [] },
      ]
    : [{ outer, inner: parts.filter((part) => part !== '') }];
  return ways.flatMap(({ outer: start, inner }) =>
    inner.length > start.length && start.every((part, index) => part === inner[index])
      ? [inner.slice(start.length).join('/')]
      : [],
  );
}

function readKnown(value: unknown): readonly [string, Known] | null {
  const body = isJsonObject(value) ? value : {};
  const [link, token, path] = ['link', 'token', 'path'].map((name) => textField(body, name));
  const [size, modified] = ['size', 'modified'].map((name) => numberField(body, name));
  const sha256 = textField(body, 'sha256');
  const documents: readonly unknown[] = Array.isArray(body['documents']) ? body['documents'] : [];
  return link && token && path && typeof size === 'number' && typeof modified === 'number' && sha256
    ? [
        link,
        {
          ...{ token, path, size, modified, sha256 },
          upload: textField(body, 'upload'),
          documents: documents.filter((one): one is string => typeof one === 'string'),
        },
      ]
    : null;
}
