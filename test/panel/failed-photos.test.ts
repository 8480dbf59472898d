import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/util/errors.js';
import type { UploadItem } from '../../src/uploads/queue/upload-item.js';
import { en } from './translations.js';
import { item, PanelRig } from './fixture.js';

let rig: PanelRig;

beforeEach(() => {
  rig = new PanelRig();
});

describe('a connected panel', () => {
  it('shows why a photo failed, and lets the user retry or remove it', async () => {
    rig.connectedWith(
      item('a.jpg', 'failed', { failure: 'CW-603' }),
      item('b.jpg', 'failed', { failure: 'CW-606' }),
      item('c.jpg'),
    );
    await rig.drawn();
    const text = rig.read();
    expect(text).toEqual(
      expect.arrayContaining([en.errors['CW-603'], 'CW-603', en.errors['CW-606'], 'CW-606']),
    );
    expect(text).toEqual(expect.arrayContaining(['Failed (CW-603)', 'Failed (CW-606)']));
    expect(text).toContain('2 photos were not uploaded');
    // One for each reason, then one for each photo.
    await rig.click('Options', 0);
    await rig.click('Options', 0);
    await rig.click('Retry', 1);
    expect(rig.uploads.retryFailed.mock.calls).toEqual([['CW-606']]);
    await rig.click('Retry', 3);
    expect(rig.uploads.retry.mock.calls).toEqual([['id of b.jpg']]);
    await rig.click('Remove', 0);
    expect(rig.uploads.remove.mock.calls).toEqual([['id of a.jpg']]);
    await rig.click('Options', 0);
    await rig.click('Upload next');
    expect(rig.uploads.makeNext.mock.calls).toEqual([['id of c.jpg']]);
  });

  it('shows which photos were not added and why, until dismissed', async () => {
    rig.connectedWith();
    rig.change({ rejected: [{ name: 'x.jpg', error: new CwError('CW-601', 'empty') }] });
    await rig.drawn();
    expect(rig.read()).toEqual(
      expect.arrayContaining(['Not added', 'x.jpg', en.errors['CW-601'], 'CW-601']),
    );
    await rig.click('Dismiss');
    expect(rig.uploads.dismissRefused).toHaveBeenCalledTimes(1);
    rig.change({ rejected: [] });
    await rig.drawn();
    expect(rig.read().join()).not.toContain('x.jpg');
    expect(rig.buttons()).not.toContain('Dismiss');
  });

  it.each([
    'CW-604', // too large
    'CW-605', // of a kind that is not accepted
    'CW-607', // damaged
  ] as const)('offers no Retry where that cannot help: %s', async (failure) => {
    rig.connectedWith(item('a.jpg', 'failed', { failure }), item('b.jpg', 'failed', { failure }));
    await rig.drawn();
    await rig.click('Options');
    expect(rig.buttons()).not.toContain('Retry');
    await rig.click('Remove 2');
    expect(rig.uploads.removeFailed.mock.calls).toEqual([[failure]]);
  });

  it('offers Remove once at a single photo that failed and stands right below, for several and for one among many at the reason', async () => {
    const failed = (name: string): UploadItem => item(name, 'failed', { failure: 'CW-604' });
    const removing = (): string[] => rig.buttons().filter((label) => /^Remove(?! all)/.test(label));
    const others = Array.from({ length: 40 }, (_, index) =>
      item(`${index}.jpg`, 'failed', { failure: 'CW-605' }),
    );
    rig.connectedWith(failed('a.jpg'), failed('b.jpg'));
    await rig.drawn();
    expect(removing()).toEqual(['Remove 2']);
    rig.show(failed('a.jpg'), item('b.jpg'));
    await rig.drawn();
    expect(removing()).toEqual([]);
    await rig.click('Options', 0);
    expect(removing()).toEqual(['Remove']);
    await rig.click('Remove');
    expect(rig.uploads.remove.mock.calls).toEqual([['id of a.jpg']]);
    await rig.click('Close');
    rig.show(...others, failed('a.jpg'));
    await rig.drawn();
    expect(removing()).toEqual(['Remove 40', 'Remove']);
    await rig.click('Remove');
    expect(rig.uploads.removeFailed.mock.calls).toEqual([['CW-604']]);
  });

  it('lets the user decide next to the reason about a single held photo', async () => {
    rig.connectedWith(item('notes.jpg', 'failed', { failure: 'CW-609' }));
    await rig.drawn();
    expect(rig.buttons()).toEqual(expect.arrayContaining(['Upload anyway', 'Remove']));
  });

  it('keeps the buttons of a reason while its photos become fewer', async () => {
    const failed = ['a', 'b', 'c'].map((name) => item(name, 'failed', { failure: 'CW-606' }));
    rig.connectedWith(...failed);
    await rig.drawn();
    const actions = rig.page.querySelector('.reason .buttons');
    rig.show(...failed.slice(1));
    await rig.drawn();
    expect(rig.page.querySelector('.reason .buttons')).toBe(actions);
    expect(rig.buttons()).toContain('Remove 2');
  });

  it('names files that may be no photos with the reason, and sends them only when asked', async () => {
    rig.connectedWith(
      item('notes.jpg', 'failed', { failure: 'CW-609' }),
      item('really a png.jpg', 'failed', { failure: 'CW-610' }),
      item('large.jpg', 'failed', { failure: 'CW-604' }),
    );
    await rig.drawn();
    const read = rig.read();
    expect(read).toEqual(
      expect.arrayContaining([
        '3 photos were not uploaded',
        'CW-609',
        'CW-610',
        'Not a photo?',
        'Wrong file type?',
        'Failed (CW-604)',
      ]),
    );
    // Named in the box and in the list.
    for (const name of ['notes.jpg', 'really a png.jpg'])
      expect(read.filter((text) => text === name)).toHaveLength(2);

    await rig.click('Upload anyway');
    expect(rig.uploads.retryFailed.mock.calls).toEqual([['CW-609']]);

    await rig.click('Options');
    await rig.drawn();
    expect(rig.buttons().filter((label) => label === 'Upload anyway')).toHaveLength(3);
    await rig.click('Upload anyway', 2);
    expect(rig.uploads.retry).toHaveBeenCalledWith('id of notes.jpg');
  });
});
