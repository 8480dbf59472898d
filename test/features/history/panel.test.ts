import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { receiptText } from '../../../src/features/history/list-text.js';
import type { UploadedPhoto } from '../../../src/features/history/upload-history.js';
import { LANGUAGES } from '../../../src/ui/i18n/language.js';
import { delivered, item, PanelFixture } from '../../panel/fixture.js';
import { en, stringsIn } from '../../ui/i18n/translations.js';

const DIGEST = 'ab'.repeat(32);
const PAGE = 'https://service.example/photos/1';
const AT = new Date(2026, 10, 22, 13, 5, 9).getTime();

let fixture: PanelFixture;

beforeEach(async () => {
  fixture = new PanelFixture();
  fixture.connectedWith();
  await fixture.drawn();
});

async function show(...photos: UploadedPhoto[]): Promise<void> {
  fixture.deliver(...photos);
  await fixture.drawn();
  await fixture.click(en.count('earlierUploads', photos.length));
}

function names(): string[] {
  return [...fixture.page.querySelectorAll('.earlier .photo-name')].map(
    ({ textContent }) => textContent,
  );
}

describe('photos that became versions of earlier ones', () => {
  const versions = [
    { number: 2, of: 'Harbour.jpg', uploadId: 'u1' },
    { number: 3, of: 'Coast.jpg', uploadId: 'u2' },
  ];

  it('are shown until the user undoes that, or dismisses it', async () => {
    fixture.change({ versions: versions.slice(0, 1) });
    await fixture.drawn();
    expect(fixture.read()).toContain('Version 2 of Harbour.jpg');
    await fixture.click('Undo');
    expect(fixture.uploads.versions.undo.mock.calls).toEqual([[['u1']]]);
    fixture.change({ versions });
    await fixture.drawn();
    expect(fixture.read()).toContain('2 files are new versions of earlier ones.');
    expect(fixture.page.textContent).toContain('Version 3 of Coast.jpg');
    await fixture.click('Dismiss');
    expect(fixture.uploads.versions.dismiss).toHaveBeenCalledTimes(1);
  });

  it('have a menu of their newest state in a row that looks as before', async () => {
    fixture.connectedWith(item('a.jpg', 'uploaded'));
    await fixture.drawn();
    fixture.deliver(delivered('a.jpg', { pageUrl: PAGE, uploadId: 'u1' }));
    await fixture.drawn();
    await fixture.choose('Options', en.showPhoto);
    expect(fixture.actions.openPage.mock.calls).toEqual([[PAGE]]);
  });

  it('are named in their rows, whose menu makes them separate photos', async () => {
    const [version] = versions;
    if (!version) throw new Error('no version');
    fixture.connectedWith(item('a.jpg', 'uploaded'));
    fixture.deliver(delivered('a.jpg', { pageUrl: PAGE, uploadId: 'u1', version }));
    await fixture.drawn();
    expect(fixture.read()).toContain('Version 2 of Harbour.jpg');
    await fixture.choose('Options', en.makeSeparate);
    expect(fixture.uploads.versions.undo.mock.calls).toEqual([[['u1']]]);
  });
});

