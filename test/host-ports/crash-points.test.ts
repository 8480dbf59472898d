import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import * as nodeFs from 'node:fs';
import * as nodePath from 'node:path';
import { setImmediate as nextTask } from 'node:timers/promises';
import { FRONT_DOCUMENT } from '../../src/features/documents/document-uploads.js';
import { plainSettings } from '../../src/features/presets/preset.js';
import type { PhotoSource } from '../../src/host/photo-source.js';
import { createFiles } from '../../src/host/uxp/files.js';
import { createInDesignExporter } from '../../src/host/uxp/indesign-exporter.js';
import type { InDesignModule } from '../../src/host/uxp/indesign-module.js';
import type { PremiereModule } from '../../src/host/uxp/premiere-module.js';
import { createPremiereExporter } from '../../src/host/uxp/premiere-exporter.js';
import { createUxpSpool, type UxpSpool } from '../../src/host/uxp/spool.js';
import { PhotoStore, type OrphanPhoto } from '../../src/features/queue/photo-store.js';
import { NEVER_CANCELLED } from '../../src/util/cancel.js';
import { File, Folder } from '../host/modules/entries.js';
import { CwError } from '../../src/util/errors.js';
import { crc32c } from '../support/crc32c.js';
import { locatedTiff, noisePixels } from '../support/located-pictures.js';
import { outcomeOf } from '../support/outcome.js';
import { seededBytes } from '../support/seeded-random.js';
import { hurriedClock, openUxp, type UxpPorts } from './implementations.js';

/** UXP's storage when two plugin instances, or another program, are at the same files. */
let ports: UxpPorts;

beforeEach(() => {
  ports = openUxp('8.4.0');
});
afterEach(async () => {
  jest.restoreAllMocks();
  await ports.dispose();
});

describe('the UXP journal', () => {
  const folder = (): string => nodePath.join(ports.dataFolder, 'records');
  const journal = (name: string): string => nodePath.join(folder(), name);
  const whole = (key: string, value: string): string =>
    `{"put":"${key}","value":"${value}"}\n{"complete":true}\n`;

  function setFiles(files: Readonly<Record<string, string>>): void {
    nodeFs.rmSync(folder(), { recursive: true, force: true });
    nodeFs.mkdirSync(folder());
    for (const [name, content] of Object.entries(files))
      nodeFs.writeFileSync(journal(name), content);
  }

  it('ignores a refused line, also when only its end is missing', async () => {
    await ports.records.put('a', 'before');
    const value = 'refused';
    const line = JSON.stringify({ put: 'a', value });
    ports.modules.control.disk.fullAfter(line.length);
    await expect(ports.records.put('a', value)).rejects.toMatchObject({ code: 'CW-703' });
    ports.modules.control.disk.makeRoom();
    await ports.records.put('b', 'after');
    ports = ports.restart();
    expect(Object.fromEntries(await ports.records.load())).toEqual({ a: 'before', b: 'after' });
  });

  it('all instances choose the same newest journal of two with the same number', async () => {
    const tags = ['00000001', '5a5a5a5a', 'a5a5a5a5', 'fffffffe'];
    for (const turned of [tags, [...tags].reverse()]) {
      setFiles(
        Object.fromEntries(
          turned.map((tag) => [`journal-7-${tag}.jsonl`, whole('newest', tag)] as const),
        ),
      );
      ports = ports.restart();
      expect(Object.fromEntries(await ports.records.load())).toEqual({ newest: 'fffffffe' });
    }
  });

  it('of two journals created at the same time, exactly one instance is superseded', async () => {
    for (const [tag, isOurs] of [
      ['00000000', true],
      ['ffffffff0', false],
    ] as const) {
      setFiles({});
      ports = ports.restart();
      await ports.records.load();
      const [own = ''] = nodeFs.readdirSync(folder());
      const number = /\d+/.exec(own)?.[0] ?? '';
      nodeFs.writeFileSync(journal(`journal-${number}-${tag}.jsonl`), whole('a', 'of the other'));
      expect(await ports.records.isOwner()).toBe(isOurs);
      const put = ports.records.put('b', 'ours');
      if (isOurs) await put;
      else await expect(put).rejects.toMatchObject({ code: 'CW-704' });
    }
  });

  it('an instance superseded during its takeover throws and changes nothing', async () => {
    const outcomes = new Set<string>();
    let isOver = false;
    for (let turns = 0; !isOver; turns += 1) {
      setFiles({ 'journal-1.jsonl': whole('a', 'kept') });
      ports = ports.restart();
      const loading = ports.records.load();
      const load = outcomeOf(loading);
      for (let turn = 0; turn < turns; turn += 1) await nextTask();
      isOver = load.state !== 'pending';
      // The other copy has begun; it is to read what is there now.
      nodeFs.writeFileSync(journal('journal-50-00000000.jsonl'), '\n');
      const toBeRead = nodeFs.readdirSync(folder()).length;
      const outcome = await loading.then(
        (records) => records.get('a') ?? 'nothing',
        (error: unknown) => String((error as { code?: unknown }).code),
      );
      outcomes.add(outcome);
      if (outcome === 'CW-704') {
        expect(nodeFs.readdirSync(folder()).length).toBeGreaterThanOrEqual(toBeRead);
        expect(nodeFs.existsSync(journal('journal-1.jsonl'))).toBe(true);
      }
    }
    expect([...outcomes].sort()).toEqual(['CW-704', 'kept']);
  });
});

