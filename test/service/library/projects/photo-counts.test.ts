import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { countPhotos } from '../../../../service/library/projects/index.js';
import { sumPhotoCounts } from '../../../../service/library/projects/photo-counts.js';
import type { Database } from '../../../../service/kernel/database/database.js';
import { openReadyDatabase } from '../../support/database-templates.js';
import { addPeople } from '../../kernel/database/many-grants.js';
import { addPhotos, WORKSPACE_ID } from '../../kernel/database/many-photos.js';
import { planning, type Planned } from '../../kernel/database/plans.js';

const PHOTOS = 1000;

/** See `photo_count_changes`. */
const MAX_UNSUMMED = 256;

describe('the numbers of photos', () => {
  let database: Database;

  beforeAll(async () => {
    database = await openReadyDatabase();
    await addPeople(database, PHOTOS);
    await addPhotos(database, PHOTOS);
    await sumPhotoCounts(database);
  });
  afterAll(() => database.close());

  /** The number in a project, and the rows that were read for it. */
  const inProject = async (project: string): Promise<{ photos: number; rowsRead: number }> => {
    const planned: Planned[] = [];
    const view = { workspaceId: WORKSPACE_ID, accountId: undefined };
    const { photos } = await countPhotos(planning(database, planned), view, project);
    return { photos, rowsRead: planned.reduce((sum, { rowsRead }) => sum + rowsRead, 0) };
  };

  it.each([
    ['one by one', 1],
    ['in large parts', 100],
  ])('are read from few rows after many changes %s', async (_how, size) => {
    const before = await inProject('project-8');
    const changes = 1000;
    for (let change = 0; change < changes; change += size)
      await database.query(
        `UPDATE uploads SET project_id = CASE WHEN project_id = 'project-8' THEN 'project-9' ELSE 'project-8' END
          WHERE id IN (SELECT id FROM uploads WHERE workspace_id = '${WORKSPACE_ID}' AND is_current AND trashed_at IS NULL
             AND project_id IN ('project-8', 'project-9') ORDER BY id LIMIT ${size})`,
      );
    const after = await inProject('project-8');
    expect(after.rowsRead).toBeLessThanOrEqual(before.rowsRead + MAX_UNSUMMED);
    await sumPhotoCounts(database);
    expect((await inProject('project-8')).photos).toBe(after.photos);
    const counted = `SELECT count(*)::integer AS photos FROM uploads
      WHERE project_id = 'project-8' AND finished_at IS NOT NULL AND is_current AND trashed_at IS NULL`;
    expect(await database.query(counted)).toEqual([{ photos: after.photos }]);
  });

  it('are read from few rows after statements that change many projects', async () => {
    const before = await inProject('project-8');
    for (let part = 0; part < 20; part += 1)
      await database.query(
        `DELETE FROM uploads WHERE id IN (
           SELECT id FROM uploads WHERE workspace_id = '${WORKSPACE_ID}' ORDER BY id LIMIT 40)`,
      );
    const [left] = await database.query<{ rows: number }>(
      'SELECT count(*)::integer AS rows FROM photo_counts WHERE NOT is_sum',
    );
    expect(left?.rows).toBeLessThanOrEqual(MAX_UNSUMMED);
    expect((await inProject('project-8')).rowsRead).toBeLessThanOrEqual(
      before.rowsRead + MAX_UNSUMMED,
    );
  });
});
