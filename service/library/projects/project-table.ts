import { randomUUID } from 'node:crypto';
import { lockWorkspace, type Visibility } from '../../identity/index.js';
import type { Database, Queryable, SqlValue } from '../../kernel/database/database.js';
import { idArray } from '../../kernel/database/id-array.js';
import { countPhotos } from './photo-counts.js';
import type { PhotoCounts, Project, ProjectSummary } from './project.js';

/** How many projects a workspace can have, the archived ones included. */
export const MAX_PROJECTS = 1000;

/** Why a project was not made or changed: another one has the name, or there are too many. */
export type ProjectRefusal = 'taken' | 'full';

interface ProjectRow {
  id: string;
  workspace_id: string;
  name: string;
  created_by: string | null;
  creator_name: string | null;
  created_at: Date;
  archived_at: Date | null;
}

const SELECT = `SELECT projects.*, accounts.display_name AS creator_name
  FROM projects LEFT JOIN accounts ON accounts.id = projects.created_by`;

interface SummaryRow extends ProjectRow {
  photos: number;
  updated_at: Date;
  cover_id: string | null;
  cover_version: number | null;
}

/** Which uploads count as photos of a project: current versions outside the trash. */
const COUNTED = 'finished_at IS NOT NULL AND trashed_at IS NULL AND is_current';

/** The projects of workspaces, and which photos are in them. */
export class ProjectTable {
  constructor(
    private readonly database: Database,
    private readonly now: () => Date,
  ) {}

  /** All projects of a workspace by name (`natural_sort_key`), the archived ones included. */
  async of(workspaceId: string): Promise<Project[]> {
    const rows = await this.database.query<ProjectRow>(
      `${SELECT} WHERE workspace_id = $1 ORDER BY natural_sort_key(name), projects.id`,
      [workspaceId],
    );
    return rows.map(toProject);
  }

  /**
   * All projects of a workspace, the archived ones included, with the photos that a user sees in them. The project with
   * the newest photo comes first.
   */
  async summaries(view: Visibility): Promise<ProjectSummary[]> {
    return this.summarize(view, 'projects.workspace_id = $1', view.workspaceId);
  }

  /** One project of the workspace, like {@link summaries}. */
  async summary(view: Visibility, id: string): Promise<ProjectSummary | undefined> {
    const [found] = await this.summarize(view, 'projects.id = $1', id);
    return found?.workspaceId === view.workspaceId ? found : undefined;
  }

  /** How many photos a user sees in a project, with their earlier versions. */
  countPhotos(view: Visibility, id: string): Promise<PhotoCounts> {
    return countPhotos(this.database, view, id);
  }

  private async summarize(
    { accountId }: Visibility,
    condition: string,
    value: string,
  ): Promise<ProjectSummary[]> {
    const values: SqlValue[] = accountId === undefined ? [value] : [value, accountId];
    const rows = await this.database.query<SummaryRow>(
      `SELECT projects.*, accounts.display_name AS creator_name, counted.photos,
              GREATEST(projects.created_at, cover.finished_at) AS updated_at, cover.id AS cover_id,
              cover.preview_version AS cover_version
         FROM projects LEFT JOIN accounts ON accounts.id = projects.created_by
        CROSS JOIN LATERAL (
              SELECT COALESCE(sum(photos), 0)::integer AS photos FROM photo_counts
               WHERE workspace_id = projects.workspace_id AND project_id = projects.id
                 ${accountId === undefined ? '' : 'AND account_id = $2'}) AS counted
         LEFT JOIN LATERAL (
              SELECT id, finished_at, preview_version FROM uploads
               WHERE project_id = projects.id AND ${COUNTED}
                 ${accountId === undefined ? '' : 'AND account_id = $2'}
               ORDER BY finished_at DESC, uploads.id DESC LIMIT 1) AS cover ON true
        WHERE ${condition} ORDER BY updated_at DESC, projects.id`,
      values,
    );
    return rows.map((row) => ({
      ...toProject(row),
      photos: row.photos,
      updatedAt: row.updated_at,
      cover:
        row.cover_id === null
          ? undefined
          : { id: row.cover_id, version: row.cover_version ?? undefined },
    }));
  }

  async find(id: string): Promise<Project | undefined> {
    const [row] = await this.database.query<ProjectRow>(`${SELECT} WHERE projects.id = $1`, [id]);
    return row && toProject(row);
  }

