import { afterEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { ChosenFolder } from '../../src/host/folders.js';
import type { DownloadedFile } from '../../src/host/downloads.js';
import type { LinkChange, PlacedFiles, PlacedIdentity } from '../../src/host/placed-files.js';
import type { Host } from '../../src/host/host.js';
import { writeFileIdentity } from '../../src/host/placed-identity.js';
import { createUxpHost } from '../../src/host/uxp.js';
import type { InDesignModule } from '../../src/host/uxp/indesign-module.js';
import type { PremiereModule } from '../../src/host/uxp/premiere-module.js';
import { createHostModules, type HostModules, NO_NETWORK } from '../host/modules/index.js';
import type { SimulatedPhotoshopLayer } from '../host/modules/photoshop-document.js';
import { hurriedClock } from './implementations.js';

const IDENTITY: PlacedIdentity = {
  origin: 'https://workspace.example',
  uploadId: '5f0c8b1e-2d1c-4f3a-9a51-0c2b7a1d9e11',
  sha256: 'ab'.repeat(32),
  size: 'original',
};
const STEP = 'Place Coast.jpg';

let end = (): void => undefined;
afterEach(() => end());

function begin(): HostModules & { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'placed-files-'));
  const modules = createHostModules({ storageDir: join(folder, 'app'), uxpVersion: '9.3.0' });
  end = () => {
    modules.control.end();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...modules, folder };
}

async function openInDesign(more: object = {}): Promise<{
  readonly indesign: HostModules['control']['indesign'];
  readonly placed: PlacedFiles;
  readonly key: string;
  readonly file: DownloadedFile;
}> {
  const { folder, uxp, fs, os, otherApps, control } = begin();
  const indesign = otherApps.indesign as InDesignModule;
  const host = createUxpHost({ uxp, fs, os, indesign }, NO_NETWORK, hurriedClock());
  control.indesign.openDocument({ name: 'Book.indd', pages: ['1', '2'], bytes: {}, ...more });
  control.indesign.enumerations = 'numbers';
  const document = await host.openDocument?.current();
  if (!host.placedFiles || !document) throw new Error('no port');
  const path = join(folder, 'Coast.jpg');
  writeFileSync(path, 'the picture');
  const file = { name: 'Coast.jpg', path };
  return { indesign: control.indesign, placed: host.placedFiles, key: document.key, file };
}

async function openPhotoshop(more: object = {}): Promise<{
  readonly photoshop: HostModules['control']['photoshop'];
  readonly placed: PlacedFiles;
  readonly key: string;
  readonly file: DownloadedFile;
  readonly chosen: ChosenFolder;
  readonly host: Host;
}> {
  const { folder, uxp, fs, os, photoshop: module, control } = begin();
  const host = createUxpHost({ uxp, fs, os, photoshop: module }, NO_NETWORK, hurriedClock());
  control.photoshop.placesFiles = true;
  control.photoshop.openDocument({ name: 'Lake.psd', documentId: 'xmp.did:1', ...more });
  const document = await host.openDocument?.current();
  const pictures = join(folder, 'Pictures');
  mkdirSync(pictures);
  writeFileSync(join(pictures, 'Coast.jpg'), 'the picture');
  control.pickers.answer([pictures]);
  const chosen = await host.folders?.pickFolder();
  if (!host.placedFiles || !host.downloads || !document || !chosen) throw new Error('no port');
  const file = await host.downloads.file(chosen, 'Coast.jpg');
  return {
    photoshop: control.photoshop,
    placed: host.placedFiles,
    key: document.key,
    file,
    chosen,
    host,
  };
}

