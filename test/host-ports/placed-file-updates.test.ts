import { afterEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type {
  LinkChange,
  LinkOutcome,
  PlacedFiles,
  PlacedFileUpdates,
  PlacedIdentity,
} from '../../src/host/placed-files.js';
import { readFileIdentity, writeFileIdentity } from '../../src/host/placed-identity.js';
import { createUxpHost } from '../../src/host/uxp.js';
import type { InDesignModule } from '../../src/host/uxp/indesign-module.js';
import { createHostModules, type HostModules, NO_NETWORK } from '../host/modules/index.js';
import type { SimulatedPicture } from '../host/modules/indesign-module.js';
import { hurriedClock } from './implementations.js';

const STEP = 'Update 2 files';
const LABEL = 'creative-workspace';

let end = (): void => undefined;
afterEach(() => end());

function identity(version: number): PlacedIdentity {
  const sha256 = String(version).repeat(64);
  return { origin: 'https://workspace.example', uploadId: `u${version}`, sha256, size: 'original' };
}

interface Book {
  readonly indesign: HostModules['control']['indesign'];
  readonly module: InDesignModule;
  readonly placed: PlacedFiles;
  readonly updates: PlacedFileUpdates;
  readonly key: string;
  /** Draws a picture with version 1 of a file. */
  draw(name: string, more?: Partial<SimulatedPicture>): Promise<number>;
  /** The change of the only link, or the one with this name, to version 2. */
  changes(...names: readonly string[]): Promise<readonly LinkChange[]>;
  update(...names: readonly string[]): Promise<readonly LinkOutcome[]>;
  picture(id: number): SimulatedPicture | undefined;
}

async function openBook(): Promise<Book> {
  const folder = mkdtempSync(join(tmpdir(), 'placed-file-updates-'));
  const modules = createHostModules({ storageDir: folder, uxpVersion: '9.3.0' });
  end = () => {
    modules.control.end();
    rmSync(folder, { recursive: true, force: true });
  };
  const { uxp, fs, os, otherApps, control } = modules;
  const { indesign } = control;
  const module = otherApps.indesign as InDesignModule;
  const host = createUxpHost({ uxp, fs, os, indesign: module }, NO_NETWORK, hurriedClock());
  indesign.openDocument({ name: 'Book.indd', pages: ['1', '2'], bytes: {} });
  indesign.enumerations = 'numbers';
  const document = await host.openDocument?.current();
  const { placedFiles: placed, placedFileUpdates: updates } = host;
  if (!placed || !updates || !document) throw new Error('no port');
  const { key } = document;
  let drawn = 0;
  const changes: Book['changes'] = async (...names) => {
    const links = await placed.list(key);
    return names.map((name) => {
      const file = { name: `${name} 2.jpg`, path: join(folder, `${name} 2.jpg`) };
      writeFileSync(file.path, 'version 2');
      const link = links.find((one) => one.name === `${name}.jpg`);
      return { key: link?.key ?? 'gone', file, identity: identity(2) };
    });
  };
  return {
    ...{ indesign, module, placed, updates, key, changes },
    draw: (name, more) => {
      const path = join(folder, `${name}.jpg`);
      writeFileSync(path, 'version 1');
      drawn += 1;
      const labels = { [LABEL]: writeFileIdentity({ name: `${name}.jpg` }, identity(1)) };
      const link = { id: 10 + drawn, path, stamp: '', labels };
      return Promise.resolve(indesign.drawPicture({ id: drawn, link, ...more }));
    },
    update: async (...names) => updates.relink(key, await changes(...names), STEP),
    picture: (id) => indesign.content().pictures.find((one) => one.id === id),
  };
}

/** Which version a picture shows, and which its label names. */
function versionsIn({ link }: SimulatedPicture): readonly [shown: number, labelled: number | null] {
  const named = readFileIdentity(link?.labels[LABEL], basename(link?.path ?? ''))?.uploadId;
  return [link?.path.endsWith(' 2.jpg') === true ? 2 : 1, named ? Number(named.slice(1)) : null];
}

const codes = (outcomes: readonly LinkOutcome[]): readonly (string | null)[] =>
  outcomes.map(({ error }) => error?.code ?? null);

describe('an update of placed files in InDesign', () => {
  it('replaces several in one step, with their identities', async () => {
    const book = await openBook();
    await book.draw('Coast');
    await book.draw('Lake');
    await book.draw('Other');
    const before = book.indesign.content();
    expect(codes(await book.update('Lake', 'Coast'))).toEqual([null, null]);
    expect(book.indesign.content().pictures.map(versionsIn)).toEqual([
      [2, 2],
      [2, 2],
      [1, 1],
    ]);
    expect((await book.placed.list(book.key)).map(({ identity: one }) => one?.uploadId)).toEqual([
      'u2',
      'u2',
      'u1',
    ]);
    expect(book.indesign.undoSteps()).toEqual([STEP]);
    book.indesign.undo();
    expect(book.indesign.content()).toEqual(before);
    expect(book.indesign.imagePreferences.preserveBounds).toBe(false);
  });

  it.each(['preference', 'nothing'] as const)(
    'keeps frame, size and crop where the app keeps %s',
    async (keeps) => {
      const book = await openBook();
      book.indesign.relinkKeeps = keeps;
      book.indesign.pictureSizes.set('Coast 2.jpg', [1000, 1500]);
      const shown = [50, 80, 350, 530];
      const id = await book.draw('Coast', { bounds: [100, 100, 300, 400], shown });
      expect(codes(await book.update('Coast'))).toEqual([null]);
      expect(book.picture(id)).toMatchObject({ bounds: [100, 100, 300, 400], shown });
    },
  );

  it.each(['preference', 'nothing'] as const)(
    'covers the same place without distortion for another shape, where the app keeps %s',
    async (keeps) => {
      const book = await openBook();
      book.indesign.relinkKeeps = keeps;
      book.indesign.pictureSizes.set('Coast 2.jpg', [300, 300]);
      const id = await book.draw('Coast', { shown: [100, 100, 300, 400] });
      expect(codes(await book.update('Coast'))).toEqual([null]);
      expect(book.picture(id)).toMatchObject({ shown: [50, 100, 350, 400] });
    },
  );

  it('keeps a rotation, and leaves the picture as it was where the app does not', async () => {
    const book = await openBook();
    const id = await book.draw('Coast', { shown: [50, 80, 350, 530], angle: 30 });
    expect(codes(await book.update('Coast'))).toEqual([null]);
    expect(book.picture(id)).toMatchObject({ shown: [50, 80, 350, 530], angle: 30 });
    book.indesign.relinkKeeps = 'bounds';
    await book.draw('Hill', { shown: [50, 80, 350, 530], angle: 30 });
    expect(codes(await book.update('Hill'))).toEqual([null]);
    expect(book.picture(2)).toMatchObject({ shown: [50, 80, 350, 530], angle: 30 });
    book.indesign.relinkKeeps = 'nothing';
    await book.draw('Lake', { shown: [50, 80, 350, 530], angle: 30 });
    const before = book.indesign.content();
    expect(codes(await book.update('Lake'))).toEqual(['CW-818']);
    expect(book.indesign.content()).toEqual(before);
  });

  it('leaves the picture as it was when it cannot be put in its place', async () => {
    const book = await openBook();
    book.indesign.relinkKeeps = 'nothing';
    book.indesign.ignoresBounds = true;
    await book.draw('Coast', { shown: [50, 80, 350, 530] });
    const before = book.indesign.content();
    expect(codes(await book.update('Coast'))).toEqual(['CW-818']);
    expect(book.indesign.content()).toEqual(before);
  });

  it('keeps the page of a PDF', async () => {
    const book = await openBook();
    const id = await book.draw('Coast', { pdfPage: 3 });
    expect(codes(await book.update('Coast'))).toEqual([null]);
    expect(book.picture(id)?.pdfPage).toBe(3);
  });

  it('unlocks a locked frame on a locked layer, and locks both again', async () => {
    const book = await openBook();
    const id = await book.draw('Coast', { locked: true });
    book.module.app.documents.item(0).layers.item(0).locked = true;
    expect(codes(await book.update('Coast'))).toEqual([null]);
    expect(book.picture(id)?.locked).toBe(true);
    expect(book.indesign.content().layers[0]?.locked).toBe(true);
  });

  it('replaces the others when one cannot be replaced', async () => {
    const book = await openBook();
    await book.draw('Coast');
    await book.draw('Lake');
    const [coast, lake] = await book.changes('Coast', 'Lake');
    if (!coast || !lake) throw new Error('no links');
    rmSync(coast.file.path);
    const outcomes = await book.updates.relink(book.key, [coast, lake], STEP);
    expect(codes(outcomes)).toEqual(['CW-818', null]);
    expect(book.indesign.content().pictures.map(versionsIn)).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(book.indesign.undoSteps()).toEqual([STEP]);
  });

  it.each([
    [true, false],
    [false, false],
    [false, true],
  ])(
    'has each link old or new, and says which, at every failing call (undo: %s, labels stay: %s)',
    async (canUndo, relinkKeepsLabels) => {
      for (let failing = 1, isDone = false; !isDone; failing += 1) {
        const book = await openBook();
        book.indesign.relinkKeeps = 'nothing';
        book.indesign.relinkKeepsLabels = relinkKeepsLabels;
        await book.draw('Coast', { shown: [50, 80, 350, 530], locked: true });
        await book.draw('Lake', { pdfPage: 2 });
        const wanted = await book.changes('Coast', 'Lake');
        book.indesign.refusesUndo = !canUndo;
        book.indesign.failsAt = failing;
        const outcomes = await book.updates.relink(book.key, wanted, STEP);
        for (const [index, { error }] of outcomes.entries()) {
          const picture = book.picture(index + 1);
          const [shown, labelled] = picture ? versionsIn(picture) : [];
          // Without undo, a link may have lost its label. It never has a wrong one.
          expect([null, shown]).toContain(labelled);
          expect(error === null).toBe(shown === 2 && labelled === 2);
          expect(error === null || !canUndo || (shown === 1 && labelled === 1)).toBe(true);
        }
        isDone = book.indesign.calls.length < failing;
        if (isDone) expect(codes(outcomes)).toEqual([null, null]);
        end();
      }
    },
  );

  it('refuses a document that is not open, and names links that are gone', async () => {
    const book = await openBook();
    await book.draw('Coast');
    expect(codes(await book.update('Lost', 'Coast'))).toEqual(['CW-818', null]);
    await expect(book.updates.relink('9', [], STEP)).rejects.toMatchObject({ code: 'CW-803' });
  });
});
