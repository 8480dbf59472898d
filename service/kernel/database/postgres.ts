import { randomUUID } from 'node:crypto';
import { Client, DatabaseError, Pool, type ClientConfig } from 'pg';
import { ServiceStartError, systemErrorCode, unavailability, UnavailableError } from '../errors.js';
import { NETWORK_ERRORS } from '../network-errors.js';
import { answered, isAuthFailure, reasonOf, mapErrors } from './error-mapping.js';
import { COLUMN_TYPES } from './column-types.js';
import type { Database, SqlValue, Transaction } from './database.js';
import { withKnownOutcome } from './known-outcome.js';
import { DATABASE_LIMITS, TransactionTimeout, type DatabaseLimits } from './timeouts.js';
import { ignoreErrors, runTransaction, SerializedClient, statement } from './serialized-client.js';
import { isTransient, NO_DATABASE, READ_ONLY } from './sql-states.js';

/** How many connections one process uses; work waits for a free one. Patient transactions have their own besides. */
const MAX_CONNECTIONS = 10;
/** The shortest time between two replacements of the pool while a server takes no changes, in milliseconds. */
const RENEW_EVERY_MS = 1_000;
/** Added to the server's timeout, in milliseconds, because the server's error is more specific than ours. */
const BEYOND_SERVER_MS = 5_000;

/**
 * Opens a database on a PostgreSQL server (14 or later). Later the server may become unavailable: statements then fail
 * with {@link UnavailableError}, and connections are reopened.
 * @param url `postgres://user:password@host:port/database`, with the query parameters of node-postgres (`sslmode`, …).
 *   Messages never contain its password; one contains the name of the database.
 * @param onConnectionLost receives the errors of broken idle connections; the pool replaces them automatically.
 * @throws {ServiceStartError} `database_unavailable` when the server refuses the connection.
 * @throws {UnavailableError} when the server is unavailable for now.
 */
export async function openPostgresDatabase(
  url: string,
  onConnectionLost: (error: Error) => void,
  limits: DatabaseLimits = DATABASE_LIMITS,
): Promise<Database> {
  const connection: ClientConfig = {
    connectionString: url,
    connectionTimeoutMillis: limits.waitMs,
    application_name: 'creative-workspace-service',
    types: COLUMN_TYPES,
    // So that a server that vanished is noticed even while nothing is sent.
    keepAlive: true,
  };
  const pools = new CurrentPool(() => createPool(connection, limits, onConnectionLost));
  const description = await describe(pools.current, url);
  const noTimeoutClients = new Set<Client>();
  return {
    query: <Row extends object>(sql: string, params: readonly SqlValue[] = []) =>
      pools.use((pool) => runStatement<Row>(pool, sql, params)),
    transaction: (work, options) =>
      options?.noTimeout === true
        ? runWithoutTimeout(connection, noTimeoutClients, work)
        : runSurely(pools, limits, work),
    close: async () => {
      await Promise.all([...noTimeoutClients].map((client) => client.end()));
      await pools.current.end();
    },
    isShared: true,
    description,
    poolState: () => ({
      open: pools.current.totalCount,
      idle: pools.current.idleCount,
      waiting: pools.current.waitingCount,
    }),
  };
}

/**
 * The pool of connections. It is replaced when the server reports that it is read-only: another server has taken over
 * then, and the old connections would return stale data. New connections reach the current server of the address.
 */
class CurrentPool {
  current: Pool;
  private renewedAt = -Infinity;
  /** How much work uses or waits for the connections of a pool. */
  private readonly users = new Map<Pool, number>();

  constructor(private readonly create: () => Pool) {
    this.current = create();
  }

  async use<T>(work: (pool: Pool) => Promise<T>): Promise<T> {
    const pool = this.current;
    this.users.set(pool, (this.users.get(pool) ?? 0) + 1);
    try {
      return await work(pool);
    } catch (error) {
      if (pool === this.current && isFailover(error)) {
        this.renew();
      }
      throw error;
    } finally {
      this.leave(pool);
    }
  }

