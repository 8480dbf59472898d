import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openEmbeddedDatabase } from '../../../service/kernel/database/pglite.js';
import type { S3Options } from '../../../service/library/uploads/storage/s3-options.js';
import { startService, type RunningService } from '../../../service/start.js';
import { approveDevice, type SignIn } from '../support/browser-client.js';
import {
  listUploads,
  poll,
  refresh,
  startDevice,
  tokensOf,
  type Tokens,
} from '../support/oauth-client.js';
import { layReadyDatabase } from '../support/database-templates.js';
import { addUser, addWorkspace } from '../support/users.js';
import { storedBytes } from '../support/stored-bytes.js';
import type { StoredBytes } from '../support/stored-in-bucket.js';
import { testS3 } from '../support/test-storage.js';
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

describe('a restarted service', () => {
  let dataDir: string;
  let service: RunningService;
  let s3: S3Options | undefined;
  let stored: StoredBytes;
  /** A new user per test, so that no test sees the uploads of another. */
  let anna: SignIn;
  let ben: SignIn;
  let clara: SignIn;
  let dora: SignIn;
  const start = async (): Promise<void> => {
    service = await startService({ port: 0, dataDir, ...(s3 !== undefined && { s3 }) });
  };

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'creative-workspace-restart-'));
    await layReadyDatabase(path.join(dataDir, 'database'));
    const database = await openEmbeddedDatabase(path.join(dataDir, 'database'));
    const join = async (workspaceId: string): Promise<SignIn> =>
      addUser({ database }, { [await addWorkspace({ database }, workspaceId)]: 'owner' });
    anna = await join('Anna Studio');
    ben = await join('Ben Studio');
    clara = await join('Clara Studio');
    dora = await join('Dora Studio');
    await database.close();
    s3 = await testS3();
    stored = storedBytes(dataDir, s3);
    await start();
  });
  afterAll(async () => {
    await service.close();
    stored.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const connect = async (signIn: SignIn): Promise<Tokens> => {
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    await approveDevice(service.baseUrl, userCode, signIn);
    return tokensOf(await poll(service.baseUrl, deviceCode));
  };

  it('keeps accounts, tokens, codes and uploads over a restart and finishes completed uploads', async () => {
    const { accessToken, refreshToken } = await connect(anna);
    const waiting = await startDevice(service.baseUrl);
    const bytes = photo(1000);
    const partial = new URL(
      locationOf(service.baseUrl, await create(service.baseUrl, accessToken, { length: 1000 })),
    ).pathname;
    await patch(service.baseUrl + partial, accessToken, 0, bytes.subarray(0, 400));
    const whole = new URL(
      locationOf(
        service.baseUrl,
        await create(service.baseUrl, accessToken, {
          length: 1000,
          metadata: { filename: 'whole' },
        }),
      ),
    ).pathname;
    await patch(service.baseUrl + whole, accessToken, 0, bytes.subarray(0, 1));
    await service.close();
    // As a crash between the last byte and its record would leave it.
    await stored.replace(path.basename(whole), bytes);

    await start();

    // That happens in the background.
    let listed = await listUploads(service.baseUrl, accessToken);
    while ((listed.body['uploads'] as unknown[]).length === 0) {
      listed = await listUploads(service.baseUrl, accessToken);
    }
    expect(listed.body).toEqual({
      uploads: [expect.objectContaining({ name: 'whole', sha256: sha256(bytes) })],
    });
    expect(await offsetOf(service.baseUrl + partial, accessToken)).toBe(400);
    await patch(service.baseUrl + partial, accessToken, 400, bytes.subarray(400));
    expect((await listUploads(service.baseUrl, accessToken)).body['uploads']).toHaveLength(2);
    expect((await refresh(service.baseUrl, refreshToken)).status).toBe(200);
    await approveDevice(service.baseUrl, waiting.userCode, anna);
    expect((await poll(service.baseUrl, waiting.deviceCode)).status).toBe(200);
  });

  it("returns 404 for every request about another user's upload", async () => {
    const mine = (await connect(ben)).accessToken;
    const theirs = (await connect(clara)).accessToken;
    const creation = { length: 10, metadata: { client_upload_id: 'the-same-id-for-both' } };
    const url = locationOf(service.baseUrl, await create(service.baseUrl, mine, creation));

    expect((await head(url, theirs)).status).toBe(404);
    expect((await patch(url, theirs, 0, photo(10))).status).toBe(404);
    expect((await terminate(url, theirs)).status).toBe(404);
    expect((await listUploads(service.baseUrl, theirs)).body).toEqual({ uploads: [] });
    expect(await offsetOf(url, mine)).toBe(0);
    // A client_upload_id is the account's own.
    const own = await create(service.baseUrl, theirs, creation);
    expect(locationOf(service.baseUrl, own)).not.toBe(url);
  });

  it('completes an upload in progress before it stops', async () => {
    const token = (await connect(dora)).accessToken;
    const bytes = photo(200_000, 3);
    const creation = await create(service.baseUrl, token, { length: bytes.length });
    const url = locationOf(service.baseUrl, creation);
    const request = await beginPatch(url, token, bytes.length, bytes.subarray(0, 50_000));
    while ((await stored.arrived(path.basename(url))) === 0) await new Promise(setImmediate);
    const status = new Promise<number | undefined>((resolve) => {
      request.on('response', (response) => {
        resolve(response.statusCode);
      });
    });

    const closed = service.close();
    request.end(bytes.subarray(50_000));

    expect(await status).toBe(204);
    await closed;
    await expect(fetch(service.baseUrl)).rejects.toThrow();
    await start();
    expect((await listUploads(service.baseUrl, token)).body['uploads']).toContainEqual(
      expect.objectContaining({ sha256: sha256(bytes) }),
    );
  });
});
