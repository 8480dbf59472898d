import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../src/util/clock.js';
import { CwError } from '../../src/util/errors.js';
import type { Host, HostInfo } from '../../src/host/host.js';
import type { MountPanel, PanelEntry } from '../../src/host/panel-entry.js';
import type { PhotoSource } from '../../src/host/photo-source.js';
import type { RecordStore, SecretStore } from '../../src/host/storage.js';
import type { Spool } from '../../src/host/spool.js';
import type { Xhr } from '../../src/host/http.js';
import { readChunks } from '../../src/host/chunks.js';
import { FakeClock } from './fake-clock.js';
import { seededBytes } from './seeded-random.js';

/** Every operation of the storage ports, by the name under which it is recorded and made to fail. */
export type Operation =
  | 'secrets.get'
  | 'secrets.set'
  | 'secrets.remove'
  | 'records.load'
  | 'records.put'
  | 'records.remove'
  | 'spool.copy'
  | 'spool.open'
  | 'spool.read'
  | 'spool.size'
  | 'spool.remove'
  | 'spool.list';

/**
 * The content of the storage and its faults. It outlives the host: another {@link createMemoryHost}
 * over the same storage is a restart.
 */
export class MemoryStorage {
  readonly secrets = new Map<string, string>();
  readonly records = new Map<string, string>();
  readonly spool = new Map<string, Uint8Array<ArrayBuffer>>();
  /** Every requested operation, in order, with its key: `records.put 0a1b`. */
  readonly log: string[] = [];

  /** Counts the plugin instances that took the records over; the newest keeps them. */
  owner = 0;