function spoolOf(modules: Parameters<typeof createFiles>[0], seed: number): UxpSpool {
  const clock = hurriedClock();
  return createUxpSpool(createFiles(modules, clock), seededBytes(seed), clock);
}

/** What one app exports, and how its simulation is prepared after each start. */
interface ExportCase {
  readonly name: string;
  readonly open: (spool: UxpSpool) => Promise<() => Promise<PhotoSource>>;
}

const EXPORTED = seededBytes(7)(3000);
const EXPORTED_PICTURE = new Uint8Array([0xff, 0xd8, 0xff, 2]);

const EXPORTS: readonly ExportCase[] = [
  {
    name: 'Brochure.pdf',
    open: (spool) => {
      const { control, otherApps } = ports.modules;
      control.indesign.openDocument({
        ...{ name: 'Brochure', pages: ['1', '2'], inFront: 1 },
        bytes: { pdf: EXPORTED, jpg: EXPORTED_PICTURE },
      });
      const module = otherApps.indesign as InDesignModule;
      const exporter = createInDesignExporter(module, spool, hurriedClock(), 'run:1');
      return Promise.resolve(() =>
        exporter.exportDocument(plainSettings('pdf'), '', FRONT_DOCUMENT),
      );
    },
  },
  {
    name: 'Coast.mp4',
    open: async (spool) => {
      const { control, otherApps } = ports.modules;
      const preset = nodePath.join(ports.folder, 'Studio 1080p.epr');
      nodeFs.writeFileSync(preset, '<PremiereData/>');
      control.premiere.openProject({
        ...{ name: 'Coast', guid: '0F4D7A52-8C6E-4C0A-9B4F-2D1E3F4A5B6C', seconds: 5 },
        bytes: { mp4: EXPORTED, jpg: EXPORTED_PICTURE },
      });
      const module = otherApps.premierepro as PremiereModule;
      const files = createFiles(ports.modules, hurriedClock()).fileSystem;
      const exporter = createPremiereExporter(module, files, spool, hurriedClock());
      control.pickers.answer([preset]);
      const appPreset = (await exporter.pickAppPreset?.()) ?? null;
      return () =>
        exporter.exportDocument({ ...plainSettings('mp4'), appPreset }, '', FRONT_DOCUMENT);
    },
  },
];

