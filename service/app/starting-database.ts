import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { seedDemoAccount } from '../identity/index.js';
import { ReceiptKeys } from '../delivery/index.js';
import { loadSecrets, type ServiceSecrets } from '../oauth/index.js';
import type { CheckedOptions } from './config/options.js';
import {
  withAmbientTransactions,
  type AmbientDatabase,
} from '../kernel/database/ambient-transaction.js';
import type { Database, PoolState } from '../kernel/database/database.js';
import { migrate } from '../kernel/database/migrate.js';
import { waitForDatabase } from '../kernel/database/wait-for-database.js';
import { openEmbeddedDatabase, openMemoryDatabase } from '../kernel/database/pglite.js';
import { openPostgresDatabase } from '../kernel/database/postgres.js';

/** A database that the service can work with. */
export interface PreparedDatabase {
  readonly database: AmbientDatabase;
  readonly secrets: ServiceSecrets;
}

/** The database during a start: waits for it, opens it and brings it to the newest schema. */
export class StartingDatabase {
  private opened: Database | undefined;

  constructor(
    private readonly options: CheckedOptions,
    private readonly reportError: (error: unknown) => void,
  ) {}

  /**
   * Waits until the database can be reached, and prepares it. When `signal` of the options is aborted, it closes the
   * database and rejects.
   * @throws {Error} an error that waiting would not help, or the reason of the signal.
   */
  async open(): Promise<PreparedDatabase> {
    const { signal } = this.options;
    const started = waitForDatabase(() => this.attempt(), this.reportError, signal);
    try {
      return await Promise.race([started, rejectionBy(signal)]);
    } catch (error) {
      // Closing the database ends an attempt that waits for another process. Only after that attempt may the caller
      // release what the attempt uses.
      await this.close();
      await started.catch(() => undefined);
      throw error;
    }
  }

  /** How the connections are used; undefined before the database is open, and for an embedded one. */
  poolState(): PoolState | undefined {
    return this.opened?.poolState?.();
  }

  /** Closes the database if it is open. */
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

/** Makes an open database ready for the service. It may be called again after an error. */
async function prepareDatabase(
  database: Database,
  options: CheckedOptions,
): Promise<ServiceSecrets> {
  await migrate(database);
  if (options.demoAccount) {
    await seedDemoAccount(database);
  }
  await new ReceiptKeys(database).prepare();
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
  // Others on this machine must not read it: it has password hashes and the service's keys in it.
  await chmod(folder, 0o700);
  return openEmbeddedDatabase(folder);
}

/** Rejects with the reason of the signal when it is aborted; never resolves. */
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
