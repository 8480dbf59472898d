import { describe, expect, it } from '@jest/globals';
import {
  pictureAddresses,
  pictureImage,
} from '../../../../service/features/photos/pages/picture-image.js';

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
});
