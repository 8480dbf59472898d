import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/base/errors.js';
import type { UploadItem } from '../../src/uploads/upload-item.js';
import { en } from './words.js';
import { item, PanelRig } from './rig.js';

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
      'Photos in browser',
    ]);
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
    expect(text).toContain('a.jpg | 1\u00a0KB | Uploaded');
    expect(text).toContain('b.jpg | 1\u00a0KB | Uploading, 42%');
    expect(text).toContain('c.jpg | 1\u00a0KB | Waiting');
    expect(text).toContain('1 of 3 photos uploaded');
    expect(rig.bars()).toEqual(['42', '47']);
  });

  it('never says 100 % before the service has all of it', async () => {
    rig.connectedWith(item('a.jpg', 'uploading', { sentBytes: 1000 }));
    await rig.drawn();
    expect(rig.read()).toContain('Uploading, 99%');
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
    expect(rig.read()).toContain(en.pausedText);
    await rig.click('Resume');
    expect(rig.intents.resume).toHaveBeenCalledTimes(1);
  });

  it('says why a photo failed and lets the person retry or remove it', async () => {
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
    expect(text).toEqual(expect.arrayContaining(['Not sent (CW-603)', 'Not sent (CW-606)']));
    expect(text).toContain('2 photos were not sent');
    // One for each reason, then one for each photo.
    await rig.click('Options', 0);
    await rig.click('Options', 0);
    await rig.click('Retry', 1);
    expect(rig.intents.retryFailed.mock.calls).toEqual([['CW-606']]);
    await rig.click('Retry', 3);
    expect(rig.intents.retry.mock.calls).toEqual([['id of b.jpg']]);
    await rig.click('Remove', 0);
    expect(rig.intents.remove.mock.calls).toEqual([['id of a.jpg']]);
    await rig.click('Options', 0);
    await rig.click('Send next');
    expect(rig.intents.makeNext.mock.calls).toEqual([['id of c.jpg']]);
  });

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
    expect(rig.intents.resume).toHaveBeenCalledTimes(1);
    rig.queue.set({ kind: 'open' });
    await rig.drawn();
    expect(rig.read()).not.toContain('CW-301');
  });

  it.each([
    ['CW-301', 'No connection'],
    ['CW-302', 'The service has trouble'],
    ['CW-303', 'The service has trouble'],
  ] as const)('says in one headline how it stands: %s is "%s"', async (code, headline) => {
    rig.connectedWith(item('a.jpg', 'uploading', { sentBytes: 420 }), item('b.jpg', 'uploading'));
    await rig.drawn();
    expect(rig.read()[0]).toBe('Connected');
    expect(rig.signs()).toEqual({ Connected: 'good' });
    rig.queue.set({ kind: 'waiting', error: new CwError(code, 'x'), until: rig.clock.now() + 9e4 });
    await rig.drawn();
    const text = rig.read();
    expect(text[0]).toBe(headline);
    expect(text.filter((line) => line === headline)).toHaveLength(1);
    expect(text).not.toContain('Connected');
    expect(rig.signs()).toEqual({ [headline]: 'warn' });
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
    expect(rig.signs()).toEqual({ Paused: 'still' });
  });

  it('marks what arrived and what failed with signs of their own', async () => {
    rig.connectedWith(item('a.jpg', 'uploaded'), item('b.jpg', 'failed', { failure: 'CW-604' }));
    await rig.drawn();
    expect(rig.signs()).toEqual({
      Connected: 'good',
      '1 photo was not sent': 'bad',
      'Not sent (CW-604)': 'bad',
      Uploaded: 'good',
    });
    rig.show(item('a.jpg', 'uploaded'));
    await rig.drawn();
    expect(rig.signs()).toMatchObject({ 'Your photo has arrived.': 'good' });
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
    expect(rig.read()).toContain('10.0\u00a0MB of 60.0\u00a0MB sent');
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
    await rig.click('Cancel');
    expect(rig.intents.cancelAdding).toHaveBeenCalledTimes(1);
    rig.change({ adding: null });
    await rig.drawn();
    expect(rig.read().join()).not.toContain('Adding');
  });

  it('says which photos were not added and why, until that is dismissed', async () => {
    rig.connectedWith();
    rig.change({ refused: [{ name: 'x.jpg', error: new CwError('CW-601', 'empty') }] });
    await rig.drawn();
    expect(rig.read()).toEqual(
      expect.arrayContaining(['Not added', 'x.jpg', en.errors['CW-601'], 'CW-601']),
    );
    await rig.click('Dismiss');
    expect(rig.intents.dismissRefused).toHaveBeenCalledTimes(1);
    rig.change({ refused: [] });
    await rig.drawn();
    expect(rig.read().join()).not.toContain('x.jpg');
    expect(rig.buttons()).not.toContain('Dismiss');
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

  it.each([
    'CW-604', // too large
    'CW-605', // of a kind that is not accepted
    'CW-607', // damaged
  ] as const)('offers no Retry where that cannot help: %s', async (failure) => {
    rig.connectedWith(item('a.jpg', 'failed', { failure }), item('b.jpg', 'failed', { failure }));
    await rig.drawn();
    await rig.click('Options');
    expect(rig.buttons()).not.toContain('Retry');
    await rig.click('Remove these 2');
    expect(rig.intents.removeFailed.mock.calls).toEqual([[failure]]);
  });

  it('offers Remove once at a single photo that failed and stands right below, for several and for one among many at the reason', async () => {
    const failed = (name: string): UploadItem => item(name, 'failed', { failure: 'CW-604' });
    const removing = (): string[] => rig.buttons().filter((label) => /^Remove(?! all)/.test(label));
    const others = Array.from({ length: 40 }, (_, index) =>
      item(`${index}.jpg`, 'failed', { failure: 'CW-605' }),
    );
    rig.connectedWith(failed('a.jpg'), failed('b.jpg'));
    await rig.drawn();
    expect(removing()).toEqual(['Remove these 2']);
    rig.show(failed('a.jpg'), item('b.jpg'));
    await rig.drawn();
    expect(removing()).toEqual([]);
    await rig.click('Options', 0);
    expect(removing()).toEqual(['Remove']);
    await rig.click('Remove');
    expect(rig.intents.remove.mock.calls).toEqual([['id of a.jpg']]);
    await rig.click('Close');
    rig.show(...others, failed('a.jpg'));
    await rig.drawn();
    expect(removing()).toEqual(['Remove these 40', 'Remove this one']);
    await rig.click('Remove this one');
    expect(rig.intents.removeFailed.mock.calls).toEqual([['CW-604']]);
  });

  it('has the person decide at the reason about a single photo in doubt, either way', async () => {
    rig.connectedWith(item('notes.jpg', 'failed', { failure: 'CW-609' }));
    await rig.drawn();
    expect(rig.buttons()).toEqual(expect.arrayContaining(['Send anyway', 'Remove this one']));
  });

  it('keeps the buttons of a reason while its photos become fewer', async () => {
    const failed = ['a', 'b', 'c'].map((name) => item(name, 'failed', { failure: 'CW-606' }));
    rig.connectedWith(...failed);
    await rig.drawn();
    const actions = rig.page.querySelector('.reason .buttons');
    rig.show(...failed.slice(1));
    await rig.drawn();
    expect(rig.page.querySelector('.reason .buttons')).toBe(actions);
    expect(rig.buttons()).toContain('Remove these 2');
  });

  it('clears what arrived and removes all, each offered only where there is something to it', async () => {
    rig.connectedWith(item('a.jpg'));
    await rig.drawn();
    expect(rig.buttons()).toContain('Remove all');
    expect(rig.buttons()).not.toContain('Clear what arrived');
    rig.show(item('a.jpg', 'uploaded'));
    await rig.drawn();
    expect(rig.buttons()).not.toContain('Remove all');
    expect(rig.buttons()).toContain('Clear what arrived');
    rig.show(item('a.jpg', 'uploaded'), item('b.jpg'), item('c.jpg', 'failed'));
    await rig.drawn();
    await rig.click('Clear what arrived');
    expect(rig.intents.clearArrived).toHaveBeenCalledTimes(1);
    await rig.click('Remove all');
    expect(rig.intents.removeAll).toHaveBeenCalledTimes(1);
  });

  it('says what was removed, and offers the way back as long as there is one', async () => {
    rig.connectedWith();
    rig.change({ removal: { photos: 3 } });
    await rig.drawn();
    expect(rig.read()).toContain('3 photos removed');
    await rig.click('Undo');
    expect(rig.intents.undoRemoval).toHaveBeenCalledTimes(1);
    rig.change({ removal: { photos: 1 } });
    await rig.drawn();
    expect(rig.read()).toContain('1 photo removed');
    rig.change({ removal: null });
    await rig.drawn();
    expect(rig.buttons()).not.toContain('Undo');
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

  it('puts what needs the person first, and what is done last', async () => {
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
    expect(rig.intents.uploadDocument.mock.calls).toEqual([
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
    expect(rig.intents.dismissRefused).toHaveBeenCalledTimes(1);
  });

  it('offers no document upload where the app cannot do it', async () => {
    rig = new PanelRig({ exportOffers: [] });
    rig.connectedWith();
    await rig.drawn();
    expect(rig.buttons()).toEqual(['Disconnect', 'Add photos', 'Photos in browser']);
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
      'Photos in browser',
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
    expect(rig.intents.uploadDocument.mock.calls).toEqual([['jpg', 'Upload this page']]);
  });

  it('offers a frame where the app hands one over, and no choice where there is one format', async () => {
    rig = new PanelRig({ exportOffers: [{ format: 'png', gives: 'frame' }] });
    rig.connectedWith();
    await rig.drawn();
    expect(rig.buttons()).toEqual([
      'Disconnect',
      'Add photos',
      'Upload this frame',
      'Photos in browser',
    ]);
    await rig.click('Upload this frame');
    expect(rig.intents.uploadDocument.mock.calls).toEqual([['png', 'Upload this frame']]);
    rig.change({ documentError: new CwError('CW-803', 'none') });
    await rig.drawn();
    expect(rig.read()).toContain(en.frameTitle);
  });

  it.each([
    ['Send them', true],
    ['Remove them', false],
  ])('asks what of the photos when another account may be connected: %s', async (label, send) => {
    rig.connectedWith(item('a.jpg'), item('b.jpg'));
    rig.change({ question: { photos: 2 } });
    await rig.drawn();
    expect(rig.read()).toContain('Send them to this account?');
    expect(rig.read()).toContain(`2 photos are waiting. ${en.count('questionText', 2)}`);
    await rig.click(label);
    expect(rig.intents.answerQuestion.mock.calls).toEqual([[send]]);
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
    expect(rig.read()).toContain('0\u00a0B of 60.0\u00a0MB sent');
    expect(rig.read().join()).not.toContain('second');
    for (let second = 1; second <= 5; second += 1) {
      at(second * 2e6);
      await rig.clock.advance(1000);
    }
    expect(rig.read()).toContain('10.0\u00a0MB of 60.0\u00a0MB sent');
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
        '3 photos were not sent',
        'CW-609',
        'CW-610',
        'Not a photo?',
        'Wrong ending?',
        'Not sent (CW-604)',
      ]),
    );
    // Named in the box and in the list.
    for (const name of ['notes.jpg', 'really a png.jpg'])
      expect(read.filter((text) => text === name)).toHaveLength(2);

    await rig.click('Send anyway');
    expect(rig.intents.retryFailed.mock.calls).toEqual([['CW-609']]);

    await rig.click('Options');
    await rig.drawn();
    expect(rig.buttons().filter((label) => label === 'Send anyway')).toHaveLength(3);
    await rig.click('Send anyway', 2);
    expect(rig.intents.retry).toHaveBeenCalledWith('id of notes.jpg');
  });

  it('shortens names between signs, never within one, in rows and in messages', async () => {
    const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';
    const name = `Hochzeit von Anna und Ben ${family}${family}234.jpg`;
    rig.connectedWith(item(name));
    rig.change({ refused: [{ name, error: new CwError('CW-602', 'unreadable') }] });
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
    rig.change({ refused: [{ name, error: new CwError('CW-602', 'unreadable') }] });
    await rig.drawn();
    expect(rig.read()).toContain(name);
    expect(rig.read()).toContain('<script>1</script>.jpg');
    expect(rig.page.querySelectorAll('img, script')).toHaveLength(0);
  });
});

describe('disconnecting', () => {
  it('with photos that have not arrived says first what becomes of them', async () => {
    rig.connectedWith(item('a.jpg'), item('b.jpg', 'failed', { failure: 'CW-606' }));
    rig.change({ adding: { done: 2, total: 5 }, removal: { photos: 1 } });
    await rig.drawn();
    await rig.click('Disconnect');
    expect(rig.intents.disconnect).not.toHaveBeenCalled();
    expect(rig.read()).toEqual([
      'Connected',
      en.disconnectTitle,
      `5 photos have not arrived yet and stay safe here. ${en.disconnectText}`,
      'Disconnect',
      'Cancel',
    ]);
    await rig.click('Cancel');
    expect(rig.read()).not.toContain(en.disconnectTitle);
    expect(rig.read()).toEqual(expect.arrayContaining(['a.jpg', '1 photo removed']));
    await rig.click('Disconnect');
    await rig.click('Disconnect');
    expect(rig.intents.disconnect).toHaveBeenCalledTimes(1);
  });

  it('counts on while it asks, and asks no more when all have arrived', async () => {
    rig.connectedWith(item('a.jpg'), item('b.jpg'));
    await rig.drawn();
    await rig.click('Disconnect');
    rig.show(item('a.jpg', 'uploaded'), item('b.jpg'));
    await rig.drawn();
    expect(rig.read().join()).toContain('1 photo has not arrived yet and stays safe here.');
    rig.show(item('a.jpg', 'uploaded'), item('b.jpg', 'uploaded'));
    await rig.drawn();
    expect(rig.read()).not.toContain(en.disconnectTitle);
    await rig.click('Disconnect');
    expect(rig.intents.disconnect).toHaveBeenCalledTimes(1);
  });

  it('is the same from the panel’s menu', async () => {
    rig.connectedWith(item('a.jpg'));
    await rig.drawn();
    await rig.panel.disconnect();
    expect(rig.read()).toContain(en.disconnectTitle);
    expect(rig.intents.disconnect).not.toHaveBeenCalled();
    rig.show();
    await rig.drawn();
    await rig.panel.disconnect();
    expect(rig.intents.disconnect).toHaveBeenCalledTimes(1);
  });

  it('asks anew after the next Connect', async () => {
    rig.connectedWith(item('a.jpg'));
    await rig.drawn();
    await rig.click('Disconnect');
    rig.session.set({ kind: 'signed-out' });
    await rig.drawn();
    rig.session.set({ kind: 'signed-in', trouble: null });
    await rig.drawn();
    expect(rig.read()).not.toContain(en.disconnectTitle);
    expect(rig.read()).toContain('a.jpg');
  });
});
