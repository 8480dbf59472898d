import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { MemoryFS, PGlite } from '@electric-sql/pglite';

/*
 * Opening an embedded database takes longer than most tests do with it. So a process that runs tests opens few: one that a
 * test has closed is emptied, gets the rows again that it began with, and serves the next request for a copy of the same
 * folder. One that is no longer as it was in any other way is ended.
 */

/** The part of PGlite that the service uses. */
export type MemoryDatabase = Pick<PGlite, 'execProtocolRawStream' | 'close'>;

/** The used part of Emscripten's file system, whose types are a separate package. */
interface EmscriptenFiles {
  mkdirTree(path: string): void;
  mkdir(path: string): void;
  /** @param options canOwn: the bytes are taken as they are, without a copy */
  writeFile(path: string, bytes: Uint8Array, options: { readonly canOwn: boolean }): void;
}

/** A folder's content: the position of each folder and file, and the bytes of all files one after the other. */
interface FolderContent {
  readonly folders: readonly string[];
  readonly files: readonly { readonly name: string; readonly from: number; readonly to: number }[];
  /** To be copied before use. */
  readonly bytes: Uint8Array;
}

/** Where PGlite keeps its data. */
const DATA = '/pglite/data';

/** Files in memory that begin as a copy of a folder's. */
class CopyInMemory extends MemoryFS {
  constructor(private readonly content: FolderContent) {
    super('copy');
  }

  override initialSyncFs(): Promise<void> {
    const files = this.pg?.Module.FS as EmscriptenFiles | undefined;
    if (files === undefined) throw new Error('PGlite has no files yet');
    files.mkdirTree(DATA);
    for (const folder of this.content.folders) files.mkdir(`${DATA}/${folder}`);
    const bytes = this.content.bytes.slice();
    for (const { name, from, to } of this.content.files)
      files.writeFile(`${DATA}/${name}`, bytes.subarray(from, to), { canOwn: true });
    return Promise.resolve();
  }
}

letProcessEnd(PGlite.prototype);

/** PostgreSQL sets itself a timer of ten seconds after a change, to write statistics: nothing to keep a process for. */
function letProcessEnd(databases: PGlite): void {
  // oxlint-disable-next-line typescript/unbound-method -- called with its object below
  const { execProtocolRawSync } = databases;
  databases.execProtocolRawSync = function (this: PGlite, message) {
    return withIdleTimers(() => execProtocolRawSync.call(this, message));
  };
}

