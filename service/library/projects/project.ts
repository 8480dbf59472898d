import type { Membership } from '../../identity/index.js';

/** Photos of a workspace that belong together. */
export interface Project {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  /** Its creator, if they still have an account. */
  readonly creatorId: string | undefined;
  readonly creatorName: string | undefined;
  readonly createdAt: Date;
  readonly archivedAt: Date | undefined;
}

/** A project with the photos a user sees in it. */
export interface ProjectSummary extends Project {
  /** How many photos the user sees in it. */
  readonly photos: number;
  /** When the last of these was uploaded, or when the project was created if that was later. */
  readonly updatedAt: Date;
  /** The latest of these photos, with the version of its pictures if there are any. */
  readonly cover: { readonly id: string; readonly version: number | undefined } | undefined;
}

/** How many photos there are. */
export interface PhotoCounts {
  readonly photos: number;
  /** Earlier versions of these photos. */
  readonly replaced: number;
  /** Photos in the trash, which are not among them. */
  readonly trashed: number;
}

/** The longest name of a project, in UTF-16 code units, as browsers count. */
export const MAX_PROJECT_NAME = 80;

/** The value in a query for photos that are in no project. */
export const NO_PROJECT = 'none';

/** Whether a user may rename and archive a project: they made it, or they own its workspace. */
export function mayManage(
  project: Pick<Project, 'workspaceId' | 'creatorId'>,
  accountId: string,
  memberships: readonly Membership[],
): boolean {
  const membership = memberships.find(({ id }) => id === project.workspaceId);
  return (
    membership !== undefined && (membership.role === 'owner' || project.creatorId === accountId)
  );
}
