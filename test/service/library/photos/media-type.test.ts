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
    ['a WebM', '\x1aE\xdf\xa3\x9fB\x86\x81\x01\x42\xf7\x81\x01\x42\x82\x84webm', 'video/webm'],
    ['a Matroska', '\x1aE\xdf\xa3\xa3\x42\x82\x88matroska', 'video/x-matroska'],
    ['an old QuickTime film', '\0\0\0\x08wide\0\0\0\0mdat', 'video/quicktime'],
  ])('is found in the first bytes of %s', (_what, start, type) => {
    expect(mediaTypeIn(Buffer.from(start, 'latin1'))).toBe(type);
  });

  it.each([
    [['isom', 'isom', 'iso2', 'avc1', 'mp41'], 'video/mp4'],
    [['mp42', 'mp42', 'isom'], 'video/mp4'],
    [['qt  '], 'video/quicktime'],
    [['M4V ', 'M4V ', 'mp42'], 'video/x-m4v'],
    [['M4A ', 'M4A ', 'mp42', 'isom'], 'audio/mp4'],
    [['isom', 'heic'], 'image/heic'],
  ])('is found in the brands %j', (brands, type) => {
    expect(mediaTypeIn(isoMedia(...brands))).toBe(type);
  });

  it.each([
    [
      'brands beyond their box',
      new Uint8Array(Buffer.from('\0\0\0\x10ftypzzzz\0\0\0\0heic', 'latin1')),
    ],
    ['a page', new Uint8Array(Buffer.from('<!doctype html>'))],
    ['nothing', new Uint8Array()],
    ['the start of a box', new Uint8Array(Buffer.from('\0\0\0\x08ftyp', 'latin1'))],
  ])('is unknown for %s', (_what, start) => {
    expect(mediaTypeIn(start)).toBeUndefined();
  });
});
