import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { FileUpdate } from '../../../src/features/placed-files/placed-row.js';
import {
  PlacedUpdates,
  type PlacedUpdatesState,
} from '../../../src/features/placed-files/placed-updates.js';
import type { Placing } from '../../../src/features/placing/index.js';
import type { LinkOutcome, PlacedFileUpdates } from '../../../src/host/placed-files.js';
import { CancelledError } from '../../../src/util/cancel.js';
import { CwError } from '../../../src/util/errors.js';

const SHA = 'a'.repeat(64);

/** A promise that a test settles. */
class Deferred<T> {
  resolve: (value: T) => void = () => undefined;
  reject: (error: Error) => void = () => undefined;
  readonly promise = new Promise<T>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
}

let relink: jest.Mock<PlacedFileUpdates['relink']>;
let download: jest.Mock<Placing['download']>;
let cancel: jest.Mock<() => void>;
let onDone: jest.Mock<() => void>;
let front: string | null;
let states: PlacedUpdatesState[];
let updates: PlacedUpdates;

function update(name: string): FileUpdate {
  const version = { id: `id of ${name}`, name: `${name} 2`, version: 2, size: 5, sha256: SHA };
  return { key: name, name, version, size: 'original' };
}

const failing = (key: string): LinkOutcome => ({ key, error: new CwError('CW-818', 'no') });
const done = (key: string): LinkOutcome => ({ key, error: null });
const delivered = (name: string): NonNullable<Awaited<ReturnType<Placing['download']>>> => ({
  file: { name, path: `/links/${name}` },
  identity: { origin: 'o', uploadId: `id of ${name}`, sha256: SHA, size: 'original' },
});
/** The names of files that were not updated, and why. */
const failures = (): readonly string[] =>
  updates.state.get().result?.failures.map(({ name, error }) => `${name} ${error.code}`) ?? [];

beforeEach(() => {
  front = '1';
  relink = jest.fn((_document, changes) => Promise.resolve(changes.map(({ key }) => done(key))));
  download = jest.fn(({ name }) => Promise.resolve(delivered(name)));
  cancel = jest.fn();
  onDone = jest.fn();
  updates = new PlacedUpdates({
    host: { canUndo: true, relink },
    placing: { download, cancel },
    front: () => front,
    stepName: (count) => `Update ${count}`,
    onDone,
  });
  states = [];
  updates.state.subscribe((state) => states.push(state));
});

describe('an update of placed files', () => {
  it('downloads all files, then changes the document in one step', async () => {
    relink.mockImplementation((_document, changes) => {
      expect(download).toHaveBeenCalledTimes(2);
      expect(updates.state.get().progress?.isChanging).toBe(true);
      return Promise.resolve(changes.map(({ key }) => done(key)));
    });
    await updates.update([update('Lake'), { ...update('Coast'), size: 'web' }]);
    expect(download.mock.calls.map(([file, size]) => [file.id, file.sha256, size])).toEqual([
      ['id of Lake', SHA, 'original'],
      ['id of Coast', SHA, 'web'],
    ]);
    expect(relink.mock.calls).toEqual([
      [
        '1',
        [
          { key: 'Lake', ...delivered('Lake 2') },
          { key: 'Coast', ...delivered('Coast 2') },
        ],
        'Update 2',
      ],
    ]);
    expect(states.map(({ progress }) => progress?.done ?? null)).toEqual(
      expect.arrayContaining([0, 1, 2, null]),
    );
    expect(updates.state.get()).toMatchObject({
      progress: null,
      result: { updated: 2, failures: [] },
    });
    expect(onDone).toHaveBeenCalledTimes(1);
    updates.dismiss();
    expect(updates.state.get().result).toBeNull();
  });

  it('replaces the others when a download or a link fails, and says why', async () => {
    download.mockImplementation(({ name }) =>
      name === 'Lost 2'
        ? Promise.reject(new CwError('CW-618', 'gone'))
        : Promise.resolve(delivered(name)),
    );
    relink.mockResolvedValue([failing('Lake'), done('Coast')]);
    await updates.update(['Lost', 'Lake', 'Coast'].map(update));
    expect(relink.mock.calls[0]?.[1].map(({ key }) => key)).toEqual(['Lake', 'Coast']);
    expect(updates.state.get().result?.updated).toBe(1);
    expect(failures()).toEqual(['Lost CW-618', 'Lake CW-818']);
  });

  it('changes nothing without a folder or a permission', async () => {
    download.mockResolvedValueOnce(delivered('Lake 2')).mockResolvedValue(null);
    await updates.update(['Lake', 'Coast', 'Hill'].map(update));
    expect(download).toHaveBeenCalledTimes(2);
    expect(relink).not.toHaveBeenCalled();
    expect(updates.state.get()).toMatchObject({ progress: null, result: null });
  });

  it('changes nothing when every download fails', async () => {
    download.mockRejectedValue(new CwError('CW-707', 'full'));
    await updates.update([update('Lake')]);
    expect(relink).not.toHaveBeenCalled();
    expect(failures()).toEqual(['Lake CW-707']);
  });

  it.each([true, false])('changes nothing after Cancel (during a file: %s)', async (isDuring) => {
    const first = new Deferred<Awaited<ReturnType<Placing['download']>>>();
    download.mockReturnValueOnce(first.promise);
    const updating = updates.update(['Lake', 'Coast'].map(update));
    updates.cancel();
    expect(cancel).toHaveBeenCalledTimes(1);
    if (isDuring) first.reject(new CancelledError());
    else first.resolve(delivered('Lake 2'));
    await updating;
    expect(download).toHaveBeenCalledTimes(1);
    expect(relink).not.toHaveBeenCalled();
    expect(updates.state.get()).toMatchObject({ progress: null, result: null });
    await updates.update([update('Coast')]);
    expect(updates.state.get().result?.updated).toBe(1);
  });

  it('cannot be cancelled while the document is changed, and is one at a time', async () => {
    const outcomes = new Deferred<readonly LinkOutcome[]>();
    relink.mockReturnValueOnce(outcomes.promise);
    const updating = updates.update([update('Lake')]);
    while (updates.state.get().progress?.isChanging !== true) await Promise.resolve();
    updates.cancel();
    expect(cancel).not.toHaveBeenCalled();
    await updates.update([update('Coast')]);
    expect(download).toHaveBeenCalledTimes(1);
    outcomes.resolve([done('Lake')]);
    await updating;
    expect(updates.state.get().result?.updated).toBe(1);
  });

  it('has the reason for each file when the app refuses all', async () => {
    relink.mockRejectedValue(new CwError('CW-807', 'busy'));
    await updates.update(['Lake', 'Coast'].map(update));
    expect(failures()).toEqual(['Lake CW-807', 'Coast CW-807']);
    expect(onDone).toHaveBeenCalledTimes(1);
  });

  it('goes to the document that was in front when it began', async () => {
    const first = new Deferred<Awaited<ReturnType<Placing['download']>>>();
    download.mockReturnValueOnce(first.promise);
    const updating = updates.update([update('Lake')]);
    front = '2';
    first.resolve(delivered('Lake 2'));
    await updating;
    expect(relink.mock.calls[0]?.[0]).toBe('1');
    front = null;
    await updates.update([update('Lake')]);
    expect(relink).toHaveBeenCalledTimes(1);
  });
});
