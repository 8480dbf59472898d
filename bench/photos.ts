import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { migrate } from '../service/kernel/database/migrate.js';
import { openEmbeddedDatabase } from '../service/kernel/database/pglite.js';
import { openPostgresDatabase } from '../service/kernel/database/postgres.js';
import type { Database } from '../service/kernel/database/database.js';
import { PHOTOS } from '../service/site/addresses/photo-paths.js';
import { PROJECTS as PROJECT_PATHS } from '../service/site/addresses/project-paths.js';
import { PAGE_SIZE } from '../service/library/photos/data/photo-table.js';
import { makeDatabaseUrl } from '../test/service/postgres/databases.js';
import { findPostgres, startPostgres } from '../test/service/postgres/server.js';
import {
  addUser,
  addWorkspace,
  openSettings,
  type TestUser,
} from '../test/service/support/users.js';
import { wantedRows, type BenchOptions } from './options.js';
import type { MeasuredProcess } from './measured-process.js';
import { buildRelease, startRelease, type Release, type ReleaseOptions } from './release.js';
import { report } from './report.js';
import { median, quantile } from './statistics.js';

/** How many photos the two workspaces have that are compared. */
const FEW = 1_000;
const MANY = 100_000;
const REQUESTS = 40;

/** When the first photo was uploaded, in milliseconds since 1970; the others follow, a second apart. */
const BEGIN = Date.UTC(2026, 0, 1);

/** The day of {@link BEGIN}. */
const BEGIN_DAY = new Date(BEGIN).toISOString().slice(0, 10);

/** Among whom, and into how many projects, the photos are divided; one in twenty has been deleted. */
const USERS = 5;
const PROJECTS = 2;
const TRASHED_ONE_IN = 20;

/** The measured queries of the photo list. */
const QUESTIONS: Readonly<Record<string, (about: Filled) => string>> = {
  'first page': () => PHOTOS.root,
  'last page': () => list(`after=${BEGIN + (PAGE_SIZE + 1) * 1000}.photo`),
  'a page in the middle': ({ count }) => list(`after=${BEGIN + (count / 2) * 1000}.photo`),
  'a day': () => list(`from=${BEGIN_DAY}&to=${BEGIN_DAY}`),
  'a user': ({ user }) => list(`user=${user}`),
  'a project': ({ project }) => PROJECT_PATHS.project(project),
  'a project by upload time': ({ project }) =>
    `${PROJECT_PATHS.project(project)}?sort=uploaded-desc`,
  'in no project, which only the oldest are': () => list('project=none'),
  'the trash': () => PHOTOS.trash,
  'a name that all have': () => list('q=jpg'),
  'a name that every fourth has': () => list('q=harbour'),
  'a name that the oldest has': () => list('q=_0000001.'),
  'a name that none has': () => list('q=nowhere'),
};

function list(query: string): string {
  return `${PHOTOS.root}?${query}`;
}

/** A service with a workspace of so many photos. */
interface Filled {
  readonly count: number;
  /** One of the users, and one of the projects. */
  readonly user: string;
  readonly project: string;
  readonly insertMs: number;
  readonly process: MeasuredProcess;
  /** Milliseconds until a page has come whole. */
  ask(path: string): Promise<number>;
  close(): Promise<void>;
}

interface Measured {
  readonly database: string;
  readonly question: string;
  readonly few: readonly number[];
  readonly many: readonly number[];
}

