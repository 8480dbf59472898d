import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ClientRequest } from 'node:http';
import path from 'node:path';
import { Upload } from 'tus-js-client';
import { listUploads } from '../../support/oauth-client.js';
import { startTestService } from '../../support/running-service.js';
import { useService } from '../../support/use-service.js';
import {
  authorization,
  beginPatch,
  create,
  head,
  locationOf,
  offsetOf,
  patch,
  photo,
  sha256,
  terminate,
} from '../../support/tus-client.js';

describe('uploads by tus', () => {
  let token: string;

  const service = useService();
  beforeAll(async () => {
    token = (await service.connect()).accessToken;
  });

  const list = async (): Promise<Record<string, unknown>[]> => {
    const { body } = await listUploads(service.baseUrl, token);
    return body['uploads'] as Record<string, unknown>[];
  };
  const files = (): Promise<string[]> => service.stored.ids();

  it('takes a photo in two parts and lists it with name, size, type and SHA-256', async () => {
    const bytes = photo(300_000);
    const metadata = { filename: 'Küste bei Nacht.jpg', filetype: 'image/jpeg' };
    const created = await create(service.baseUrl, token, { length: bytes.length, metadata });
    expect(created.status).toBe(201);
    expect(created.headers.get('tus-resumable')).toBe('1.0.0');
    const url = locationOf(service.baseUrl, created);
    expect(new URL(url).origin).toBe(service.baseUrl);

    const first = await patch(url, token, 0, bytes.subarray(0, 100_000));
    expect(first.status).toBe(204);
    expect(first.headers.get('upload-offset')).toBe('100000');
    const id = url.split('/').at(-1);
    const listed = async (): Promise<unknown[]> =>
      (await list()).filter((upload) => upload['id'] === id);
    expect(await listed()).toEqual([]);
    expect((await patch(url, token, 100_000, bytes.subarray(100_000))).status).toBe(204);

    expect(await listed()).toEqual([
      {
        id,
        name: 'Küste bei Nacht.jpg',
        size: 300_000,
        type: 'image/jpeg',
        sha256: sha256(bytes),
        created: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        client_upload_id: null,
        width: null,
        height: null,
        captured_at: null,
        photo: id,
        current: true,
        project: null,
        sent_by: { username: 'demo', name: 'Demo Photographer' },
        media_type: null,
        media: null,
        picture: null,
        approval: null,
        comments: 0,
        page: `${service.baseUrl}/photos/${id}`,
      },
    ]);
  });

  it('takes bytes along with the creation', async () => {
    const bytes = photo(5000, 2);

    const created = await create(service.baseUrl, token, { length: 5000, body: bytes });

    expect(created.status).toBe(201);
    expect(created.headers.get('upload-offset')).toBe('5000');
    expect((await list()).map((upload) => upload['sha256'])).toContain(sha256(bytes));
  });

  it('takes an empty file', async () => {
    await create(service.baseUrl, token, { length: 0, metadata: { filename: 'empty' } });

    expect(await list()).toContainEqual(
      expect.objectContaining({ name: 'empty', size: 0, sha256: sha256(new Uint8Array()) }),
    );
  });

  it('works with tus-js-client, unchanged', async () => {
    const bytes = photo(200_000, 3);
    await new Promise<void>((resolve, reject) => {
      new Upload(Buffer.from(bytes), {
        endpoint: `${service.baseUrl}/api/v1/uploads`,
        headers: authorization(token),
        metadata: { filename: 'from-client.jpg', filetype: 'image/jpeg' },
        chunkSize: 64_000,
        uploadDataDuringCreation: true,
        onSuccess: () => {
          resolve();
        },
        onError: reject,
      }).start();
    });

    expect(await list()).toContainEqual(
      expect.objectContaining({ name: 'from-client.jpg', sha256: sha256(bytes) }),
    );
  });

  it('uses a name from outside as text only', async () => {
    const before = await files();
    const name = '../../../etc/<b>passwd</b>';
    const created = await create(service.baseUrl, token, {
      length: 1,
      metadata: { filename: name },
      body: photo(1),
    });

    expect(created.status).toBe(201);
    expect(await list()).toContainEqual(expect.objectContaining({ name }));
    const added = (await files()).filter((file) => !before.includes(file));
    expect(added).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });

  /** Begins a PATCH that stops after 150,000 of its bytes, and waits until they are stored. */
  const stall = async (url: string, bytes: Uint8Array): Promise<ClientRequest> => {
    const request = await beginPatch(url, token, bytes.length, bytes.subarray(0, 150_000));
    while ((await service.stored.arrived(path.basename(url))) < 150_000)
      await new Promise(setImmediate);
    return request;
  };

  it('keeps the received bytes when the connection ends during a PATCH', async () => {
    const bytes = photo(400_000, 4);
    const url = locationOf(
      service.baseUrl,
      await create(service.baseUrl, token, { length: 400_000 }),
    );

    (await stall(url, bytes)).destroy();

    expect(await offsetOf(url, token)).toBe(150_000);
    expect((await patch(url, token, 150_000, bytes.subarray(150_000))).status).toBe(204);
    expect((await list()).map((upload) => upload['sha256'])).toContain(sha256(bytes));
  });

  it('lets a client resume while the service still waits for its lost connection', async () => {
    const bytes = photo(400_000, 5);
    const url = locationOf(
      service.baseUrl,
      await create(service.baseUrl, token, { length: 400_000 }),
    );
    const stalled = await stall(url, bytes);

    expect(await offsetOf(url, token)).toBe(150_000);
    expect((await patch(url, token, 150_000, bytes.subarray(150_000))).status).toBe(204);

    expect((await list()).map((upload) => upload['sha256'])).toContain(sha256(bytes));
    stalled.destroy();
  });

  it('refuses a PATCH at another offset and leaves the upload as it is', async () => {
    const url = locationOf(service.baseUrl, await create(service.baseUrl, token, { length: 10 }));
    await patch(url, token, 0, photo(4));

    expect((await patch(url, token, 2, photo(4))).status).toBe(409);
    expect(await offsetOf(url, token)).toBe(4);
  });

  it('removes an unfinished upload on DELETE', async () => {
    const before = await files();
    const url = locationOf(service.baseUrl, await create(service.baseUrl, token, { length: 10 }));
    expect((await patch(url, token, 0, photo(5))).status).toBe(204);
    expect((await files()).length).toBeGreaterThan(before.length);

    expect((await terminate(url, token)).status).toBe(204);

    expect((await head(url, token)).status).toBe(404);
    expect((await files()).length).toBe(before.length);
  });

  it('keeps a finished upload after DELETE', async () => {
    const bytes = photo(10, 6);
    const url = locationOf(
      service.baseUrl,
      await create(service.baseUrl, token, { length: 10, body: bytes }),
    );

    expect((await terminate(url, token)).status).toBe(403);
    expect((await list()).map((upload) => upload['sha256'])).toContain(sha256(bytes));
  });

  describe('with a client_upload_id', () => {
    const idOf = (name: string): { client_upload_id: string; filename: string } => ({
      client_upload_id: `client-upload-${name}`,
      filename: `${name}.jpg`,
    });
    const listed = async (name: string): Promise<Record<string, unknown>[]> =>
      (await list()).filter((upload) => upload['client_upload_id'] === idOf(name).client_upload_id);

    it('answers a repeated creation with the upload that is there and its offset', async () => {
      const bytes = photo(10, 7);
      const creation = { length: 10, metadata: idOf('again') };
      const url = locationOf(service.baseUrl, await create(service.baseUrl, token, creation));
      await patch(url, token, 0, bytes.subarray(0, 4));

      const again = await create(service.baseUrl, token, creation);

      expect(again.status).toBe(201);
      expect(locationOf(service.baseUrl, again)).toBe(url);
      expect(again.headers.get('upload-offset')).toBe('4');
      await patch(url, token, 4, bytes.subarray(4));
      expect(await listed('again')).toEqual([expect.objectContaining({ sha256: sha256(bytes) })]);
    });

    it('ignores the bytes of a repeated creation, also after the upload has finished', async () => {
      const bytes = photo(3_000_000, 8);
      const creation = { length: bytes.length, metadata: idOf('done') };
      const first = await create(service.baseUrl, token, { ...creation, body: bytes });

      const again = await create(service.baseUrl, token, {
        ...creation,
        body: photo(bytes.length, 9),
      });

      expect(again.status).toBe(201);
      expect(again.headers.get('location')).toBe(first.headers.get('location'));
      expect(again.headers.get('upload-offset')).toBe(String(bytes.length));
      expect(await listed('done')).toEqual([expect.objectContaining({ sha256: sha256(bytes) })]);
    });

    it('refuses the same id for another length', async () => {
      await create(service.baseUrl, token, { length: 10, metadata: idOf('length') });

      const other = await create(service.baseUrl, token, { length: 11, metadata: idOf('length') });

      expect(other.status).toBe(409);
      expect(other.headers.get('location')).toBeNull();
    });

    it('creates one upload for many simultaneous creations', async () => {
      const bytes = photo(50_000, 10);
      const before = (await files()).length;

      const answers = await Promise.all(
        Array.from({ length: 8 }, () =>
          create(service.baseUrl, token, {
            length: bytes.length,
            metadata: idOf('together'),
            body: bytes,
          }),
        ),
      );

      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
      const locations = new Set(answers.map((answer) => locationOf(service.baseUrl, answer)));
      expect(locations.size).toBe(1);
      expect((await files()).length).toBe(before + 1);
      expect(await listed('together')).toEqual([
        expect.objectContaining({ sha256: sha256(bytes) }),
      ]);
    });

    it('creates a new upload after the first was terminated', async () => {
      const creation = { length: 10, metadata: idOf('terminated') };
      const url = locationOf(service.baseUrl, await create(service.baseUrl, token, creation));
      await terminate(url, token);

      const next = locationOf(service.baseUrl, await create(service.baseUrl, token, creation));

      expect(next).not.toBe(url);
      expect(await offsetOf(next, token)).toBe(0);
    });

    it.each(['short', 'with space in it!', 'x'.repeat(65)])('refuses the id %j', async (id) => {
      const answer = await create(service.baseUrl, token, {
        length: 1,
        metadata: { client_upload_id: id },
      });

      expect(answer.status).toBe(400);
    });
  });

  it.each([
    [
      'a NUL character in a name',
      {
        'upload-metadata': `filename ${Buffer.from('a\0b').toString('base64')}`,
        'upload-length': '1',
      },
      400,
    ],
    [
      'a name that is far too long',
      {
        'upload-metadata': `filename ${Buffer.from('a'.repeat(256)).toString('base64')}`,
        'upload-length': '1',
      },
      400,
    ],
    [
      'metadata that is not base64',
      { 'upload-metadata': 'filename ***', 'upload-length': '1' },
      400,
    ],
    ['a length that is no number', { 'upload-length': 'many' }, 400],
    ['no length', {}, 400],
    ['a deferred length', { 'upload-defer-length': '1' }, 400],
    ['more than the limit', { 'upload-length': String(6 * 1024 ** 3) }, 413],
  ])('refuses a creation with %s and leaves nothing behind', async (_name, headers, status) => {
    const before = await files();

    const answer = await fetch(`${service.baseUrl}/api/v1/uploads`, {
      method: 'POST',
      headers: { 'tus-resumable': '1.0.0', ...authorization(token), ...headers },
    });

    expect(answer.status).toBe(status);
    expect(await files()).toEqual(before);
  });

  it('returns its capabilities on OPTIONS, without a token', async () => {
    const answer = await fetch(`${service.baseUrl}/api/v1/uploads`, { method: 'OPTIONS' });

    expect(answer.status).toBe(204);
    expect(answer.headers.get('tus-version')).toBe('1.0.0');
    expect(answer.headers.get('tus-extension')).toBe(
      'creation,creation-with-upload,termination,client-upload-id,repr-digest,known-uploads,project-destination,photo-versions,upload-receipts,device-queue,upload-posters,photo-list',
    );
  });
});

