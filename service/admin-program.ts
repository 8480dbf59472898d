import { access } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { commandFor, HELP, runCommand, UsageError } from './app/admin-commands.js';
import type { Database } from './kernel/database/database.js';
import { lockFolder } from './kernel/database/folder-lock.js';
import { compareSchema } from './kernel/database/migrate.js';
import { openEmbeddedDatabase } from './kernel/database/pglite.js';
import { openPostgresDatabase } from './kernel/database/postgres.js';
import { optionsFromEnvironment } from './app/config/environment.js';
import { ServiceStartError, UnavailableError } from './kernel/errors.js';
import { checkOptions, type CheckedOptions } from './app/config/options.js';
import { openFilesToCopy, openStorage, UploadRepository } from './library/index.js';
import { openMailTransport } from './kernel/mail/mail-transport.js';

/** How long to wait for requests in progress at a running service, in milliseconds. */
const SETTLE_MS = 2000;

/** The origin of a service with default options. */
const DEFAULT_BASE_URL = 'http://localhost:8780';

/**
 * Opens the database that the service uses.
 * @returns the database, and a function that closes it.
 * @throws {UsageError} when the database does not exist. Only the service creates it.
 */
async function openDatabase(options: CheckedOptions): Promise<[Database, () => Promise<void>]> {
  const { databaseUrl, dataDir } = options;
  if (databaseUrl !== undefined) {
    const database = await openPostgresDatabase(databaseUrl, () => undefined);
    return [database, () => database.close()];
  }
  const folder = path.join(dataDir, 'database');
  const exists = await access(path.join(folder, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
  if (!exists) {
    throw new UsageError(
      `There is no database in ${dataDir}; set DATABASE_URL or --data as for the service.`,
    );
  }
  const unlock = lockFolder(path.join(dataDir, 'service.lock'), dataDir);
  const database = await openEmbeddedDatabase(folder);
  return [database, () => database.close().then(unlock)];
}

async function main(args: string[]): Promise<string> {
  const { values, positionals } = readCommandLine(args);
  const { data, help, 'base-url': baseUrl, ...rest } = values;
  const [name, ...commandArgs] = positionals;
  if (name === undefined || help === true) {
    return HELP;
  }
  const flags = new Set(Object.keys(rest));
  commandFor(name, commandArgs, flags);
  const options = checkOptions({
    ...optionsFromEnvironment(process.env),
    dataDir: data ?? 'data',
    ...(baseUrl !== undefined && { baseUrl }),
  });
  const [database, close] = await openDatabase(options);
  try {
    await checkVersion(database);
    const { s3 } = options;
    const context = {
      database,
      baseUrl: options.baseUrl ?? DEFAULT_BASE_URL,
      mail: options.mail && openMailTransport(options.mail, options.baseUrl ?? DEFAULT_BASE_URL),
      storage: () => openStorage(options, new UploadRepository(database)),
      copying: s3 && {
        open: () =>
          openFilesToCopy({ s3, dataDir: options.dataDir }, new UploadRepository(database)),
        report: (line: string) => {
          process.stdout.write(`${line}\n`);
        },
        wait: (ms: number) => sleep(ms),
      },
      // No service is running on an embedded database: this process has locked it.
      settle: () => (database.isShared ? sleep(SETTLE_MS) : Promise.resolve()),
    };
    return await runCommand(context, name, commandArgs, flags);
  } finally {
    await close();
  }
}

/**
 * Refuses the database of another version. Only the start of the service migrates it, because the older version may still
 * run on it.
 * @throws {UsageError}
 */
async function checkVersion(database: Database): Promise<void> {
  const {
    missing: [missing],
    newer,
  } = await compareSchema(database);
  if (newer !== undefined) {
    throw new UsageError(
      `The database is newer than this version (it has ${newer}); use the installed version.`,
    );
  }
  if (missing !== undefined) {
    throw new UsageError(
      `The database is empty or older than this version (it lacks ${missing}); start the service to migrate it.`,
    );
  }
}

function readCommandLine(args: string[]): {
  values: { data?: string; help?: boolean; 'base-url'?: string; 'with-uploads'?: boolean };
  positionals: string[];
} {
  try {
    return parseArgs({
      args,
      options: {
        data: { type: 'string' },
        'base-url': { type: 'string' },
        help: { type: 'boolean' },
        'with-uploads': { type: 'boolean' },
      },
      allowPositionals: true,
    });
  } catch (error) {
    const [sentence = ''] = (error instanceof Error ? error.message : '').split('\n');
    throw new UsageError(`${sentence.split(/\.? To specify/)[0]}; see --help.`);
  }
}

try {
  process.stdout.write(`${(await main(process.argv.slice(2))).trimEnd()}\n`);
  process.exit(0);
} catch (error) {
  const isExpected = error instanceof ServiceStartError || error instanceof UsageError;
  const message =
    error instanceof UnavailableError
      ? `the database is unavailable (${error.reason})`
      : error instanceof Error
        ? error.message
        : 'unknown error';
  process.stderr.write(`${isExpected ? message : `The command failed: ${message}`}\n`);
  process.exit(1);
}
