import 'fake-indexeddb/auto';
import { clear, createStore } from 'idb-keyval';
import { setImmediate as nextTask } from 'node:timers/promises';
import { createBrowserRecords, createBrowserSpool } from '../../src/host/browser/database.js';
import type { Clock } from '../../src/util/clock.js';
import type { Host } from '../../src/host/host.js';
import type { PhotoSource } from '../../src/host/photo-source.js';
import type { Spool } from '../../src/host/spool.js';
import { bytesOf } from '../../src/host/http.js';
import { openUxp, type UxpPorts } from '../host-ports/implementations.js';
import { FakeClock } from '../support/fake-clock.js';

/** One storage operation: its name, and its key without ids and numbers. */
export type StorageOperation = string;

/** The outcome of a storage operation. With a promise it takes effect when that settles; in IndexedDB it hangs. */
export type Fault = (operation: StorageOperation) => 'run' | 'hang' | Error | Promise<void>;

/** Real storage of a host, with a fault for each operation that a test chooses. */
export interface FaultyStorage {
  /** Ends the run before this one and opens its storage again. */
  open(clock: FakeClock): Pick<Host, 'records' | 'spool'>;
  /** Opens the same storage a second time while the first run continues. */
  openSecond(clock: FakeClock): Pick<Host, 'records' | 'spool'>;
  photo(text: string): Promise<PhotoSource>;
  /** Decides about the operations of the run that was opened last. */
  setFault(fault: Fault): void;
  /** Whether an operation is under way, besides those that hang. */
  isBusy(): boolean;
  dispose(): Promise<void>;
}

export const STORAGES: readonly (readonly [string, () => Promise<FaultyStorage>])[] = [
  ['the data folder of UXP', () => Promise.resolve(new UxpStorage())],
  ['IndexedDB', openDatabase],
];

/** Lets `ms` pass on the clock, but not while storage is at work: its real time is none of the plugin's. */
export async function pass(
  clock: FakeClock,
  storage: Pick<FaultyStorage, 'isBusy'>,
  ms: number,
): Promise<void> {
  const end = clock.elapsed + ms;
  for (;;) {
    for (let turn = 0; turn < 4; turn += 1) await nextTask();
    if (storage.isBusy()) continue;
    if (clock.elapsed >= end) return;
    await clock.advance(Math.min(end - clock.elapsed, clock.untilNext ?? Infinity));
  }
}

class UxpStorage implements FaultyStorage {
  private readonly runs: UxpPorts[] = [];
  private folder: string | undefined;

  open(clock: FakeClock): UxpPorts {
    for (const { modules } of this.runs.splice(0)) modules.control.end();
    return this.openSecond(clock);
  }

  openSecond(clock: FakeClock): UxpPorts {
    const ports = openUxp('9.2.0', this.folder, clock);
    this.folder = ports.folder;
    this.runs.push(ports);
    return ports;
  }

  photo(text: string): Promise<PhotoSource> {
    const last = this.runs.at(-1);
    if (!last) throw new Error('not opened');
    return last.photo(`${text}.jpg`, new Uint8Array(Buffer.from(text)));
  }

  setFault(fault: Fault): void {
    const last = this.runs.at(-1);
    if (!last) throw new Error('not opened');
    last.modules.lifetime.fileFault = ({ name, on }) => fault(`${name} ${kindOf(on)}`);
  }

  isBusy(): boolean {
    return this.runs.some(
      ({ modules: { lifetime } }) => lifetime.alive && lifetime.fileOperations > 0,
    );
  }

  async dispose(): Promise<void> {
    for (const { modules } of this.runs) modules.control.end();
    await this.runs.at(-1)?.dispose();
  }
}

/** The last parts of a path, with the same word for every id and every journal; a word for a descriptor. */
function kindOf(on: string): string {
  return on
    .replace(/^\d+$/, 'descriptor')
    .replace(/^.*\/(?=[^/]+\/[^/]+$)/, '')
    .replace(/[0-9a-f]{32}/g, 'ID')
    .replace(/journal-\d+-\w+/, 'journal')
    .replace(/host-ports-\w+/, 'picked');
}