describe('the list of uploaded photos', () => {
  it('is hidden when empty, and collapsed by default', async () => {
    expect(fixture.buttons().join()).not.toContain('earlier');
    await show(delivered('a.jpg', { hasMatchingCrc: true }), delivered('b.jpg'));
    const text = fixture.read().join(' | ');
    expect(text).toContain('a.jpg | Nov 22, 2026 · Studio Keller | Uploaded');
    expect(text).toContain('b.jpg');
    await fixture.click(en.count('earlierUploads', 2));
    expect(names()).toEqual([]);
  });

  it('is found by any part of its name, in any case and with accents written either way', async () => {
    await show(delivered('Été_0001.jpg'), delivered('IMG_0002.jpg'), delivered('img_0003.jpg'));
    await fixture.type('IMG');
    expect(names()).toEqual(['IMG_0002.jpg', 'img_0003.jpg']);
    await fixture.type('\u0065\u0301t');
    expect(names()).toEqual(['Été_0001.jpg']);
    await fixture.type('nothing of that name');
    expect(names()).toEqual([]);
    expect(fixture.read()).toContain(en.noneFound);
    await fixture.type('');
    expect(names()).toHaveLength(3);
  });

  it('leads to the photo in the browser, where the service has given an address', async () => {
    await show(delivered('a.jpg', { pageUrl: PAGE }), delivered('b.jpg'));
    await fixture.choose('Options', 'Open in browser');
    await fixture.choose('Options', 'Copy link');
    await fixture.click('Options', 1);
    expect(fixture.entries()).toEqual([en.photosInBrowser]);
    expect(fixture.actions.openPage.mock.calls).toEqual([[PAGE]]);
    expect(fixture.host.copyText.mock.calls).toEqual([[PAGE]]);
  });

  it('saves the receipt of a photo, where the service signs receipts', async () => {
    await show(delivered('a.jpg', { pageUrl: PAGE, uploadId: 'u1' }));
    await fixture.click('Options');
    expect(fixture.entries()).not.toContain(en.saveReceipt);
    fixture.receipts.set(true);
    fixture.actions.saveReceipt.mockResolvedValueOnce(false);
    await fixture.choose('Options', en.saveReceipt);
    expect(fixture.read()).not.toContain(en.receiptSaved);
    fixture.actions.saveReceipt.mockResolvedValueOnce(true);
    await fixture.choose('Options', en.saveReceipt);
    expect(fixture.read()).toContain(en.receiptSaved);
    expect(fixture.actions.saveReceipt.mock.calls[1]).toEqual([{ uploads: ['u1'] }, 'a.jpg']);
  });

  it('does not repeat photos that are still on the list', async () => {
    fixture.connectedWith(item('a.jpg', 'uploaded'));
    await show(delivered('a.jpg', { pageUrl: PAGE }), delivered('b.jpg')).catch(() => undefined);
    await fixture.click(en.count('earlierUploads', 1));
    expect(names()).toEqual(['b.jpg']);
    // The row on the list has what is known of the uploaded photo.
    await fixture.choose('Options', 'Open in browser');
    expect(fixture.actions.openPage.mock.calls).toEqual([[PAGE]]);
  });

  it('is not needed for the way to all photos of the workspace', async () => {
    await fixture.click(en.photosInBrowser);
    expect(fixture.actions.openPhotos).toHaveBeenCalledTimes(1);
  });

  it('is copied as it is shown, and cleared', async () => {
    await show(delivered('a.jpg', { hasMatchingCrc: true, sha256: DIGEST }), delivered('b.jpg'));
    await fixture.type('a');
    await fixture.click('Copy list');
    const [[receipt] = []] = fixture.host.copyText.mock.calls;
    expect(receipt).toContain('a.jpg');
    expect(receipt).not.toContain('b.jpg');
    expect(fixture.buttons()).toContain('Copied');
    await fixture.click('Clear list');
    expect(fixture.uploads.clearHistory).toHaveBeenCalledTimes(1);
    fixture.deliver();
    await fixture.drawn();
    expect(fixture.read().join()).not.toContain('earlier');
  });

  it('can be copied by hand where the clipboard refuses', async () => {
    fixture.host.copyText.mockRejectedValueOnce(new CwError('CW-801', 'refused'));
    await show(delivered('a.jpg', { sha256: DIGEST }));
    await fixture.click('Copy list');
    await fixture.drawn();
    expect(fixture.read()).toContain('CW-801');
    expect(fixture.field()?.value).toContain(DIGEST);
    await fixture.click(en.count('earlierUploads', 1));
    expect(fixture.field()).toBeNull();
  });

  it('has as many rows in the page for a thousand as for sixty', async () => {
    await show(...Array.from({ length: 1000 }, (_, index) => delivered(`${index}.jpg`)));
    expect(names().length).toBeLessThan(60);
    const rows = fixture.page.querySelector('.earlier .rows');
    fixture.show(item('a.jpg'));
    await fixture.drawn();
    expect(fixture.page.querySelector('.earlier .rows')).toBe(rows);
  });

  it('is hidden when the session ends', async () => {
    await show(delivered('a.jpg'));
    fixture.session.set({ kind: 'signed-out' });
    await fixture.drawn();
    fixture.deliver();
    fixture.session.set({ kind: 'signed-in', trouble: null });
    await fixture.drawn();
    expect(fixture.read().join()).not.toContain('a.jpg');
  });
});

describe('a receipt', () => {
  it('shows names, times, sizes, digests, and what they mean', () => {
    const photos = [
      delivered('a.jpg', { hasMatchingCrc: true, sha256: DIGEST, pageUrl: PAGE }),
      delivered('b.jpg', { workspace: null }),
    ];
    const lines = receiptText(en, photos, AT).split('\n');
    const time = expect.stringMatching(/^ {2}2026-11-22 13:05:09 [+-]\d\d:\d\d · /);
    expect(lines).toEqual([
      expect.stringMatching(/^Uploaded files: 2 files, 2026-11-22 13:05:09 [+-]\d\d:\d\d$/),
      en.receiptChecked,
      en.receiptDigest,
      '',
      'a.jpg',
      time,
      `  SHA-256 ${DIGEST}`,
      `  ${PAGE}`,
      '',
      'b.jpg',
      time,
      '',
    ]);
    expect(lines[5]).toMatch(/ · 24,300,000 B · Studio Keller · Verified$/);
    expect(lines[10]).toMatch(/ · 24,300,000 B · Uploaded$/);
  });

  it('does not mention checking or digests where there are none', () => {
    const text = receiptText(en, [delivered('a.jpg')], AT);
    expect(text).not.toContain('Verified');
    expect(text).not.toContain('SHA-256');
  });

  it('has no name that looks like something else', () => {
    const evil = `a.jpg\n  SHA-256 ${DIGEST}\u2028\u202e`;
    const text = receiptText(en, [delivered(evil), delivered('x'.repeat(5000))], AT);
    expect(text).not.toMatch(/^ {2}SHA-256/m);
    expect(text).not.toMatch(/[\u2028\u202e]/);
    expect(text.length).toBeLessThan(1500);
  });

  it.each(LANGUAGES)('is in the language of the panel: %s', (language) => {
    const strings = stringsIn(language);
    const text = receiptText(strings, [delivered('a.jpg', { hasMatchingCrc: true })], AT);
    expect(text).toContain(strings.receiptTitle);
    expect(text).toContain(strings.checked);
  });
});