async function openPremiere(): Promise<{
  readonly premiere: HostModules['control']['premiere'];
  readonly placed: PlacedFiles;
  readonly key: string;
  readonly file: DownloadedFile;
}> {
  const { folder, uxp, fs, os, otherApps, control } = begin();
  const premierepro = otherApps.premierepro as PremiereModule;
  const host = createUxpHost({ uxp, fs, os, premierepro }, NO_NETWORK, hurriedClock());
  control.premiere.openProject({ name: 'Trip', seconds: 3, bytes: {} });
  const bin = { id: 'bin', name: 'Clips', path: null, bin: null, metadata: '' };
  control.premiere.items = [bin, { ...bin, id: 'trip', name: 'Trip', path: '' }];
  control.premiere.insertionBin = 'bin';
  const document = await host.openDocument?.current();
  if (!host.placedFiles || !document) throw new Error('no port');
  const path = join(folder, 'Caf\u00e9.mp4');
  writeFileSync(path, 'the film');
  const file = { name: 'Caf\u00e9.mp4', path };
  return { premiere: control.premiere, placed: host.placedFiles, key: document.key, file };
}

describe('placed files in Premiere', () => {
  it('imports into the bin of the user, with the identity in the metadata of the item', async () => {
    const { premiere, placed, key, file } = await openPremiere();
    await placed.place(key, file, IDENTITY, STEP);
    const [link, ...others] = await placed.list(key);
    expect(others).toEqual([]);
    expect(link).toMatchObject({ identity: IDENTITY, state: 'present' });
    expect([link?.name.normalize(), link?.path?.normalize()]).toEqual([file.name, file.path]);
    const item = premiere.items.at(-1);
    expect(item?.bin).toBe('bin');
    expect(item?.metadata.length).toBeLessThan(600);
    expect(premiere.undoSteps).toEqual([STEP]);
    rmSync(file.path);
    expect((await placed.list(key))[0]?.state).toBe('missing');
  });

  it('imports no file twice, and corrects its identity', async () => {
    const { premiere, placed, key, file } = await openPremiere();
    await placed.place(key, file, { ...IDENTITY, size: 'web' }, STEP);
    await placed.place(key, file, IDENTITY, STEP);
    expect((await placed.list(key)).map(({ identity }) => identity)).toEqual([IDENTITY]);
    expect(premiere.items).toHaveLength(3);
  });

  it('leaves the project as it was when any call fails', async () => {
    const { premiere, placed, key, file } = await openPremiere();
    const before = premiere.items;
    const place = (): Promise<void> => placed.place(key, file, IDENTITY, STEP);
    const calls = [
      'importFiles',
      'addPropertyToProjectMetadataSchema',
      'lockedAccess',
      'executeTransaction',
      'createSetProjectMetadataAction',
      'addAction',
    ];
    for (const [at, call] of calls.entries()) {
      premiere.failsAt = premiere.markerCalls.length + at + 1;
      await expect(place()).rejects.toMatchObject({ code: 'CW-815' });
      expect(premiere.markerCalls[premiere.failsAt - 1]).toBe(call);
      expect(premiere.items).toEqual(before);
    }
    premiere.failsAt = 0;
    premiere.dropsMetadata = true;
    await expect(place()).rejects.toMatchObject({ code: 'CW-815' });
    expect(premiere.items).toEqual(before);
  });

  it.each(['refused', 'item refused', 'two', 'nothing'] as const)(
    'removes what an import has left that did not give one item: %s',
    async (imports) => {
      const { premiere, placed, key, file } = await openPremiere();
      const before = premiere.items;
      const own = { id: 'own', name: 'own.mp4', path: '/own.mp4', bin: null, metadata: '' };
      premiere.imports = imports;
      // The user imports another file at that time.
      premiere.whileImporting = () => {
        premiere.items = [...premiere.items, own];
      };
      const placing = placed.place(key, file, IDENTITY, STEP);
      await expect(placing).rejects.toMatchObject({ code: 'CW-815' });
      expect(premiere.items).toEqual(imports === 'refused' ? before : [...before, own]);
    },
  );

  it('fails with CW-803 when another sequence is in front', async () => {
    const { premiere, placed, file } = await openPremiere();
    const placing = placed.place('premiere:other', file, IDENTITY, STEP);
    await expect(placing).rejects.toMatchObject({ code: 'CW-803' });
    await expect(placed.list('premiere:other')).rejects.toMatchObject({ code: 'CW-803' });
    expect(premiere.markerCalls).toEqual([]);
  });
});

