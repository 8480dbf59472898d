import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../kernel/database/database.js';
import type { Logo } from '../../library/index.js';

/** The logo of a workspace, as a page shows it. */
export interface LogoOnPage {
  /** Random, and part of the address. */
  readonly version: string;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** The columns of a logo that {@link toLogo} reads; null without a logo. */
export interface LogoRow {
  readonly logo_version: string | null;
  readonly logo_width: number | null;
  readonly logo_height: number | null;
}

export function toLogo(row: LogoRow): LogoOnPage | undefined {
  const { logo_version: version, logo_width: width, logo_height: height } = row;
  return version === null || width === null || height === null
    ? undefined
    : { version, width, height };
}

/** The logos of workspaces, one each. They are small, so the database keeps them. */
export class LogoTable {
  constructor(private readonly database: Queryable) {}

  async of(workspaceId: string): Promise<LogoOnPage | undefined> {
    const [row] = await this.database.query<LogoRow & object>(
      `SELECT version AS logo_version, width AS logo_width, height AS logo_height
         FROM workspace_logos WHERE workspace_id = $1`,
      [workspaceId],
    );
    return row && toLogo(row);
  }

  /** The bytes of the logo with this version, a WebP. */
  async picture(version: string): Promise<Buffer | undefined> {
    const [row] = await this.database.query<{ picture: Buffer }>(
      'SELECT picture FROM workspace_logos WHERE version = $1',
      [version],
    );
    return row?.picture;
  }

  /** Sets the logo of a workspace, in place of an earlier one. */
  async set(workspaceId: string, { picture, width, height }: Logo): Promise<void> {
    await this.database.query(
      `INSERT INTO workspace_logos (workspace_id, version, picture, width, height)
       VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (workspace_id) DO UPDATE
          SET version = excluded.version, picture = excluded.picture,
              width = excluded.width, height = excluded.height`,
      [workspaceId, randomUUID(), picture, width, height],
    );
  }

  async remove(workspaceId: string): Promise<void> {
    await this.database.query('DELETE FROM workspace_logos WHERE workspace_id = $1', [workspaceId]);
  }
}
