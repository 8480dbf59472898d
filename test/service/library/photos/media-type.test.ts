import { describe, expect, it } from '@jest/globals';
import { mediaTypeIn } from '../../../../service/library/previews/media-type.js';
import { HEAD_BYTES } from '../../../../service/library/uploads/digests.js';
import { FILES, isoMedia } from '../../../support/file-starts.js';

describe('the media type of a stored file', () => {
  it.each(FILES)('is found in the first bytes of %s', (_what, start, _endings, type) => {
    expect(mediaTypeIn(start.subarray(0, HEAD_BYTES))).toBe(type);
  });

  it.each([
    ['a JPEG 2000', '\0\0\0\fjP  \r\n\x87\n', 'image/jp2'],
    ['a JPEG 2000 without boxes', '\xff\x4f\xff\x51\0\x2f', 'image/j2c'],
    ['an OpenEXR', 'v/1\x01\x02\0\0\0', 'image/x-exr'],
    ['a Radiance picture', '#?RADIANCE\nFORMAT', 'image/vnd.radiance'],
  ])('is found in the first bytes of %s', (_what, start, type) => {
    expect(mediaTypeIn(Buffer.from(start, 'latin1'))).toBe(type);
  });

  it.each([
    ['a film', isoMedia('isom', 'isom', 'avc1')],
    [
      'brands beyond their box',
      new Uint8Array(Buffer.from('\0\0\0\x10ftypisom\0\0\0\0heic', 'latin1')),
    ],
    ['a page', new Uint8Array(Buffer.from('<!doctype html>'))],
    ['nothing', new Uint8Array()],
    ['the start of a box', new Uint8Array(Buffer.from('\0\0\0\x08ftyp', 'latin1'))],
  ])('is unknown for %s', (_what, start) => {
    expect(mediaTypeIn(start)).toBeUndefined();
  });
});
