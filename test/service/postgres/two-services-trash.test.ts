import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PersonalTokens } from '../../../service/identity/accounts/personal-access-tokens.js';
import type { Database } from '../../../service/kernel/database/database.js';
import { openPostgresDatabase } from '../../../service/kernel/database/postgres.js';
import { startService, type LogLine, type RunningService } from '../../../service/start.js';
import { addUser, addWorkspace, send, type TestUser } from '../support/users.js';
import { storedBytes } from '../support/stored-bytes.js';
import type { StoredBytes } from '../support/stored-in-bucket.js';
import { testS3 } from '../support/test-storage.js';
import { photo } from '../support/tus-client.js';
import { dropDatabase, makeDatabaseUrl } from './databases.js';
import { formsOf } from './forms.js';

const SERVER = process.env['TEST_DATABASE_URL'];
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PHOTOS = 12;
const BYTES = 400;

type Submit = Awaited<ReturnType<typeof formsOf>>;

describe('the trash at two services on one PostgreSQL (npm run test:all -- postgres)', () => {
  let now = Date.now();
  /** How far the clock of the second one is ahead. */
  let ahead = 0;
  let databaseUrl: string;
  let folder: string;
  let database: Database;
  let stored: StoredBytes;
  let services: RunningService[] = [];
  const lines: LogLine[] = [];
  let workspaceId: string;
  let owner: TestUser;
  let submitters: Submit[];
  let photos: string[];

  beforeAll(async () => {
    databaseUrl = await makeDatabaseUrl(SERVER ?? '');
    folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-trash-'));
    const s3 = await testS3();
    stored = storedBytes(folder, s3);
    const start = (clock: () => Date): Promise<RunningService> =>
      startService({
        ...{ port: 0, dataDir: folder, databaseUrl, now: clock },
        ...(s3 !== undefined && { s3 }),
        log: (line) => lines.push(line),
      });
    services = [await start(() => new Date(now)), await start(() => new Date(now + ahead))];
    database = await openPostgresDatabase(databaseUrl, (error) => {
      throw error;
    });
  });
  afterAll(async () => {
    await database.close();
    await Promise.all(services.map((service) => service.close()));
    stored.close();
    await rm(folder, { recursive: true, force: true });
    await dropDatabase(SERVER ?? '', databaseUrl);
  });
  beforeEach(async () => {
    ahead = 0;
    workspaceId = await addWorkspace({ database }, 'North Studio');
    owner = await addUser({ database }, { [workspaceId]: 'owner' });
    submitters = await Promise.all(services.map(({ baseUrl }) => formsOf(baseUrl, owner)));
    const token = await new PersonalTokens(database, () => new Date(now)).create(owner.accountId, {
      ...{ name: 'Upload', workspaceId, days: 7 },
      scopes: ['uploads:write'],
    });
    photos = await Promise.all(
      Array.from({ length: PHOTOS }, (_, index) =>
        send(services[index % 2] ?? { baseUrl: '' }, token ?? '', `${index}.jpg`, photo(BYTES)),
      ),
    );
  });

  /** Requests an action on a photo at the first or the second service. */
  const change = async (which: 0 | 1, id: string, fields: Record<string, string>) =>
    (await submitters[which]?.(`/photos/${id}`, fields)) ?? 0;
  const trash = (which: 0 | 1, id: string) => change(which, id, { action: 'trash' });
  const restore = (which: 0 | 1, id: string) => change(which, id, { action: 'restore' });
  const removeNow = (which: 0 | 1, id: string) =>
    change(which, id, { action: 'remove', confirm: 'yes' });
  const purgeAtBoth = () => Promise.all(services.map((service) => service.purge()));

  /** The remains of a photo: `whole`, `gone`, or the missing parts. */
  const stateOf = async (id: string): Promise<string> => {
    const [row] = await database.query<{ trashed_at: Date | null }>(
      'SELECT trashed_at FROM uploads WHERE id = $1',
      [id],
    );
    const bytes = (await stored.has(id)) ? (await stored.read(id)).length : 0;
    if (row === undefined) return bytes === 0 ? 'gone' : 'bytes without a row';
    if (bytes !== BYTES) return 'a row without its bytes';
    return row.trashed_at === null ? 'whole' : 'in the trash';
  };
  const states = (): Promise<string[]> => Promise.all(photos.map(stateOf));
  /** Nothing went wrong on the way, nothing is left to be cleared away, and the room that is used is counted right. */
  const expectTidy = async (): Promise<void> => {
    expect(lines.filter(({ event }) => event === 'server_error')).toEqual([]);
    expect(await database.query('SELECT id FROM discarded_uploads')).toEqual([]);
    const [usage] = await database.query<{ bytes: string; counted: string }>(
      `SELECT bytes, (SELECT coalesce(sum(size + 16384), 0) FROM uploads WHERE workspace_id = $1) AS counted
         FROM workspace_usage WHERE workspace_id = $1`,
      [workspaceId],
    );
    expect(Number(usage?.bytes)).toBe(Number(usage?.counted));
  };

  it('loses nothing that is trashed at one and restored at the other at the same time', async () => {
    await Promise.all([
      ...photos.flatMap((id) => [trash(0, id), restore(1, id), trash(1, id), restore(0, id)]),
      purgeAtBoth(),
    ]);
    for (const state of await states()) expect(['whole', 'in the trash']).toContain(state);
    for (const id of photos) expect(await restore(1, id)).toBe(303);
    expect(await states()).toEqual(photos.map(() => 'whole'));
    await expectTidy();
  });

  it('purges each expired photo once and restores none of them', async () => {
    for (const id of photos) await trash(0, id);
    now += 30 * DAY_MS + 2 * HOUR_MS;
    submitters = await Promise.all(services.map(({ baseUrl }) => formsOf(baseUrl, owner)));
    const [statuses] = await Promise.all([
      Promise.all(photos.flatMap((id) => [restore(0, id), restore(1, id)])),
      purgeAtBoth(),
      purgeAtBoth(),
    ]);
    expect(new Set(statuses)).toEqual(new Set([404]));
    expect(await states()).toEqual(photos.map(() => 'gone'));
    await expectTidy();
  });

  it('keeps a photo that was restored before its permanent deletion at the other', async () => {
    for (const id of photos) await trash(0, id);
    const restored = await Promise.all(
      photos.flatMap((id, index) => {
        // Either is first half of the time.
        const begin = [() => restore(0, id), () => removeNow(1, id).then(() => 0)];
        if (index % 2 === 1) begin.reverse();
        return [Promise.all(begin.map((one) => one())).then((all) => Math.max(...all))];
      }),
    );
    await Promise.all([purgeAtBoth(), purgeAtBoth()]);
    const expected = restored.map((status) => (status === 303 ? 'whole' : 'gone'));
    expect(await states()).toEqual(expected);
    await expectTidy();
  });

  it('restores a photo that the other process’s clock considers expired', async () => {
    for (const id of photos) await trash(0, id);
    now += 30 * DAY_MS - 10 * 60_000;
    ahead = 45 * 60_000;
    submitters = await Promise.all(services.map(({ baseUrl }) => formsOf(baseUrl, owner)));
    expect(await restore(1, photos[0] ?? '')).toBe(404);
    const [statuses] = await Promise.all([
      Promise.all(photos.map((id) => restore(0, id))),
      purgeAtBoth(),
    ]);
    expect(new Set(statuses)).toEqual(new Set([303]));
    await purgeAtBoth();
    expect(await states()).toEqual(photos.map(() => 'whole'));
    await expectTidy();
  });
});
