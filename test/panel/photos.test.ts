import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/util/errors.js';
import { en } from './translations.js';
import { item, PanelRig } from './fixture.js';

let rig: PanelRig;

beforeEach(() => {
  rig = new PanelRig();
});

describe('a connected panel', () => {
  it('without photos says how to add some', async () => {
    rig.connectedWith();
    await rig.drawn();
    expect(rig.read()).toEqual([
      'Connected',
      'Disconnect',
      'Add photos',
      'Upload this document',
      'Format: JPEG',
      en.noPhotos,
      'Open photos in browser',
    ]);
    await rig.click('Add photos');
    await rig.click('Disconnect');
    expect(rig.actions.addPhotos).toHaveBeenCalledTimes(1);
    expect(rig.actions.disconnect).toHaveBeenCalledTimes(1);
  });

  it('shows each photo: its name, its size, how it stands', async () => {
    rig.connectedWith(
      item('a.jpg', 'uploaded'),
      item('b.jpg', 'uploading', { sentBytes: 420 }),
      item('c.jpg'),
    );
    await rig.drawn();
    const text = rig.read().join(' | ');
    expect(text).toContain('a.jpg | 1\u00a0kB | Uploaded');
    expect(text).toContain('b.jpg | 1\u00a0kB | Uploading, 42%');
    expect(text).toContain('c.jpg | 1\u00a0kB | Waiting');
    expect(text).toContain('1 of 3 photos uploaded');
    expect(rig.bars()).toEqual(['42', '47']);
  });

  it('never says 100 % before the service has all of it', async () => {
    rig.connectedWith(item('a.jpg', 'uploading', { sentBytes: 1000 }));
    await rig.drawn();
    expect(rig.read()).toContain('Uploading, 99%');
    expect(rig.bars()).toEqual(['99', '99']);
  });

  it('shows when all photos are uploaded, and hides the progress bar', async () => {
    rig.connectedWith(item('a.jpg', 'uploaded'), item('b.jpg', 'uploaded'));
    await rig.drawn();
    expect(rig.read()).toContain('All 2 photos are uploaded.');
    expect(rig.bars()).toEqual([]);
    rig.show(item('a.jpg', 'uploaded'));
    await rig.drawn();
    expect(rig.read()).toContain('Your photo is uploaded.');
  });

  it('lets the user pause and resume only while there are photos to send', async () => {
    rig.connectedWith(item('a.jpg', 'uploaded'));
    await rig.drawn();
    expect(rig.buttons()).not.toContain('Pause');
    rig.show(item('a.jpg'));
    await rig.drawn();
    await rig.click('Pause');
    expect(rig.uploads.pause).toHaveBeenCalledTimes(1);
    rig.change({ paused: true });
    await rig.drawn();
    expect(rig.buttons()).not.toContain('Pause');
    expect(rig.read()).toContain(en.pausedText);
    await rig.click('Resume');
    expect(rig.uploads.resume).toHaveBeenCalledTimes(1);
  });

  it('marks uploaded and failed photos with separate icons', async () => {
    rig.connectedWith(item('a.jpg', 'uploaded'), item('b.jpg', 'failed', { failure: 'CW-604' }));
    await rig.drawn();
    expect(rig.signs()).toEqual({
      Connected: 'success',
      '1 photo was not uploaded': 'error',
      'Failed (CW-604)': 'error',
      Uploaded: 'success',
    });
    rig.show(item('a.jpg', 'uploaded'));
    await rig.drawn();
    expect(rig.signs()).toMatchObject({ 'Your photo is uploaded.': 'success' });
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

  it('shows the progress of adding photos', async () => {
    rig.connectedWith();
    rig.change({ adding: { done: 1, total: 5 } });
    await rig.drawn();
    expect(rig.read()).toContain('Adding photo 2 of 5…');
    await rig.click('Cancel');
    expect(rig.uploads.cancelAdding).toHaveBeenCalledTimes(1);
    rig.change({ adding: null });
    await rig.drawn();
    expect(rig.read().join()).not.toContain('Adding');
  });

  it('has only the rows in sight in the page, however many photos there are', async () => {
    const items = Array.from({ length: 10_000 }, (_, index) => item(`${index}.jpg`));
    rig.connectedWith(...items);
    await rig.drawn();
    const names = (): string[] => rig.read().filter((text) => text.endsWith('.jpg'));
    expect(names()[0]).toBe('0.jpg');
    expect(names().length).toBeLessThan(40);
    const list = rig.page.querySelector<HTMLElement>('.photos');
    // Rows and what stands for those out of sight are together as high as all rows.
    const heights = [...(list?.querySelectorAll<HTMLElement>('.photo, :scope > div') ?? [])]
      .map(({ style }) => parseInt(style.height || '0', 10))
      .reduce((sum, height) => sum + height, 0);
    expect(heights % 10_000).toBe(0);
    // Scrolled, the list stands above the upper edge of what it scrolls in.
    if (list) list.getBoundingClientRect = () => new DOMRect(0, -heights / 2, 300, heights);
    await rig.clock.advance(100);
    expect(names()).toContain('5000.jpg');
    expect(names()).not.toContain('0.jpg');
    expect(names().length).toBeLessThan(60);
    rig.show(item('0.jpg'));
    await rig.drawn();
    expect(names()).toEqual(['0.jpg']);
  });

  it('offers Clear for uploaded photos and Remove all only when they apply', async () => {
    rig.connectedWith(item('a.jpg'));
    await rig.drawn();
    expect(rig.buttons()).toContain('Remove all');
    expect(rig.buttons()).not.toContain('Clear uploaded');
    rig.show(item('a.jpg', 'uploaded'));
    await rig.drawn();
    expect(rig.buttons()).not.toContain('Remove all');
    expect(rig.buttons()).toContain('Clear uploaded');
    rig.show(item('a.jpg', 'uploaded'), item('b.jpg'), item('c.jpg', 'failed'));
    await rig.drawn();
    await rig.click('Clear uploaded');
    expect(rig.uploads.clearArrived).toHaveBeenCalledTimes(1);
    await rig.click('Remove all');
    expect(rig.uploads.removeAll).toHaveBeenCalledTimes(1);
  });

  it('shows what was removed, and offers Undo while it is possible', async () => {
    rig.connectedWith();
    rig.change({ removal: { photos: 3 } });
    await rig.drawn();
    expect(rig.read()).toContain('3 photos removed');
    await rig.click('Undo');
    expect(rig.uploads.undoRemoval).toHaveBeenCalledTimes(1);
    rig.change({ removal: { photos: 1 } });
    await rig.drawn();
    expect(rig.read()).toContain('1 photo removed');
    rig.change({ removal: null });
    await rig.drawn();
    expect(rig.buttons()).not.toContain('Undo');
  });

  it('asks what to do with photos without a record', async () => {
    rig.connectedWith();
    rig.change({ found: 2 });
    await rig.drawn();
    expect(rig.read()).toContain('2 photos found from an earlier session');
    await rig.click('Upload');
    expect(rig.uploads.answerFound).toHaveBeenCalledWith(true);
    rig.change({ found: 1 });
    await rig.drawn();
    expect(rig.read().join()).toContain('It was copied but is missing from the list.');
    await rig.click('Remove');
    expect(rig.uploads.answerFound).toHaveBeenLastCalledWith(false);
    rig.change({ found: 0 });
    await rig.drawn();
    expect(rig.read().join()).not.toContain('found from an earlier session');
  });

  it('offers Try again while storage refuses, and explains a list that cannot be read', async () => {
    rig.connectedWith();
    rig.change({ storageError: new CwError('CW-702', 'refused'), isUnread: true });
    await rig.drawn();
    expect(rig.read().join()).toContain(
      'Nothing is uploaded until the list of photos can be read.',
    );
    expect(rig.read().join()).not.toContain('Nothing to upload.');
    await rig.click('Try again');
    expect(rig.uploads.retryStorage).toHaveBeenCalledTimes(1);
    rig.change({ isUnread: false });
    await rig.drawn();
    expect(rig.read().join()).not.toContain(
      'Nothing is uploaded until the list of photos can be read.',
    );
    rig.change({ storageError: null });
    await rig.drawn();
    expect(rig.buttons()).not.toContain('Try again');
  });

  it('scrolls all but its top, the progress, the last removal and the help', async () => {
    rig.connectedWith(item('a.jpg'), item('b.jpg', 'failed', { failure: 'CW-606' }));
    rig.change({ removal: { photos: 3 } });
    await rig.drawn();
    const scrolling = rig.page.querySelector('.scroll');
    const lines = rig.page.querySelectorAll(
      '.fixed .headline, .progress, .undo-text, .help, .photos',
    );
    const names = [...lines].map((line) => [line.className, scrolling?.contains(line)]);
    expect(names).toEqual([
      ['headline', false],
      ['photos', true],
      ['photos', true],
      ['progress', false],
      ['undo-text', false],
      ['help', false],
    ]);
  });

  it('lists photos that need the user first, and finished ones last', async () => {
    rig.connectedWith(
      item('1.jpg', 'uploaded'),
      item('2.jpg'),
      item('3.jpg', 'uploading'),
      item('4.jpg', 'failed', { failure: 'CW-603' }),
    );
    await rig.drawn();
    const names = rig.read().filter((text) => text.endsWith('.jpg'));
    expect(names).toEqual(['4.jpg', '3.jpg', '2.jpg', '1.jpg']);
  });

  it('uploads the open document in the format chosen, and says why that failed', async () => {
    rig.connectedWith();
    await rig.drawn();
    await rig.click('Upload this document');
    await rig.click('Format: JPEG');
    await rig.click('Upload this document');
    await rig.click('Format: PNG');
    await rig.click('Upload this document');
    await rig.click('Format: PSD');
    expect(rig.buttons()).toContain('Format: JPEG');
    expect(rig.actions.uploadDocument.mock.calls).toEqual([
      ['jpg', 'Upload this document'],
      ['png', 'Upload this document'],
      ['psd', 'Upload this document'],
    ]);
    rig.change({ documentError: new CwError('CW-803', 'none') });
    await rig.drawn();
    expect(rig.read()).toEqual(
      expect.arrayContaining([en.documentTitle, en.errors['CW-803'], 'CW-803']),
    );
    await rig.click('Dismiss');
    expect(rig.uploads.dismissRefused).toHaveBeenCalledTimes(1);
  });

  it('offers no document upload where the app cannot do it', async () => {
    rig = new PanelRig({ exportOffers: [] });
    rig.connectedWith();
    await rig.drawn();
    expect(rig.buttons()).toEqual(['Disconnect', 'Add photos', 'Open photos in browser']);
  });

  it('says of each format how much of the document it is, and what was not uploaded', async () => {
    rig = new PanelRig({
      exportOffers: [
        { format: 'pdf', gives: 'document' },
        { format: 'jpg', gives: 'page' },
      ],
    });
    rig.connectedWith();
    await rig.drawn();
    const offering = (...upload: string[]): string[] => [
      ...['Disconnect', 'Add photos'],
      ...upload,
      'Open photos in browser',
    ];
    const offered = offering('Upload this document', 'Format: PDF');
    expect(rig.buttons()).toEqual(offered);
    await rig.click('Format: PDF');
    expect(rig.buttons()).toEqual(offering('Upload this page', 'Format: JPEG'));
    await rig.click('Upload this page');
    await rig.click('Format: JPEG');
    expect(rig.buttons()).toEqual(offered);
    rig.change({ documentError: new CwError('CW-805', 'busy') });
    await rig.drawn();
    expect(rig.read()).toContain(en.pageTitle);
    expect(rig.read()).not.toContain(en.documentTitle);
    expect(rig.actions.uploadDocument.mock.calls).toEqual([['jpg', 'Upload this page']]);
  });

  it.each([
    ['com.example.other', `${en.errors['CW-807']} The other plugin is com.example.other.`],
    [null, en.errors['CW-807']],
  ])(
    'names the plugin that keeps the app busy, where the app does (%p)',
    async (busyWith, text) => {
      rig = new PanelRig({ exportOffers: [{ format: 'jpg', gives: 'document' }] });
      rig.connectedWith();
      rig.change({ documentError: new CwError('CW-807', 'busy', { busyWith }) });
      await rig.drawn();
      expect(rig.read()).toEqual(expect.arrayContaining([text, 'CW-807']));
    },
  );

  it('offers a frame where the app hands one over, and no choice where there is one format', async () => {
    rig = new PanelRig({ exportOffers: [{ format: 'png', gives: 'frame' }] });
    rig.connectedWith();
    await rig.drawn();
    expect(rig.buttons()).toEqual([
      'Disconnect',
      'Add photos',
      'Upload this frame',
      'Open photos in browser',
    ]);
    await rig.click('Upload this frame');
    expect(rig.actions.uploadDocument.mock.calls).toEqual([['png', 'Upload this frame']]);
    rig.change({ documentError: new CwError('CW-803', 'none') });
    await rig.drawn();
    expect(rig.read()).toContain(en.frameTitle);
  });

  it('says how much has been sent, how fast, and how long it will take', async () => {
    const at = (sentBytes: number): void => {
      rig.show({
        ...item('a.jpg', 'uploading', { sentBytes }),
        record: { ...item('a.jpg').record, size: 60e6 },
      });
    };
    rig.connectedWith();
    at(0);
    await rig.drawn();
    expect(rig.read()).toContain('0\u00a0B of 60.0\u00a0MB');
    expect(rig.read().join()).not.toContain('second');
    for (let second = 1; second <= 5; second += 1) {
      at(second * 2e6);
      await rig.clock.advance(1000);
    }
    expect(rig.read()).toContain('10.0\u00a0MB of 60.0\u00a0MB');
    expect(rig.read()).toContain('2.0\u00a0MB per second');
    expect(rig.read()).toContain('About 25 seconds left');
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

  it('shortens names between signs, never within one, in rows and in messages', async () => {
    const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';
    const name = `Hochzeit von Anna und Ben ${family}${family}234.jpg`;
    rig.connectedWith(item(name));
    rig.change({ rejected: [{ name, error: new CwError('CW-602', 'unreadable') }] });
    await rig.drawn();
    for (const place of ['.photo-name', '.reason-name']) {
      const parts = [...(rig.page.querySelector(place)?.children ?? [])];
      expect(parts.map(({ textContent }) => textContent)).toEqual([
        `Hochzeit von Anna und Ben ${family}`,
        `${family}234.jpg`,
      ]);
    }
  });

  it('shows names as the text they are, wherever they stand', async () => {
    const name = '<img src=x onerror="globalThis.broken = true">.jpg';
    rig.connectedWith(item(name, 'failed', { failure: 'CW-603' }), item('<script>1</script>.jpg'));
    rig.change({ rejected: [{ name, error: new CwError('CW-602', 'unreadable') }] });
    await rig.drawn();
    expect(rig.read()).toContain(name);
    expect(rig.read()).toContain('<script>1</script>.jpg');
    expect(rig.page.querySelectorAll('img, script')).toHaveLength(0);
  });
});
