import * as nodeFs from 'node:fs';
import { randomUUID } from 'node:crypto';
import type { Entry, EntryContext } from './entries.js';
import { File, Folder, storageFailure, types } from './entries.js';
import type { FileAccess, Sandbox } from './sandbox.js';

/** The options of a picker. */
interface PickerCall {
  readonly kind: 'open' | 'save' | 'folder';
  readonly options: Readonly<Record<string, unknown>>;
}

/** The user in front of the pickers. */
export interface PickerControl {
  /** Answers the open picker, or the next one to open: native paths, or 'cancel'. */
  answer(answer: readonly string[] | 'cancel'): void;
  /** Every picker opened so far. */
  readonly calls: PickerCall[];
  /** How many pickers are open. */
  readonly open: number;
}

interface PickerOptions {
  initialDomain?: symbol;
  types?: readonly string[];
  initialLocation?: Entry;
  allowMultiple?: boolean;
}

/** `require('uxp').storage.localFileSystem`: exactly the members of its page. */
export interface LocalFileSystem {
  readonly isFileSystemProvider: true;
  readonly supportedDomains: symbol[];
  getFileForOpening(options?: PickerOptions): Promise<File | File[] | null>;
  getFileForSaving(suggestedName?: string, options?: PickerOptions): Promise<File | null>;
  getFolder(options?: PickerOptions): Promise<Folder | null>;
  getTemporaryFolder(): Promise<Folder>;
  getDataFolder(): Promise<Folder>;
  getPluginFolder(): Promise<Folder>;
  createEntryWithUrl(
    url: string,
    options?: { type?: symbol; overwrite?: boolean },
  ): Promise<File | Folder>;
  getEntryWithUrl(url: string): Promise<File | Folder>;
  getFsUrl(entry: Entry): string;
  getNativePath(entry: Entry): string;
  createSessionToken(entry: File | Folder): string;
  getEntryForSessionToken(token: string): Entry;
  createPersistentToken(entry: File | Folder): Promise<string>;
  getEntryForPersistentToken(token: string): Promise<File | Folder>;
}

/** The domains of `storage.domains`. */
export const domains: Readonly<Record<string, symbol>> = Object.fromEntries(
  [
    'userDesktop',
    'userDocuments',
    'userPictures',
    'userVideos',
    'userMusic',
    'appLocalData',
    'appLocalLibrary',
    'appLocalCache',
    'appLocalShared',
    'appLocalTemporary',
    'appRoamingData',
    'appRoamingLibrary',
  ].map((name) => [name, Symbol(name)]),
);

type PickerAnswer = readonly string[] | 'cancel';

/** The entry of a persistent token. */
interface StoredToken {
  readonly token: string;
  readonly path: string;
  /** An entry that was deleted and made again is another one. */
  readonly inode: number;
}

/** Persistent tokens, which outlast a restart. They are valid until the entry is moved. */
class PersistentTokens {
  constructor(private readonly file: string) {}

  /** Appends a line, so that a token costs the same however many there are. */
  add(path: string): string {
    const token = randomUUID();
    const inode = nodeFs.statSync(path).ino;
    const line = { token, path, inode } satisfies StoredToken;
    nodeFs.appendFileSync(this.file, `${JSON.stringify(line)}\n`);
    return token;
  }

  /** The path of a token; undefined for one that is not valid any more. */
  find(token: string): string | undefined {
    const stored = this.#read().find((one) => one.token === token);
    const stat = stored && nodeFs.statSync(stored.path, { throwIfNoEntry: false });
    return stat?.ino === stored?.inode ? stored?.path : undefined;
  }

  #read(): readonly StoredToken[] {
    if (!nodeFs.existsSync(this.file)) return [];
    const lines = nodeFs.readFileSync(this.file, 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as StoredToken);
  }
}

/**
 * @param onDialog called when a picker opens
 * @param tokenFile where persistent tokens are kept
 */
