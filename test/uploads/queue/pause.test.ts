import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { Rig, textOf } from '../fixture.js';

const unreachable = new CwError('CW-301', 'unreachable');

/** Paused means paused until Resume, whatever becomes of the plugin meanwhile. */
let rig: Rig;

beforeEach(async () => {
  rig = new Rig();
  await rig.start();
});

/** Another start over the same storage: a restart, or, where the one before still runs, one that takes over. */
async function startAnother(): Promise<void> {
  await rig.start();
  await rig.clock.advance(60_000);
}

const isPaused = (): boolean => rig.uploader.state.get().paused;

/** The person is quicker than the disk: presses `press` while the list is still being read. */
async function startAndPress(press: () => void): Promise<void> {
  const before = rig.uploader;
  const letGo = rig.storage.holdBack((operation) => operation === 'records.load');
  const starting = rig.start();
  while (rig.uploader === before) await Promise.resolve();
  press();
  await rig.clock.settle();
  letGo();
  await starting;
  await rig.clock.settle();
}

describe('pausing', () => {
  it('aborts active requests, sends nothing until Resume, and loses nothing', async () => {
    await rig.queue('a photo of several chunks', 'b', 'c');
    const [first] = rig.network.open;
    if (first) rig.respond(first);
    await rig.clock.settle();
    rig.uploader.pause();
    await rig.clock.settle();
    expect(rig.uploader.state.get().paused).toBe(true);
    expect(rig.network.open).toHaveLength(0);
    expect(rig.phases().map((text) => text.split(' ').at(-1))).toEqual([
      'waiting',
      'waiting',
      'waiting',
    ]);
    await rig.queue('d');
    await rig.clock.advance(600_000);
    expect(rig.network.open).toHaveLength(0);
    rig.uploader.resume();
    await rig.finishAll();
    expect(rig.arrived().sort()).toEqual(['a photo of several chunks', 'b', 'c', 'd']);
  });

  it('uploads every photo once when it is resumed at once', async () => {
    await rig.queue('a', 'b', 'c');
    rig.uploader.pause();
    rig.uploader.resume();
    await rig.finishAll();
    await rig.clock.advance(60_000);
    await rig.finishAll();
    expect(rig.arrived().sort()).toEqual(['a', 'b', 'c']);
    expect(rig.phases()).toEqual(['a uploaded', 'b uploaded', 'c uploaded']);
  });

  it('aborts at once while the service is unreachable', async () => {
    await rig.queue('a', 'b', 'c');
    for (const exchange of rig.network.open) exchange.fail(unreachable);
    await rig.clock.settle();
    rig.uploader.pause();
    await rig.clock.settle();
    expect(rig.phases()).toEqual(['a waiting', 'b waiting', 'c waiting']);
  });

  it('tries an unreachable service at once when it is resumed', async () => {
    await rig.queue('a');
    rig.network.only.fail(unreachable);
    await rig.clock.settle();
    rig.uploader.pause();
    await rig.clock.settle();
    rig.uploader.resume();
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['a']);
    expect(rig.clock.elapsed).toBe(0);
  });
});

describe('a pause', () => {
  it('is kept by a plugin instance that takes over the queue, until Resume there', async () => {
    await rig.queue('a', 'b', 'c');
    const before = rig.uploader;
    before.pause();
    await rig.clock.settle();
    await startAnother();
    expect(isPaused()).toBe(true);
    expect(rig.network.exchanges).toEqual([]);
    await rig.queue('d');
    expect(rig.network.exchanges).toEqual([]);
    rig.uploader.resume();
    await rig.finishAll();
    expect(rig.arrived().sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(isPaused()).toBe(false);
  });

  it('is kept over restarts and another connection', async () => {
    rig.uploader.pause();
    await rig.queue('a');
    await startAnother();
    await startAnother();
    rig.account = null;
    rig.uploader.onSessionEnded();
    rig.account = 'anna';
    rig.uploader.onSignedIn();
    await rig.clock.advance(60_000);
    expect(isPaused()).toBe(true);
    expect(rig.unsent.map(textOf)).toEqual(['a']);
    expect(rig.network.exchanges).toEqual([]);
  });

  it('stays ended after Resume, and leaves nothing in storage', async () => {
    rig.uploader.pause();
    await rig.clock.settle();
    await startAnother();
    rig.uploader.resume();
    await rig.clock.settle();
    await startAnother();
    expect(isPaused()).toBe(false);
    expect(rig.left).toBe(0);
    await rig.queue('a');
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['a']);
  });

  it.each([
    [1, true],
    [2, false],
    [3, true],
  ])('stores the last choice after %i quick choices', async (choices, expected) => {
    for (let choice = 1; choice <= choices; choice += 1) {
      if (choice % 2 === 1) rig.uploader.pause();
      else rig.uploader.resume();
    }
    await rig.clock.settle();
    await startAnother();
    expect(isPaused()).toBe(expected);
  });

  it('is effective and kept when it is chosen while the queue is being read', async () => {
    rig.account = null;
    await rig.queue('a');
    rig.account = 'anna';
    await startAndPress(() => {
      rig.uploader.pause();
    });
    expect(rig.network.exchanges).toEqual([]);
    await startAnother();
    expect(isPaused()).toBe(true);
    expect(rig.network.exchanges).toEqual([]);
  });

  it('stays ended when Resume is chosen while the queue is being read', async () => {
    rig.uploader.pause();
    await rig.queue('a');
    await startAndPress(() => {
      rig.uploader.resume();
    });
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['a']);
    await startAnother();
    expect(isPaused()).toBe(false);
  });

  it('is effective although storage refuses it, is reported, and is stored when chosen again', async () => {
    await rig.queue('a');
    rig.storage.fail('records.put', new CwError('CW-703', 'full'), 1);
    rig.uploader.pause();
    await rig.clock.settle();
    expect(rig.network.open).toEqual([]);
    expect(rig.uploader.state.get()).toMatchObject({
      paused: true,
      storageError: { code: 'CW-703' },
    });
    rig.uploader.pause();
    await rig.clock.settle();
    expect(rig.uploader.state.get().storageError).toBeNull();
    await startAnother();
    expect(isPaused()).toBe(true);
  });

  it('ends in this run only when storage refuses the end', async () => {
    rig.uploader.pause();
    await rig.queue('a', 'b');
    rig.storage.fail('records.remove', new CwError('CW-702', 'read only'), 1);
    rig.uploader.resume();
    await rig.clock.settle();
    expect(rig.network.open).not.toEqual([]);
    await startAnother();
    expect(isPaused()).toBe(true);
    expect(rig.network.exchanges).toEqual([]);
  });

  it('reports an error in an instance that no longer owns the queue, and pauses nothing there', async () => {
    await rig.queue('a');
    const before = rig.uploader;
    await rig.start();
    before.pause();
    await rig.clock.settle();
    expect(before.state.get().storageError).toMatchObject({ code: 'CW-704' });
    expect(isPaused()).toBe(false);
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['a']);
  });
});
