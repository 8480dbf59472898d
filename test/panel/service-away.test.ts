import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/util/errors.js';
import { en } from './translations.js';
import { item, PanelRig } from './fixture.js';

let rig: PanelRig;

beforeEach(() => {
  rig = new PanelRig();
});

describe('a connected panel', () => {
  it('says what it waits for and counts the seconds', async () => {
    const waiting = `${en.errors['CW-301']} ${en.keepsTrying}`;
    rig.connectedWith(item('a.jpg', 'uploading'));
    rig.queue.set({
      kind: 'waiting',
      error: new CwError('CW-301', 'unreachable'),
      until: rig.clock.now() + 10_080,
    });
    await rig.drawn();
    expect(rig.read()).toContain(`${waiting} Trying again in 10 seconds.`);
    expect(rig.read()).toContain('CW-301');
    await rig.clock.advance(5_000);
    expect(rig.read()).toContain(`${waiting} Trying again in 5 seconds.`);
    await rig.clock.advance(20_000);
    expect(rig.read()).toContain(`${waiting} Trying again now.`);
    await rig.click('Try now');
    expect(rig.uploads.resume).toHaveBeenCalledTimes(1);
    rig.queue.set({ kind: 'open' });
    await rig.drawn();
    expect(rig.read()).not.toContain('CW-301');
  });

  it.each([
    ['CW-301', 'No connection'],
    ['CW-302', 'The service has problems'],
    ['CW-303', 'The service has problems'],
  ] as const)('says in one headline how it stands: %s is "%s"', async (code, headline) => {
    rig.connectedWith(item('a.jpg', 'uploading', { sentBytes: 420 }), item('b.jpg', 'uploading'));
    await rig.drawn();
    expect(rig.read()[0]).toBe('Connected');
    expect(rig.signs()).toEqual({ Connected: 'success' });
    rig.queue.set({ kind: 'waiting', error: new CwError(code, 'x'), until: rig.clock.now() + 9e4 });
    await rig.drawn();
    const text = rig.read();
    expect(text[0]).toBe(headline);
    expect(text.filter((line) => line === headline)).toHaveLength(1);
    expect(text).not.toContain('Connected');
    expect(rig.signs()).toEqual({ [headline]: 'warning' });
    // Nothing is on its way: no row says so, and what was sent is not forgotten.
    expect(text.join()).not.toContain('Uploading');
    expect(text).toEqual(expect.arrayContaining(['Waiting at 42%', 'Waiting']));
    rig.queue.set({ kind: 'open' });
    await rig.drawn();
    expect(rig.read()[0]).toBe('Connected');
    expect(rig.read()).toContain('Uploading, 42%');
  });

  it('says Paused in the headline and nowhere else, whatever the connection', async () => {
    rig.connectedWith(item('a.jpg', 'waiting', { sentBytes: 420 }));
    rig.change({ paused: true });
    rig.queue.set({ kind: 'waiting', error: new CwError('CW-301', 'x'), until: rig.clock.now() });
    await rig.drawn();
    expect(rig.read()[0]).toBe('Paused');
    expect(rig.read().filter((line) => line === 'Paused')).toHaveLength(1);
    expect(rig.read()).not.toContain('CW-301');
    expect(rig.read()).toContain('Waiting at 42%');
    expect(rig.signs()).toEqual({ Paused: 'paused' });
  });

  it('answers a press of Try now, however fast the try fails', async () => {
    const trouble = new CwError('CW-301', 'unreachable');
    const reason = en.errors['CW-301'];
    rig.connectedWith(item('a.jpg', 'uploading'));
    const wait = (): void => {
      rig.queue.set({ kind: 'waiting', error: trouble, until: rig.clock.now() + 10_080 });
    };
    wait();
    await rig.drawn();
    await rig.click('Try now');
    expect(rig.read()).toContain(`${reason} Trying again now.`);
    wait();
    await rig.drawn();
    expect(rig.read()).toContain(`${reason} Trying again now.`);
    await rig.clock.advance(2_000);
    expect(rig.read()).toContain(`${reason} ${en.triedInVain} Trying again in 9 seconds.`);
    await rig.clock.advance(12_000);
    expect(rig.read().join()).not.toContain(en.triedInVain);
    // A try that takes its time is told of for as long.
    rig.queue.set({
      kind: 'waiting',
      error: trouble,
      until: rig.clock.now() + 10_080,
      trying: true,
    });
    await rig.clock.advance(5_000);
    expect(rig.read()).toContain(`${reason} Trying again now.`);
  });

  it('tells no speed and no time while nothing can be sent, and why less counts as sent', async () => {
    const at = (sentBytes: number): void => {
      rig.show({
        ...item('a.jpg', 'uploading', { sentBytes }),
        record: { ...item('a.jpg').record, size: 60e6 },
      });
    };
    rig.connectedWith();
    for (let second = 0; second <= 5; second += 1) {
      at(second * 2e6);
      await rig.clock.advance(1000);
    }
    expect(rig.read()).toContain('2.0\u00a0MB per second');
    rig.queue.set({ kind: 'waiting', error: new CwError('CW-301', 'x'), until: rig.clock.now() });
    await rig.drawn();
    expect(rig.read()).toContain('10.0\u00a0MB of 60.0\u00a0MB');
    expect(rig.read().join()).not.toMatch(/per second|left/);
    expect(rig.read()).not.toContain(en.sentAgain);
    rig.queue.set({ kind: 'open' });
    at(8e6);
    await rig.drawn();
    expect(rig.read()).toContain(en.sentAgain);
    at(11e6);
    await rig.drawn();
    expect(rig.read()).not.toContain(en.sentAgain);
  });

  it('says nothing of a service that cannot be reached while there is nothing to send', async () => {
    rig.connectedWith(item('a.jpg', 'uploaded'));
    rig.queue.set({ kind: 'waiting', error: new CwError('CW-301', 'x'), until: rig.clock.now() });
    await rig.drawn();
    expect(rig.read()).not.toContain('CW-301');
  });
});
