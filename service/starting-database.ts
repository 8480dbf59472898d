import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { seedDemoAccount } from './accounts/demo.js';
import { loadSecrets, type ServiceSecrets } from './oauth/secrets.js';
import type { CheckedOptions } from './options.js';
import { withAmbientTransactions, type AmbientDatabase } from './database/ambient-transaction.js';
import type { Database, PoolState } from './database/database.js';
import { migrate } from './database/migrate.js';
import { whenAvailable } from './database/patience.js';
import { openEmbeddedDatabase, openMemoryDatabase } from './database/pglite.js';
import { openPostgresDatabase } from './database/postgres.js';

/** A database that the service can work with. */
export interface PreparedDatabase {
  readonly database: AmbientDatabase;
  readonly secrets: ServiceSecrets;
}

/** The database of a service that starts: waited for, opened, brought to the newest schema. */
export class StartingDatabase {
  private opened: Database | undefined;

  constructor(
    private readonly options: CheckedOptions,
    private readonly reportError: (error: unknown) => void,
  ) {}

  /** Waits until the database is there, and prepares it. `signal` of the options ends the wait. */
  async open(): Promise<PreparedDatabase> {
    const { signal } = this.options;
    const started = whenAvailable(() => this.attempt(), this.reportError, signal);
    try {
      return await Promise.race([started, rejectionBy(signal)]);
    } catch (error) {
      // Ends a wait for another process; and nothing may be given back that is still in use.
      await this.close();
      await started.catch(() => undefined);
      throw error;
    }
  }

  /** How the connections are used, once there are any. */
  poolState(): PoolState | undefined {
    return this.opened?.poolState?.();
  }

  /** Closes what was opened. */
  async close(): Promise<void> {
    const unused = this.opened;
    this.opened = undefined;
    await unused?.close();
  }

  private async attempt(): Promise<PreparedDatabase> {
    const { signal } = this.options;
    const open = this.opened ?? (await openDatabase(this.options, this.reportError));
    if (signal.aborted) {
      await open.close();
    }
    signal.throwIfAborted();
    this.opened = open;
    const database = withAmbientTransactions(open);
    return { database, secrets: await prepareDatabase(database, this.options) };
  }
}

/** Brings the database to where the service can work with it. May be called again after it failed. */
async function prepareDatabase(
  database: Database,
  options: CheckedOptions,
): Promise<ServiceSecrets> {
  await migrate(database);
  if (options.demoAccount) {
    await seedDemoAccount(database);
  }
  return loadSecrets(database);
}

async function openDatabase(
  options: CheckedOptions,
  onConnectionLost: (error: Error) => void,
): Promise<Database> {
  if (options.databaseUrl !== undefined) {
    return openPostgresDatabase(options.databaseUrl, onConnectionLost);
  }
  if (typeof options.database === 'object') {
    return options.database;
  }
  if (options.database === 'memory') {
    return openMemoryDatabase();
  }
  const folder = path.join(options.dataDir, 'database');
  await mkdir(folder, { recursive: true });
  // It holds password hashes and the service's keys.
  await chmod(folder, 0o700);
  return openEmbeddedDatabase(folder);
}

/** Rejects when the signal is aborted, with its reason; never resolves. */
function rejectionBy(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const give = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) {
      give();
    } else {
      signal.addEventListener('abort', give, { once: true });
    }
  });
}
