import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/util/errors.js';
import { receiptText } from '../../src/panel/receipt.js';
import type { UploadedPhoto } from '../../src/uploads/history/upload-history.js';
import { LANGUAGES } from '../../src/panel/i18n/language.js';
import { item, PanelRig } from './fixture.js';
import { en, stringsIn } from './translations.js';

const DIGEST = 'ab'.repeat(32);
const PAGE = 'https://service.example/photos/1';
const AT = new Date(2026, 10, 22, 13, 5, 9).getTime();

function delivered(name: string, more: Partial<UploadedPhoto> = {}): UploadedPhoto {
  return {
    id: `id of ${name}`,
    name,
    size: 24_300_000,
    at: AT,
    workspace: 'Studio Keller',
    owner: 'anna',
    checked: false,
    sha256: null,
    pageUrl: null,
    ...more,
  };
}

let rig: PanelRig;

beforeEach(async () => {
  rig = new PanelRig();
  rig.connectedWith();
  await rig.drawn();
});

async function show(...photos: UploadedPhoto[]): Promise<void> {
  rig.deliver(...photos);
  await rig.drawn();
  await rig.click(en.fill('delivered', { count: en.number(photos.length) }));
}

function names(): string[] {
  return [...rig.page.querySelectorAll('.delivered .photo-name')].map(
    ({ textContent }) => textContent,
  );
}

async function type(text: string): Promise<void> {
  const field = rig.page.querySelector<HTMLElement & { value?: string }>('sp-textfield');
  if (!field) throw new Error('no field');
  field.value = text;
  field.dispatchEvent(new Event('input'));
  await rig.drawn();
}

describe('the list of uploaded photos', () => {
  it('is hidden when empty, and collapsed by default', async () => {
    expect(rig.buttons().join()).not.toContain('Uploaded (');
    await show(delivered('a.jpg', { checked: true }), delivered('b.jpg'));
    const text = rig.read().join(' | ');
    expect(text).toContain('a.jpg | 24.3\u00a0MB | 2026-11-22 13:05 | Studio Keller | Verified');
    expect(text).toContain('b.jpg');
    expect(text.match(/Verified(?!”)/g)).toHaveLength(1);
    expect(rig.signs()).toMatchObject({ Verified: 'success' });
    await rig.click('Close');
    expect(names()).toEqual([]);
    expect(rig.buttons()).toContain('Uploaded (2)');
  });

  it('is found by any part of its name, in any case and with accents written either way', async () => {
    await show(delivered('Été_0001.jpg'), delivered('IMG_0002.jpg'), delivered('img_0003.jpg'));
    await type('IMG');
    expect(names()).toEqual(['IMG_0002.jpg', 'img_0003.jpg']);
    await type('\u0065\u0301t');
    expect(names()).toEqual(['Été_0001.jpg']);
    await type('nothing of that name');
    expect(names()).toEqual([]);
    expect(rig.read()).toContain(en.noneFound);
    await type('');
    expect(names()).toHaveLength(3);
  });

  it('leads to the photo in the browser, where the service has given an address', async () => {
    await show(delivered('a.jpg', { pageUrl: PAGE }), delivered('b.jpg'));
    expect(rig.buttons().filter((label) => label === 'Options')).toHaveLength(1);
    await rig.click('Options');
    await rig.click('Open in browser');
    await rig.click('Copy link');
    expect(rig.actions.openPage.mock.calls).toEqual([[PAGE]]);
    expect(rig.host.copyText.mock.calls).toEqual([[PAGE]]);
  });

  it('has the way to all photos of the workspace beside it, also before anything has arrived', async () => {
    await rig.click('Open photos in browser');
    await show(delivered('a.jpg'));
    await rig.click('Open photos in browser');
    expect(rig.actions.openPhotos).toHaveBeenCalledTimes(2);
    expect(names()).toEqual(['a.jpg']);
    rig.change({ storageError: new CwError('CW-704', 'another copy') });
    await rig.drawn();
    expect(rig.buttons()).not.toContain('Open photos in browser');
  });

  it('is copied as it is shown, and cleared', async () => {
    await show(delivered('a.jpg', { checked: true, sha256: DIGEST }), delivered('b.jpg'));
    await type('a');
    await rig.click('Copy list');
    const [[receipt] = []] = rig.host.copyText.mock.calls;
    expect(receipt).toContain('a.jpg');
    expect(receipt).not.toContain('b.jpg');
    expect(rig.buttons()).toContain('Copied');
    await rig.click('Clear list');
    expect(rig.uploads.clearHistory).toHaveBeenCalledTimes(1);
    rig.deliver();
    await rig.drawn();
    expect(rig.read().join()).not.toContain('Uploaded (');
  });

  it('can be copied by hand where the clipboard refuses', async () => {
    rig.host.copyText.mockRejectedValueOnce(new CwError('CW-801', 'refused'));
    await show(delivered('a.jpg', { sha256: DIGEST }));
    await rig.click('Copy list');
    await rig.drawn();
    expect(rig.read()).toContain('CW-801');
    expect(rig.field()?.value).toContain(DIGEST);
    await rig.click('Close');
    expect(rig.field()).toBeNull();
  });

  it('has as many rows in the page for a thousand as for sixty', async () => {
    await show(...Array.from({ length: 1000 }, (_, index) => delivered(`${index}.jpg`)));
    expect(names().length).toBeLessThan(60);
    const rows = rig.page.querySelector('.delivered .rows');
    rig.show(item('a.jpg'));
    await rig.drawn();
    expect(rig.page.querySelector('.delivered .rows')).toBe(rows);
  });

  it('is hidden when the session ends', async () => {
    await show(delivered('a.jpg'));
    rig.session.set({ kind: 'signed-out' });
    await rig.drawn();
    rig.deliver();
    rig.session.set({ kind: 'signed-in', trouble: null });
    await rig.drawn();
    expect(rig.read().join()).not.toContain('a.jpg');
  });
});

