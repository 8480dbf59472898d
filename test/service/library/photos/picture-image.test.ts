import { describe, expect, it } from '@jest/globals';
import { Translator } from '../../../../service/kernel/i18n/translator.js';
import {
  pictureAddresses,
  pictureImage,
  previewMissing,
  waitsForPreview,
} from '../../../../service/library/photos/pages/picture-image.js';

const PREVIEW = { width: 2048, height: 1365, size: 300_000, version: 2 };
const PHOTO = { id: 'one', width: 6000, height: 4000, preview: PREVIEW };

describe('the picture of a photo on a page', () => {
  it('has addresses with their version once it is made', () => {
    expect(pictureAddresses(PHOTO)).toEqual({
      thumbnail: '/photos/one/thumbnail?v=2',
      preview: '/photos/one/preview?v=2',
    });
    expect(pictureAddresses({ ...PHOTO, preview: undefined })).toEqual({
      thumbnail: '/photos/one/thumbnail',
      preview: '/photos/one/preview',
    });
  });

  it.each([
    ['wide', PHOTO, '512w, /photos/one/preview?v=2 2048w', 2048, 1365],
    [
      'high',
      { ...PHOTO, preview: { ...PREVIEW, width: 1365, height: 2048 } },
      '341w, /photos/one/preview?v=2 1365w',
      1365,
      2048,
    ],
    ['small', { ...PHOTO, preview: { ...PREVIEW, width: 512, height: 30 } }, undefined, 512, 30],
    ['not made yet', { ...PHOTO, preview: undefined }, undefined, 6000, 4000],
    [
      'of unknown size',
      { id: 'one', width: undefined, height: undefined, preview: undefined },
      undefined,
      512,
      512,
    ],
  ])('has its sides and widths to choose from: %s', (_what, photo, widths, width, height) => {
    const markup = pictureImage(photo, { sizes: '50vw', alt: 'A "quay"' }).toString();
    expect(markup).toContain(`width="${width}"`);
    expect(markup).toContain(`height="${height}"`);
    expect(markup).toContain('alt="A &quot;quay&quot;"');
    expect(/srcset="[^ ]+ ([^"]+)" sizes="50vw"/.exec(markup)?.[1]).toBe(widths);
  });

  it.each([
    ['has pictures', PREVIEW, 60, false, false],
    ['arrived a minute ago', undefined, 1, true, false],
    ['arrived an hour ago', undefined, 60, false, true],
  ])('is announced as missing only when nothing more comes: a photo that %s', (...row) => {
    const [, preview, minutes, waits, isMissing] = row;
    const now = new Date('2026-05-06T12:00:00Z');
    const photo = { preview, uploadedAt: new Date(now.getTime() - minutes * 60_000) };
    expect(waitsForPreview(photo, now)).toBe(waits);
    const sentence = previewMissing(new Translator('en'), photo, now)?.toString() ?? '';
    expect(sentence.includes('There is no preview for this kind of file.')).toBe(isMissing);
  });

  it.each([
    ['image/jpeg', 'this picture is damaged or too large'],
    ['image/webp', 'this picture is damaged or too large'],
    ['application/pdf', 'this PDF has a password, is damaged, or is too large'],
    ['image/x-canon-cr2', 'for this kind of file'],
    ['text/image/jpeg', 'for this kind of file'],
    ['audio/wav', 'for this kind of file'],
    [undefined, 'for this kind of file'],
  ])('is missing with a reason for %s', (mediaType, reason) => {
    const photo = { preview: undefined, uploadedAt: new Date(0), mediaType };
    const sentence = previewMissing(new Translator('en'), photo, new Date());
    expect(sentence?.toString()).toContain(reason);
  });
});