describe('access to uploads', () => {
  const service = useService();

  it('challenges a request without a token and names no error (RFC 6750 section 3.1)', async () => {
    const answer = await fetch(`${service.baseUrl}/api/v1/uploads`);

    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer realm="creative-workspace", resource_metadata="${service.baseUrl}/.well-known/oauth-protected-resource/api/v1"`,
    );
  });

  it.each(['svc_at_unknown', 'without-prefix', '../../x'])(
    'answers invalid_token to the token %s',
    async (token) => {
      const { status, headers, body } = await listUploads(service.baseUrl, token);

      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toContain('error="invalid_token"');
      expect(body).toMatchObject({ error: 'invalid_token' });
    },
  );

  it('rejects a refresh token', async () => {
    const { refreshToken } = await service.connect();

    expect((await listUploads(service.baseUrl, refreshToken)).status).toBe(401);
  });

  it('answers 401 to a creation with a large body before it has read it', async () => {
    const answer = await create(service.baseUrl, 'svc_at_unknown', {
      length: 4_000_000,
      body: photo(4_000_000),
    });

    expect(answer.status).toBe(401);
  });

  it('requires uploads:write to upload, and uploads:read to list', async () => {
    const { accessToken } = await service.connect('uploads:read');

    expect((await listUploads(service.baseUrl, accessToken)).status).toBe(200);
    const answer = await create(service.baseUrl, accessToken, { length: 1 });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toContain(
      'error="insufficient_scope", scope="uploads:write"',
    );
  });

  it('ends a token at its exact lifetime', async () => {
    const short = await startTestService({ lifetimes: { accessTokenSeconds: 1 } });
    try {
      const { accessToken } = await short.connect();
      let answer = await listUploads(short.baseUrl, accessToken);
      while (answer.status === 200) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        answer = await listUploads(short.baseUrl, accessToken);
      }
      expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
    } finally {
      await short.close();
    }
  });
});
