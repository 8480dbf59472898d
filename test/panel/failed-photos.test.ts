import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/util/errors.js';
import type { UploadItem } from '../../src/uploads/queue/upload-item.js';
import { en } from './translations.js';
import { item, PanelFixture } from './fixture.js';

let fixture: PanelFixture;

beforeEach(() => {
  fixture = new PanelFixture();
});

describe('a connected panel', () => {
  it('shows why a photo failed, and lets the user retry or remove it', async () => {
    fixture.connectedWith(
      item('a.jpg', 'failed', { failure: 'CW-603' }),
      item('b.jpg', 'failed', { failure: 'CW-606' }),
      item('c.jpg'),
    );
    await fixture.drawn();
    const text = fixture.read();
    expect(text).toEqual(
      expect.arrayContaining([en.errors['CW-603'], 'CW-603', en.errors['CW-606'], 'CW-606']),
    );
    expect(text).toEqual(expect.arrayContaining(['Failed (CW-603)', 'Failed (CW-606)']));
    expect(text).toContain('2 photos were not uploaded');
    // One for each reason, then one for each photo.
    await fixture.click('Options', 0);
    await fixture.click('Options', 0);
    await fixture.click('Retry', 1);
    expect(fixture.uploads.retryFailed.mock.calls).toEqual([['CW-606']]);
    await fixture.click('Retry', 3);
    expect(fixture.uploads.retry.mock.calls).toEqual([['id of b.jpg']]);
    await fixture.click('Remove', 0);
    expect(fixture.uploads.remove.mock.calls).toEqual([['id of a.jpg']]);
    await fixture.click('Options', 0);
    await fixture.click('Upload next');
    expect(fixture.uploads.makeNext.mock.calls).toEqual([['id of c.jpg']]);
  });

  it('shows which photos were not added and why, until dismissed', async () => {
    fixture.connectedWith();
    fixture.change({ rejected: [{ name: 'x.jpg', error: new CwError('CW-601', 'empty') }] });
    await fixture.drawn();
    expect(fixture.read()).toEqual(
      expect.arrayContaining(['Not added', 'x.jpg', en.errors['CW-601'], 'CW-601']),
    );
    await fixture.click('Dismiss');
    expect(fixture.uploads.dismissRefused).toHaveBeenCalledTimes(1);
    fixture.change({ rejected: [] });
    await fixture.drawn();
    expect(fixture.read().join()).not.toContain('x.jpg');
    expect(fixture.buttons()).not.toContain('Dismiss');
  });

  it.each([
    'CW-604', // too large
    'CW-605', // of a kind that is not accepted
    'CW-607', // damaged
  ] as const)('offers no Retry where that cannot help: %s', async (failure) => {
    fixture.connectedWith(
      item('a.jpg', 'failed', { failure }),
      item('b.jpg', 'failed', { failure }),
    );
    await fixture.drawn();
    await fixture.click('Options');
    expect(fixture.buttons()).not.toContain('Retry');
    await fixture.click('Remove 2');
    expect(fixture.uploads.removeFailed.mock.calls).toEqual([[failure]]);
  });

  it('offers Remove once at a single photo that failed and stands right below, for several and for one among many at the reason', async () => {
    const failed = (name: string): UploadItem => item(name, 'failed', { failure: 'CW-604' });
    const removing = (): string[] =>
      fixture.buttons().filter((label) => /^Remove(?! all)/.test(label));
    const others = Array.from({ length: 40 }, (_, index) =>
      item(`${index}.jpg`, 'failed', { failure: 'CW-605' }),
    );
    fixture.connectedWith(failed('a.jpg'), failed('b.jpg'));
    await fixture.drawn();
    expect(removing()).toEqual(['Remove 2']);
    fixture.show(failed('a.jpg'), item('b.jpg'));
    await fixture.drawn();
    expect(removing()).toEqual([]);
    await fixture.click('Options', 0);
    expect(removing()).toEqual(['Remove']);
    await fixture.click('Remove');
    expect(fixture.uploads.remove.mock.calls).toEqual([['id of a.jpg']]);
    await fixture.click('Close');
    fixture.show(...others, failed('a.jpg'));
    await fixture.drawn();
    expect(removing()).toEqual(['Remove 40', 'Remove']);
    await fixture.click('Remove');
    expect(fixture.uploads.removeFailed.mock.calls).toEqual([['CW-604']]);
  });

  it('lets the user decide next to the reason about a single held photo', async () => {
    fixture.connectedWith(item('notes.jpg', 'failed', { failure: 'CW-609' }));
    await fixture.drawn();
    expect(fixture.buttons()).toEqual(expect.arrayContaining(['Upload anyway', 'Remove']));
  });

  it('keeps the buttons of a reason while its photos become fewer', async () => {
    const failed = ['a', 'b', 'c'].map((name) => item(name, 'failed', { failure: 'CW-606' }));
    fixture.connectedWith(...failed);
    await fixture.drawn();
    const actions = fixture.page.querySelector('.reason .buttons');
    fixture.show(...failed.slice(1));
    await fixture.drawn();
    expect(fixture.page.querySelector('.reason .buttons')).toBe(actions);
    expect(fixture.buttons()).toContain('Remove 2');
  });

  it('names files that may be no photos with the reason, and sends them only when asked', async () => {
    fixture.connectedWith(
      item('notes.jpg', 'failed', { failure: 'CW-609' }),
      item('really a png.jpg', 'failed', { failure: 'CW-610' }),
      item('large.jpg', 'failed', { failure: 'CW-604' }),
    );
    await fixture.drawn();
    const read = fixture.read();
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

    await fixture.click('Upload anyway');
    expect(fixture.uploads.retryFailed.mock.calls).toEqual([['CW-609']]);

    await fixture.click('Options');
    await fixture.drawn();
    expect(fixture.buttons().filter((label) => label === 'Upload anyway')).toHaveLength(3);
    await fixture.click('Upload anyway', 2);
    expect(fixture.uploads.retry).toHaveBeenCalledWith('id of notes.jpg');
  });
});