describe.each(EXPORTS)('an export that is killed: $name', ({ name, open }) => {
  let ids = 0;

  /** The plugin's parts after a start, with what was left. */
  const started = async (): Promise<{
    readonly spool: UxpSpool;
    readonly store: PhotoStore;
    readonly found: readonly OrphanPhoto[];
  }> => {
    const spool = spoolOf(ports.modules, (ids += 1));
    const store = new PhotoStore({
      records: ports.records,
      spool,
      now: () => 0,
      newId: () => `new-${(ids += 1)}`,
    });
    await store.load();
    await store.clearIncoming();
    return { spool, store, found: await store.findOrphans() };
  };
  const inFolder = (folder: string): readonly string[] => {
    const path = nodePath.join(ports.dataFolder, folder);
    return nodeFs.existsSync(path) ? nodeFs.readdirSync(path) : [];
  };

  it('is there once and whole, or not at all, after a kill at each step', async () => {
    const outcomes = new Set<string>();
    for (let turns = 0, isOver = false; !isOver; turns += 1 + Math.floor(turns / 12)) {
      // Only against a loop without end: a fast machine takes more turns for the same wait.
      expect(turns).toBeLessThan(1_000_000);
      await ports.dispose();
      ports = openUxp('9.3.0');
      const { spool, store } = await started();
      const exported = await open(spool);
      const run = { isPromised: false, isCopied: false };
      const work = async (): Promise<void> => {
        const picked = store.pick(await exported(), null, 'anna');
        await store.picks.add([picked]);
        run.isPromised = true;
        await store.copy(picked, NEVER_CANCELLED);
        run.isCopied = true;
      };
      void work().catch(() => undefined);
      for (let turn = 0; turn < turns && !run.isCopied; turn += 1) await nextTask();
      const { isPromised, isCopied } = run;
      isOver = isCopied;

      ports = ports.restart();
      const next = await started();
      const [orphan, ...others] = next.found;
      expect([turns, others]).toEqual([turns, []]);
      // What was queued is there, or is listed as missing; what the app had just made may be gone.
      const isListed = next.store.picks.left.length > 0;
      if (isCopied) expect([turns, orphan?.name]).toEqual([turns, name]);
      if (isPromised) expect([turns, orphan !== undefined || isListed]).toEqual([turns, true]);
      outcomes.add(orphan === undefined ? (isListed ? 'listed' : 'nothing') : 'found');
      if (orphan !== undefined) {
        const reader = await next.spool.open(orphan.id);
        const read = (await reader.read(0, orphan.size)) as ArrayBuffer;
        expect([turns, orphan.size, new Uint8Array(read)]).toEqual([turns, 3000, EXPORTED]);
        await reader.close();
        if (isCopied) expect(await next.spool.picture?.(orphan.id)).toEqual(EXPORTED_PICTURE);
        expect(await next.spool.remove(orphan.id)).toEqual([]);
      }
      // Another start finds no second one, and nothing is left of it.
      ports = ports.restart();
      const again = await started();
      expect([turns, again.found, inFolder('spool')]).toEqual([turns, [], []]);
      expect([turns, inFolder('pictures'), inFolder('incoming')]).toEqual([turns, [], []]);
    }
    expect([...outcomes]).toEqual(expect.arrayContaining(['nothing', 'found']));
  });
});

