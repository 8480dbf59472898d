import { beforeAll, describe, expect, it } from '@jest/globals';
import { sumPhotoCounts } from '../../../../service/library/projects/photo-counts.js';
import { openReadyDatabase } from '../../support/database-templates.js';
import { startTestService } from '../../support/running-service.js';
import { addUser, openSettings } from '../../support/users.js';
import { addGrants } from './many-grants.js';
import { addPhotos, WORKSPACE_ID } from './many-photos.js';
import { analyse, planning, type Planned } from './plans.js';

/**
 * Two sizes of a workspace. The full size:
 * `PHOTOS=100000 npm run test:all -- postgres test/service/kernel/database/page-growth.test.ts`.
 */
const FEW = 1000;
const MANY = Number(process.env['PHOTOS'] ?? 20_000);

describe.each([
  ['of all users and projects', 'true'],
  ['of one user in one project', 'false'],
])(`the pages of a workspace with ${MANY} photos %s`, (_of, areSpread) => {
  const few = new Map<string, number>();
  const many = new Map<string, number>();

  const pages = [
    ['photos', '/photos?'],
    ['the photos of a user', '/photos?user=person-7'],
    ['the photos of a user in a project', '/projects/project-8?user=person-7'],
    ['photos by name', '/photos?sort=name'],
    ['a word that many have', '/photos?q=dsc'],
    ['the photos of no project', '/photos?project=none'],
    ['the trash', '/photos/trash?'],
    ['a project', '/projects/project-8?'],
    ['a project by name', '/projects/project-8?sort=name'],
    ['the latest of a project', '/projects/project-8?sort=uploaded-desc'],
    ['the projects', '/projects?'],
  ] as const;

  beforeAll(async () => {
    await countRows(FEW, few);
    await countRows(MANY, many);
  });

  it.each(pages)(`read for %s at most a fifth more rows than with ${FEW} photos`, (...[page]) => {
    expect(few.get(page)).toBeGreaterThan(50);
    expect(many.get(page)).toBeLessThan(1.2 * (few.get(page) ?? 0));
  });

  async function countRows(photos: number, rows: Map<string, number>): Promise<void> {
    const planned: Planned[] = [];
    const database = await openReadyDatabase();
    await database.transaction(
      async (transaction) => {
        await addGrants(transaction, photos + 1);
        await addPhotos(transaction, photos);
        await transaction.query(
          `UPDATE uploads SET account_id = 'person-7', project_id = 'project-8'
            WHERE workspace_id = '${WORKSPACE_ID}' AND NOT ${areSpread}`,
        );
      },
      { noTimeout: true },
    );
    await sumPhotoCounts(database);
    await analyse(database);
    const service = await startTestService({ database: planning(database, planned) });
    const owner = await addUser(service, { [WORKSPACE_ID]: 'owner' });
    const browser = await openSettings(service, owner, '/photos');
    for (const [page, path] of pages) {
      // Background jobs read as well: the least of several times is what the page reads.
      let least = Number.POSITIVE_INFINITY;
      for (let time = 0; time < 4; time += 1) {
        planned.length = 0;
        const { status } = await browser.open(`${path}&workspace=${WORKSPACE_ID}`);
        expect([page, status]).toEqual([page, 200]);
        const read = planned.reduce((sum, { rowsRead }) => sum + rowsRead, 0);
        least = Math.min(least, read);
      }
      rows.set(page, least);
    }
    await service.close();
  }
});