  private leave(pool: Pool): void {
    const left = (this.users.get(pool) ?? 1) - 1;
    if (left > 0) {
      this.users.set(pool, left);
      return;
    }
    this.users.delete(pool);
    // Not earlier: a pool that ends leaves waiting callers without a connection.
    if (pool !== this.current) {
      void pool.end();
    }
  }

  /** Does nothing just after the last time: the address may still lead to a standby that is not promoted yet. */
  private renew(): void {
    const now = performance.now();
    if (now - this.renewedAt < RENEW_EVERY_MS) {
      return;
    }
    this.renewedAt = now;
    this.current = this.create();
  }
}

function createPool(
  connection: ClientConfig,
  limits: DatabaseLimits,
  onConnectionLost: (error: Error) => void,
): Pool {
  const pool = new Pool({
    ...connection,
    max: MAX_CONNECTIONS,
    lock_timeout: limits.lockMs,
    statement_timeout: limits.statementMs,
    idle_in_transaction_session_timeout: limits.idleMs + BEYOND_SERVER_MS,
    query_timeout: limits.statementMs + BEYOND_SERVER_MS,
  });
  pool.on('error', onConnectionLost);
  // The pool listens to errors of a connection only while it is idle.
  pool.on('connect', ignoreErrors);
  return pool;
}

/** Where a client of node-postgres is connected to; the types of clients of a pool leave it out. */
type ConnectedClient = Pick<Client, 'host' | 'port' | 'database'>;

/**
 * Sends a first query to the server. Closes the pool when it fails.
 * @returns the names of server and database. The connection succeeded, so neither name is a part of the password.
 * @throws {ServiceStartError} `database_unavailable` when waiting cannot help.
 * @throws {UnavailableError} when the server is unavailable for now.
 */
async function describe(pool: Pool, url: string): Promise<string> {
  try {
    const client = await pool.connect();
    const { host, port, database = '' } = client as unknown as ConnectedClient;
    const asked = client.query<{ server_version: string }>('SHOW server_version');
    const { rows } = await asked.finally(() => {
      client.release();
    });
    return `PostgreSQL ${rows[0]?.server_version ?? ''}, ${database} at ${host}:${port}`;
  } catch (cause) {
    await pool.end();
    const reason = isMissingDatabase(cause)
      ? `the server has no database ${nameOfDatabase(url)}`
      : reasonOf(cause);
    if (!isPermanent(cause)) {
      throw new UnavailableError(reason, undefined, { cause });
    }
    throw new ServiceStartError(
      'database_unavailable',
      `Cannot use the database: ${reason}; check DATABASE_URL and the server.`,
      { cause },
    );
  }
}

/**
 * One statement on a connection of the pool.
 * @throws {LostAnswerError} when the connection was lost after the statement was sent.
 * @throws {UnavailableError} when the statement was not carried out, because there is no connection or the server refused.
 */
async function runStatement<Row extends object>(
  pool: Pool,
  sql: string,
  params: readonly SqlValue[],
): Promise<Row[]> {
  const client = await mapErrors(pool.connect());
  let broken = true;
  try {
    const { rows } = await answered(client.query<Row>(statement(sql, params)));
    broken = false;
    return rows;
  } finally {
    client.release(broken);
  }
}

/**
 * Finds out whether a transaction was committed. PostgreSQL makes this wait for a transaction that is still running,
 * and gives the row to one of the two. After this the transaction has been committed, or never can be.
 */
const LEARN_OUTCOME = `
  INSERT INTO transaction_outcomes AS outcome (id, is_committed) VALUES ($1, false)
  ON CONFLICT (id) DO UPDATE SET is_committed = outcome.is_committed
  RETURNING is_committed`;

/** Leaves the row that {@link LEARN_OUTCOME} looks for, in a transaction that has changed something. */
function witnessOf(id: string): string {
  return `INSERT INTO transaction_outcomes (id, is_committed)
          SELECT '${id}', true WHERE pg_current_xact_id_if_assigned() IS NOT NULL`;
}

