import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { ROW_PX } from '../../../src/features/history/photo-row.js';
import { ICONS } from '../../../src/ui/icons.js';
import { en } from '../../ui/i18n/translations.js';
import type { FileLength } from '../../../src/host/photo-source.js';
import type { UploadItem } from '../../../src/features/queue/upload-item.js';
import { delivered, item, PanelFixture } from '../../panel/fixture.js';

let fixture: PanelFixture;

beforeEach(() => {
  fixture = new PanelFixture();
});

describe('a connected panel', () => {
  it('shows how to add photos when there are none', async () => {
    fixture.connectedWith();
    await fixture.drawn();
    expect(fixture.read()).toEqual([
      'Connected',
      'Connected',
      'Upload this document',
      'Print',
      'Add photos',
      en.noPhotos,
    ]);
    await fixture.click('Add photos');
    await fixture.choose(en.accountMenu, 'Disconnect');
    expect(fixture.actions.addPhotos).toHaveBeenCalledTimes(1);
    expect(fixture.actions.disconnect).toHaveBeenCalledTimes(1);
  });

  it('shows each photo: its name, its size, its state', async () => {
    fixture.connectedWith(
      item('a.jpg', 'uploaded'),
      item('b.jpg', 'uploading', { sentBytes: 420 }),
      item('c.jpg'),
    );
    await fixture.drawn();
    const text = fixture.read().join(' | ');
    expect(text).toContain('a.jpg | 1\u00a0kB | Uploaded');
    expect(text).toContain('b.jpg | 420\u00a0B of 1\u00a0kB | 42% | Uploading');
    expect(text).toContain('c.jpg | 1\u00a0kB | Waiting');
    expect(text).toContain('1 of 3 uploaded');
    expect(fixture.bars()).toEqual(['47%', '42%']);
  });

  it('is drawn twice a second while photos are uploaded, sooner otherwise', async () => {
    fixture.connectedWith(item('a.jpg'));
    await fixture.clock.advance(80);
    expect(fixture.read()).toContain('a.jpg');
    fixture.show(item('a.jpg', 'uploading', { sentBytes: 100 }));
    await fixture.drawn();
    fixture.show(item('a.jpg', 'uploading', { sentBytes: 420 }));
    await fixture.clock.advance(499);
    expect(fixture.read()).toContain('10%');
    await fixture.clock.advance(1);
    expect(fixture.read()).toContain('42%');
  });

  it('never shows 100 % before the service has all of it', async () => {
    fixture.connectedWith(item('a.jpg', 'uploading', { sentBytes: 1000 }));
    await fixture.drawn();
    expect(fixture.read()).toContain('99%');
    expect(fixture.bars()).toEqual(['99%', '99%']);
  });

  it('shows when all photos are uploaded, and hides the progress bar', async () => {
    fixture.connectedWith(item('a.jpg', 'uploaded'), item('b.jpg', 'uploaded'));
    await fixture.drawn();
    expect(fixture.read()).toContain('2 files uploaded');
    expect(fixture.bars()).toEqual([]);
    fixture.show(item('a.jpg', 'uploaded'));
    await fixture.drawn();
    expect(fixture.read()).toContain('1 file uploaded');
  });

  it('lets the user pause and resume only while there are photos to send', async () => {
    fixture.connectedWith(item('a.jpg', 'uploaded'));
    await fixture.drawn();
    expect(fixture.buttons()).not.toContain('Pause');
    fixture.show(item('a.jpg'));
    await fixture.drawn();
    await fixture.click('Pause');
    expect(fixture.uploads.pause).toHaveBeenCalledTimes(1);
    fixture.change({ paused: true });
    await fixture.drawn();
    expect(fixture.buttons()).not.toContain('Pause');
    expect(fixture.read()).toContain(en.pausedTitle);
    await fixture.click('Resume');
    expect(fixture.uploads.resume).toHaveBeenCalledTimes(1);
  });

  it('marks uploaded and failed photos with separate icons', async () => {
    fixture.connectedWith(
      item('a.jpg', 'uploaded'),
      item('b.jpg', 'failed', { failure: 'CW-604' }),
      item('c.jpg'),
    );
    await fixture.drawn();
    expect(fixture.states()).toEqual([
      ['Failed (CW-604)', 'failed'],
      ['Waiting', 'waiting'],
      ['Uploaded', 'uploaded'],
    ]);
  });

  it('reports storage that refuses the list or the sign-in', async () => {
    fixture.connectedWith();
    fixture.session.set({ kind: 'signed-in', trouble: new CwError('CW-701', 'refused') });
    await fixture.drawn();
    expect(fixture.read()).toContain(en.errors['CW-701']);
    fixture.change({ storageError: new CwError('CW-703', 'full') });
    await fixture.drawn();
    expect(fixture.read()).toContain(en.errors['CW-703']);
    fixture.session.set({ kind: 'signed-in', trouble: null });
    fixture.change({ storageError: null });
    await fixture.drawn();
    expect(fixture.read().join()).not.toContain('CW-7');
  });

  it('shows the progress of adding photos', async () => {
    fixture.connectedWith();
    fixture.change({ adding: { done: 1, total: 5 } });
    await fixture.drawn();
    expect(fixture.read()).toContain('Adding file 2 of 5…');
    await fixture.click('Cancel');
    expect(fixture.uploads.importer.cancel).toHaveBeenCalledTimes(1);
    fixture.change({ adding: null });
    await fixture.drawn();
    expect(fixture.read().join()).not.toContain('Adding');
  });

  it('has only the rows in sight in the page, however many photos there are', async () => {
    const items = Array.from({ length: 10_000 }, (_, index) => item(`${index}.jpg`));
    fixture.connectedWith(...items);
    await fixture.drawn();
    const names = (): string[] => fixture.read().filter((text) => text.endsWith('.jpg'));
    expect(names()[0]).toBe('0.jpg');
    expect(names().length).toBeLessThan(40);
    const list = fixture.page.querySelector<HTMLElement>('.photos');
    // The rows and the spacers for those out of sight are together as high as all rows.
    const heights = [...(list?.querySelectorAll<HTMLElement>(':scope > div') ?? [])]
      .map(({ style }) => parseInt(style.height || '0', 10))
      .reduce((sum, height) => sum + height, names().length * ROW_PX);
    expect(heights).toBe(10_000 * ROW_PX);
    // Scrolled, the list is above the upper edge of what it scrolls in.
    if (list) list.getBoundingClientRect = () => new DOMRect(0, -heights / 2, 300, heights);
    await fixture.clock.advance(100);
    expect(names()).toContain('5000.jpg');
    expect(names()).not.toContain('0.jpg');
    expect(names().length).toBeLessThan(60);
    fixture.show(item('0.jpg'));
    await fixture.drawn();
    expect(names()).toEqual(['0.jpg']);
  });

  it('offers Clear for uploaded photos and Remove all only when they apply', async () => {
    const entries = async (): Promise<string[]> => {
      await fixture.drawn();
      await fixture.click(en.listOptions);
      return fixture.entries();
    };
    fixture.connectedWith(item('a.jpg'));
    expect(await entries()).toEqual(['Remove all']);
    await fixture.click('Remove all');
    fixture.show(item('a.jpg', 'uploaded'));
    expect(await entries()).toEqual(['Clear uploaded']);
    await fixture.click('Clear uploaded');
    fixture.show(item('a.jpg', 'uploaded'), item('b.jpg'), item('c.jpg', 'failed'));
    expect(await entries()).toEqual(['Remove all', 'Clear uploaded']);
    expect(fixture.uploads.clearUploaded).toHaveBeenCalledTimes(1);
    expect(fixture.uploads.removeAll).toHaveBeenCalledTimes(1);
  });

  it('shows what was removed, and offers Undo while it is possible', async () => {
    fixture.connectedWith();
    fixture.change({ removal: { photos: 3 } });
    await fixture.drawn();
    expect(fixture.read()).toContain('3 files removed');
    await fixture.click('Undo');
    expect(fixture.uploads.undoRemoval).toHaveBeenCalledTimes(1);
    fixture.change({ removal: { photos: 1 } });
    await fixture.drawn();
    expect(fixture.read()).toContain('1 file removed');
    fixture.change({ removal: null });
    await fixture.drawn();
    expect(fixture.buttons()).not.toContain('Undo');
  });

  it('offers Undo for ten seconds', async () => {
    fixture.connectedWith();
    fixture.change({ removal: { photos: 3 } });
    await fixture.clock.advance(9_000);
    expect(fixture.buttons()).toContain('Undo');
    await fixture.clock.advance(3_000);
    expect(fixture.buttons()).not.toContain('Undo');
    fixture.change({ removal: { photos: 3 } });
    await fixture.drawn();
    expect(fixture.buttons()).toContain('Undo');
  });

  it('shows the choice for photos without a record', async () => {
    fixture.connectedWith();
    fixture.change({ orphans: 2 });
    await fixture.drawn();
    expect(fixture.read()).toContain('2 files found from an earlier session');
    await fixture.click('Upload');
    expect(fixture.uploads.answerOrphans).toHaveBeenCalledWith(true);
    fixture.change({ orphans: 1 });
    await fixture.drawn();
    expect(fixture.read().join()).toContain('It was copied but is missing from the list.');
    await fixture.click('Remove');
    expect(fixture.uploads.answerOrphans).toHaveBeenLastCalledWith(false);
    fixture.change({ orphans: 0 });
    await fixture.drawn();
    expect(fixture.read().join()).not.toContain('found from an earlier session');
  });

  it('offers Try again while storage refuses, and explains a list that cannot be read', async () => {
    fixture.connectedWith();
    fixture.change({ storageError: new CwError('CW-702', 'refused'), isUnread: true });
    await fixture.drawn();
    expect(fixture.read().join()).toContain(
      'Nothing is uploaded until the list of files can be read.',
    );
    expect(fixture.read().join()).not.toContain('Nothing to upload.');
    await fixture.click('Try again');
    expect(fixture.uploads.retryStorage).toHaveBeenCalledTimes(1);
    fixture.change({ isUnread: false });
    await fixture.drawn();
    expect(fixture.read().join()).not.toContain(
      'Nothing is uploaded until the list of files can be read.',
    );
    fixture.change({ storageError: null });
    await fixture.drawn();
    expect(fixture.buttons()).not.toContain('Try again');
  });

  it('scrolls all but its top, the progress, the last removal and the help', async () => {
    fixture.connectedWith(item('a.jpg'), item('b.jpg', 'failed', { failure: 'CW-603' }));
    fixture.change({ removal: { photos: 3 } });
    await fixture.drawn();
    const scrolling = fixture.page.querySelector('.scroll');
    const parts = fixture.page.querySelectorAll(
      '.head, .top, .progress-part, .problems, .photos, .undo, .footer',
    );
    expect([...parts].map((part) => [part.className, scrolling?.contains(part)])).toEqual([
      ['head', false],
      ['top', false],
      ['progress-part', false],
      ['disclosure problems', true],
      ['photos', true],
      ['undo', false],
      ['footer', false],
    ]);
  });

  it('lists photos that need the user first, and finished ones last', async () => {
    fixture.connectedWith(
      item('1.jpg', 'uploaded'),
      item('2.jpg'),
      item('3.jpg', 'uploading'),
      item('4.jpg', 'failed', { failure: 'CW-603' }),
    );
    await fixture.drawn();
    const names = fixture.read().filter((text) => text.endsWith('.jpg'));
    expect(names).toEqual(['4.jpg', '3.jpg', '2.jpg', '1.jpg']);
  });

  it('uploads the open document with the chosen preset, and shows why that failed', async () => {
    fixture.connectedWith();
    await fixture.drawn();
    await fixture.click('Upload this document');
    await fixture.click('Print');
    expect(fixture.entries()).toEqual(['Original', 'Web', 'Print', 'Edit presets…']);
    await fixture.click('Web');
    await fixture.drawn();
    await fixture.click('Upload this document');
    expect(fixture.actions.uploadDocument.mock.calls).toEqual([
      [expect.objectContaining({ id: 'print' }), 'Upload this document'],
      [expect.objectContaining({ id: 'web' }), 'Upload this document'],
    ]);
    fixture.change({ documentError: new CwError('CW-803', 'none') });
    await fixture.drawn();
    expect(fixture.read()).toEqual(
      expect.arrayContaining([en.documentTitle, en.errors['CW-803'], 'CW-803']),
    );
    await fixture.click('Dismiss');
    expect(fixture.uploads.importer.dismissRejected).toHaveBeenCalledTimes(1);
  });

  it('offers no document upload where the app cannot do it', async () => {
    fixture = new PanelFixture({ exportOffers: [] });
    fixture.connectedWith();
    await fixture.drawn();
    expect(fixture.buttons()).toEqual([en.accountMenu, 'Add photos']);
  });

  it('shows for each format how much of the document it is, and what was not uploaded', async () => {
    fixture = new PanelFixture({
      exportOffers: [
        { format: 'pdf', gives: 'document' },
        { format: 'jpg', gives: 'page' },
      ],
    });
    fixture.connectedWith();
    await fixture.drawn();
    expect(fixture.buttons()).toContain('Upload this document');
    await fixture.choose('PDF', 'JPEG');
    await fixture.drawn();
    await fixture.click('Upload this page');
    fixture.change({ documentError: new CwError('CW-805', 'busy') });
    await fixture.drawn();
    expect(fixture.read()).toContain(en.pageTitle);
    expect(fixture.read()).not.toContain(en.documentTitle);
    expect(fixture.actions.uploadDocument.mock.calls).toEqual([
      [expect.objectContaining({ id: 'jpg' }), 'Upload this page'],
    ]);
  });

  it.each([
    ['com.example.other', `${en.errors['CW-807']} The other plugin is com.example.other.`],
    [null, en.errors['CW-807']],
  ])(
    'names the plugin that keeps the app busy, where the app does (%p)',
    async (busyWith, text) => {
      fixture = new PanelFixture({ exportOffers: [{ format: 'jpg', gives: 'document' }] });
      fixture.connectedWith();
      fixture.change({ documentError: new CwError('CW-807', 'busy', { busyWith }) });
      await fixture.drawn();
      expect(fixture.read()).toEqual(expect.arrayContaining([text, 'CW-807']));
    },
  );

  it('offers a frame where the app hands one over', async () => {
    fixture = new PanelFixture({ exportOffers: [{ format: 'png', gives: 'frame' }] });
    fixture.connectedWith();
    await fixture.drawn();
    expect(fixture.buttons()).toEqual([en.accountMenu, 'Upload this frame', 'PNG', 'Add photos']);
    await fixture.click('Upload this frame');
    expect(fixture.actions.uploadDocument.mock.calls).toEqual([
      [expect.objectContaining({ id: 'png' }), 'Upload this frame'],
    ]);
    fixture.change({ documentError: new CwError('CW-803', 'none') });
    await fixture.drawn();
    expect(fixture.read()).toContain(en.frameTitle);
  });

  it('shows how much is in a layout and a film, before and after they have arrived', async () => {
    const of = (name: string, phase: UploadItem['phase'], length: FileLength): UploadItem => {
      const { record, ...others } = item(name, phase);
      return { ...others, record: { ...record, size: 8.4e6, length } };
    };
    const pages = { kind: 'pages', pages: 24 } as const;
    fixture.connectedWith(
      of('book.pdf', 'uploaded', pages),
      of('coast.mp4', 'waiting', { kind: 'duration', seconds: 92 }),
    );
    fixture.deliver(delivered('old.pdf', { length: pages }));
    await fixture.drawn();
    expect(fixture.read()).toEqual(
      expect.arrayContaining(['24 pages · 8.4\u00a0MB', '1:32 · 8.4\u00a0MB']),
    );
    await fixture.click('1 earlier upload');
    expect(fixture.read().some((line) => line.startsWith('24 pages · '))).toBe(true);
  });

  it('has a sign on the pictures of documents and films', async () => {
    for (const name of ['a.jpg', 'b.pdf', 'c.mov'])
      fixture.pictureOf.set(`id of ${name}`, 'data:image/jpeg;base64,AA==');
    fixture.connectedWith(...['a.jpg', 'b.pdf', 'c.mov', 'd.pdf'].map((name) => item(name)));
    await fixture.drawn();
    const pictures = [...fixture.page.querySelectorAll('.photo-picture')];
    const paths = (selector: string): (string | null | undefined)[] =>
      pictures.map((one) => one.querySelector(`${selector} path`)?.getAttribute('d'));
    expect(paths('.kind')).toEqual([undefined, ICONS.document, ICONS.video, undefined]);
    expect(paths(':scope > svg')).toEqual([undefined, undefined, undefined, ICONS.document]);
  });

  it('shows how much has been sent, and how long it will take', async () => {
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
    expect(fixture.read()).toContain('0\u00a0B of 60.0\u00a0MB');
    expect(fixture.read().join()).not.toContain('about');
    for (let second = 1; second <= 5; second += 1) {
      at(second * 2e6);
      await fixture.clock.advance(1000);
    }
    expect(fixture.read()).toContain('10.0 of 60.0\u00a0MB');
    expect(fixture.read()).toContain('about 25 s');
  });

  it('follows a photo through its whole life in one and the same row', async () => {
    fixture.connectedWith(item('a.jpg'));
    await fixture.drawn();
    const row = fixture.page.querySelector('.photo');
    for (const phase of ['uploading', 'failed', 'waiting', 'uploading', 'uploaded'] as const) {
      fixture.show(item('a.jpg', phase, phase === 'failed' ? { failure: 'CW-603' } : {}));
      await fixture.drawn();
      expect(fixture.page.querySelector('.photo')).toBe(row);
    }
    expect(fixture.read()).toContain('Uploaded');
    expect(fixture.read().join()).not.toContain('CW-603');
    fixture.show();
    await fixture.drawn();
    expect(fixture.page.querySelector('.photo')).toBeNull();
  });

  it('shortens names between signs, never within one, in rows and in messages', async () => {
    const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';
    const name = `Hochzeit von Anna und Ben ${family}${family}234.jpg`;
    fixture.connectedWith(item(name));
    fixture.change({ rejected: [{ name, error: new CwError('CW-602', 'unreadable') }] });
    await fixture.drawn();
    await fixture.click(en.count('needLook', 1));
    for (const place of ['.photo-name', '.reason-name']) {
      const parts = [...(fixture.page.querySelector(place)?.children ?? [])];
      expect(parts.map(({ textContent }) => textContent)).toEqual([
        `Hochzeit von Anna und Ben ${family}`,
        `${family}234.jpg`,
      ]);
    }
  });

  // @threat H5
  it('shows names as the text they are, wherever they stand', async () => {
    const name = '<img src=x onerror="globalThis.broken = true">.jpg';
    fixture.connectedWith(
      item(name, 'failed', { failure: 'CW-603' }),
      item('<script>1</script>.jpg'),
    );
    fixture.change({ rejected: [{ name, error: new CwError('CW-602', 'unreadable') }] });
    await fixture.drawn();
    expect(fixture.read()).toContain(name);
    expect(fixture.read()).toContain('<script>1</script>.jpg');
    expect(fixture.page.querySelectorAll('.photo img, script')).toHaveLength(0);
  });
});

describe('a row', () => {
  it('shows the picture of its photo as soon as there is one', async () => {
    fixture.connectedWith(item('a.jpg'));
    await fixture.drawn();
    expect(fixture.page.querySelector('.photo img')).toBeNull();
    fixture.pictureOf.set('id of a.jpg', 'data:image/jpeg;base64,AA==');
    fixture.pictures.changes.set(1);
    await fixture.drawn();
    expect(fixture.page.querySelector('.photo img')?.getAttribute('src')).toBe(
      'data:image/jpeg;base64,AA==',
    );
  });
});
