import { beforeAll, describe, expect, it } from '@jest/globals';
import { listUploads } from '../support/oauth-client.js';
import { useService } from '../support/use-service.js';
import {
  beginPatch,
  create,
  head,
  locationOf,
  offsetOf,
  patch,
  photo,
  sha256,
  terminate,
} from '../support/tus-client.js';

const MIB = 1024 * 1024;

describe('multipart uploads in S3-compatible storage', () => {
  let token: string;

  const service = useService();
  beforeAll(async () => {
    token = (await service.connect()).accessToken;
  });

  const hashes = async (): Promise<unknown[]> => {
    const { body } = await listUploads(service.baseUrl, token);
    return (body['uploads'] as { sha256: string }[]).map((upload) => upload.sha256);
  };

  it('accept a photo in chunks of any size and list its SHA-256', async () => {
    const bytes = photo(13 * MIB, 1);
    const url = locationOf(
      service.baseUrl,
      await create(service.baseUrl, token, { length: bytes.length }),
    );
    let offset = 0;
    for (const size of [100_000, 6 * MIB, 1, bytes.length]) {
      const end = Math.min(offset + size, bytes.length);
      expect((await patch(url, token, offset, bytes.subarray(offset, end))).status).toBe(204);
      offset = end;
      expect(await offsetOf(url, token)).toBe(offset);
    }

    expect(await hashes()).toContain(sha256(bytes));
  });

  it('accept an empty file, and bytes with the creation', async () => {
    const bytes = photo(5000, 2);

    await create(service.baseUrl, token, { length: 0 });
    await create(service.baseUrl, token, { length: 5000, body: bytes });

    expect(await hashes()).toEqual(
      expect.arrayContaining([sha256(new Uint8Array()), sha256(bytes)]),
    );
  });

  it('can be resumed after a lost connection', async () => {
    const bytes = photo(12 * MIB, 3);
    const creation = {
      length: bytes.length,
      metadata: { client_upload_id: 'resumed-after-a-break' },
    };
    const url = locationOf(service.baseUrl, await create(service.baseUrl, token, creation));
    (await beginPatch(url, token, bytes.length, bytes.subarray(0, 9 * MIB))).destroy();

    const again = await create(service.baseUrl, token, creation);
    expect(locationOf(service.baseUrl, again)).toBe(url);
    const offset = await offsetOf(url, token);
    expect((await patch(url, token, offset, bytes.subarray(offset))).status).toBe(204);

    expect(await hashes()).toContain(sha256(bytes));
  });

  it('return the digest of the stored bytes and remove an upload with a wrong digest', async () => {
    const bytes = photo(6 * MIB, 4);
    const send = async (digest: string): Promise<Response> => {
      const created = await create(service.baseUrl, token, { length: bytes.length });
      return fetch(locationOf(service.baseUrl, created), {
        method: 'PATCH',
        headers: {
          'tus-resumable': '1.0.0',
          authorization: `Bearer ${token}`,
          'content-type': 'application/offset+octet-stream',
          'upload-offset': '0',
          'repr-digest': `sha-256=:${Buffer.from(digest, 'hex').toString('base64')}:`,
        },
        body: bytes,
      });
    };
    const before = await hashes();
    expect((await send('0'.repeat(64))).status).toBe(460);
    expect(await hashes()).toEqual(before);
    const right = await send(sha256(bytes));
    expect(right.headers.get('repr-digest')).toContain(
      `sha-256=:${Buffer.from(sha256(bytes), 'hex').toString('base64')}:, crc32c=:`,
    );
  });

  it('remove an unfinished upload', async () => {
    const url = locationOf(service.baseUrl, await create(service.baseUrl, token, { length: 10 }));
    await patch(url, token, 0, photo(4));

    expect((await terminate(url, token)).status).toBe(204);

    expect((await head(url, token)).status).toBe(404);
  });
});
