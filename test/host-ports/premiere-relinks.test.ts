import { afterEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type {
  LinkChange,
  LinkOutcome,
  PlacedFile,
  PlacedFileUpdates,
  PlacedIdentity,
} from '../../src/host/placed-files.js';
import { createUxpHost } from '../../src/host/uxp.js';
import type { PremiereModule } from '../../src/host/uxp/premiere-module.js';
import { createHostModules, type HostModules, NO_NETWORK } from '../host/modules/index.js';
import type { SimulatedItem } from '../host/modules/premiere-module.js';
import { FakeClock } from '../support/fake-clock.js';

const STEP = 'Update 2 files';

let end = (): void => undefined;
afterEach(() => end());

function identity(version: number): PlacedIdentity {
  const sha256 = String(version).repeat(64);
  return { origin: 'https://workspace.example', uploadId: `u${version}`, sha256, size: 'original' };
}

interface Trip {
  readonly premiere: HostModules['control']['premiere'];
  readonly updates: PlacedFileUpdates;
  readonly key: string;
  readonly folder: string;
  readonly clock: FakeClock;
  readonly list: () => Promise<readonly PlacedFile[]>;
  /** The changes of items with these names to version 2. */
  readonly changes: (...names: readonly string[]) => Promise<readonly LinkChange[]>;
  readonly update: (...names: readonly string[]) => Promise<readonly (string | null)[]>;
  /** Which version each item shows, and which its identity names. */
  readonly versions: () => Promise<readonly (readonly [shown: number, named: number | null])[]>;
}

/** A project with version 1 of these files, in a bin, and their clips in a sequence. */
async function openTrip(...names: readonly string[]): Promise<Trip> {
  const folder = mkdtempSync(join(tmpdir(), 'premiere-relinks-'));
  const modules = createHostModules({ storageDir: folder, uxpVersion: '9.3.0' });
  end = () => {
    modules.control.end();
    rmSync(folder, { recursive: true, force: true });
  };
  const { uxp, fs, os, otherApps, control } = modules;
  const { premiere } = control;
  const clock = new FakeClock();
  const premierepro = otherApps.premierepro as PremiereModule;
  const host = createUxpHost({ uxp, fs, os, premierepro }, NO_NETWORK, clock);
  premiere.openProject({ name: 'Trip', seconds: 3, bytes: {} });
  const bin = { id: 'bin', name: 'Clips', path: null, bin: null, metadata: '' };
  premiere.items = [bin, { ...bin, id: 'trip', name: 'Trip', path: '' }];
  premiere.insertionBin = 'bin';
  const document = await host.openDocument?.current();
  const { placedFiles: placed, placedFileUpdates: updates } = host;
  if (!placed || !updates || !document) throw new Error('no port');
  const { key } = document;
  for (const name of names) {
    const path = join(folder, `${name}.mp4`);
    writeFileSync(path, 'version 1');
    await placed.place(key, { name: `${name}.mp4`, path }, identity(1), 'Place');
  }
  premiere.undoSteps.length = 0;
  premiere.clips = premiere.items.flatMap(({ id, path }) =>
    path ? [{ item: id, start: 4, inOut: [2, 9], effects: ['Lumetri'] }] : [],
  );
  const list = (): Promise<readonly PlacedFile[]> => placed.list(key);
  const changes: Trip['changes'] = async (...wanted) => {
    const links = await list();
    return wanted.map((name) => {
      const file = { name: `${name} 2.mp4`, path: join(folder, `${name} 2.mp4`) };
      writeFileSync(file.path, 'version 2');
      const link = links.find((one) => one.name.normalize() === `${name}.mp4`);
      return { key: link?.key ?? 'gone', file, identity: identity(2) };
    });
  };
  return {
    ...{ premiere, updates, key, folder, clock, list, changes },
    update: async (...wanted) => codes(await updates.relink(key, await changes(...wanted), STEP)),
    versions: async () =>
      (await list()).map(({ name, identity: named }) => [
        name.endsWith(' 2.mp4') ? 2 : 1,
        named ? Number(named.uploadId.slice(1)) : null,
      ]),
  };
}

const codes = (outcomes: readonly LinkOutcome[]): readonly (string | null)[] =>
  outcomes.map(({ error }) => error?.code ?? null);

describe('an update of placed files in Premiere', () => {
  it('replaces several, with their identities, and touches no clip of a sequence', async () => {
    const { premiere, updates, update, list, versions } = await openTrip(
      'Caf\u00e9',
      'Lake',
      'Sea',
    );
    const { clips } = premiere;
    expect(updates.canUndo).toBe(false);
    expect(await update('Lake', 'Caf\u00e9')).toEqual([null, null]);
    expect(await versions()).toEqual([
      [2, 2],
      [2, 2],
      [1, 1],
    ]);
    expect((await list()).map(({ state }) => state)).toEqual(['present', 'present', 'present']);
    expect(premiere.clips).toEqual(clips);
    // Not one step for each file: the user cannot undo the change of the paths.
    expect(premiere.undoSteps).toHaveLength(2);
  });

  it('replaces a file that is missing', async () => {
    const { folder, update, list } = await openTrip('Lake');
    rmSync(join(folder, 'Lake.mp4'));
    expect((await list())[0]?.state).toBe('missing');
    expect(await update('Lake')).toEqual([null]);
    expect(await list()).toMatchObject([{ state: 'present', identity: identity(2) }]);
  });

  it('leaves a file that Premiere finds incompatible, with the clips that it would cut', async () => {
    const { premiere, update, versions } = await openTrip('Lake', 'Sea');
    const { clips } = premiere;
    premiere.mediaLengths.set('Lake.mp4', 10).set('Lake 2.mp4', 3);
    expect(await update('Lake', 'Sea')).toEqual(['CW-818', null]);
    expect(await versions()).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(premiere.clips).toEqual(clips);
  });

  it.each([
    ['its path is fixed', { isFixed: true }, 'yes'],
    ['the user has set it offline', { isOffline: true }, 'yes'],
    ['Premiere refuses', {}, 'refused'],
    ['Premiere does nothing', {}, 'nothing'],
    ['Premiere fails', {}, 'throws'],
    ['it is offline then', {}, 'offline'],
  ] as const)('leaves an item as it was when %s', async (_, change, behaviour) => {
    const { premiere, update, list, versions } = await openTrip('Lake', 'Sea');
    const isLake = ({ path }: SimulatedItem): boolean => path?.endsWith('/Lake.mp4') === true;
    premiere.items = premiere.items.map((one) => (isLake(one) ? { ...one, ...change } : one));
    premiere.changesPath = (item) => (isLake(item) ? behaviour : 'yes');
    const [before] = await list();
    expect(await update('Lake', 'Sea')).toEqual(['CW-818', null]);
    expect(await versions()).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect((await list())[0]).toEqual(before);
  });

  it('does not touch an item whose path Premiere cannot change', async () => {
    const { premiere, update } = await openTrip('Lake');
    premiere.items = premiere.items.map((one) => ({ ...one, isFixed: true }));
    premiere.markerCalls.length = 0;
    expect(await update('Lake')).toEqual(['CW-818']);
    expect(premiere.markerCalls).toEqual(['canChangeMediaPath']);
  });

  it('changes the items one by one when they cannot be changed in one step', async () => {
    for (const at of [1, 2]) {
      const { premiere, update, versions } = await openTrip('Lake', 'Sea');
      premiere.markerCalls.length = 0;
      // The first is the removal of the identities, the second their writing.
      premiere.failsWhen = (name) =>
        name === 'executeTransaction' &&
        premiere.markerCalls.filter((call) => call === name).length === at;
      expect(await update('Lake', 'Sea')).toEqual([null, null]);
      expect(await versions()).toEqual([
        [2, 2],
        [2, 2],
      ]);
      end();
    }
  });

  it('changes 500 items with one call for each path, in two steps', async () => {
    const { premiere, updates, key, list, changes, versions } = await openTrip('Lake');
    const [change] = await changes('Lake');
    const lake = premiere.items.at(-1);
    if (!change || !lake) throw new Error('no item');
    premiere.items = Array.from({ length: 500 }, (_, index) => ({
      ...lake,
      id: `item ${index}`,
      bin: null,
    }));
    const wanted = (await list()).map((link) => ({ ...change, key: link.key }));
    premiere.markerCalls.length = 0;
    const outcomes = await updates.relink(key, wanted, STEP);
    expect(outcomes.filter(({ error }) => error === null)).toHaveLength(500);
    expect((await versions()).filter(([shown, named]) => shown === 2 && named === 2)).toHaveLength(
      500,
    );
    const calls = (name: string): number =>
      premiere.markerCalls.filter((call) => call === name).length;
    expect(calls('changeMediaFilePath')).toBe(500);
    expect(calls('executeTransaction')).toBe(2);
  });

  it('counts what an item shows, not what Premiere answers', async () => {
    const { premiere, update, versions } = await openTrip('Lake');
    premiere.changesPath = () => 'half';
    expect(await update('Lake')).toEqual([null]);
    expect(await versions()).toEqual([[2, 2]]);
  });

  it.each([
    ['silent', 'CW-818', [1, null]],
    ['silent half', null, [2, 2]],
  ] as const)('ends when Premiere never answers (%s)', async (behaviour, code, outcome) => {
    const { premiere, clock, update, versions } = await openTrip('Lake', 'Sea');
    premiere.changesPath = (item) => (item.path?.endsWith('/Lake.mp4') ? behaviour : 'yes');
    const outcomes: unknown[] = [];
    const updating = update('Lake', 'Sea');
    void updating.then((found) => outcomes.push(found));
    while (outcomes.length === 0 && !premiere.markerCalls.includes('changeMediaFilePath'))
      await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(60_000);
    // A call without an answer may still change the path: nothing is said about the item. Premiere gets no more work.
    const isStuck = code !== null;
    expect(await updating).toEqual([code, isStuck ? 'CW-818' : null]);
    expect(await versions()).toEqual([outcome, isStuck ? [1, 1] : [2, 2]]);
  });

  it('has each item old or new, and says which, at every failing call', async () => {
    for (const transactions of ['nothing', 'half'] as const)
      for (let failing = 1, isDone = false; !isDone; failing += 1) {
        const { premiere, updates, key, changes, versions } = await openTrip('Lake', 'Sea');
        premiere.transactions = transactions;
        const wanted = await changes('Lake', 'Sea');
        premiere.countsReads = true;
        premiere.markerCalls.length = 0;
        premiere.failsAt = failing;
        const outcomes = await updates.relink(key, wanted, STEP);
        isDone = premiere.markerCalls.length < failing;
        premiere.countsReads = false;
        for (const [index, [shown, named]] of (await versions()).entries()) {
          const isNew = outcomes[index]?.error === null;
          // An identity may be lost. It is never a wrong one.
          expect([null, shown]).toContain(named);
          expect(isNew && (shown === 1 || named === null)).toBe(false);
        }
        if (isDone) expect(codes(outcomes)).toEqual([null, null]);
        end();
      }
  });

  it('has no item with the identity of other bytes before any call, so that a kill leaves none', async () => {
    const { premiere, update } = await openTrip('Lake', 'Sea');
    const seen = new Set<string>();
    premiere.failsWhen = () => {
      for (const { path, metadata } of premiere.items) {
        const field = metadata.replaceAll('&quot;', '"');
        const named = /"upload":"u(\d)"/.exec(field)?.[1] ?? 'none';
        const isAbout = field.normalize().includes(`"name":"${basename(path ?? '').normalize()}"`);
        const shown = path?.endsWith(' 2.mp4') === true ? '2' : '1';
        if (path) seen.add(isAbout ? `${shown} named ${named}` : `${shown} without a name`);
      }
      return false;
    };
    expect(await update('Lake', 'Sea')).toEqual([null, null]);
    expect([...seen].sort()).toEqual(['1 named 1', '1 without a name', '2 without a name']);
  });

  it('never gives an item the identity of other bytes when the user undoes the steps', async () => {
    const { premiere, update, versions } = await openTrip('Lake');
    expect(await update('Lake')).toEqual([null]);
    for (let steps = premiere.undoSteps.length; steps > 0; steps -= 1) {
      premiere.undo();
      expect(await versions()).toEqual([[2, null]]);
    }
  });

  it('keeps the identity on another computer, and takes it from an item with another file', async () => {
    const { premiere, folder, list } = await openTrip('Lake');
    const identitiesAt = async (path: string): Promise<unknown> => {
      premiere.items = premiere.items.map((item) => (item.path ? { ...item, path } : item));
      return (await list()).map(({ identity: named }) => named);
    };
    expect(await identitiesAt('E:\\Trip\\Lake.mp4')).toEqual([identity(1)]);
    writeFileSync(join(folder, 'Other.mp4'), 'other bytes');
    expect(await identitiesAt(join(folder, 'Other.mp4'))).toEqual([null]);
  });

  it('refuses a sequence that is not in front, and names items that are gone', async () => {
    const { updates, update, versions } = await openTrip('Lake');
    await expect(updates.relink('premiere:other', [], STEP)).rejects.toMatchObject({
      code: 'CW-803',
    });
    expect(await update('Lost', 'Lake')).toEqual(['CW-818', null]);
    expect(await versions()).toEqual([[2, 2]]);
  });
});