describe('placed files in Photoshop', () => {
  const SHAPE: SimulatedPhotoshopLayer = {
    id: 7,
    bounds: { left: 0, top: 0, right: 5, bottom: 5 },
  };

  it('places a linked smart object in one step, with its identity in the XMP', async () => {
    const { photoshop, placed, key, file } = await openPhotoshop({ layers: [SHAPE] });
    const before = photoshop.content();
    await placed.place(key, file, IDENTITY, STEP);
    expect(await placed.list(key)).toEqual([
      {
        key: expect.any(String),
        name: 'Coast.jpg',
        path: file.path,
        identity: IDENTITY,
        state: 'present',
      },
    ]);
    expect(photoshop.historyNames()).toEqual([STEP]);
    expect(photoshop.content().xmp.length - before.xmp.length).toBeLessThan(500);
    photoshop.undo();
    expect(photoshop.content()).toEqual(before);
  });

  it('reads 500 smart objects with two calls', async () => {
    const { photoshop, placed, key, file } = await openPhotoshop();
    await placed.place(key, file, IDENTITY, STEP);
    const [layer = SHAPE] = photoshop.content().layers;
    photoshop.change({
      layers: Array.from({ length: 500 }, (_, index) => ({ ...layer, id: 1_000 + index })),
    });
    const before = photoshop.plays();
    const listed = await placed.list(key);
    expect(listed.filter(({ identity }) => identity?.uploadId === IDENTITY.uploadId)).toHaveLength(
      500,
    );
    expect(photoshop.plays() - before).toBe(2);
  });

  describe('and their updates', () => {
    const NEW: PlacedIdentity = { ...IDENTITY, uploadId: 'u2', sha256: '12'.repeat(32) };

    /** Two placed files, and their changes to other ones. */
    async function openTwo(): Promise<
      Awaited<ReturnType<typeof openPhotoshop>> & {
        readonly changes: readonly LinkChange[];
        readonly update: () => Promise<readonly (string | null)[]>;
        readonly shown: () => Promise<readonly string[]>;
      }
    > {
      const opened = await openPhotoshop();
      const { chosen, host, placed, key } = opened;
      const fileOf = async (name: string): Promise<DownloadedFile> => {
        writeFileSync(join(chosen.path, name), name);
        const file = await host.downloads?.file(chosen, name);
        if (!file) throw new Error('no file');
        return file;
      };
      await placed.place(key, opened.file, IDENTITY, STEP);
      await placed.place(key, await fileOf('Lake.jpg'), IDENTITY, STEP);
      const changes: LinkChange[] = [];
      for (const { key: link, name } of await placed.list(key)) {
        changes.push({ key: link, file: await fileOf(`New ${name}`), identity: NEW });
      }
      return {
        ...opened,
        changes,
        update: async () => {
          const outcomes = await host.placedFileUpdates?.relink(key, changes, 'Update 2 files');
          return outcomes?.map(({ error }) => error?.code ?? null) ?? [];
        },
        shown: async () =>
          (await placed.list(key)).map(
            ({ name, identity }) => `${name} ${identity?.uploadId.slice(0, 2) ?? 'none'}`,
          ),
      };
    }

    it('replace linked and embedded smart objects in one step', async () => {
      const { photoshop, update, shown } = await openTwo();
      const [first = SHAPE, ...others] = photoshop.content().layers;
      const { path = '' } = first.smartObject ?? {};
      const smartObject = { path, stamp: '', isLinked: false };
      photoshop.change({
        layers: [SHAPE, { ...SHAPE, id: 8, layers: [{ ...first, smartObject }] }, ...others],
      });
      const before = photoshop.content();
      expect(await update()).toEqual([null, null]);
      expect(await shown()).toEqual(['New Lake.jpg u2', 'New Coast.jpg u2']);
      expect(photoshop.historyNames().at(-1)).toBe('Update 2 files');
      photoshop.undo();
      expect(photoshop.content()).toEqual(before);
    });

    it('replace the others when one file is gone', async () => {
      const { update, shown, changes } = await openTwo();
      rmSync(changes[0]?.file.path ?? '');
      expect(await update()).toEqual(['CW-818', null]);
      expect(await shown()).toEqual(['Lake.jpg 5f', 'New Coast.jpg u2']);
    });

    it('leave the document as it was when a step fails, or Photoshop does something else', async () => {
      const { photoshop, update } = await openTwo();
      const before = photoshop.content();
      for (const failing of ['suspendHistory', 'set XMP', 'relink']) {
        photoshop.stepFault = (step) => (step === failing ? 'fail' : 'run');
        expect(await update()).toEqual(['CW-818', 'CW-818']);
        expect(photoshop.content()).toEqual(before);
      }
      photoshop.stepFault = () => 'run';
      photoshop.placesAs = 'nothing';
      expect(await update()).toEqual(['CW-818', 'CW-818']);
      photoshop.placesFiles = false;
      expect(await update()).toEqual(['CW-818', 'CW-818']);
      expect(photoshop.content()).toEqual(before);
    });

    /** Puts the first smart object into this place, with more of a layer. */
    const putAt = (
      photoshop: HostModules['control']['photoshop'],
      bounds: SimulatedPhotoshopLayer['bounds'],
      more: Partial<SimulatedPhotoshopLayer> = {},
    ): void => {
      const [first = SHAPE, ...others] = photoshop.content().layers;
      photoshop.change({ layers: [{ ...first, ...more, bounds }, ...others] });
    };
    const PLACE = { left: 100, top: 200, right: 400, bottom: 400 };

    it.each<[string, readonly [number, number], SimulatedPhotoshopLayer['bounds']]>([
      ['stay in their place for twice the pixels', [20, 20], PLACE],
      ['stay in their place for half the pixels', [5, 5], PLACE],
      [
        'cover their place without distortion for another shape',
        [20, 10],
        { left: -50, top: 200, right: 550, bottom: 400 },
      ],
    ])('%s', async (_, size, expected) => {
      for (const [relinkFits, givesCorners] of [
        [false, true],
        [false, false],
        [true, true],
      ] as const) {
        const { photoshop, update } = await openTwo();
        putAt(photoshop, PLACE);
        Object.assign(photoshop, { relinkFits, givesCorners });
        photoshop.pictureSizes.set('New Lake.jpg', size);
        const steps = photoshop.historyNames().length;
        expect(await update()).toEqual([null, null]);
        const { bounds } = photoshop.content().layers[0] ?? SHAPE;
        const wanted = relinkFits ? PLACE : expected;
        for (const side of ['left', 'top', 'right', 'bottom'] as const)
          expect(bounds[side]).toBeCloseTo(wanted[side], 5);
        expect(photoshop.historyNames().slice(steps - photoshop.historyNames().length)).toEqual([
          'Update 2 files',
        ]);
        end();
      }
    });

    it.each([true, false])('keep what a mask shows, linked: %s', async (isLinked) => {
      const { photoshop, update } = await openTwo();
      const mask = { bounds: { left: 150, top: 250, right: 300, bottom: 350 }, isLinked };
      putAt(photoshop, PLACE, { mask });
      photoshop.pictureSizes.set('New Lake.jpg', [30, 30]);
      expect(await update()).toEqual([null, null]);
      expect(photoshop.content().layers[0]).toMatchObject({ bounds: PLACE, mask });
    });

    it('leave a smart object as it was when it cannot be put into its place', async () => {
      for (const fault of ['scale', 'translate', 'link mask', 'nothing']) {
        const { photoshop, update } = await openTwo();
        const mask = { bounds: PLACE, isLinked: true };
        putAt(photoshop, PLACE, { mask });
        photoshop.pictureSizes.set('New Lake.jpg', [30, 30]);
        const [before] = photoshop.content().layers;
        photoshop.ignoresTransforms = fault === 'nothing';
        photoshop.stepFault = (step) => (step === fault ? 'fail' : 'run');
        expect(await update()).toEqual(['CW-818', null]);
        expect(photoshop.content().layers[0]).toEqual(before);
        end();
      }
    });

    it.each([true, false])(
      'have each smart object old or new, and say which, at every failing step (going back: %s)',
      async (goesBack) => {
        for (let failing = 0, isDone = false; !isDone; failing += 1) {
          const { photoshop, update, shown } = await openTwo();
          const mask = { bounds: PLACE, isLinked: true };
          putAt(photoshop, PLACE, { mask });
          photoshop.pictureSizes.set('New Lake.jpg', [30, 30]);
          const before = photoshop.content();
          const first = photoshop.steps.length;
          photoshop.stepFault = (step, index) => {
            const isBroken = !goesBack && index > first + failing && step === 'resumeHistory';
            return index === first + failing || isBroken ? 'fail' : 'run';
          };
          const found = await update();
          isDone = photoshop.steps.length <= first + failing;
          for (const [index, text] of (await shown()).entries()) {
            expect(text).toMatch(found[index] === null ? /^New .* u2$/ : /^(?!New ).* 5f$/);
            expect(found[index]).toBe(found[index] === null ? null : 'CW-818');
          }
          expect(photoshop.content().layers[0]).toMatchObject({ bounds: PLACE, mask });
          if (found.every((code) => code !== null)) expect(photoshop.content()).toEqual(before);
          if (isDone) expect(found).toEqual([null, null]);
          end();
        }
      },
    );

    it('name no other bytes before any step, so that a kill leaves none', async () => {
      const { photoshop, update } = await openTwo();
      const seen = new Set<string>();
      photoshop.stepFault = () => {
        const { layers, xmp } = photoshop.content();
        for (const { id, smartObject } of layers) {
          const entry = new RegExp(`"layer":${id},"name":"([^"]*)","file":\\{[^}]*"upload":"(..)`);
          const [, name, upload] = entry.exec(xmp.replaceAll('&quot;', '"')) ?? [];
          const shown = basename(smartObject?.path ?? '');
          seen.add(`${shown} ${name === shown ? (upload ?? '') : 'none'}`);
        }
        return 'run';
      };
      expect(await update()).toEqual([null, null]);
      expect([...seen].sort()).toEqual([
        ...['Coast.jpg 5f', 'Coast.jpg none', 'Lake.jpg 5f', 'Lake.jpg none'],
        ...['New Coast.jpg none', 'New Coast.jpg u2', 'New Lake.jpg none', 'New Lake.jpg u2'],
      ]);
    });

    it('leave the selection of layers as it was', async () => {
      const { photoshop, update } = await openTwo();
      const { layers } = photoshop.content();
      photoshop.change({ layers: [...layers, SHAPE, { ...SHAPE, id: 8 }] });
      for (const selected of [[7, 8], [7], []]) {
        photoshop.selectLayers(...selected);
        expect(await update()).toEqual([null, null]);
        expect(photoshop.selectedLayers()).toEqual(selected);
      }
      photoshop.selectLayers(8);
      photoshop.stepFault = (step) => (step === 'relink' ? 'fail' : 'run');
      await update();
      expect(photoshop.selectedLayers()).toEqual([8]);
    });

    it('are refused for a document that is not in front', async () => {
      const { photoshop, update } = await openTwo();
      photoshop.openDocument({ name: 'Other.psd' });
      await expect(update()).rejects.toMatchObject({ code: 'CW-803' });
    });
  });

  it('keeps identities of several files, through Save As and in groups', async () => {
    const { photoshop, placed, key, file, chosen, host } = await openPhotoshop();
    writeFileSync(join(chosen.path, 'Lake & <sea>.jpg'), 'another');
    const other = await host.downloads?.file(chosen, 'Lake & <sea>.jpg');
    if (!other) throw new Error('no file');
    const web = { ...IDENTITY, size: 'web', sha256: '12'.repeat(32) } as const;
    await placed.place(key, file, IDENTITY, STEP);
    await placed.place(key, other, web, STEP);
    const { layers } = photoshop.content();
    photoshop.change({ layers: [SHAPE, { ...SHAPE, id: 8, layers }] });
    photoshop.save({ name: 'Copy.psd', documentId: 'xmp.did:2' });
    const listed = await placed.list(key);
    expect(listed.map(({ name, identity }) => [name, identity])).toEqual([
      ['Lake & <sea>.jpg', web],
      ['Coast.jpg', IDENTITY],
    ]);
  });

  it('recognises a copied layer by its file, and no other file in the place of one', async () => {
    const { photoshop, placed, key, file, chosen } = await openPhotoshop();
    await placed.place(key, file, IDENTITY, STEP);
    const [layer = SHAPE] = photoshop.content().layers;
    const object = layer.smartObject ?? { path: '', stamp: '', isLinked: true };
    const replaced = { ...object, path: join(chosen.path, 'Other.jpg') };
    photoshop.change({
      layers: [
        { ...layer, id: 900 },
        { ...layer, smartObject: replaced },
      ],
    });
    const listed = await placed.list(key);
    expect(listed.map(({ identity, state }) => [identity, state])).toEqual([
      [IDENTITY, 'present'],
      [null, 'missing'],
    ]);
  });

  it('reports files that are missing, have changed, or are embedded', async () => {
    const { photoshop, placed, key, file } = await openPhotoshop();
    await placed.place(key, file, IDENTITY, STEP);
    const stateNow = async (): Promise<unknown> => (await placed.list(key))[0]?.state;
    writeFileSync(file.path, 'other bytes');
    expect(await stateNow()).toBe('changed');
    rmSync(file.path);
    expect(await stateNow()).toBe('missing');
    const [layer = SHAPE] = photoshop.content().layers;
    const smartObject = { path: file.path, stamp: '', isLinked: false };
    photoshop.change({ layers: [{ ...layer, smartObject }] });
    expect(await stateNow()).toBe('embedded');
  });

  it('leaves the document as it was when any step fails, or Photoshop does something else', async () => {
    const { photoshop, placed, key, file } = await openPhotoshop({ layers: [SHAPE] });
    const before = photoshop.content();
    const place = (): Promise<void> => placed.place(key, file, IDENTITY, STEP);
    const steps = ['suspendHistory', 'place', 'set XMP'];
    for (const failing of steps) {
      photoshop.stepFault = (step) => (step === failing ? 'fail' : 'run');
      await expect(place()).rejects.toMatchObject({ code: 'CW-815' });
      expect(photoshop.content()).toEqual(before);
    }
    photoshop.stepFault = () => 'run';
    for (const placesAs of ['embedded', 'nothing'] as const) {
      photoshop.placesAs = placesAs;
      await expect(place()).rejects.toMatchObject({ code: 'CW-815' });
      expect(photoshop.content()).toEqual(before);
    }
    photoshop.placesFiles = false;
    await expect(place()).rejects.toMatchObject({ code: 'CW-815' });
    expect(photoshop.historyNames()).toEqual([]);
  });

  it('fails with CW-803 when the document is not in front, or is closed', async () => {
    const { photoshop, placed, key, file } = await openPhotoshop();
    photoshop.openDocument({ name: 'Other.psd' });
    const placing = placed.place(key, file, IDENTITY, STEP);
    await expect(placing).rejects.toMatchObject({ code: 'CW-803' });
    photoshop.closeDocuments();
    await expect(placed.list(key)).rejects.toMatchObject({ code: 'CW-803' });
  });

  it.each([
    ['no list', '{}'],
    ['others', '[1,null,{"layer":"x"},{"layer":7,"name":"Coast.jpg","file":{"origin":"x"}}]'],
    ['no JSON', '['],
  ])('takes nothing from XMP that has %s', async (_, value) => {
    const { photoshop, placed, key, file, host } = await openPhotoshop();
    await placed.place(key, file, IDENTITY, STEP);
    const { xmp, layers } = photoshop.content();
    const start = xmp.indexOf(':Files>') + 7;
    const changed = xmp.slice(0, start) + value + xmp.slice(xmp.indexOf('</', start));
    photoshop.openDocument({ name: 'Other.psd', layers });
    photoshop.writeXmp(changed);
    const front = await host.openDocument?.current();
    const listed = await placed.list(front?.key ?? '');
    expect(listed.map(({ identity }) => identity)).toEqual([null]);
  });
});

