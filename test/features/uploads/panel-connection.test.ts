import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { en } from '../../ui/i18n/translations.js';
import { item, PanelFixture } from '../../panel/fixture.js';

let fixture: PanelFixture;

beforeEach(() => {
  fixture = new PanelFixture();
});

describe('a connected panel', () => {
  it('shows what it waits for and counts the seconds', async () => {
    const waiting = `${en.errors['CW-301']} ${en.keepsTrying}`;
    fixture.connectedWith(item('a.jpg', 'uploading'));
    await fixture.drawn();
    fixture.queue.set({
      kind: 'waiting',
      error: new CwError('CW-301', 'unreachable'),
      until: fixture.clock.now() + 10_000,
    });
    await fixture.drawn();
    expect(fixture.read()).toContain(`${waiting} Trying again in 10 seconds.`);
    expect(fixture.read()).toContain('CW-301');
    await fixture.clock.advance(5_100);
    expect(fixture.read()).toContain(`${waiting} Trying again in 5 seconds.`);
    await fixture.clock.advance(20_000);
    expect(fixture.read()).toContain(`${waiting} Trying again now.`);
    await fixture.click('Try now');
    expect(fixture.uploads.resume).toHaveBeenCalledTimes(1);
    fixture.queue.set({ kind: 'closed' });
    await fixture.drawn();
    expect(fixture.read()).not.toContain('CW-301');
  });

  it.each([
    ['CW-301', 'No connection'],
    ['CW-302', 'The service has problems'],
    ['CW-303', 'The service has problems'],
  ] as const)('shows the state in one headline: %s is "%s"', async (code, headline) => {
    fixture.connectedWith(
      item('a.jpg', 'uploading', { sentBytes: 420 }),
      item('b.jpg', 'uploading'),
    );
    await fixture.drawn();
    expect(fixture.read()[0]).toBe('Connected');
    fixture.queue.set({
      kind: 'waiting',
      error: new CwError(code, 'x'),
      until: fixture.clock.now() + 9e4,
    });
    await fixture.drawn();
    const text = fixture.read();
    expect(text[0]).toBe(headline);
    expect(text).not.toContain('Connected');
    expect(fixture.page.querySelector('.dot')?.className).toBe('dot warning');
    // Nothing is on its way: no row shows it, and what was sent is not forgotten.
    expect(text).not.toContain('Uploading');
    expect(text).toEqual(expect.arrayContaining(['Waiting at 42%', 'Waiting']));
    fixture.queue.set({ kind: 'closed' });
    await fixture.drawn();
    expect(fixture.read()[0]).toBe('Connected');
    expect(fixture.read()).toContain('42%');
  });

  it('shows one notice while the workspace is full, and the time of the next try', async () => {
    fixture.connectedWith(item('a.jpg', 'uploading', { sentBytes: 420 }), item('b.jpg'));
    const until = fixture.clock.now() + 120_000;
    const space = { kind: 'waiting', error: new CwError('CW-606', 'full'), until } as const;
    fixture.change({ space });
    await fixture.drawn();
    expect(fixture.read()[0]).toBe('Workspace full');
    expect(fixture.read()).toContain(`${en.errors['CW-606']} Trying again in 2 minutes.`);
    // What the service has taken is still sent.
    expect(fixture.read()).toContain('42%');
    expect(fixture.page.querySelectorAll('.notice')).toHaveLength(1);
    await fixture.click('Try now');
    expect(fixture.uploads.resume).toHaveBeenCalledTimes(1);
    fixture.change({ space: { ...space, trying: true } });
    await fixture.drawn();
    expect(fixture.read()).toContain(`${en.errors['CW-606']} Trying again now.`);
    fixture.queue.set({ kind: 'waiting', error: new CwError('CW-301', 'unreachable'), until });
    await fixture.drawn();
    expect(fixture.read()[0]).toBe('No connection');
    fixture.queue.set({ kind: 'closed' });
    fixture.show(item('a.jpg', 'uploaded'));
    await fixture.drawn();
    expect(fixture.read()[0]).toBe('Connected');
    expect(fixture.read()).not.toContain('CW-606');
  });

  it('shows that the service itself is full, and that only its operator can help', async () => {
    fixture.connectedWith(item('a.jpg'));
    const until = fixture.clock.now() + 120_000;
    const error = new CwError('CW-620', 'full');
    fixture.change({ space: { kind: 'waiting', error, until } });
    await fixture.drawn();
    expect(fixture.read()[0]).toBe('The service has problems');
    expect(fixture.read()).toContain(
      `${en.errors['CW-620']} ${en.keepsTrying} Trying again in 2 minutes.`,
    );
  });

  it('shows Paused, whatever the connection', async () => {
    fixture.connectedWith(item('a.jpg', 'waiting', { sentBytes: 420 }));
    fixture.change({ paused: true });
    fixture.queue.set({
      kind: 'waiting',
      error: new CwError('CW-301', 'x'),
      until: fixture.clock.now(),
    });
    await fixture.drawn();
    expect(fixture.read()[0]).toBe('Paused');
    expect(fixture.read()).not.toContain('CW-301');
    expect(fixture.read()).toContain('Waiting at 42%');
    expect(fixture.page.querySelector('.dot')?.className).toBe('dot paused');
  });

  it('answers a press of Try now, however fast the try fails', async () => {
    const trouble = new CwError('CW-301', 'unreachable');
    const reason = en.errors['CW-301'];
    fixture.connectedWith(item('a.jpg', 'uploading'));
    const wait = (): void => {
      fixture.queue.set({ kind: 'waiting', error: trouble, until: fixture.clock.now() + 10_080 });
    };
    wait();
    await fixture.drawn();
    await fixture.click('Try now');
    expect(fixture.read()).toContain(`${reason} Trying again now.`);
    wait();
    await fixture.drawn();
    expect(fixture.read()).toContain(`${reason} Trying again now.`);
    await fixture.clock.advance(2_000);
    expect(fixture.read()).toContain(`${reason} ${en.triedInVain} Trying again in 9 seconds.`);
    await fixture.clock.advance(12_000);
    expect(fixture.read().join()).not.toContain(en.triedInVain);
    // A try that takes its time is told of for as long.
    fixture.queue.set({
      kind: 'waiting',
      error: trouble,
      until: fixture.clock.now() + 10_080,
      trying: true,
    });
    await fixture.clock.advance(5_000);
    expect(fixture.read()).toContain(`${reason} Trying again now.`);
  });

  it('shows no time left while nothing can be sent, and why less counts as sent', async () => {
    const at = (sentBytes: number): void => {
      fixture.show({
        ...item('a.jpg', 'uploading', { sentBytes }),
        record: { ...item('a.jpg').record, size: 60e6 },
      });
    };
    fixture.connectedWith();
    await fixture.drawn();
    at(0);
    await fixture.drawn();
    for (let second = 1; second <= 5; second += 1) {
      at(second * 2e6);
      await fixture.clock.advance(1000);
    }
    expect(fixture.read()).toContain('about 25 s');
    fixture.queue.set({
      kind: 'waiting',
      error: new CwError('CW-301', 'x'),
      until: fixture.clock.now(),
    });
    await fixture.drawn();
    expect(fixture.read()).toContain('Waiting at 16%');
    expect(fixture.read().join()).not.toContain('about');
    expect(fixture.read()).not.toContain(en.sentAgain);
    fixture.queue.set({ kind: 'closed' });
    at(8e6);
    await fixture.drawn();
    expect(fixture.read()).toContain(en.sentAgain);
    at(11e6);
    await fixture.drawn();
    expect(fixture.read()).not.toContain(en.sentAgain);
  });

  it('does not mention an unreachable service while there is nothing to send', async () => {
    fixture.connectedWith(item('a.jpg', 'uploaded'));
    fixture.queue.set({
      kind: 'waiting',
      error: new CwError('CW-301', 'x'),
      until: fixture.clock.now(),
    });
    await fixture.drawn();
    expect(fixture.read()).not.toContain('CW-301');
  });
});
