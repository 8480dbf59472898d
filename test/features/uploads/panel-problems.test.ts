import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { en } from '../../ui/i18n/translations.js';
import { item, PanelFixture } from '../../panel/fixture.js';

let fixture: PanelFixture;

beforeEach(() => {
  fixture = new PanelFixture();
});

const look = (count: number): string => en.count('needLook', count);

describe('a connected panel', () => {
  it('shows in one line how many files need attention, and unfolds the reasons', async () => {
    fixture.connectedWith(
      item('a.jpg', 'failed', { failure: 'CW-603' }),
      item('b.jpg', 'failed', { failure: 'CW-612' }),
      item('c.jpg'),
    );
    fixture.change({ rejected: [{ name: 'x.jpg', error: new CwError('CW-601', 'empty') }] });
    await fixture.drawn();
    expect(fixture.read()).toContain(look(3));
    expect(fixture.read()).not.toContain('CW-603');
    expect(fixture.read()).toEqual(expect.arrayContaining(['Failed (CW-603)', 'Failed (CW-612)']));
    await fixture.click(look(3));
    expect(fixture.read()).toEqual(
      expect.arrayContaining([
        ...[en.errors['CW-603'], 'CW-603', en.errors['CW-612'], 'CW-612'],
        ...['Not added', 'x.jpg', en.errors['CW-601'], 'CW-601'],
      ]),
    );
    await fixture.click('Retry', 1);
    expect(fixture.uploads.retryFailed.mock.calls).toEqual([['CW-612']]);
    await fixture.click('Remove', 0);
    expect(fixture.uploads.removeFailed.mock.calls).toEqual([['CW-603']]);
    await fixture.click('Dismiss');
    expect(fixture.uploads.importer.dismissRejected).toHaveBeenCalledTimes(1);
    await fixture.click(look(3));
    expect(fixture.read()).not.toContain('CW-603');
  });

  it('lists photos that an earlier run could not add, until the user dismisses that', async () => {
    fixture.connectedWith();
    fixture.change({ notAdded: ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg', 'e.jpg', 'f.jpg'] });
    await fixture.drawn();
    expect(fixture.read()).toEqual(
      expect.arrayContaining(['6 files were not added. Add them again.', 'a.jpg', 'e.jpg', '…']),
    );
    expect(fixture.read()).not.toContain('f.jpg');
    await fixture.click('Dismiss');
    expect(fixture.uploads.dismissNotAdded).toHaveBeenCalledTimes(1);
  });

  it('lets the user retry, remove or advance one photo in its menu', async () => {
    fixture.connectedWith(
      item('a.jpg', 'failed', { failure: 'CW-603' }),
      item('b.jpg', 'uploading'),
      item('c.jpg'),
    );
    await fixture.drawn();
    await fixture.choose('Options', 'Retry', 0);
    expect(fixture.uploads.retry.mock.calls).toEqual([['id of a.jpg']]);
    await fixture.click('Options', 1);
    expect(fixture.entries()).toEqual(['Remove']);
    await fixture.click('Remove');
    expect(fixture.uploads.remove.mock.calls).toEqual([['id of b.jpg']]);
    await fixture.choose('Options', 'Upload next', 2);
    expect(fixture.uploads.makeNext.mock.calls).toEqual([['id of c.jpg']]);
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
    expect(fixture.entries()).toEqual(['Remove']);
    await fixture.click(look(2));
    expect(fixture.buttons()).not.toContain('Retry');
    await fixture.click('Remove');
    expect(fixture.uploads.removeFailed.mock.calls).toEqual([[failure]]);
  });

  it('keeps the buttons of a reason while its photos become fewer', async () => {
    const failed = ['a', 'b', 'c'].map((name) => item(name, 'failed', { failure: 'CW-612' }));
    fixture.connectedWith(...failed);
    await fixture.drawn();
    await fixture.click(look(3));
    const actions = fixture.page.querySelector('.reason .buttons');
    fixture.show(...failed.slice(1));
    await fixture.drawn();
    expect(fixture.page.querySelector('.reason .buttons')).toBe(actions);
    expect(fixture.buttons()).toContain(look(2));
  });

  it('names files that may be no photos with the reason, and sends them only on request', async () => {
    fixture.connectedWith(
      item('notes.jpg', 'failed', { failure: 'CW-609' }),
      item('really a png.jpg', 'failed', { failure: 'CW-610' }),
      item('large.jpg', 'failed', { failure: 'CW-604' }),
    );
    await fixture.drawn();
    await fixture.click(look(3));
    const read = fixture.read();
    expect(read).toEqual(
      expect.arrayContaining([
        ...['CW-609', 'CW-610', 'Not a photo?', 'Wrong file type?', 'Failed (CW-604)'],
      ]),
    );
    // Named with the reason and in the list.
    for (const name of ['notes.jpg', 'really a png.jpg'])
      expect(read.filter((text) => text === name)).toHaveLength(2);
    await fixture.click('Upload anyway');
    expect(fixture.uploads.retryFailed.mock.calls).toEqual([['CW-609']]);
    await fixture.click('Options');
    await fixture.click('Upload anyway', 2);
    expect(fixture.uploads.retry).toHaveBeenCalledWith('id of notes.jpg');
  });
});

describe('photos with the names of earlier uploads', () => {
  it.each([
    ['Replace', 'replace'],
    ['Keep both', 'keep-both'],
  ])('are asked about once: %s', async (label, answer) => {
    const previous = { projectName: null, uploadedAt: null, replaces: 'u1' };
    fixture.connectedWith();
    fixture.change({
      previous: [
        { id: '1', name: 'a.jpg', ...previous },
        { id: '2', name: 'b.jpg', ...previous },
      ],
    });
    await fixture.drawn();
    expect(fixture.read()).toEqual(
      expect.arrayContaining([en.previousTitle, en.count('previousText', 2)]),
    );
    await fixture.click(label);
    expect(fixture.uploads.duplicates.answer.mock.calls).toEqual([[answer]]);
  });
});

describe('photos that the workspace holds already', () => {
  it('are asked about once, with Skip and Upload again', async () => {
    const known = (name: string): ReturnType<typeof item> =>
      item(name, 'failed', { failure: 'CW-611' });
    fixture.connectedWith(known('a.jpg'), known('b.jpg'));
    await fixture.drawn();
    expect(fixture.read()).toContain(en.count('knownCount', 2));
    expect(fixture.read()).toContain('Already uploaded');
    await fixture.click('Skip');
    await fixture.click('Upload again');
    expect(fixture.uploads.removeFailed.mock.calls).toEqual([['CW-611']]);
    expect(fixture.uploads.retryFailed.mock.calls).toEqual([['CW-611']]);
    await fixture.click('Options');
    await fixture.click('Upload again', 1);
    expect(fixture.uploads.retry.mock.calls).toEqual([['id of a.jpg']]);
    fixture.show(known('a.jpg'));
    await fixture.drawn();
    expect(fixture.read()).toContain(en.count('knownCount', 1));
  });
});
