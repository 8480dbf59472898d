import { describe, expect, it } from '@jest/globals';
import { mediaTypeIn } from '../../../../service/features/previews/media-type.js';
import { HEAD_BYTES } from '../../../../service/features/uploads/digests.js';
import { FILES, isoMedia } from '../../../support/file-starts.js';

describe('the media type of a stored file', () => {
  it.each(FILES)('is found in the first bytes of %s', (_what, start, _endings, type) => {
    expect(mediaTypeIn(start.subarray(0, HEAD_BYTES))).toBe(type);
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