describe('a receipt', () => {
  it('says names, times, sizes, digests, and what they mean', () => {
    const photos = [
      delivered('a.jpg', { checked: true, sha256: DIGEST, pageUrl: PAGE }),
      delivered('b.jpg', { workspace: null }),
    ];
    const lines = receiptText(en, photos, AT).split('\n');
    const time = expect.stringMatching(/^ {2}2026-11-22 13:05:09 [+-]\d\d:\d\d · /);
    expect(lines).toEqual([
      expect.stringMatching(/^Uploaded photos: 2 photos, 2026-11-22 13:05:09 [+-]\d\d:\d\d$/),
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

  it('says nothing of checking or digests where there are none', () => {
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
    const text = receiptText(strings, [delivered('a.jpg', { checked: true })], AT);
    expect(text).toContain(strings.receiptTitle);
    expect(text).toContain(strings.checked);
  });
});

describe('photos that the workspace holds already', () => {
  it('are asked about once, with Skip and Upload again', async () => {
    const known = (name: string): ReturnType<typeof item> =>
      item(name, 'failed', { failure: 'CW-611' });
    rig.show(known('a.jpg'), known('b.jpg'));
    await rig.drawn();
    expect(rig.read()).toContain(en.count('knownCount', 2));
    expect(rig.read()).toContain('Already uploaded');
    await rig.click('Skip');
    await rig.click('Upload again');
    expect(rig.uploads.removeFailed.mock.calls).toEqual([['CW-611']]);
    expect(rig.uploads.retryFailed.mock.calls).toEqual([['CW-611']]);
    await rig.click('Options');
    await rig.click('Upload again', 1);
    expect(rig.uploads.retry.mock.calls).toEqual([['id of a.jpg']]);
    rig.show(known('a.jpg'));
    await rig.drawn();
    expect(rig.read()).toContain(en.count('knownCount', 1));
  });
});

it('the panel marks its language', () => {
  const german = new PanelRig({ strings: stringsIn('de') });
  expect(german.page.querySelector('.panel')?.getAttribute('lang')).toBe('de');
});