  /** Makes a project. Its name must have been checked. */
  create(
    workspaceId: string,
    name: string,
    creatorId: string,
  ): Promise<{ readonly id: string } | ProjectRefusal> {
    return this.database.transaction(async (transaction) => {
      const count = await lockProjects(transaction, workspaceId);
      if (count >= MAX_PROJECTS) {
        return 'full';
      }
      if (await isTaken(transaction, workspaceId, name, '')) {
        return 'taken';
      }
      const id = randomUUID();
      await transaction.query(
        `INSERT INTO projects (id, workspace_id, name, created_by, created_at)
         VALUES ($1, $2, $3, $4, $5)`,
        [id, workspaceId, name, creatorId, this.now()],
      );
      return { id };
    });
  }

  /** Renames a project, archives it, or brings it back. Members that are undefined stay as they are. */
  change(
    { id, workspaceId, ...before }: Project,
    change: { readonly name?: string | undefined; readonly isArchived?: boolean | undefined },
  ): Promise<'changed' | 'taken'> {
    const name = change.name ?? before.name;
    const isArchived = change.isArchived ?? before.archivedAt !== undefined;
    return this.database.transaction(async (transaction) => {
      await lockProjects(transaction, workspaceId);
      if (!isArchived && (await isTaken(transaction, workspaceId, name, id))) {
        return 'taken';
      }
      await transaction.query(
        `UPDATE projects SET name = $2,
                archived_at = CASE WHEN $3::boolean THEN COALESCE(archived_at, $4) END
          WHERE id = $1`,
        [id, name, isArchived, this.now()],
      );
      return 'changed';
    });
  }

  /**
   * Moves photos of a workspace, with all of their versions, into one of its projects that is not archived; an empty
   * project id moves them out of their projects. Photos in the trash stay where they are.
   * @param uploadIds one version of each photo.
   * @returns those of these ids that are there now.
   */
  async move(
    workspaceId: string,
    uploadIds: readonly string[],
    projectId: string,
  ): Promise<string[]> {
    const rows = await this.database.transaction(async (transaction) => {
      // The same lock as `finish_upload`, so that no version stays behind. In one order: no two moves wait for each other.
      const photos = await transaction.query<{ id: string }>(
        `SELECT id FROM uploads WHERE workspace_id = $1 AND finished_at IS NOT NULL AND id = ANY (ARRAY(
           SELECT photo_id FROM uploads WHERE id = ANY (${idArray('$2')})))
          ORDER BY id FOR UPDATE`,
        [workspaceId, JSON.stringify(uploadIds)],
      );
      return transaction.query<{ id: string }>(
        `UPDATE uploads SET project_id = $3
          WHERE photo_id = ANY (${idArray('$2')})
            AND workspace_id = $1 AND finished_at IS NOT NULL AND trashed_at IS NULL
            AND ($3::text IS NULL OR EXISTS (
              SELECT 1 FROM projects
               WHERE projects.id = $3 AND projects.workspace_id = $1 AND archived_at IS NULL))
          RETURNING id`,
        [
          workspaceId,
          JSON.stringify(photos.map(({ id }) => id)),
          projectId === '' ? null : projectId,
        ],
      );
    });
    const moved = new Set(rows.map(({ id }) => id));
    return uploadIds.filter((id) => moved.has(id));
  }
}

/** Lets one request at a time change the projects of a workspace. @returns how many projects there are. */
async function lockProjects(transaction: Queryable, workspaceId: string): Promise<number> {
  await lockWorkspace(transaction, workspaceId);
  const [row] = await transaction.query<{ count: number }>(
    'SELECT count(*) AS count FROM projects WHERE workspace_id = $1',
    [workspaceId],
  );
  return row?.count ?? 0;
}

/** Whether another project that is not archived has the name, in small or capital letters. */
async function isTaken(
  transaction: Queryable,
  workspaceId: string,
  name: string,
  id: string,
): Promise<boolean> {
  const rows = await transaction.query(
    `SELECT 1 FROM projects
      WHERE workspace_id = $1 AND lower(name) = lower($2) AND archived_at IS NULL AND id <> $3`,
    [workspaceId, name, id],
  );
  return rows.length > 0;
}

function toProject(row: ProjectRow): Project {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    creatorId: row.created_by ?? undefined,
    creatorName: row.creator_name ?? undefined,
    createdAt: row.created_at,
    archivedAt: row.archived_at ?? undefined,
  };
}
