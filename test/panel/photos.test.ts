import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/base/errors.js';
import { en } from '../../src/panel/strings/en.js';
import { item, PanelRig } from './rig.js';

let rig: PanelRig;

beforeEach(() => {
  rig = new PanelRig();
});

describe('a connected panel', () => {
  it('without photos says how to add some', async () => {
    rig.connectedWith();
    await rig.drawn();
    expect(rig.read()).toEqual(['Connected', 'Disconnect', 'Add photos', en.noPhotos]);
    await rig.click('Add photos');
    await rig.click('Disconnect');
    expect(rig.intents.addPhotos).toHaveBeenCalledTimes(1);
    expect(rig.intents.disconnect).toHaveBeenCalledTimes(1);
  });

  it('shows each photo: its name, its size, how it stands', async () => {
    rig.connectedWith(
      item('a.jpg', 'uploaded'),
      item('b.jpg', 'uploading', { sentBytes: 420 }),
      item('c.jpg'),
    );
    await rig.drawn();
    const text = rig.read().join(' | ');
    expect(text).toContain('a.jpg | 1 KB | Uploaded');
    expect(text).toContain('b.jpg | 1 KB | Uploading, 42 %');
    expect(text).toContain('c.jpg | 1 KB | Waiting');
    expect(text).toContain('1 of 3 photos uploaded');
    expect(rig.bars()).toEqual(['47', '42']);
  });

  it('never says 100 % before the service has all of it', async () => {
    rig.connectedWith(item('a.jpg', 'uploading', { sentBytes: 1000 }));
    await rig.drawn();
    expect(rig.read()).toContain('Uploading, 99 %');
    expect(rig.bars()).toEqual(['99', '99']);
  });

  it('says when all have arrived, and shows no bar then', async () => {
    rig.connectedWith(item('a.jpg', 'uploaded'), item('b.jpg', 'uploaded'));
    await rig.drawn();
    expect(rig.read()).toContain('All 2 photos have arrived.');
    expect(rig.bars()).toEqual([]);
    rig.show(item('a.jpg', 'uploaded'));
    await rig.drawn();
    expect(rig.read()).toContain('Your photo has arrived.');
  });

  it('lets the person pause only while there is something to send, and resume', async () => {
    rig.connectedWith(item('a.jpg', 'uploaded'));
    await rig.drawn();
    expect(rig.buttons()).not.toContain('Pause');
    rig.show(item('a.jpg'));
    await rig.drawn();
    await rig.click('Pause');
    expect(rig.intents.pause).toHaveBeenCalledTimes(1);
    rig.change({ paused: true });
    await rig.drawn();
    expect(rig.buttons()).not.toContain('Pause');
    expect(rig.read()).toContain(en.paused);
    await rig.click('Resume');
    expect(rig.intents.resume).toHaveBeenCalledTimes(1);
  });

  it('says why a photo failed and lets the person retry or remove it', async () => {
    rig.connectedWith(
      item('a.jpg', 'failed', { failure: 'CW-605' }),
      item('b.jpg', 'failed', { failure: 'CW-604' }),
      item('c.jpg'),
    );
    await rig.drawn();
    const text = rig.read();
    expect(text).toContain(`${en.errors['CW-605']} (CW-605)`);
    expect(text).toContain(`${en.errors['CW-604']} (CW-604)`);
    expect(text).toContain(en.failedCount(2));
    // One for all, then one for each.
    await rig.click('Retry', 0);
    expect(rig.intents.retryAllFailed).toHaveBeenCalledTimes(1);
    await rig.click('Retry', 2);
    expect(rig.intents.retry.mock.calls).toEqual([['id of b.jpg']]);
    await rig.click('Remove', 0);
    expect(rig.intents.remove.mock.calls).toEqual([['id of a.jpg']]);
    expect(rig.buttons().filter((label) => label === 'Remove')).toHaveLength(2);
  });

  it('says what it waits for and counts the seconds', async () => {
    rig.connectedWith(item('a.jpg', 'uploading'));
    rig.queue.set({
      kind: 'waiting',
      error: new CwError('CW-301', 'unreachable'),
      until: rig.clock.now() + 10_050,
    });
    await rig.drawn();
    expect(rig.read()).toContain(`${en.errors['CW-301']} Trying again in 10 seconds.`);
    expect(rig.read()).toContain('CW-301');
    await rig.clock.advance(5_000);
    expect(rig.read()).toContain(`${en.errors['CW-301']} Trying again in 5 seconds.`);
    await rig.clock.advance(20_000);
    expect(rig.read()).toContain(`${en.errors['CW-301']} Trying again now.`);
    rig.queue.set({ kind: 'open' });
    await rig.drawn();
    expect(rig.read()).not.toContain('CW-301');
  });

  it('says nothing of a service that cannot be reached while there is nothing to send', async () => {
    rig.connectedWith(item('a.jpg', 'uploaded'));
    rig.queue.set({ kind: 'waiting', error: new CwError('CW-301', 'x'), until: rig.clock.now() });
    await rig.drawn();
    expect(rig.read()).not.toContain('CW-301');
  });

  it('says when storage refuses the list or the sign-in', async () => {
    rig.connectedWith();
    rig.session.set({ kind: 'signed-in', trouble: new CwError('CW-701', 'refused') });
    await rig.drawn();
    expect(rig.read()).toContain(en.errors['CW-701']);
    rig.change({ storageError: new CwError('CW-703', 'full') });
    await rig.drawn();
    expect(rig.read()).toContain(en.errors['CW-703']);
    rig.session.set({ kind: 'signed-in', trouble: null });
    rig.change({ storageError: null });
    await rig.drawn();
    expect(rig.read().join()).not.toContain('CW-7');
  });

  it('says how far adding is', async () => {
    rig.connectedWith();
    rig.change({ adding: { done: 1, total: 5 } });
    await rig.drawn();
    expect(rig.read()).toContain('Adding photo 2 of 5…');
    rig.change({ adding: null });
    await rig.drawn();
    expect(rig.read().join()).not.toContain('Adding');
  });

  it('says which photos were not added and why, until that is dismissed', async () => {
    rig.connectedWith();
    rig.change({ refused: [{ name: 'x.jpg', error: new CwError('CW-601', 'empty') }] });
    await rig.drawn();
    expect(rig.read()).toContain(`x.jpg was not added. ${en.errors['CW-601']} (CW-601)`);
    await rig.click('Dismiss');
    expect(rig.intents.dismissRefused).toHaveBeenCalledTimes(1);
    rig.change({ refused: [] });
    await rig.drawn();
    expect(rig.read().join()).not.toContain('x.jpg');
    expect(rig.buttons()).not.toContain('Dismiss');
  });

  it('shows the first hundred photos and says how many more there are', async () => {
    rig.connectedWith(...Array.from({ length: 130 }, (_, index) => item(`${index}.jpg`)));
    await rig.drawn();
    expect(rig.read().filter((text) => text.endsWith('.jpg'))).toHaveLength(100);
    expect(rig.read()).toContain('and 30 photos more');
    rig.show(item('0.jpg'));
    await rig.drawn();
    expect(rig.read().filter((text) => text.endsWith('.jpg'))).toEqual(['0.jpg']);
    expect(rig.read().join()).not.toContain('more');
  });

  it('follows a photo through its whole life in one and the same row', async () => {
    rig.connectedWith(item('a.jpg'));
    await rig.drawn();
    const row = rig.page.querySelector('.photo');
    for (const phase of ['uploading', 'failed', 'waiting', 'uploading', 'uploaded'] as const) {
      rig.show(item('a.jpg', phase, phase === 'failed' ? { failure: 'CW-603' } : {}));
      await rig.drawn();
      expect(rig.page.querySelector('.photo')).toBe(row);
    }
    expect(rig.read()).toContain('Uploaded');
    expect(rig.read().join()).not.toContain('CW-603');
    rig.show();
    await rig.drawn();
    expect(rig.page.querySelector('.photo')).toBeNull();
  });

  it('shows names as the text they are, wherever they stand', async () => {
    const name = '<img src=x onerror="globalThis.broken = true">.jpg';
    rig.connectedWith(item(name, 'failed', { failure: 'CW-603' }), item(`<script>1</script>`));
    rig.change({ refused: [{ name, error: new CwError('CW-602', 'unreadable') }] });
    await rig.drawn();
    expect(rig.read()).toContain(name);
    expect(rig.read()).toContain('<script>1</script>');
    expect(rig.read()).toContain(`${name} was not added. ${en.errors['CW-602']} (CW-602)`);
    expect(rig.page.querySelectorAll('img, script')).toHaveLength(0);
  });
});
