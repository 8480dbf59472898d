import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { PersonalTokens } from '../../../service/identity/accounts/personal-access-tokens.js';
import { ALL_SCOPES } from '../../../service/identity/scopes.js';
import { listUploads } from '../support/oauth-client.js';
import { addUser, addWorkspace } from '../support/users.js';
import type { TestService } from '../support/running-service.js';
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
import { answerOf, openRaw, sendRaw, until } from './raw.js';
import type { RawAnswer } from './raw.js';

const MIB = 1024 * 1024;
/** Beside its bytes, an upload counts with this much. */
const OVERHEAD = 16 * 1024;

async function errorOf(answer: Response): Promise<unknown> {
  return answer.json();
}

/** The personal access token of somebody new in this workspace. */
async function tokenOfMember(service: TestService, workspaceId: string): Promise<string> {
  const { accountId } = await addUser(service, { [workspaceId]: 'member' });
  const entry = { name: 'a script', workspaceId, days: 7, scopes: ALL_SCOPES };
  const token = await new PersonalTokens(service.database, () => new Date()).create(
    accountId,
    entry,
  );
  if (token === undefined) throw new Error('no token was made');
  return token;
}

const NO_ROOM = { error: 'insufficient_storage', error_description: expect.any(String) };
const NO_DISK = { error: 'insufficient_disk_space', error_description: expect.any(String) };

describe('the quota of a workspace', () => {
  let limitedWorkspace: string;
  /** The token of a member. */
  let one: string;

  const service = useService({ uploads: { workspaceBytes: MIB, unfinishedUploads: 20 } });
  beforeEach(async () => {
    limitedWorkspace = await addWorkspace(service, 'North Studio');
    one = await connect(limitedWorkspace);
  });

  const connect = (workspace: string): Promise<string> => tokenOfMember(service, workspace);

  it('counts announced bytes of all members and of no other workspace', async () => {
    const two = await connect(limitedWorkspace);
    const elsewhere = await connect(await addWorkspace(service, 'South Studio'));
    const first = await create(service.baseUrl, one, { length: 600_000 });
    expect(first.status).toBe(201);

    const second = await create(service.baseUrl, two, { length: 600_000 });

    expect(second.status).toBe(507);
    expect(await errorOf(second)).toEqual(NO_ROOM);
    expect(second.headers.get('location')).toBeNull();
    expect((await create(service.baseUrl, elsewhere, { length: 600_000 })).status).toBe(201);
    expect((await create(service.baseUrl, two, { length: 300_000 })).status).toBe(201);
    // What is taken back is free again.
    await terminate(locationOf(service.baseUrl, first), one);
    expect((await create(service.baseUrl, two, { length: 600_000 })).status).toBe(201);
  });

  it('refuses an upload above the quota before reading bytes', async () => {
    await create(service.baseUrl, one, { length: 600_000 });
    const request = openRaw(service.baseUrl, {
      method: 'POST',
      target: '/api/v1/uploads',
      token: one,
      headers: {
        'upload-length': '600000',
        'content-length': '600000',
        'content-type': 'application/offset+octet-stream',
      },
    });
    request.flushHeaders();

    const answer = await answerOf(request);

    expect(answer.status).toBe(507);
    request.destroy();
  });

  // @threat L7
  it('is not exceeded by concurrent creations', async () => {
    const two = await connect(limitedWorkspace);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        create(service.baseUrl, index % 2 === 0 ? one : two, { length: 200_000 }),
      ),
    );

    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(
      Math.floor(MIB / (200_000 + OVERHEAD)),
    );
    expect(new Set(statuses)).toEqual(new Set([201, 507]));
  });

  it('allows reading and deleting when the quota is used up', async () => {
    const bytes = photo(900_000);
    const creation = {
      length: bytes.length,
      metadata: { client_upload_id: 'there-before-it-was-full' },
    };
    const url = locationOf(service.baseUrl, await create(service.baseUrl, one, creation));
    await patch(url, one, 0, bytes.subarray(0, 1000));
    expect((await create(service.baseUrl, one, { length: 200_000 })).status).toBe(507);

    const again = await create(service.baseUrl, one, creation);

    expect(again.status).toBe(201);
    expect(again.headers.get('upload-offset')).toBe('1000');
    expect((await patch(url, one, 1000, bytes.subarray(1000))).status).toBe(204);
    expect((await listUploads(service.baseUrl, one)).body['uploads']).toEqual([
      expect.objectContaining({ sha256: sha256(bytes) }),
    ]);
  });

  it('counts empty uploads and limits unfinished ones', async () => {
    const two = await connect(limitedWorkspace);
    const unfinished = await Promise.all(
      Array.from({ length: 30 }, () => create(service.baseUrl, one, { length: 1 })),
    );
    expect(unfinished.filter(({ status }) => status === 201)).toHaveLength(20);
    const refused = unfinished.find(({ status }) => status === 507);
    expect(refused && (await errorOf(refused))).toEqual(NO_ROOM);

    // Most of what is left is announced at once; the rest is for empty ones.
    const announced = 500_000;
    expect((await create(service.baseUrl, two, { length: announced })).status).toBe(201);
    const statuses: number[] = [];
    while (statuses.length < 20) {
      const empty = await Promise.all(
        Array.from({ length: 10 }, () => create(service.baseUrl, two, { length: 0 })),
      );
      statuses.push(...empty.map(({ status }) => status));
    }
    const left = MIB - 20 * (OVERHEAD + 1) - (announced + OVERHEAD);
    const room = Math.floor(left / OVERHEAD);
    expect(statuses.filter((status) => status === 201)).toHaveLength(room);
  });

  it('refuses metadata above 4 KiB', async () => {
    const metadata = { filename: 'a.jpg', note: 'x'.repeat(4000) };

    const answer = await create(service.baseUrl, one, { length: 1, metadata });

    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toMatchObject({ error: 'invalid_request' });
  });
});