/**
 * A transaction on a connection of the pool. When the connection is lost at the COMMIT, its outcome is found out.
 * @throws {UnavailableError} when nothing was stored.
 * @throws {UnknownOutcomeError} when the database stayed away for too long to find that out.
 */
async function runSurely<T>(
  pools: CurrentPool,
  limits: DatabaseLimits,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const id = randomUUID();
  let done: { readonly result: T } | undefined;
  const noting = async (transaction: Transaction): Promise<T> => {
    const result = await work(transaction);
    done = { result };
    return result;
  };
  const committed = await withKnownOutcome(
    async () => {
      const result = await pools.use((pool) => runLimited(pool, limits, noting, witnessOf(id)));
      return { result };
    },
    async () => {
      const [row] = await pools.use((pool) =>
        runStatement<{ is_committed: boolean }>(pool, LEARN_OUTCOME, [id]),
      );
      return row?.is_committed === true ? done : undefined;
    },
  );
  if (committed === undefined) {
    throw new UnavailableError('the connection was lost, and a transaction was not committed');
  }
  return committed.result;
}

/** A transaction on a connection of the pool, within the limits. */
async function runLimited<T>(
  pool: Pool,
  limits: DatabaseLimits,
  work: (transaction: Transaction) => Promise<T>,
  witness: string,
): Promise<T> {
  const client = await mapErrors(pool.connect());
  const guard = new TransactionTimeout(limits);
  const statements = new SerializedClient(client);
  let broken = true;
  try {
    const result = await runTransaction(statements, guard, work, witness);
    broken = false;
    return result;
  } catch (error) {
    broken = !(await rollBack(statements, guard));
    throw error;
  } finally {
    client.release(broken);
  }
}

/** A transaction on a separate connection. Only opening the connection has a timeout. */
async function runWithoutTimeout<T>(
  connection: ClientConfig,
  clients: Set<Client>,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const client = new Client(connection);
  ignoreErrors(client);
  clients.add(client);
  try {
    await mapErrors(client.connect());
    const guard = new TransactionTimeout(undefined);
    return await runTransaction(new SerializedClient(client), guard, async (transaction) => {
      // The server, the database or the role may set timeouts.
      await transaction.execute(
        `SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0;
         SET LOCAL idle_in_transaction_session_timeout = 0`,
      );
      return work(transaction);
    });
  } finally {
    clients.delete(client);
    // Also rolls back a transaction that is still open.
    await client.end();
  }
}

/** Rolls a transaction back. @returns whether the connection can be used again. */
async function rollBack(statements: SerializedClient, guard: TransactionTimeout): Promise<boolean> {
  // A statement of the work that was cut off may still be running on the connection.
  if (guard.abortedBy !== undefined) {
    return false;
  }
  return statements.execute('ROLLBACK').then(
    () => true,
    () => false,
  );
}

/** Whether the server has handed over to another one. */
function isFailover(error: unknown): boolean {
  return systemErrorCode(unavailability(error)?.cause) === READ_ONLY;
}

/** Whether waiting cannot help: the server refuses us permanently, or the URL or a certificate is wrong. */
function isPermanent(error: unknown): boolean {
  if (error instanceof DatabaseError) {
    return !isTransient(error.code);
  }
  const code = systemErrorCode(error);
  if (NETWORK_ERRORS.has(code)) {
    return false;
  }
  // The socket file of a server on this machine may come later; a missing file of a certificate does not.
  if (code === 'ENOENT') {
    return !isFromConnecting(error);
  }
  // A wrong certificate or URL gives an error with a code. node-postgres gives none for a lost connection.
  return (
    code !== '' || error instanceof TypeError || error instanceof URIError || isAuthFailure(error)
  );
}

function isMissingDatabase(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === NO_DATABASE;
}

/**
 * The name of the database in a URL. It is safe to print once a server has responded. The options refuse URLs with an
 * unencoded password, so no part of a password is in the path.
 */
function nameOfDatabase(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1)) || 'of the name of the user';
}

function isFromConnecting(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'connect';
}