/** Methods of IndexedDB that can fail. Only a whole transaction hangs: a request that never ends would let it commit. */
const METHODS = ['get', 'getAll', 'getAllKeys', 'put', 'delete'] as const;

async function openDatabase(): Promise<FaultyStorage> {
  for (const name of ['records', 'spool']) {
    await clear(createStore(`creative-workspace-${name}`, 'values'));
  }
  let fault: Fault = () => 'run';
  let runs = 0;
  const open: { isOver: boolean }[] = [];
  let clockOfRun: Clock = new FakeClock();
  let underWay = 0;
  const restores: (() => void)[] = [];
  const patch = <T extends object>(
    target: T,
    method: keyof T & string,
    call: (original: (...args: unknown[]) => unknown, self: unknown, args: unknown[]) => unknown,
  ): void => {
    const original = target[method] as (...args: unknown[]) => unknown;
    Object.assign(target, {
      [method](this: unknown, ...args: unknown[]) {
        return call((...given) => original.apply(this, given), this, args);
      },
    });
    restores.push(() => Object.assign(target, { [method]: original }));
  };
  const refuse = (operation: string): 'run' | 'hang' => {
    const decided = fault(operation);
    if (decided instanceof Error) throw decided;
    return decided === 'run' ? 'run' : 'hang';
  };
  patch(IDBDatabase.prototype, 'transaction', (original, self, args) => {
    const { name } = self as IDBDatabase;
    if (refuse(`transaction ${name} ${String(args[1])}`) === 'hang') return hanging();
    const transaction = original(...args) as IDBTransaction;
    underWay += 1;
    let isOver = false;
    const over = (): void => {
      if (!isOver) underWay -= 1;
      isOver = true;
    };
    transaction.addEventListener('complete', over);
    transaction.addEventListener('abort', over);
    return transaction;
  });
  for (const method of METHODS) {
    patch(IDBObjectStore.prototype, method, (original, self, args) => {
      const { transaction } = self as IDBObjectStore;
      refuse(`${method} ${transaction.db.name}`);
      return original(...args);
    });
  }

  const openSecond = (clock: FakeClock): Pick<Host, 'records' | 'spool'> => {
    runs += 1;
    clockOfRun = clock;
    fault = () => 'run';
    const run = { isOver: false };
    open.push(run);
    const ownClock: Clock = {
      now: () => clock.now(),
      startTimer: (delayMs, callback) =>
        clock.startTimer(delayMs, () => {
          if (!run.isOver) callback();
        }),
    };
    return {
      records: mortal(createBrowserRecords(`copy-${runs}`, ownClock), run),
      spool: mortal(withBuffers(createBrowserSpool(ownClock)), run),
    };
  };
  return {
    open: (clock) => {
      for (const run of open.splice(0)) run.isOver = true;
      return openSecond(clock);
    },
    openSecond,
    photo: (text) =>
      Promise.resolve({
        name: `${text}.jpg`,
        type: 'image/jpeg',
        copyToSpool: (id) => createBrowserSpool(clockOfRun).copy(id, new Blob([text])),
      }),
    setFault: (next) => {
      fault = next;
    },
    isBusy: () => underWay > 0,
    dispose: () => {
      for (const restore of restores) restore();
      return Promise.resolve();
    },
  };
}

/** A port whose methods do nothing and never settle once its run is over, as after a kill. */
function mortal<T extends object>(port: T, run: { readonly isOver: boolean }): T {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown =>
        run.isOver ? new Promise(() => undefined) : member.apply(target, args);
    },
  });
}

/** A spool that gives ArrayBuffers, as the model of a service takes them, in place of Blobs. */
function withBuffers(spool: Spool): Spool {
  return {
    ...spool,
    isStreamed: false,
    async open(id) {
      const reader = await spool.open(id);
      return {
        ...reader,
        read: async (start, end) => bytesOf(await reader.read(start, end)),
      };
    },
  };
}

/** A proxy whose members are such proxies, and which never settles or calls back. */
function hanging(): unknown {
  const nothing: object = new Proxy(() => nothing, {
    get: (_target, name) => (name === 'then' ? undefined : nothing),
    set: () => true,
    apply: () => nothing,
  });
  return nothing;
}
