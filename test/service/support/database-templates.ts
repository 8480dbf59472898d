import { createHash } from 'node:crypto';
import { appendFile, cp, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import packageJson from '../../../package.json' with { type: 'json' };
import { asideOf, isKept, putInPlace } from '../../../scripts/kept.js';
import { DEMO_ACCOUNT, seedDemoAccount } from '../../../service/identity/accounts/demo.js';
import { hashPassword } from '../../../service/kernel/password-hash.js';
import type { Database, Queryable } from '../../../service/kernel/database/database.js';
import type { DatabaseLimits } from '../../../service/kernel/database/timeouts.js';
import { migrate } from '../../../service/kernel/database/migrate.js';
import { asDatabase, openEmbeddedDatabase } from '../../../service/kernel/database/pglite.js';
import { openCopyInMemory } from './copy-in-memory.js';
import type { MemoryDatabase } from '../../support/memory-databases.js';
import { keepTemplate, makeDatabase } from '../postgres/databases.js';

/*
 * Making an embedded database takes seconds, and few tests are about that: so copies are made once and
 * kept for the next runs. Git-ignored; named by the version of PGlite, whose own format it is.
 */
const CACHE = path.join(import.meta.dirname, '../../.cache');
const PGLITE = packageJson.dependencies['@electric-sql/pglite'];
const MIGRATIONS = path.join(import.meta.dirname, '../../../service/migrations');

/** Each database sets this much memory aside when it opens: enough for tests, where PostgreSQL takes 128 MB. */
const SMALL = '\nshared_buffers = 4MB\n';
/** PostgreSQL's smallest segment of its journal; it allocates whole segments, 16 MB by default. */
const SMALL_JOURNAL = ['--wal-segsize=1'];
const MADE_WITH = [SMALL, ...SMALL_JOURNAL];

/** A cost at which hashing takes no time. A hash contains its cost, so the service checks it like any other. */
export const CHEAP = { N: 16, r: 8, p: 1 };

/**
 * Opens a separate empty database for a test: in memory, or, when `TEST_DATABASE_URL` names a
 * PostgreSQL server (see postgres/run.ts), there.
 */
export async function openTestDatabase(limits?: DatabaseLimits): Promise<Database> {
  const server = process.env['TEST_DATABASE_URL'];
  if (server !== undefined) return makeDatabase(server, limits);
  return asDatabase(await openEmptyInMemory(), { limits });
}

/** Opens an empty embedded database, in memory, as nothing of the service has touched it. */
export async function openEmptyInMemory(): Promise<MemoryDatabase> {
  const folder = await kept('empty-database', MADE_WITH, async (aside) => {
    await makeSmallDatabase(aside);
    await leaveOutTemplates(aside);
  });
  return openCopyInMemory(folder);
}

/** Opens a separate empty database with the newest schema. */
export async function openMigratedDatabase(): Promise<Database> {
  const server = process.env['TEST_DATABASE_URL'];
  if (server !== undefined) return openCopyOnServer(server, 'migrated', migrate);
  return asDatabase(await openCopyInMemory(await keepMigratedDatabase()));
}

/**
 * Opens a database that a service starts on at once: it has the newest schema and the demo account, whose
 * password costs little to check.
 */
export async function openReadyDatabase(limits?: DatabaseLimits): Promise<Database> {
  const server = process.env['TEST_DATABASE_URL'];
  if (server !== undefined) return openCopyOnServer(server, 'ready', makeReady, limits);
  return asDatabase(await openCopyInMemory(await keepReadyDatabase()), { limits });
}

/** To copy what `make` makes takes a PostgreSQL server a fraction of the time. */
async function openCopyOnServer(
  server: string,
  name: string,
  make: (database: Database) => Promise<void>,
  limits?: DatabaseLimits,
): Promise<Database> {
  const template = await versionOf(name, DEMO_ACCOUNT);
  await keepTemplate(server, template, make);
  return makeDatabase(server, limits, template);
}

/** Puts an embedded database as {@link openReadyDatabase} opens it into `folder`, which must not be there. */
export async function layReadyDatabase(folder: string): Promise<void> {
  await cp(await keepReadyDatabase(), folder, {
    recursive: true,
    errorOnExist: true,
    force: false,
  });
}

function keepReadyDatabase(): Promise<string> {
  return kept('ready-database', [...MADE_WITH, DEMO_ACCOUNT], async (aside) => {
    await layMigratedDatabase(aside);
    const database = await openEmbeddedDatabase(aside);
    await makeReady(database);
    await database.close();
  });
}

/** Puts an embedded database with the newest schema, and nothing in it, into `folder`, which must not be there. */
export async function layMigratedDatabase(folder: string): Promise<void> {
  await cp(await keepMigratedDatabase(), folder, {
    recursive: true,
    errorOnExist: true,
    force: false,
  });
}

function keepMigratedDatabase(): Promise<string> {
  return kept('migrated-database', [...MADE_WITH, 'no templates'], async (aside) => {
    await makeSmallDatabase(aside);
    const database = await openEmbeddedDatabase(aside);
    await migrate(database);
    await database.close();
    await leaveOutTemplates(aside);
  });
}

/** Creates an empty database. Its memory limits are set before its first use. */
async function makeSmallDatabase(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const pglite = await PGlite.create(folder, { initDbStartParams: SMALL_JOURNAL });
  await pglite.close();
  await appendFile(path.join(folder, 'postgresql.conf'), SMALL);
}

/** Takes away what only CREATE DATABASE reads: two thirds of the files. */
async function leaveOutTemplates(folder: string): Promise<void> {
  for (const template of ['1', '4']) {
    const place = path.join(folder, 'base', template);
    await rm(place, { recursive: true });
    await mkdir(place);
  }
}

/** Gives an account a password that costs little to check. */
async function setCheapPassword(
  database: Queryable,
  username: string,
  password: string,
): Promise<void> {
  await database.query('UPDATE accounts SET password_hash = $2 WHERE username = $1', [
    username,
    await hashPassword(password, CHEAP),
  ]);
}

async function makeReady(database: Database): Promise<void> {
  await migrate(database);
  await seedDemoAccount(database);
  await setCheapPassword(database, DEMO_ACCOUNT.username, DEMO_ACCOUNT.password);
}

/** The results of this process, cached. */
const found = new Map<string, Promise<string>>();

/**
 * The path of what `make` puts at the path it is given: kept from an earlier run, or made now.
 * @param madeFrom what it is made from besides PGlite and the schema; when it changes, the database is made again
 */
function kept(
  name: string,
  madeFrom: unknown,
  make: (aside: string) => Promise<void>,
): Promise<string> {
  const place = found.get(name) ?? findOrMake(name, madeFrom, make);
  found.set(name, place);
  return place;
}

async function findOrMake(
  name: string,
  madeFrom: unknown,
  make: (aside: string) => Promise<void>,
): Promise<string> {
  const place = path.join(CACHE, await versionOf(`${name}-${PGLITE}`, madeFrom));
  if (isKept(place)) return place;
  const aside = asideOf(place, name);
  await make(aside);
  putInPlace(aside, place);
  return place;
}

/** The name of what is made from this and the schema. */
async function versionOf(name: string, madeFrom: unknown): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(madeFrom));
  for (const file of (await readdir(MIGRATIONS)).sort())
    hash.update(file).update(await readFile(path.join(MIGRATIONS, file)));
  return `${name}-${hash.digest('hex').slice(0, 12)}`;
}
