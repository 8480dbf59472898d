import { afterEach, describe, expect, it } from '@jest/globals';
import { Upload } from 'tus-js-client';
import { photo, sha256 } from '../service/support/tus-client.js';
import {
  sha256Digest,
  startForeignTusService,
  type ForeignTusOptions,
  type ForeignTusService,
} from './foreign-tus-service.js';

describe('the foreign tus service of the tests', () => {
  const bytes = photo(200_000, 7);
  let service: ForeignTusService | null = null;
  afterEach(() => service?.close());

  const start = async (options: ForeignTusOptions = {}): Promise<ForeignTusService> => {
    service = await startForeignTusService(options);
    return service;
  };

  /** Uploads with a client that others wrote. @returns the upload's address. */
  const upload = async ({ endpoint }: ForeignTusService): Promise<string> => {
    const url = await new Promise<string | null>((resolve, reject) => {
      const run = new Upload(Buffer.from(bytes), {
        endpoint,
        headers: { authorization: 'Bearer anything' },
        metadata: { filename: 'IMG_0001.jpg' },
        chunkSize: 64_000,
        onSuccess: () => {
          resolve(run.url);
        },
        onError: reject,
      });
      run.start();
    });
    return url ?? '';
  };

  const head = (url: string): Promise<Response> =>
    fetch(url, {
      method: 'HEAD',
      headers: { 'tus-resumable': '1.0.0', authorization: 'Bearer anything' },
    });

  it('accepts uploads of a plain client, and announces no extension of the service', async () => {
    const foreign = await start();

    const answer = await head(await upload(foreign));

    expect(await foreign.finished()).toEqual([
      expect.objectContaining({ size: 200_000, sha256: sha256(bytes) }),
    ]);
    expect(answer.headers.get('repr-digest')).toBeNull();
    const options = await fetch(foreign.endpoint, { method: 'OPTIONS' });
    expect(options.headers.get('tus-extension')).toBe('creation,termination');
    expect((await fetch(foreign.endpoint, { method: 'POST' })).status).toBe(401);
  });

  it.each([
    ['ignored', 201, null],
    ['refused', 400, null],
    ['taken', 201, '200000'],
  ] as const)('bytes with a creation are %s', async (bytesAtCreation, status, offset) => {
    const { endpoint } = await start({ bytesAtCreation });

    const created = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'tus-resumable': '1.0.0',
        authorization: 'Bearer anything',
        'upload-length': '200000',
        'content-type': 'application/offset+octet-stream',
      },
      body: bytes,
    });

    expect(created.status).toBe(status);
    expect(created.headers.get('upload-offset')).toBe(offset);
    if (status !== 201) return;
    const url = new URL(created.headers.get('location') ?? '', endpoint).href;
    expect((await head(url)).headers.get('upload-offset')).toBe(offset ?? '0');
  });

  it.each(['flipInFlight', 'flipAtRest'] as const)('%s flips one bit', async (where) => {
    const foreign = await start({ [where]: () => 8 * 150_000 + 3, reprDigest: sha256Digest });

    const answer = await head(await upload(foreign));

    const changed = bytes.slice();
    changed[150_000] = (changed[150_000] ?? 0) ^ 8;
    expect(await foreign.finished()).toEqual([
      expect.objectContaining({ sha256: sha256(changed) }),
    ]);
    expect(answer.headers.get('repr-digest')).toBe(sha256Digest(Buffer.from(changed)));
  });
});
