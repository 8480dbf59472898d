import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { UploadFixture, textOf } from '../fixture.js';

const unreachable = new CwError('CW-301', 'unreachable');

/** A pause lasts until Resume, across restarts and takeovers. */
let fixture: UploadFixture;

beforeEach(async () => {
  fixture = new UploadFixture();
  await fixture.start();
});

/** Another start over the same storage: a restart, or, where the one before still runs, one that takes over. */
async function startAnother(): Promise<void> {
  await fixture.start();
  await fixture.clock.advance(60_000);
}

const isPaused = (): boolean => fixture.uploads.state.get().paused;

/** The user is quicker than the disk: presses `press` while the list is still being read. */
async function startAndPress(press: () => void): Promise<void> {
  const before = fixture.uploads;
  const letGo = fixture.storage.holdBack((operation) => operation === 'records.load');
  const starting = fixture.start();
  while (fixture.uploads === before) await Promise.resolve();
  press();
  await fixture.clock.settle();
  letGo();
  await starting;
  await fixture.clock.settle();
}

describe('pausing', () => {
  it('aborts active requests, sends nothing until Resume, and loses nothing', async () => {
    await fixture.queue('a photo of several chunks', 'b', 'c');
    const [first] = fixture.network.open;
    if (first) fixture.respond(first);
    await fixture.clock.settle();
    fixture.uploads.pause();
    await fixture.clock.settle();
    expect(fixture.uploads.state.get().paused).toBe(true);
    expect(fixture.network.open).toHaveLength(0);
    expect(fixture.phases().map((text) => text.split(' ').at(-1))).toEqual([
      'waiting',
      'waiting',
      'waiting',
    ]);
    await fixture.queue('d');
    await fixture.clock.advance(600_000);
    expect(fixture.network.open).toHaveLength(0);
    fixture.uploads.resume();
    await fixture.finishAll();
    expect(fixture.arrived().sort()).toEqual(['a photo of several chunks', 'b', 'c', 'd']);
  });

  it('uploads every photo once when it is resumed at once', async () => {
    await fixture.queue('a', 'b', 'c');
    fixture.uploads.pause();
    fixture.uploads.resume();
    await fixture.finishAll();
    await fixture.clock.advance(60_000);
    await fixture.finishAll();
    expect(fixture.arrived().sort()).toEqual(['a', 'b', 'c']);
    expect(fixture.phases()).toEqual(['a uploaded', 'b uploaded', 'c uploaded']);
  });

  it('aborts at once while the service is unreachable', async () => {
    await fixture.queue('a', 'b', 'c');
    for (const exchange of fixture.network.open) exchange.fail(unreachable);
    await fixture.clock.settle();
    fixture.uploads.pause();
    await fixture.clock.settle();
    expect(fixture.phases()).toEqual(['a waiting', 'b waiting', 'c waiting']);
  });

  it('tries an unreachable service at once when it is resumed', async () => {
    await fixture.queue('a');
    fixture.network.only.fail(unreachable);
    await fixture.clock.settle();
    fixture.uploads.pause();
    await fixture.clock.settle();
    fixture.uploads.resume();
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['a']);
    expect(fixture.clock.elapsed).toBe(0);
  });
});

describe('a pause', () => {
  it('is kept by a plugin instance that takes over the queue, until Resume there', async () => {
    await fixture.queue('a', 'b', 'c');
    const before = fixture.uploads;
    before.pause();
    await fixture.clock.settle();
    await startAnother();
    expect(isPaused()).toBe(true);
    expect(fixture.network.exchanges).toEqual([]);
    await fixture.queue('d');
    expect(fixture.network.exchanges).toEqual([]);
    fixture.uploads.resume();
    await fixture.finishAll();
    expect(fixture.arrived().sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(isPaused()).toBe(false);
  });

  it('is kept over restarts and another connection', async () => {
    fixture.uploads.pause();
    await fixture.queue('a');
    await startAnother();
    await startAnother();
    fixture.account = null;
    fixture.uploads.onSessionEnded();
    fixture.account = 'anna';
    fixture.uploads.onSignedIn();
    await fixture.clock.advance(60_000);
    expect(isPaused()).toBe(true);
    expect(fixture.unsent.map(textOf)).toEqual(['a']);
    expect(fixture.network.exchanges).toEqual([]);
  });

  it('stays ended after Resume, and leaves nothing in storage', async () => {
    fixture.uploads.pause();
    await fixture.clock.settle();
    await startAnother();
    fixture.uploads.resume();
    await fixture.clock.settle();
    await startAnother();
    expect(isPaused()).toBe(false);
    expect(fixture.left).toBe(0);
    await fixture.queue('a');
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['a']);
  });

  it.each([
    [1, true],
    [2, false],
    [3, true],
  ])('stores the last choice after %i quick choices', async (choices, expected) => {
    for (let choice = 1; choice <= choices; choice += 1) {
      if (choice % 2 === 1) fixture.uploads.pause();
      else fixture.uploads.resume();
    }
    await fixture.clock.settle();
    await startAnother();
    expect(isPaused()).toBe(expected);
  });

  it('is effective and kept when it is chosen while the queue is being read', async () => {
    fixture.account = null;
    await fixture.queue('a');
    fixture.account = 'anna';
    await startAndPress(() => {
      fixture.uploads.pause();
    });
    expect(fixture.network.exchanges).toEqual([]);
    await startAnother();
    expect(isPaused()).toBe(true);
    expect(fixture.network.exchanges).toEqual([]);
  });

  it('stays ended when Resume is chosen while the queue is being read', async () => {
    fixture.uploads.pause();
    await fixture.queue('a');
    await startAndPress(() => {
      fixture.uploads.resume();
    });
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['a']);
    await startAnother();
    expect(isPaused()).toBe(false);
  });

  it('is effective although storage refuses it, is reported, and is stored when chosen again', async () => {
    await fixture.queue('a');
    fixture.storage.fail('records.put', new CwError('CW-703', 'full'), 1);
    fixture.uploads.pause();
    await fixture.clock.settle();
    expect(fixture.network.open).toEqual([]);
    expect(fixture.uploads.state.get()).toMatchObject({
      paused: true,
      storageError: { code: 'CW-703' },
    });
    fixture.uploads.pause();
    await fixture.clock.settle();
    expect(fixture.uploads.state.get().storageError).toBeNull();
    await startAnother();
    expect(isPaused()).toBe(true);
  });

  it('ends in this run only when storage refuses the end', async () => {
    fixture.uploads.pause();
    await fixture.queue('a', 'b');
    fixture.storage.fail('records.remove', new CwError('CW-702', 'read only'), 1);
    fixture.uploads.resume();
    await fixture.clock.settle();
    expect(fixture.network.open).not.toEqual([]);
    await startAnother();
    expect(isPaused()).toBe(true);
    expect(fixture.network.exchanges).toEqual([]);
  });

  it('reports an error in an instance that no longer owns the queue, and pauses nothing there', async () => {
    await fixture.queue('a');
    const before = fixture.uploads;
    await fixture.start();
    before.pause();
    await fixture.clock.settle();
    expect(before.state.get().storageError).toMatchObject({ code: 'CW-704' });
    expect(isPaused()).toBe(false);
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['a']);
  });
});
