import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestService } from '../../support/running-service.js';

/** Rows of each table, the length of the longest as text, and the bytes on the disk. */
export interface Size {
  readonly tables: Readonly<Record<string, { readonly rows: number; readonly longest: number }>>;
  /** Bytes of the uploads' files. */
  readonly folder: number;
}

/** How much a table may grow: rows for each request, and characters of its longest row. */
interface Bound {
  readonly perRequest: number;
  readonly longest: number;
}

/**
 * What N requests may leave behind at most, before anything expires. Most write nothing: the bounds are
 * what is left when every request were one that writes.
 */
const BOUNDS: Readonly<Record<string, Bound>> = {
  accounts: { perRequest: 0, longest: 2000 },
  workspaces: { perRequest: 0, longest: 2000 },
  workspace_members: { perRequest: 0, longest: 2000 },
  service_secrets: { perRequest: 0, longest: 4000 },
  // A visit of a page makes a session and an interaction.
  oidc_records: { perRequest: 1, longest: 16_000 },
  consents: { perRequest: 0.2, longest: 2000 },
  device_polls: { perRequest: 0.3, longest: 1000 },
  attempts: { perRequest: 1, longest: 1000 },
  oauth_clients: { perRequest: 0.1, longest: 16_000 },
  personal_access_tokens: { perRequest: 0.1, longest: 2000 },
  uploads: { perRequest: 0.3, longest: 16_000 },
  upload_locks: { perRequest: 0.01, longest: 1000 },
};

const OTHER: Bound = { perRequest: 0.5, longest: 16_000 };

/** Rows that a table may gain for any number of requests. */
const SOME_ROWS = 100;
/** Bytes that the folder may gain beyond the sent ones. */
const SOME_BYTES = 1024 * 1024;

export async function measureSize(service: TestService): Promise<Size> {
  const { database } = service;
  const names = await database.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const tables: Record<string, { rows: number; longest: number }> = {};
  for (const { name } of names) {
    const [row] = await database.query<{ rows: number | string; longest: number | string }>(
      `SELECT count(*) AS rows, coalesce(max(length(t::text)), 0) AS longest FROM "${name}" AS t`,
    );
    tables[name] = { rows: Number(row?.rows), longest: Number(row?.longest) };
  }
  return { tables, folder: await folderBytes(`${service.dataDir}/uploads`) };
}

/** The tables and folders that grew more than `requests` requests with `bytes` bytes in all allow. */
export function growthProblems(
  before: Size,
  after: Size,
  requests: number,
  bytes: number,
  ownRows: Readonly<Record<string, number>> = {},
): string[] {
  const problems: string[] = [];
  for (const [name, { rows, longest }] of Object.entries(after.tables)) {
    const bound = BOUNDS[name] ?? OTHER;
    const added = rows - (before.tables[name]?.rows ?? 0) - (ownRows[name] ?? 0);
    const most = bound.perRequest * requests + (bound.perRequest === 0 ? 0 : SOME_ROWS);
    if (added > most) {
      problems.push(`the table ${name} gained ${added} rows by ${requests} requests`);
    }
    if (longest > bound.longest) {
      problems.push(`the table ${name} has a row of ${longest} characters`);
    }
  }
  const gained = after.folder - before.folder;
  if (gained > bytes + SOME_BYTES) {
    problems.push(`the folder gained ${gained} bytes by requests of ${bytes} bytes`);
  }
  return problems;
}

/** Bytes of all files below a folder. */
async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  let sum = 0;
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    // A file that is gone by now takes no room.
    sum += await stat(join(entry.parentPath, entry.name)).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return sum;
}