describe('the free disk space', () => {
  let token: string;
  let free = 100 * MIB;
  const floor = 10 * MIB;

  const service = useService({
    uploads: { minFreeDiskBytes: floor },
    freeDiskBytes: () => Promise.resolve(free),
  });
  beforeAll(async () => {
    token = (await service.connect()).accessToken;
  });
  beforeEach(async () => {
    free = 100 * MIB;
    // What was measured a moment ago is forgotten.
    await until(async () => (await health())['storage'] === undefined);
  });

  const health = async (): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${service.baseUrl}/healthz`);
    expect(answer.status).toBe(200);
    return (await answer.json()) as Record<string, unknown>;
  };
  const begin = async (length: number): Promise<string> =>
    locationOf(service.baseUrl, await create(service.baseUrl, token, { length }));
  const becomeFull = async (): Promise<void> => {
    free = floor - 1;
    await until(async () => (await health())['storage'] === 'low');
  };

  it('refuses creations below its floor and is reported by /healthz', async () => {
    const answer = await create(service.baseUrl, token, { length: 91 * MIB });
    expect(answer.status).toBe(507);
    expect(await errorOf(answer)).toEqual(NO_DISK);
    expect((await create(service.baseUrl, token, { length: 80 * MIB })).status).toBe(201);

    await becomeFull();

    expect((await create(service.baseUrl, token, { length: 1 })).status).toBe(507);
    expect(await health()).toEqual({ status: 'ok', storage: 'low' });
  });

  it('serves other requests when the disk space is low', async () => {
    const creation = { length: 5, metadata: { client_upload_id: 'begun-while-there-was-room' } };
    const url = locationOf(service.baseUrl, await create(service.baseUrl, token, creation));
    await becomeFull();

    expect((await service.connect()).accessToken).not.toBe('');
    expect((await listUploads(service.baseUrl, token)).status).toBe(200);
    expect(await offsetOf(url, token)).toBe(0);
    expect((await create(service.baseUrl, token, creation)).status).toBe(201);
    expect((await terminate(url, token)).status).toBe(204);
  });

  it('refuses a PATCH before reading bytes when the disk is full', async () => {
    const url = await begin(MIB);
    await becomeFull();

    const request = openRaw(service.baseUrl, {
      method: 'PATCH',
      target: new URL(url).pathname,
      token,
      headers: {
        'upload-offset': '0',
        'content-length': String(MIB),
        'content-type': 'application/offset+octet-stream',
      },
    });
    request.flushHeaders();
    const answer = await answerOf(request);
    request.destroy();

    expect(answer.status).toBe(507);
    expect(JSON.parse(answer.text)).toEqual(NO_DISK);
    expect(await offsetOf(url, token)).toBe(0);
  });

  it('ends a running PATCH with 507 and keeps received bytes', async () => {
    const bytes = photo(MIB, 3);
    const url = await begin(bytes.length);
    const request = await beginPatch(url, token, bytes.length, bytes.subarray(0, 300_000));
    const answer = answerOf(request);
    const file = path.join(service.dataDir, 'uploads', path.basename(url));
    await until(async () => (await stat(file).catch(() => undefined))?.size === 300_000);

    await becomeFull();

    expect(await answer).toMatchObject({ status: 507 });
    expect(JSON.parse((await answer).text)).toEqual(NO_DISK);
    request.destroy();
    expect(await offsetOf(url, token)).toBe(300_000);
    free = 100 * MIB;
    await until(async () => (await health())['storage'] === undefined);
    expect((await patch(url, token, 300_000, bytes.subarray(300_000))).status).toBe(204);
    expect((await listUploads(service.baseUrl, token)).body['uploads']).toContainEqual(
      expect.objectContaining({ sha256: sha256(bytes) }),
    );
  });

  it('returns 507 without an error in the log when a write fails', async () => {
    const url = await begin(100_000);
    const file = path.join(service.dataDir, 'uploads', path.basename(url));
    await symlink('/dev/full', file);

    const answer = await patch(url, token, 0, photo(100_000));

    expect(answer.status).toBe(507);
    expect(await errorOf(answer)).toEqual(NO_DISK);
    expect(service.logLines.filter(({ event }) => event === 'server_error')).toEqual([]);
    await terminate(url, token);
  });
});

describe('a user who keeps many requests open', () => {
  let token: string;
  let control: string;

  const service = useService();
  beforeAll(async () => {
    const limitedWorkspace = await addWorkspace(service, 'North Studio');
    token = await tokenOfMember(service, limitedWorkspace);
    control = await tokenOfMember(service, limitedWorkspace);
  });

  it('limits open requests and serves other users', async () => {
    const urls: string[] = [];
    while (urls.length < 68) {
      const made = Array.from({ length: 34 }, async () =>
        locationOf(service.baseUrl, await create(service.baseUrl, token, { length: 100_000 })),
      );
      urls.push(...(await Promise.all(made)));
    }
    const open = urls.map((url) =>
      openRaw(service.baseUrl, {
        method: 'PATCH',
        target: new URL(url).pathname,
        token,
        headers: {
          'upload-offset': '0',
          'content-length': '100000',
          'content-type': 'application/offset+octet-stream',
        },
      }),
    );
    const refused: RawAnswer[] = [];
    const answers = open.map(async (request) => {
      request.write(photo(10));
      const answer = await answerOf(request).catch(() => undefined);
      if (answer?.status === 429) refused.push(answer);
      return answer;
    });
    await until(() => refused.length === 68 - 64);
    expect(refused[0]?.headers['retry-after']).toBe('1');

    const bytes = photo(50_000, 7);
    const made = await create(service.baseUrl, control, { length: bytes.length, body: bytes });
    expect(made.headers.get('upload-offset')).toBe('50000');

    for (const request of open) request.destroy();
    await Promise.all(answers);
    // Those that are gone hold nothing any more.
    await until(async () => (await head(urls[0] ?? '', token)).status === 200);
  });

  it('limits the requests that wait for one upload', async () => {
    const url = locationOf(service.baseUrl, await create(service.baseUrl, token, { length: 1000 }));
    const target = new URL(url).pathname;
    const heads = await Promise.all(
      Array.from({ length: 40 }, () => sendRaw(service.baseUrl, { method: 'HEAD', target, token })),
    );
    for (const { status } of heads) expect([200, 503]).toContain(status);
    expect((await head(url, token)).status).toBe(200);
  });
});