describe('placed files in InDesign', () => {
  it('places into the selected frame, in one step, and keeps the identity in the document', async () => {
    const { indesign, placed, key, file } = await openInDesign();
    const frame = indesign.drawPicture({});
    indesign.selection = { frame };
    await placed.place(key, file, IDENTITY, STEP);
    expect(await placed.list(key)).toEqual([
      expect.objectContaining({ ...file, identity: IDENTITY, state: 'present' }),
    ]);
    expect(indesign.content().pictures).toHaveLength(1);
    expect(indesign.undoSteps()).toEqual([STEP]);
    indesign.undo();
    expect(await placed.list(key)).toEqual([]);
  });

  it('places into the frame of a selected picture, in the place of that picture', async () => {
    const { indesign, placed, key, file } = await openInDesign();
    indesign.selection = { frame: indesign.drawPicture({}) };
    await placed.place(key, file, { ...IDENTITY, size: 'web' }, STEP);
    indesign.selection = { ...indesign.selection, picture: true };
    await placed.place(key, file, IDENTITY, STEP);
    const links = await placed.list(key);
    expect(links.map(({ identity }) => identity)).toEqual([IDENTITY]);
  });

  it.each(['nothing', 'several', 'text frame', 'cursor'] as const)(
    'makes a new frame when the selection is: %s',
    async (selection) => {
      const { indesign, placed, key, file } = await openInDesign({ inFront: 1 });
      const frame = indesign.drawPicture({ kind: 'TextFrame' });
      indesign.selection = selection === 'text frame' ? { frame } : selection;
      await placed.place(key, file, IDENTITY, STEP);
      const [text, picture] = indesign.content().pictures;
      expect(text?.link).toBeNull();
      expect(picture?.link?.path).toBe(file.path);
      const [page, bounds] = [picture?.page, picture?.bounds];
      const corner = [200, 0, 0];
      expect([page, bounds?.[0], bounds?.[1]]).toEqual(
        selection === 'cursor' ? corner : [201, 80, 60],
      );
    },
  );

  it('makes a picture that is larger than the page fit on it', async () => {
    const { indesign, placed, key, file } = await openInDesign();
    indesign.pictureSize = [3200, 1200];
    await placed.place(key, file, IDENTITY, STEP);
    const [picture] = indesign.content().pictures;
    expect(picture?.bounds).toEqual([80, 60, 720, 300]);
    expect(picture?.scale).toBeCloseTo(0.2);
  });

  it('reports files that are missing or have changed, where the app gives that', async () => {
    const { indesign, placed, key, file } = await openInDesign();
    await placed.place(key, file, IDENTITY, STEP);
    rmSync(file.path);
    expect((await placed.list(key))[0]?.state).toBe('missing');
    writeFileSync(file.path, 'other bytes');
    expect((await placed.list(key))[0]?.state).toBe('changed');
    indesign.enumerations = 'opaque';
    expect((await placed.list(key))[0]?.identity).toEqual(IDENTITY);
  });

  it('keeps the identity on another computer, and takes it from another file in its place', async () => {
    const { indesign, placed, key, file } = await openInDesign();
    await placed.place(key, file, IDENTITY, STEP);
    const [picture] = indesign.content().pictures;
    const identityAt = async (path: string): Promise<PlacedIdentity | null | undefined> => {
      if (picture?.link) indesign.drawPicture({ ...picture, link: { ...picture.link, path } });
      return (await placed.list(key))[0]?.identity;
    };
    expect(await identityAt('/Volumes/Work/Links/Coast.jpg')).toEqual(IDENTITY);
    expect(await identityAt('/Volumes/Work/Links/Other.jpg')).toBeNull();
  });

  it('refuses a locked frame, a locked layer, and a document that is not in front', async () => {
    const { indesign, placed, key, file } = await openInDesign();
    indesign.selection = { frame: indesign.drawPicture({ locked: true }) };
    const place = (): Promise<void> => placed.place(key, file, IDENTITY, STEP);
    await expect(place()).rejects.toMatchObject({ code: 'CW-816' });
    indesign.lockLayer(50);
    indesign.selection = { frame: indesign.drawPicture({ id: 9 }) };
    await expect(place()).rejects.toMatchObject({ code: 'CW-816' });
    indesign.selection = 'nothing';
    await expect(place()).rejects.toMatchObject({ code: 'CW-816' });
    indesign.openDocument({ name: 'Other.indd', pages: ['1'], bytes: {} });
    indesign.selection = 'nothing';
    await expect(place()).rejects.toMatchObject({ code: 'CW-803' });
    await expect(placed.list('9')).rejects.toMatchObject({ code: 'CW-803' });
    expect(indesign.calls).toEqual([]);
  });

  it('leaves the document as it was when any call fails', async () => {
    const { indesign, placed, key, file } = await openInDesign();
    indesign.pictureSize = [3200, 1200];
    const calls = ['doScript', 'place', 'set bounds', 'fit', 'insert label'];
    const before = indesign.content();
    for (const [at, call] of calls.entries()) {
      indesign.failsAt = indesign.calls.length + at + 1;
      await expect(placed.place(key, file, IDENTITY, STEP)).rejects.toMatchObject({
        code: 'CW-815',
      });
      expect(indesign.calls.at(-1)).toBe(call);
      expect(indesign.content()).toEqual(before);
      expect(indesign.undoSteps()).toEqual([]);
    }
  });

  it('places nothing when InDesign places another file', async () => {
    const { indesign, placed, key, file } = await openInDesign();
    const other = { ...file, name: 'Other.jpg' };
    const placing = placed.place(key, other, IDENTITY, STEP);
    await expect(placing).rejects.toMatchObject({ code: 'CW-815' });
    expect(indesign.content().pictures).toEqual([]);
  });

  it('ignores labels that are no identity, and links without one', async () => {
    const { indesign, placed, key, file } = await openInDesign();
    const label = writeFileIdentity(file, IDENTITY);
    expect(Buffer.byteLength(label)).toBeLessThan(300);
    const texts = [
      ['', null],
      ['{}', null],
      ['null', null],
      [label.replace('https://workspace.example', 'javascript:alert(1)'), null],
      [label.replace('abab', 'ABAB'), null],
      [label.replace('original', 'huge'), null],
      [label.replace('5f0c', '../x'), null],
      [`${label}${' '.repeat(1000)}`, null],
      [label.replace('Coast', 'Other'), null],
      [label, IDENTITY],
    ] as const;
    for (const [text] of texts)
      indesign.drawPicture({
        id: Math.random(),
        link: { id: 1, path: file.path, stamp: '', labels: { 'creative-workspace': text } },
      });
    indesign.drawPicture({ id: 1, link: { id: 1, path: file.path, stamp: '', labels: {} } });
    for (const missing of ['empty', 'throw'] as const) {
      indesign.missingLabel = missing;
      expect((await placed.list(key)).map(({ identity }) => identity)).toEqual([
        ...texts.map(([, identity]) => identity),
        null,
      ]);
    }
  });
});