export function createLocalFileSystem(
  context: EntryContext,
  sandbox: Sandbox,
  access: FileAccess,
  onDialog: () => void,
  tokenFile: string,
): { localFileSystem: LocalFileSystem; control: PickerControl } {
  const { lifetime } = context;
  const ready: PickerAnswer[] = [];
  const waiting: ((answer: PickerAnswer) => void)[] = [];
  const calls: PickerCall[] = [];
  const sessionTokens = new Map<string, Entry>();
  const persistentTokens = new PersistentTokens(tokenFile);

  const control: PickerControl = {
    answer: (answer) => {
      const next = waiting.shift();
      if (next === undefined) ready.push(answer);
      else next(answer);
    },
    calls,
    get open() {
      return waiting.length;
    },
  };

  const pick = async (kind: PickerCall['kind'], options: object): Promise<PickerAnswer> => {
    if (access === 'plugin') {
      throw storageFailure(
        context,
        'PermissionDeniedError',
        'pickers need the permission localFileSystem: "request"',
      );
    }
    calls.push({ kind, options: { ...options } });
    onDialog();
    const answer = ready.shift();
    if (answer !== undefined) return answer;
    return new Promise((resolve) => waiting.push(resolve));
  };
  const file = (path: string, readOnly: boolean): File =>
    new File(path, context, { readOnly, picked: true });
  const rooted = (scheme: 'plugin' | 'plugin-data' | 'plugin-temp'): Promise<Folder> =>
    lifetime.callOnFile(
      { name: 'getFolder', on: sandbox.roots[scheme] },
      () =>
        new Folder(sandbox.roots[scheme], context, {
          readOnly: scheme === 'plugin',
          picked: false,
        }),
    );
  const unknownToken = (): Error => new lifetime.realm.Error('unknown token');

  const localFileSystem: LocalFileSystem = {
    isFileSystemProvider: true,
    supportedDomains: Object.values(domains),
    // The picker opens at once, inside the click that asked for it; only its answer comes later.
    getFileForOpening(options = {}) {
      const picked = pick('open', options);
      picked.catch(() => undefined);
      return lifetime.call(async () => {
        const answer = await picked;
        const paths = answer === 'cancel' ? [] : answer;
        if (options.allowMultiple === true) return paths.map((path) => file(path, true));
        const [first] = paths;
        return first === undefined ? null : file(first, true);
      });
    },
    getFileForSaving(suggestedName, options = {}) {
      const picked = pick('save', { ...options, suggestedName });
      picked.catch(() => undefined);
      return lifetime.call(async () => {
        const answer = await picked;
        const [first] = answer === 'cancel' ? [] : answer;
        return first === undefined ? null : file(first, false);
      });
    },
    getFolder(options = {}) {
      const picked = pick('folder', options);
      picked.catch(() => undefined);
      return lifetime.call(async () => {
        const answer = await picked;
        const [first] = answer === 'cancel' ? [] : answer;
        return first === undefined
          ? null
          : new Folder(first, context, { readOnly: false, picked: true });
      });
    },
    getTemporaryFolder: () => rooted('plugin-temp'),
    getDataFolder: () => rooted('plugin-data'),
    getPluginFolder: () => rooted('plugin'),
    createEntryWithUrl(url, options = {}) {
      return lifetime.call(() => {
        const { nativePath, readOnly } = sandbox.resolve(url);
        if (readOnly)
          throw storageFailure(context, 'PermissionDeniedError', 'plugin: is read-only');
        const exists = nodeFs.existsSync(nativePath);
        const isFolder = options.type === types.folder;
        if (exists && (isFolder || options.overwrite !== true)) {
          throw storageFailure(context, 'EntryExistsError', 'the entry exists');
        }
        if (!isFolder) return new File(nativePath, context, { readOnly, picked: false });
        nodeFs.mkdirSync(nativePath);
        return new Folder(nativePath, context, { readOnly, picked: false });
      });
    },
    getEntryWithUrl(url) {
      return lifetime.call(() => {
        const { nativePath, readOnly } = sandbox.resolve(url);
        const origin = { readOnly, picked: false };
        return nodeFs.statSync(nativePath).isDirectory()
          ? new Folder(nativePath, context, origin)
          : new File(nativePath, context, origin);
      });
    },
    getFsUrl: (entry) => entry.url,
    getNativePath: (entry) => entry.nativePath,
    createSessionToken(entry) {
      const token = randomUUID();
      sessionTokens.set(token, entry);
      return token;
    },
    getEntryForSessionToken(token) {
      const entry = sessionTokens.get(token);
      if (entry === undefined) throw unknownToken();
      return entry;
    },
    createPersistentToken: (entry) =>
      lifetime.callOnFile({ name: 'createPersistentToken', on: entry.nativePath }, () =>
        persistentTokens.add(entry.nativePath),
      ),
    getEntryForPersistentToken: (token) =>
      lifetime.callOnFile({ name: 'getEntryForPersistentToken', on: token }, () => {
        const path = persistentTokens.find(token);
        if (path === undefined) throw unknownToken();
        return nodeFs.statSync(path).isDirectory()
          ? new Folder(path, context, { readOnly: false, picked: true })
          : file(path, true);
      }),
  };
  return { localFileSystem, control };
}
