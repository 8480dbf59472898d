import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Database } from '../../../service/kernel/database/database.js';
import { migrate } from '../../../service/kernel/database/migrate.js';
import { PhotoTable } from '../../../service/library/photos/data/photo-table.js';
import { ProjectTable } from '../../../service/library/projects/project-table.js';
import { UploadRepository } from '../../../service/library/uploads/repository/upload-repository.js';
import type { Destination } from '../../../service/library/uploads/upload.js';
import { addUser, addWorkspace } from '../support/users.js';
import { makeDatabase } from './databases.js';

const SERVER = process.env['TEST_DATABASE_URL'] ?? '';
const LIMITS = { workspaceBytes: 1e9, unfinishedUploads: 1000 };
const ROUNDS = 10;

let database: Database;
let uploads: UploadRepository;
let photos: PhotoTable;
let projects: ProjectTable;
let workspaceId: string;
let accountId: string;

beforeAll(async () => {
  database = await makeDatabase(SERVER);
  await migrate(database);
  uploads = new UploadRepository(database);
  photos = new PhotoTable(database);
  projects = new ProjectTable(database, () => new Date());
  workspaceId = await addWorkspace({ database }, 'North Studio');
  ({ accountId } = await addUser({ database }, { [workspaceId]: 'member' }));
});
beforeEach(() => database.query('DELETE FROM uploads'));
afterAll(() => database.close());

/** An upload all of whose bytes are here. */
async function begin(name: string, destination: Partial<Destination> = {}): Promise<string> {
  const { record } = await uploads.add(
    {
      ...{ id: randomUUID(), accountId, workspaceId, clientId: 'client', size: 10, name },
      ...{ clientUploadId: undefined, type: 'image/jpeg', metadata: {}, createdAt: new Date() },
      destination: {
        projectId: undefined,
        document: undefined,
        replaces: undefined,
        ...destination,
      },
    },
    LIMITS,
  );
  return record.id;
}

const finish = (id: string): Promise<unknown> =>
  uploads.finish(id, { sha256: 'a'.repeat(64), crc32c: 'a'.repeat(8) }, new Date());

const versions = (): Promise<
  { photo_id: string; is_current: boolean; trashed: boolean; project_id: string | null }[]
> =>
  database.query(
    'SELECT photo_id, is_current, trashed_at IS NOT NULL AS trashed, project_id FROM uploads ORDER BY finished_at, id',
  );

it.each([
  ['name', {}],
  ['name and document', { document: 'xmp.did:1' }],
])(
  'uploads with the same %s that are finished at once become one photo',
  async (_by, destination) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await database.query('DELETE FROM uploads');
      const ids = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          // One name in its two normal forms.
          begin(n % 2 === 0 ? 'Küste.jpg' : 'Ku\u0308ste.jpg', destination),
        ),
      );
      await Promise.all(ids.map(finish));
      const found = await versions();
      expect(new Set(found.map((one) => one.photo_id)).size).toBe(1);
      expect(found.filter((one) => one.is_current)).toHaveLength(1);
    }
  },
);

it('uploads of one document with different names that are finished at once become one photo each', async () => {
  const ids = await Promise.all(
    Array.from({ length: 12 }, (_, n) => begin(`crop ${n}.jpg`, { document: 'xmp.did:1' })),
  );
  await Promise.all(ids.map(finish));
  expect(new Set((await versions()).map((one) => one.photo_id)).size).toBe(12);
});

it('uploads that find one photo by document, name and id at once become versions of it', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    await database.query('DELETE FROM uploads');
    const first = await begin('one.jpg', { document: 'a' });
    await finish(first);
    const ids = await Promise.all([
      begin('one.jpg'),
      begin('two.jpg', { document: 'a', byDocument: true }),
      begin('three.jpg', { replaces: first }),
      begin('one.jpg', { document: 'a' }),
    ]);
    await Promise.all(ids.map(finish));
    const found = await versions();
    // By the time a name is looked for, the current version may have another one: then it is a new photo.
    expect(found.filter((one) => one.photo_id === first).length).toBeGreaterThanOrEqual(4);
    for (const photoId of new Set(found.map((one) => one.photo_id))) {
      const current = found.filter((one) => one.photo_id === photoId && one.is_current);
      expect(current).toHaveLength(1);
    }
  }
});

it('a version that is finished while its photo goes to the trash or a project is not left alone', async () => {
  const made = await projects.create(workspaceId, 'Spring', accountId);
  const projectId = typeof made === 'string' ? made : made.id;
  for (let round = 0; round < ROUNDS; round += 1) {
    await database.query('DELETE FROM uploads');
    const first = await begin('one.jpg');
    await finish(first);
    const ids = await Promise.all(Array.from({ length: 4 }, () => begin('one.jpg')));
    await Promise.all([
      ...ids.slice(0, 2).map(finish),
      projects.move(workspaceId, [first], projectId),
      ...ids.slice(2).map(finish),
      photos.makeCurrent(first),
      round % 2 === 0 ? photos.trash(first, accountId, new Date()) : undefined,
    ]);
    const found = await versions();
    for (const photoId of new Set(found.map((one) => one.photo_id))) {
      const own = found.filter((one) => one.photo_id === photoId);
      expect(own.filter((one) => one.is_current)).toHaveLength(1);
      expect(new Set(own.map((one) => one.trashed)).size).toBe(1);
      expect(new Set(own.map((one) => one.project_id)).size).toBe(1);
    }
  }
});