describe('the UXP spool', () => {
  let spool: UxpSpool;

  beforeEach(() => {
    spool = spoolOf(ports.modules, 1);
  });

  it('keeps a new export until it is queued', async () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const photo = await spool.importFromHost('document.jpg', async (folder) => {
      const file = await folder.createFile('document.jpg', { overwrite: true });
      await file.write(bytes.buffer, { format: ports.modules.uxp.storage.formats.binary });
      return file;
    });
    await spool.removeIncoming(...(await spool.listIncoming()));
    const id = photo.id ?? '';
    expect(await photo.copyToSpool(id)).toMatchObject({ size: 3 });
    expect(await spool.list()).toEqual([id]);
  });

  it('lists an export folder that could not be deleted', async () => {
    const photo = await spool.importFromHost('document.jpg', async (folder) => {
      const file = await folder.createFile('document.jpg', { overwrite: true });
      await file.write('x', { format: ports.modules.uxp.storage.formats.utf8 });
      return file;
    });
    const spy = jest.spyOn(Folder.prototype, 'delete').mockRejectedValue(new Error('EBUSY'));
    const id = photo.id ?? '';
    expect(await photo.copyToSpool(id)).toMatchObject({ size: 1 });
    spy.mockRestore();
    expect(await spool.list()).toEqual([id]);
    expect(await spool.listIncoming()).toEqual([id]);
    await spool.removeIncoming(id);
    expect(await spool.listIncoming()).toEqual([]);
    expect(await spool.list()).toEqual([id]);
  });

  it('keeps the copy when its temporary folder cannot be removed', async () => {
    const photo = await ports.photo('one.jpg', new Uint8Array([1, 2]));
    const spy = jest.spyOn(Folder.prototype, 'delete').mockRejectedValue(new Error('EBUSY'));
    expect(await photo.copyToSpool('id-1')).toMatchObject({ size: 2 });
    spy.mockRestore();
    await spool.remove('id-1');
    expect(await spool.list()).toEqual([]);
  });

  it('keeps an export that cannot be moved into the spool, and moves it when it is read', async () => {
    const photo = await spool.importFromHost('document.jpg', async (folder) => {
      const file = await folder.createFile('document.jpg', { overwrite: true });
      await file.write('x', { format: ports.modules.uxp.storage.formats.utf8 });
      return file;
    });
    const spy = jest.spyOn(File.prototype, 'moveTo').mockRejectedValue(new Error('EBUSY'));
    const id = photo.id ?? '';
    expect(await photo.copyToSpool(id)).toMatchObject({ size: 1 });
    await expect(spool.open(id)).rejects.toMatchObject({ code: 'CW-702' });
    spy.mockRestore();
    const reader = await spool.open(id);
    expect(new Uint8Array((await reader.read(0, 1)) as ArrayBuffer)).toEqual(new Uint8Array([120]));
    await reader.close();
    expect(await spool.list()).toEqual([id]);
    expect(await spool.listIncoming()).toEqual([]);
  });

  describe('after a kill', () => {
    const storeOf = (): PhotoStore =>
      new PhotoStore({
        records: ports.records,
        spool: ports.spool,
        now: () => 0,
        newId: () => `new-${(ids += 1)}`,
      });
    let ids = 0;
    /** Lets the plugin start again, and gives what it finds. */
    const restarted = async (): Promise<{ store: PhotoStore; found: readonly OrphanPhoto[] }> => {
      ports = ports.restart();
      const store = storeOf();
      await store.load();
      await store.clearIncoming();
      return { store, found: await store.findOrphans() };
    };
    /** Settles when no operation on files runs besides those that hang. */
    const hung = async (isHanging: () => boolean): Promise<void> => {
      while (!isHanging() || ports.modules.lifetime.fileOperations > 0) await nextTask();
    };
    const incoming = (): readonly string[] => {
      const folder = nodePath.join(ports.dataFolder, 'incoming');
      return nodeFs.existsSync(folder) ? nodeFs.readdirSync(folder) : [];
    };
    const bytes = new Uint8Array([1, 2, 3]);

    it('takes a complete copy whose move was refused, byte for byte', async () => {
      const store = storeOf();
      await store.load();
      const picked = store.pick(await ports.photo('one.jpg', bytes), null, 'anna');
      await store.picks.add([picked]);
      const spy = jest.spyOn(File.prototype, 'moveTo').mockRejectedValue(new Error('EBUSY'));
      await store.copy(picked, NEVER_CANCELLED);
      // Nothing is deleted while another program holds the copy at the next start, either.
      await restarted();
      spy.mockRestore();
      const { found } = await restarted();
      expect(found).toMatchObject([
        { id: picked.id, name: 'one.jpg', size: 3, notedOwner: 'anna' },
      ]);
      const reader = await ports.spool.open(picked.id);
      expect(new Uint8Array((await reader.read(0, 3)) as ArrayBuffer)).toEqual(bytes);
      await reader.close();
      expect(incoming()).toEqual([]);
    });

    it.each<[string, number, boolean, 'deleted' | 'asked']>([
      ['shorter than its file', 2, false, 'deleted'],
      ['as long as its file, which can be copied again', 3, true, 'deleted'],
      ['as long as its file, which is out of reach', 3, false, 'asked'],
    ])('handles a copy that is %s', async (_what, length, hasToken, outcome) => {
      const store = storeOf();
      await store.load();
      const photo = await ports.photo('one.jpg', bytes);
      const description = { token: hasToken ? 'token' : null, size: 3 };
      const picked = store.pick(
        { ...photo, describe: () => Promise.resolve(description) },
        null,
        'anna',
      );
      await store.picks.add([picked]);
      await store.picks.describe([picked]);
      const own = nodePath.join(ports.dataFolder, 'incoming', picked.id);
      nodeFs.mkdirSync(own, { recursive: true });
      nodeFs.writeFileSync(nodePath.join(own, 'one.jpg'), bytes.subarray(0, length));
      const { store: next, found } = await restarted();
      expect(next.picks.left.map(({ name }) => name)).toEqual(
        outcome === 'deleted' ? ['one.jpg'] : [],
      );
      expect(incoming()).toEqual(outcome === 'deleted' ? [] : [picked.id]);
      // Without an owner, the user decides.
      expect(found.map(({ name, notedOwner }) => [name, notedOwner])).toEqual(
        outcome === 'deleted' ? [] : [['one.jpg', undefined]],
      );
    });

    it('finds or lists a photo whose note the records refused, after a kill at each operation', async () => {
      const outcomes = new Set<string>();
      for (let steps = 0, isOver = false; !isOver; steps += 1) {
        await ports.dispose();
        ports = openUxp('8.4.0');
        const store = storeOf();
        await store.load();
        const picked = store.pick(await ports.photo('one.jpg', bytes), null, 'anna');
        let done = 0;
        ports.modules.lifetime.fileFault = ({ on }) => {
          if (/[\\/]records[\\/]/.test(on)) return new Error('EBUSY');
          done += 1;
          return done > steps ? 'hang' : 'run';
        };
        const run = { isPromised: false, isCopied: false };
        const adding = store.picks.add([picked]).then(async () => {
          run.isPromised = true;
          await store.picks.describe([picked]);
          await store.copy(picked, NEVER_CANCELLED);
          run.isCopied = true;
        });
        await Promise.race([adding, hung(() => done > steps || run.isCopied)]);
        isOver = run.isCopied;

        const { store: next, found } = await restarted();
        const listed = next.picks.left.map(({ name }) => name);
        const isFound = found.length > 0;
        expect([steps, found.length + listed.length]).toEqual([
          steps,
          run.isPromised ? 1 : listed.length,
        ]);
        outcomes.add(isFound ? 'found' : listed.length > 0 ? 'listed' : 'nothing');
        // A copy that is listed is gone, and its note is in the records.
        expect([steps, incoming().length]).toEqual([steps, isFound ? incoming().length : 0]);
        const again = await restarted();
        expect(again.store.picks.left.map(({ name }) => name)).toEqual(listed);
        await again.store.picks.forget([picked.id]);
        expect((await restarted()).store.picks.left).toEqual([]);
        // Its bytes are those of the file.
        for (const { id, size } of found) {
          const reader = await ports.spool.open(id);
          expect(new Uint8Array((await reader.read(0, size)) as ArrayBuffer)).toEqual(bytes);
          await reader.close();
        }
      }
      expect([...outcomes].sort()).toEqual(['found', 'listed', 'nothing']);
    });

    it('keeps the note beside a copy while the records refuse it, until it is dismissed', async () => {
      const own = nodePath.join(ports.dataFolder, 'incoming', 'a'.repeat(32));
      nodeFs.mkdirSync(own, { recursive: true });
      const note = { version: 1, name: 'one.jpg', type: 'image/jpeg', token: null, bytes: null };
      nodeFs.writeFileSync(nodePath.join(own, '.note'), JSON.stringify(note));
      nodeFs.writeFileSync(nodePath.join(own, 'one.jpg'), bytes.subarray(0, 2));
      for (const isDismissed of [false, true]) {
        ports = ports.restart();
        const store = storeOf();
        await store.load();
        ports.refuseRecords?.();
        await store.clearIncoming();
        expect(store.picks.left.map(({ name }) => name)).toEqual(['one.jpg']);
        expect(incoming()).toEqual(['a'.repeat(32)]);
        ports.heal();
        if (isDismissed) await store.picks.forget(['a'.repeat(32)]);
      }
      expect(incoming()).toEqual([]);
      expect((await restarted()).store.picks.left).toEqual([]);
    });

    it('opens a picked file again by its token, unless it is gone', async () => {
      const photo = await ports.photo('one.jpg', bytes);
      const { token, size } = (await photo.describe?.()) ?? {};
      expect(size).toBe(3);
      ports = ports.restart();
      const reopened = await ports.reopenPhoto(token ?? '');
      expect(reopened?.name).toBe('one.jpg');
      expect(await reopened?.copyToSpool('id-1')).toMatchObject({ size: 3 });
      nodeFs.rmSync(nodePath.join(ports.folder, 'one.jpg'));
      expect(await ports.reopenPhoto(token ?? '')).toBeNull();
      expect(await ports.reopenPhoto('unknown')).toBeNull();
    });
  });

  describe('with changed metadata', () => {
    const located = locatedTiff(noisePixels(30, 20));
    const changes = { removeLocation: true, creator: 'Zoë', copyright: '', contact: '' };
    const imported = (file = located): ReturnType<UxpSpool['importFromHost']> =>
      spool.importFromHost(
        'document.tif',
        async (folder) => {
          const entry = await folder.createFile('document.tif', { overwrite: true });
          await entry.write(new Uint8Array(file).buffer, {
            format: ports.modules.uxp.storage.formats.binary,
          });
          return entry;
        },
        changes,
      );
    const inSpool = (id: string): Buffer =>
      nodeFs.readFileSync(nodePath.join(ports.dataFolder, 'spool', id));

    it('keeps an export without its location, and its checksum', async () => {
      const photo = await imported();
      const id = photo.id ?? '';
      const { size, crc32c: checksum } = await photo.copyToSpool(id);
      const copy = inSpool(id);
      expect([size, checksum]).toEqual([copy.length, crc32c(copy)]);
      expect(copy.toString('latin1')).not.toContain('London');
      expect(copy.subarray(8, 1808)).toEqual(located.subarray(8, 1808));
      expect(await spool.listIncoming()).toEqual([]);
      expect(ports.modules.control.openDescriptors()).toBe(0);
    });

    it('has no export with its location after a kill at any step', async () => {
      const outcomes = new Set<string>();
      const run = { finished: false };
      for (let turns = 0; !run.finished; turns += 1 + Math.floor(turns / 8)) {
        void imported()
          .then((photo) => photo.copyToSpool(photo.id ?? ''))
          .then(
            () => {
              run.finished = true;
            },
            () => undefined,
          );
        for (let turn = 0; turn < turns; turn += 1) await nextTask();
        ports = ports.restart();
        spool = spoolOf(ports.modules, turns + 2);
        const ids = await spool.list();
        outcomes.add(ids.length > 0 ? 'whole' : 'none');
        for (const id of ids) expect(inSpool(id).toString('latin1')).not.toContain('London');
        await spool.removeIncoming(...(await spool.listIncoming()));
        await spool.remove(...ids);
      }
      expect([...outcomes].sort()).toEqual(['none', 'whole']);
    });

    it.each([
      [0, 'CW-703'],
      [located.length + 700, 'CW-703'],
    ])('leaves nothing when the disk is full after %d bytes', async (room, code) => {
      ports.modules.control.disk.fullAfter(room);
      const importing = imported().catch((error: unknown) => {
        throw error instanceof CwError ? error : new CwError('CW-703', 'of the app');
      });
      await expect(importing).rejects.toMatchObject({ code });
      expect(await spool.listIncoming()).toEqual([]);
      expect(ports.modules.control.openDescriptors()).toBe(0);
    });

    it('leaves nothing of a file that it cannot change', async () => {
      await expect(imported(Buffer.from('%PDF-1.7'))).rejects.toMatchObject({ code: 'CW-810' });
      expect(await spool.listIncoming()).toEqual([]);
      expect(ports.modules.control.openDescriptors()).toBe(0);
    });
  });

  it('returns a whole slice when the host reads it in parts', async () => {
    const bytes = Uint8Array.from({ length: 100 }, (_, index) => index);
    await (await ports.photo('one.jpg', bytes)).copyToSpool('id-1');
    const { fs } = ports.modules;
    const inPieces = {
      ...fs,
      read: (fd: number, buffer: ArrayBuffer, offset: number, length: number, position: number) =>
        fs.read(fd, buffer, offset, length > 30 ? 30 : length, position),
    };
    const reader = await spoolOf({ ...ports.modules, fs: inPieces }, 1).open('id-1');
    const slice = await reader.read(5, 98);
    await reader.close();
    expect(new Uint8Array(slice as ArrayBuffer)).toEqual(bytes.slice(5, 98));
  });

  it('reports the failure of an export that also cannot be deleted', async () => {
    const spy = jest.spyOn(Folder.prototype, 'delete').mockRejectedValue(new Error('EBUSY'));
    const failing = spool.importFromHost('a.jpg', () => Promise.reject(new Error('no picture')));
    await expect(failing).rejects.toThrow('no picture');
    spy.mockRestore();
    expect(await spool.listIncoming()).toHaveLength(1);
  });

  it('removes the other copies when one of them is locked', async () => {
    for (const id of ['id-1', 'id-2', 'id-3']) {
      const photo = await ports.photo(`${id}.jpg`, new Uint8Array([1]));
      await photo.copyToSpool(id);
    }
    const remove: (this: File) => Promise<number> = Reflect.get(File.prototype, 'delete');
    const spy = jest.spyOn(File.prototype, 'delete').mockImplementation(function (this: File) {
      return this.name === 'id-1' ? Promise.reject(new Error('EBUSY')) : remove.call(this);
    });
    expect(await spool.remove('id-1', 'id-2', 'id-3')).toEqual(['id-1']);
    expect(await spool.list()).toEqual(['id-1']);
    spy.mockRestore();
    await spool.remove('id-1');
    expect(await spool.list()).toEqual([]);
  });
});
