import 'fake-indexeddb/auto';
import { jest } from '@jest/globals';
import { clear, createStore } from 'idb-keyval';
import * as nodeFs from 'node:fs';
import { tmpdir } from 'node:os';
import * as nodePath from 'node:path';
import type { Clock } from '../../src/util/clock.js';
import { CwError } from '../../src/util/errors.js';
import {
  createBrowserRecords,
  createBrowserSecrets,
  createBrowserSpool,
} from '../../src/host/browser/database.js';
import type { FolderPort } from '../../src/host/folders.js';
import type { Host } from '../../src/host/host.js';
import type { PhotoSource } from '../../src/host/photo-source.js';
import type { RecordStore, SecretStore } from '../../src/host/storage.js';
import type { Spool } from '../../src/host/spool.js';
import { createUxpHost } from '../../src/host/uxp.js';
import type { FakeClock } from '../support/fake-clock.js';
import { createHostModules, NO_NETWORK } from '../host/modules/index.js';
import type { HostModules } from '../host/modules/index.js';
import {
  memoryPhoto,
  memoryRecords,
  memorySecrets,
  memorySpool,
  MemoryStorage,
} from '../support/memory-host.js';

/** The storage ports of one host, opened on an empty storage, with the troubles a test wants of it. */
export interface PortsUnderTest {
  readonly secrets: SecretStore;
  /** The records, which are loaded before the first change. */
  readonly records: RecordStore;
  /** The same records as the host gives them. */
  readonly unloadedRecords: RecordStore;
  readonly spool: Spool;
  /** A photo as the host's picker gives it. */
  photo(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<PhotoSource>;
  /** Changes a photo that was picked, as another program might; null where a picked photo cannot change. */
  readonly changePhoto: ((name: string, bytes: Uint8Array<ArrayBuffer>) => void) | null;
  /** Makes a picked photo unreadable. */
  losePhoto(name: string): void;
  /** Ends this run at once and opens the same storage again. */
  restart(): PortsUnderTest;
  /** Opens the same storage a second time, while this run goes on. */
  secondCopy(): PortsUnderTest;
  /** Writing secrets fails from now on. */
  refuseSecrets(): void;
  /** Writing records and copies fails from now on, as on a full disk. */
  fillDisk(): void;
  /** Writing records fails from now on, for another reason than space. Null where there is no other. */
  readonly refuseRecords: (() => void) | null;
  /** The storage forgets all secrets. */
  loseSecrets(): Promise<void>;
  /** Ends all troubles. */
  heal(): void;
  /** Removes everything. */
  dispose(): Promise<void>;
}

export interface Implementation {
  readonly name: string;
  readonly open: () => Promise<PortsUnderTest>;
}

/** Every implementation of the ports there is. */
export const implementations: readonly Implementation[] = [
  { name: 'UXP 8.4', open: () => Promise.resolve(openUxp('8.4.0')) },
  { name: 'UXP 9.2', open: () => Promise.resolve(openUxp('9.2.0')) },
  { name: 'browser', open: openBrowser },
  { name: 'memory', open: () => Promise.resolve(openMemory(new MemoryStorage())) },
];

/** Records that are loaded before their first change, for tests that begin with one. */
function loadedFirst(records: RecordStore): RecordStore {
  let loading: Promise<unknown> | null = null;
  const afterLoad = async (change: () => Promise<void>): Promise<void> => {
    await (loading ??= records.load());
    await change();
  };
  return {
    load() {
      const loaded = records.load();
      loading ??= loaded.catch(() => undefined);
      return loaded;
    },
    put: (...change) => afterLoad(() => records.put(...change)),
    putAll: (...change) => afterLoad(() => records.putAll(...change)),
    remove: (...keys) => afterLoad(() => records.remove(...keys)),
    isOwner: () => records.isOwner(),
  };
}

/** The real time, except that the short waits between tries of storage are over at once. */
export function hurriedClock(): Clock {
  return {
    now: () => Date.now(),
    startTimer: (delayMs, callback) => {
      const timer = setTimeout(callback, delayMs > 1_000 ? delayMs : delayMs / 100);
      // Limits of a killed run must not keep Jest waiting.
      if (delayMs > 1_000) timer.unref();
      return () => clearTimeout(timer);
    },
  };
}

/** The outcome of work with files. Time passes for its time limits, but not while files are at work. */
export async function passUntil<T>(
  clock: FakeClock,
  { lifetime }: HostModules,
  work: Promise<T>,
): Promise<T> {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  work.then(over, over);
  // oxlint-disable-next-line typescript/no-unnecessary-condition -- it changes in between
  while (!isOver) await clock.advanceWhenIdle(1_000, () => lifetime.fileOperations > 0);
  return work;
}

/** UXP's ports over simulated modules, with the modules for tests that look closer. */
export interface UxpPorts extends PortsUnderTest {
  readonly modules: HostModules;
  /** The plugin's data folder on the real disk. */
  readonly dataFolder: string;
  /** Holds the data folder and the picked files; open it again for a restart. */
  readonly folder: string;
  readonly folders: FolderPort | null;
  readonly reopenPhoto: Host['reopenPhoto'];
  restart(): UxpPorts;
}

/** @param folder  an earlier run's, to open its storage again */
export function openUxp(
  uxpVersion: string,
  folder = nodeFs.mkdtempSync(nodePath.join(tmpdir(), 'host-ports-')),
  clock: Clock = hurriedClock(),
): UxpPorts {
  const modules = createHostModules({ storageDir: nodePath.join(folder, 'storage'), uxpVersion });
  const { control } = modules;
  const host = createUxpHost(modules, NO_NETWORK, clock);
  const dataFolder = nodePath.join(folder, 'storage', 'data');
  const pathOf = (name: string): string => nodePath.join(folder, name);
  const journals = (): string[] => {
    const records = nodePath.join(dataFolder, 'records');
    const names = nodeFs.existsSync(records) ? nodeFs.readdirSync(records) : [];
    return names.map((name) => nodePath.join(records, name));
  };
  return {
    modules,
    dataFolder,
    folder,
    secrets: host.secrets,
    records: loadedFirst(host.records),
    unloadedRecords: host.records,
    spool: host.spool,
    folders: host.folders,
    reopenPhoto: (token) => host.reopenPhoto(token),
    async photo(name, bytes) {
      nodeFs.writeFileSync(pathOf(name), bytes);
      control.pickers.answer([pathOf(name)]);
      const [photo] = await host.pickPhotos();
      if (!photo) throw new Error('the picker gave nothing');
      return photo;
    },
    changePhoto: (name, bytes) => {
      nodeFs.writeFileSync(pathOf(name), bytes);
    },
    losePhoto: (name) => control.disk.makeUnreadable(pathOf(name)),
    restart: () => {
      control.end();
      return openUxp(uxpVersion, folder, clock);
    },
    secondCopy: () => openUxp(uxpVersion, folder, clock),
    refuseSecrets: () => control.secureStorage.failWrites('the keychain is locked'),
    fillDisk: () => control.disk.fullAfter(0),
    // The journal's place is taken by a folder: it can neither be read nor written.
    refuseRecords: () => {
      for (const journal of journals()) {
        nodeFs.renameSync(journal, `${journal}.away`);
        nodeFs.mkdirSync(journal);
      }
    },
    loseSecrets: () => {
      control.secureStorage.loseEverything();
      return Promise.resolve();
    },
    heal: () => {
      control.secureStorage.failWrites(undefined);
      control.disk.makeRoom();
      for (const away of journals().filter((name) => name.endsWith('.away'))) {
        nodeFs.rmdirSync(away.replace(/\.away$/, ''));
        nodeFs.renameSync(away, away.replace(/\.away$/, ''));
      }
    },
    dispose: () => {
      control.end();
      // A write that was under way when the host was killed may still be at it.
      nodeFs.rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
      return Promise.resolve();
    },
  };
}

async function openBrowser(): Promise<PortsUnderTest> {
  for (const name of ['secrets', 'records', 'spool'])
    await clear(createStore(`creative-workspace-${name}`, 'values'));
  const clock = hurriedClock();
  const spool = createBrowserSpool(clock);
  const newRecords = (): Pick<PortsUnderTest, 'records' | 'unloadedRecords'> => {
    const unloadedRecords = createBrowserRecords(String(Math.random()), clock);
    return { unloadedRecords, records: loadedFirst(unloadedRecords) };
  };
  const lost = new Set<string>();
  const failPut = (errorName: string): void => {
    jest.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw Object.assign(new Error('refused'), { name: errorName });
    });
  };
  const ports: PortsUnderTest = {
    secrets: createBrowserSecrets(clock),
    ...newRecords(),
    spool,
    photo: (name, bytes) => {
      const blob = new Blob([bytes]);
      return Promise.resolve({
        name,
        type: 'image/jpeg',
        copyToSpool: (id) => {
          // What a browser does when it reads a file into the database and cannot.
          if (lost.has(name)) failPut('NotReadableError');
          return spool.copy(id, blob);
        },
      });
    },
    changePhoto: null,
    losePhoto: (name) => {
      lost.add(name);
    },
    restart: () => ({ ...ports, ...newRecords() }),
    secondCopy: () => ports.restart(),
    refuseSecrets: () => failPut('UnknownError'),
    fillDisk: () => failPut('QuotaExceededError'),
    refuseRecords: () => failPut('UnknownError'),
    loseSecrets: () => clear(createStore('creative-workspace-secrets', 'values')),
    heal: () => {
      jest.restoreAllMocks();
    },
    dispose: () => Promise.resolve(),
  };
  return ports;
}