/** No timer that `work` sets keeps the process, nor one that such a timer sets when its time has come. */
function withIdleTimers<T>(work: () => T): T {
  const { setTimeout } = globalThis;
  const idly = (task: () => void, delay?: number): NodeJS.Timeout =>
    setTimeout(() => withIdleTimers(task), delay).unref();
  globalThis.setTimeout = Object.assign(idly, setTimeout);
  try {
    return work();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
}

/** The content of a database when it is opened. */
interface Beginning {
  /** Changes with every change of the schema. */
  readonly schema: string;
  /** The rows of each table that has any, as JSON. */
  readonly rows: ReadonlyMap<string, string>;
}

/** The copies of one folder. */
interface Copies {
  readonly content: Promise<FolderContent>;
  beginning: Beginning | undefined;
  readonly idle: PGlite[];
}

/** As many as one test file has open at once, except very few. */
const MAX_IDLE = 2;

const copies = new Map<string, Copies>();
let parts: Promise<{ pgliteWasmModule: WebAssembly.Module; fsBundle: Blob }> | undefined;

/** Opens a copy, in memory, of the embedded database in `folder`, which must not change. */
export async function openCopyInMemory(folder: string): Promise<MemoryDatabase> {
  const all = copies.get(folder) ?? {
    content: readFolder(folder),
    beginning: undefined,
    idle: [],
  };
  copies.set(folder, all);
  const pglite = all.idle.pop() ?? (await open(all));
  return lent(pglite, async () => {
    const isAgain = await beginAgain(pglite, all).catch(() => false);
    if (isAgain && all.idle.length < MAX_IDLE) all.idle.push(pglite);
    else await pglite.close();
  });
}

async function open(all: Copies): Promise<PGlite> {
  const fs = new CopyInMemory(await all.content);
  const pglite = await PGlite.create({ ...(await (parts ??= loadParts())), fs });
  all.beginning ??= { schema: await schemaOf(pglite), rows: await rowsOf(pglite) };
  return pglite;
}

/** The database for one who closes it: afterwards it is as closed as PGlite's own. */
function lent(pglite: PGlite, giveBack: () => Promise<void>): MemoryDatabase {
  let isClosed = false;
  const refuse = (): void => {
    if (isClosed) throw new Error('PGlite is closed');
  };
  return {
    execProtocolRawStream: async (...given) => {
      refuse();
      await pglite.execProtocolRawStream(...given);
    },
    close: async () => {
      refuse();
      isClosed = true;
      await giveBack();
    },
  };
}

/** Whether the database has its initial state again. */
async function beginAgain(pglite: PGlite, { beginning }: Copies): Promise<boolean> {
  if (beginning?.schema !== (await schemaOf(pglite))) return false;
  await pglite.query('DISCARD ALL');
  // No trigger, and no order in which tables refer to each other.
  await pglite.query('SET session_replication_role = replica');
  for (const table of await tablesWithBytes(pglite)) {
    await pglite.query(`DELETE FROM "${table}"`);
    await pglite.query(`VACUUM "${table}"`);
  }
  for (const [table, rows] of beginning.rows)
    await pglite.query(
      `INSERT INTO "${table}" SELECT * FROM json_populate_recordset(NULL::"${table}", $1)`,
      [rows],
    );
  // Without statistics PostgreSQL plans for tables that will grow, with those of VACUUM for empty ones.
  await pglite.query('DELETE FROM pg_statistic WHERE starelid >= 16384');
  await pglite.query(
    'UPDATE pg_class SET relpages = 0, reltuples = -1, relallvisible = 0 WHERE oid >= 16384',
  );
  await pglite.query('RESET session_replication_role');
  return true;
}

/** The schema without PostgreSQL's own objects. Each service collects statistics again. */
async function schemaOf(pglite: PGlite): Promise<string> {
  const { rows } = await pglite.query<{ schema: string | null }>(
    `SELECT md5(string_agg(line, ' ' ORDER BY line)) AS schema FROM (
       SELECT 'class ' || oid || relname AS line FROM pg_class WHERE oid >= 16384
        UNION ALL SELECT 'column ' || attrelid || attname || xmin FROM pg_attribute WHERE attrelid >= 16384
        UNION ALL SELECT 'constraint ' || oid || xmin FROM pg_constraint WHERE oid >= 16384
        UNION ALL SELECT 'function ' || oid || xmin FROM pg_proc WHERE oid >= 16384
        UNION ALL SELECT 'trigger ' || oid || xmin FROM pg_trigger WHERE oid >= 16384
        UNION ALL SELECT 'setting ' || setdatabase || setrole FROM pg_db_role_setting
        UNION ALL SELECT 'role ' || oid || xmin FROM pg_authid
        UNION ALL SELECT 'schema ' || oid || xmin FROM pg_namespace) AS lines`,
  );
  return rows[0]?.schema ?? '';
}

async function tablesWithBytes(pglite: PGlite): Promise<string[]> {
  const { rows } = await pglite.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0`,
  );
  return rows.map(({ name }) => name);
}

async function rowsOf(pglite: PGlite): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const table of await tablesWithBytes(pglite)) {
    const { rows } = await pglite.query<{ all: string | null }>(
      `SELECT json_agg(t)::text AS all FROM "${table}" AS t`,
    );
    const all = rows[0]?.all;
    if (typeof all === 'string') found.set(table, all);
  }
  return found;
}

async function loadParts(): Promise<{ pgliteWasmModule: WebAssembly.Module; fsBundle: Blob }> {
  const require = createRequire(path.join(process.cwd(), 'package.json'));
  const folder = path.dirname(require.resolve('@electric-sql/pglite'));
  const read = async (name: string): Promise<Uint8Array<ArrayBuffer>> =>
    Uint8Array.from(await readFile(path.join(folder, name)));
  const bundle = (await read('pglite.data')).buffer;
  return {
    pgliteWasmModule: await WebAssembly.compile(await read('pglite.wasm')),
    // PGlite reads only the bytes, which a Blob would copy each time.
    fsBundle: { arrayBuffer: () => Promise.resolve(bundle) } as Blob,
  };
}

async function readFolder(root: string): Promise<FolderContent> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const nameOf = ({ parentPath, name }: (typeof entries)[number]): string =>
    path.relative(root, path.join(parentPath, name));
  const folders = entries.filter((entry) => entry.isDirectory()).map(nameOf);
  const files = [];
  const pieces: Buffer[] = [];
  let from = 0;
  for (const entry of entries.filter((found) => found.isFile())) {
    const piece = await readFile(path.join(root, nameOf(entry)));
    files.push({ name: nameOf(entry), from, to: from + piece.length });
    pieces.push(piece);
    from += piece.length;
  }
  return { folders: folders.sort(), files, bytes: Uint8Array.from(Buffer.concat(pieces)) };
}
