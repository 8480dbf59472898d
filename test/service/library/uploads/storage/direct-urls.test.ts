import { describe, expect, it } from '@jest/globals';
import { DirectUrls } from '../../../../../service/library/uploads/storage/direct-urls.js';
import {
  directOrigin,
  type S3Options,
} from '../../../../../service/library/uploads/storage/s3-options.js';

const AMAZON: S3Options = {
  bucket: 'photos',
  region: 'us-east-1',
  publicEndpoint: 'https://bytes.example',
  credentials: { accessKeyId: 'id', secretAccessKey: 'the secret key' },
};
const OPTIONS: S3Options = { ...AMAZON, endpoint: 'http://10.0.0.5:9000' };

describe('signed addresses of objects', () => {
  it.each([
    ['the bucket in the path', OPTIONS, 'https://bytes.example', '/photos/id'],
    ['the bucket in the host name', AMAZON, 'https://photos.bytes.example', '/id'],
    [
      'a bucket with a dot in the path',
      { ...AMAZON, bucket: 'our.photos' },
      'https://bytes.example',
      '/our.photos/id',
    ],
  ] as const)('have %s', async (_name, options, origin, path) => {
    const url = new URL(await new DirectUrls(options, 'https://bytes.example').ofFile('id', 'x'));
    expect([url.origin, url.pathname]).toEqual([origin, path]);
    expect(directOrigin(options)).toBe(origin);
  });

  it('make browsers save originals, and keep previews', async () => {
    const urls = new DirectUrls(OPTIONS, 'https://bytes.example');
    const file = new URL(await urls.ofFile('id', 'attachment; filename="Harbour.html"'));
    expect(Object.fromEntries(file.searchParams)).toMatchObject({
      'response-content-disposition': 'attachment; filename="Harbour.html"',
      'response-content-type': 'application/octet-stream',
      'response-cache-control': 'private, no-store',
      'X-Amz-Expires': '60',
      'X-Amz-SignedHeaders': 'host',
    });
    expect(file.href).not.toContain('secret');
    const preview = new URL(await urls.ofPreview('id.preview'));
    expect(Object.fromEntries(preview.searchParams)).toMatchObject({
      'response-content-type': 'image/webp',
      'response-cache-control': 'private, max-age=31536000, immutable',
      'X-Amz-Expires': '900',
      'X-Amz-Date': expect.stringMatching(/T\d{3}[05]00Z$/),
    });
  });
});