/** How long pages of Photos take in a small workspace and in a large one, in turns. */
export async function photos(options: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const wanted = wantedRows(Object.keys(QUESTIONS), options.only);
  const counts = options.scale === 'small' ? ([100, 2_000] as const) : ([FEW, MANY] as const);
  const folder = await mkdtemp(join(tmpdir(), 'bench-photos-'));
  const release = buildRelease();
  const processes: MeasuredProcess[] = [];
  const measured: Measured[] = [];
  const inserted: string[][] = [];
  const notes = [
    `Each page ${options.rounds * REQUESTS} times over HTTP, in turns at a service with ${counts[0]} photos and at one with ${counts[1]}; times are medians, in brackets the 90th percentile.`,
    'Service, client and database share the machine.',
  ];
  const measure = async (name: string, databaseUrls?: () => Promise<string>): Promise<void> => {
    const start = async (count: number): Promise<Filled> => {
      const dataDir = join(folder, `${name}-${count}`);
      const databaseUrl = await databaseUrls?.();
      const options = { dataDir, ...(databaseUrl !== undefined && { databaseUrl }) };
      const filled = await fill(release, options, count);
      processes.push(filled.process);
      return filled;
    };
    const few = await start(counts[0]);
    const many = await start(counts[1]);
    inserted.push([name, (many.insertMs / many.count).toFixed(3)]);
    for (const [question, pathOf] of Object.entries(QUESTIONS)) {
      if (wanted.has(question)) {
        const times = await inTurns(few, many, pathOf, options.rounds * REQUESTS);
        measured.push({ database: name, question, ...times });
      }
    }
    await few.close();
    await many.close();
  };
  try {
    await measure('embedded');
    const programs = await findPostgres();
    if (programs === undefined) {
      notes.push('PostgreSQL is not installed here: only the embedded database was measured.');
    } else {
      const server = await startPostgres(programs);
      // oxlint-disable-next-line typescript/no-misused-promises -- `finally` waits for the promise
      await measure('PostgreSQL', () => makeDatabaseUrl(server.url)).finally(() => server.stop());
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  tell({ measured, processes, inserted, notes, counts }, startedAt);
}

/** Sends the same request to both services, one after the other. */
async function inTurns(
  few: Filled,
  many: Filled,
  pathOf: (about: Filled) => string,
  times: number,
): Promise<{ few: number[]; many: number[] }> {
  const found = { few: [] as number[], many: [] as number[] };
  // The first ones find nothing in any cache.
  for (const one of [few, many]) {
    await one.ask(pathOf(one));
  }
  for (let index = 0; index < times; index += 1) {
    found.few.push(await few.ask(pathOf(few)));
    found.many.push(await many.ask(pathOf(many)));
  }
  return found;
}

/** Starts a service on a database that was filled before. */
async function fill(release: Release, options: ReleaseOptions, count: number): Promise<Filled> {
  const { dataDir, databaseUrl } = options;
  await mkdir(dataDir, { recursive: true });
  const database =
    databaseUrl === undefined
      ? await openEmbeddedDatabase(join(dataDir, 'database'))
      : await openPostgresDatabase(databaseUrl, () => undefined);
  await migrate(database);
  const { owner, user, insertMs } = await addPhotos(database, count);
  await database.close();
  const service = await startRelease(release, options);
  const browser = await openSettings({ baseUrl: service.ownUrl }, owner, PHOTOS.root);
  const cookie = browser.sessionCookie;
  return {
    count,
    user,
    project: 'project-1',
    insertMs,
    process: service.measured,
    ask: async (path) => {
      const asked = performance.now();
      const answer = await fetch(service.ownUrl + path, {
        headers: { cookie },
        redirect: 'error',
      });
      await answer.text();
      if (answer.status !== 200) {
        throw new Error(`the list was answered with ${answer.status}`);
      }
      return performance.now() - asked;
    },
    close: () => service.stop(),
  };
}

async function addPhotos(
  database: Database,
  count: number,
): Promise<{ owner: TestUser; user: string; insertMs: number }> {
  const service = { database };
  const studio = await addWorkspace(service, 'North Studio');
  const owner = await addUser(service, { [studio]: 'owner' });
  const users = [owner.accountId];
  while (users.length < USERS) {
    users.push((await addUser(service, { [studio]: 'member' })).accountId);
  }
  await database.query(
    `INSERT INTO projects (id, workspace_id, name, created_by, created_at)
     SELECT 'project-' || n, $1, 'Project ' || n, $2, now() FROM generate_series(0, ${PROJECTS - 1}) AS n`,
    [studio, owner.accountId],
  );
  const began = performance.now();
  await database.transaction(
    (transaction) =>
      transaction.query(
        `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at,
                              finished_at, sha256, project_id, trashed_at)
         SELECT 'photo-' || md5(n::text), $2::jsonb ->> (n % ${USERS}), $1, 10,
                (ARRAY['Harbour', 'Wedding Smith', 'DSC', 'IMG'])[1 + n % 4] || '_' || lpad(n::text, 7, '0') || '.jpg',
                '', '{}', now(), to_timestamp(${BEGIN / 1000} + n), md5(n::text) || md5(n::text),
                CASE WHEN n > ${PAGE_SIZE} THEN 'project-' || (n / ${USERS}) % ${PROJECTS} END,
                CASE WHEN n % ${TRASHED_ONE_IN} = 7 THEN now() END
           FROM generate_series(1, ${count}) AS n`,
        [studio, JSON.stringify(users)],
      ),
    { noTimeout: true },
  );
  const insertMs = performance.now() - began;
  await database.query('ANALYZE');
  return { owner, user: users.at(-1) ?? '', insertMs };
}

function tell(
  found: {
    measured: readonly Measured[];
    processes: readonly MeasuredProcess[];
    inserted: readonly (readonly string[])[];
    notes: readonly string[];
    counts: readonly [few: number, many: number];
  },
  startedAt: Date,
): void {
  const { measured, processes, inserted, notes, counts } = found;
  const shown = (times: readonly number[]): string =>
    `${median(times).toFixed(1)} (${quantile(times, 0.9).toFixed(1)})`;
  report(
    {
      part: 'photos',
      tables: [
        {
          title: 'A page of Photos, ms',
          columns: ['Database', 'Page', ...counts.map((count) => `${count} photos`), 'Difference'],
          rows: measured.map(({ database, question, few, many }) => [
            database,
            question,
            shown(few),
            shown(many),
            `${((median(many) / median(few) - 1) * 100).toFixed(0)} %`,
          ]),
        },
        {
          title: `Writing ${counts[1]} rows in one statement`,
          columns: ['Database', 'ms per row'],
          rows: inserted,
        },
      ],
      processes,
      measurements: measured,
      notes,
    },
    startedAt,
  );
}