function openMemory(storage: MemoryStorage): PortsUnderTest {
  const lost = new Set<string>();
  const unloadedRecords = memoryRecords(storage);
  return {
    secrets: memorySecrets(storage),
    records: loadedFirst(unloadedRecords),
    unloadedRecords,
    spool: memorySpool(storage),
    photo: (name, bytes) => {
      const photo = memoryPhoto(storage, name, bytes);
      return Promise.resolve({
        ...photo,
        copyToSpool: (id) =>
          lost.has(name)
            ? Promise.reject(new CwError('CW-602', 'the photo cannot be copied'))
            : photo.copyToSpool(id),
      });
    },
    changePhoto: null,
    losePhoto: (name) => {
      lost.add(name);
    },
    restart: () => {
      storage.heal();
      return openMemory(storage);
    },
    secondCopy: () => openMemory(storage),
    refuseSecrets: () => storage.fail('secrets.set', new CwError('CW-701', 'refused')),
    fillDisk: () => {
      storage.fail('records.put', new CwError('CW-703', 'full'));
      storage.fail('spool.copy', new CwError('CW-703', 'full'));
    },
    refuseRecords: () => storage.fail('records.put', new CwError('CW-702', 'refused')),
    loseSecrets: () => {
      storage.secrets.clear();
      return Promise.resolve();
    },
    heal: () => storage.heal(),
    dispose: () => Promise.resolve(),
  };
}