  readonly #faults = new Map<Operation, { error: Error; left: number }>();
  #stepsLeft = Infinity;
  readonly #held: {
    readonly isHeld: (operation: Operation, key: string) => boolean;
    readonly free: Promise<void>;
  }[] = [];

  /** The next `times` operations of this kind reject with `error` and change nothing. */
  fail(operation: Operation, error: Error, times = Infinity): void {
    this.#faults.set(operation, { error, left: times });
  }

  /** A slow disk: operations of this kind begin only when the function that is given back was called. */
  holdBack(isHeld: (operation: Operation, key: string) => boolean): () => void {
    let letGo = (): void => undefined;
    const free = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    this.#held.push({ isHeld, free });
    return () => letGo();
  }

  /** Ends every fault and every stop. */
  heal(): void {
    this.#faults.clear();
    this.#stepsLeft = Infinity;
  }

  /**
   * The plugin dies after `steps` more changes: later operations change nothing and never settle,
   * and the answer to the last change never comes either. A restart begins with `heal`.
   */
  dieAfter(steps: number): void {
    this.#stepsLeft = steps;
  }

  /** Runs one operation for the ports: records it, fails it, or lets the plugin die in it. */
  async run<T>(operation: Operation, key: string, change: () => T): Promise<T> {
    for (const { isHeld, free } of this.#held) if (isHeld(operation, key)) await free;
    this.log.push(`${operation} ${key}`.trimEnd());
    // Like a real host, never answer within the call itself.
    await Promise.resolve();
    if (this.#stepsLeft <= 0) return new Promise(() => undefined);
    const fault = this.#faults.get(operation);
    if (fault && fault.left > 0) {
      fault.left -= 1;
      throw fault.error;
    }
    const result = change();
    if (isChange(operation)) {
      this.#stepsLeft -= 1;
      if (this.#stepsLeft <= 0) return new Promise(() => undefined);
    }
    return result;
  }
}

function isChange(operation: Operation): boolean {
  return /\.(set|put|remove|copy)$/.test(operation);
}

/** {@link SecretStore} in memory. */
export function memorySecrets(storage: MemoryStorage): SecretStore {
  return {
    get: (key) => storage.run('secrets.get', key, () => storage.secrets.get(key) ?? null),
    set: (key, value) =>
      storage.run('secrets.set', key, () => {
        storage.secrets.set(key, value);
      }),
    remove: (key) =>
      storage.run('secrets.remove', key, () => {
        storage.secrets.delete(key);
      }),
  };
}

/** {@link RecordStore} in memory. Each is another plugin instance. */
export function memoryRecords(storage: MemoryStorage): RecordStore {
  let own = 0;
  const takeOver = (): void => {
    storage.owner += 1;
    own = storage.owner;
  };
  const checkOwner = (): void => {
    if (own === 0) throw new CwError('CW-702', 'the upload list has not been read yet');
    if (own !== storage.owner)
      throw new CwError('CW-704', 'another instance of the plugin keeps the records now');
  };
  return {
    load: () =>
      storage.run('records.load', '', () => {
        takeOver();
        return new Map(storage.records);
      }),
    put: (key, value, ...gone) =>
      storage.run('records.put', [key, ...gone].join(' '), () => {
        checkOwner();
        storage.records.set(key, value);
        for (const old of gone) storage.records.delete(old);
      }),
    putAll: (written, ...gone) =>
      storage.run('records.put', [...written.keys(), ...gone].join(' '), () => {
        checkOwner();
        for (const [key, value] of written) storage.records.set(key, value);
        for (const old of gone) storage.records.delete(old);
      }),
    remove: (...keys) =>
      storage.run('records.remove', keys.join(' '), () => {
        checkOwner();
        for (const key of keys) storage.records.delete(key);
      }),
    isOwner: () => Promise.resolve(own !== 0 && own === storage.owner),
  };
}

/** {@link Spool} in memory; bodies are ArrayBuffers. */
export function memorySpool(storage: MemoryStorage): Spool {
  const copyOf = (id: string): Uint8Array<ArrayBuffer> => {
    const bytes = storage.spool.get(id);
    if (!bytes) throw new CwError('CW-607', 'the kept copy of a photo is gone');
    return bytes;
  };
  return {
    open: (id) =>
      storage.run('spool.open', id, () => {
        const bytes = copyOf(id);
        const read = (start: number, end: number): Promise<ArrayBuffer> =>
          storage.run('spool.read', id, () => {
            if (end > bytes.length)
              throw new CwError('CW-607', 'the kept copy of a photo is shorter than it was');
            return bytes.slice(start, end).buffer;
          });
        return {
          read,
          chunks: (start: number, end: number) => readChunks(read, start, end),
          close: () => Promise.resolve(),
        };
      }),
    size: (id) => storage.run('spool.size', id, () => copyOf(id).length),
    remove: (...ids) =>
      storage
        .run('spool.remove', ids.join(' '), () => {
          for (const id of ids) storage.spool.delete(id);
        })
        .then(
          () => [],
          () => ids,
        ),
    noteIncoming: () => Promise.resolve(),
    listIncoming: () => Promise.resolve([]),
    incomingCopy: () => Promise.resolve(null),
    removeIncoming: () => Promise.resolve(),
    list: () => storage.run('spool.list', '', () => [...storage.spool.keys()]),
  };
}

/** A photo the user might pick, with these bytes. @param crc32c  what the host computes while it copies, if it does */
export function memoryPhoto(
  storage: MemoryStorage,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
  type = 'image/jpeg',
  crc32c: number | null = null,
): PhotoSource {
  return {
    name,
    type,
    copyToSpool: (id) =>
      storage.run('spool.copy', id, () => {
        storage.spool.set(id, bytes.slice());
        return { size: bytes.length, crc32c };
      }),
  };
}

/** A {@link Host} in memory, with its storage and the controls of a test. */
export interface MemoryHost extends Host {
  readonly storage: MemoryStorage;
  /** Addresses the browser was opened at. */
  readonly opened: string[];
  /** Texts put on the clipboard. */
  readonly copied: string[];
  /** The saved files by name. */
  readonly saved: Map<string, string>;
  /** The user's next picks; cleared by each picker. */
  picks: PhotoSource[];
  /** Set to make the browser refuse. */
  browserError: CwError | null;
  /** Set to make the clipboard refuse. */
  clipboardError: CwError | null;
  /** Notifies the plugin that the computer has woken. */
  awake: () => void;
  /** For `startPlugin`. */
  readonly mountPanel: MountPanel;
  /** The panel, once it was mounted. */
  panel: PanelEntry | null;
}

export interface MemoryHostOptions {
  /** Give an earlier host's storage to restart on it. Default: empty. */
  readonly storage?: MemoryStorage;
  /** Default: a new FakeClock. */
  readonly clock?: Clock;
  /** Seed of the host's randomness. Default 1. Give another for a restart, or ids repeat. */
  readonly seed?: number;
  /** Default: there is no network, and asking for it throws. */
  readonly createXhr?: () => Xhr;
  readonly info?: Partial<HostInfo>;
}

export function createMemoryHost(options: MemoryHostOptions = {}): MemoryHost {
  const { storage = new MemoryStorage(), clock = new FakeClock(), seed = 1 } = options;
  const host: MemoryHost = {
    storage,
    opened: [],
    copied: [],
    saved: new Map(),
    picks: [],
    browserError: null,
    clipboardError: null,
    awake: () => undefined,
    panel: null,
    info: {
      appName: 'memory',
      appVersion: '1.0',
      platform: 'memory',
      os: '',
      pluginVersion: '0.0.0',
      uiLocale: 'en_US',
      ...options.info,
    },
    clock,
    randomBytes: seededBytes(seed),
    secrets: memorySecrets(storage),
    records: memoryRecords(storage),
    spool: memorySpool(storage),
    documentExporter: null,
    openDocument: null,
    documentComments: null,
    placedFiles: null,
    placedFileUpdates: null,
    fileOpener: null,
    documentSaves: null,
    actionSteps: null,
    pictureScaler: null,
    folders: null,
    downloads: null,
    async pickPhotos() {
      await Promise.resolve();
      return host.picks.splice(0);
    },
    reopenPhoto: () => Promise.resolve(null),
    async saveFile(name, content) {
      host.saved.set(name, await content());
      return true;
    },
    async openInBrowser(url) {
      await Promise.resolve();
      if (host.browserError) throw host.browserError;
      host.opened.push(url);
    },
    async copyText(text) {
      await Promise.resolve();
      if (host.clipboardError) throw host.clipboardError;
      host.copied.push(text);
    },
    createXhr:
      options.createXhr ??
      (() => {
        throw new Error('this host has no network');
      }),
    onAwake(callback) {
      host.awake = callback;
    },
    async readOwnFile(path) {
      await Promise.resolve();
      const file = join(import.meta.dirname, '..', '..', 'src', 'static', path);
      return existsSync(file) ? readFileSync(file, 'utf8') : null;
    },
    showMessage: () => Promise.resolve(),
    mountPanel: (panel) => {
      host.panel = panel;
    },
  };
  return host;
}
