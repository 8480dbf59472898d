import type { Membership } from './accounts.js';

/** The part of a workspace that a list shows: all photos, or those of one user. */
export interface Visibility {
  readonly workspaceId: string;
  readonly accountId: string | undefined;
}

/** The properties of a photo that decide who sees it. */
export interface PolicyPhoto {
  readonly workspaceId: string;
  readonly accountId: string;
  readonly trashedAt: Date | undefined;
}

/**
 * The part of a workspace that a user sees. Only this and {@link canView} decide that: for lists, pages, previews,
 * downloads, programs and links alike. Owners see everything; other members see what they sent, or everything if an
 * owner has opened viewing.
 */
export function visibilityOf(workspace: Membership, accountId: string): Visibility {
  return { workspaceId: workspace.id, accountId: canSeeAll(workspace) ? undefined : accountId };
}

/** Whether a member sees all photos of a workspace, and not only their own. */
export function canSeeAll({ role, membersSeeAll }: Membership): boolean {
  return role === 'owner' || membersSeeAll;
}

/** {@link canSeeAll} as a condition of a query, on the rows of a membership and its workspace. */
export const CAN_SEE_ALL = `(workspace_members.role = 'owner' OR workspaces.members_see_all)`;

/**
 * The part of a workspace that a user may change (move, put into the trash, restore): owners everything, others what
 * they sent.
 */
export function editableBy(workspace: Membership, accountId: string): Visibility {
  return visibilityOf({ ...workspace, membersSeeAll: false }, accountId);
}

/** Whether a user sees a photo. A photo in the trash is seen only by those who may restore it. */
export function canView(
  photo: PolicyPhoto,
  accountId: string,
  memberships: readonly Membership[],
): boolean {
  const workspace = memberships.find(({ id }) => id === photo.workspaceId);
  if (workspace === undefined) {
    return false;
  }
  const isThere = photo.trashedAt === undefined;
  return isIn(photo, (isThere ? visibilityOf : editableBy)(workspace, accountId));
}

/** Whether a user may move a photo, put it into the trash and restore it. */
export function canEdit(
  photo: Pick<PolicyPhoto, 'workspaceId' | 'accountId'>,
  accountId: string,
  memberships: readonly Membership[],
): boolean {
  const workspace = memberships.find(({ id }) => id === photo.workspaceId);
  return workspace !== undefined && isIn(photo, editableBy(workspace, accountId));
}

function isIn(photo: Pick<PolicyPhoto, 'workspaceId' | 'accountId'>, view: Visibility): boolean {
  return (
    photo.workspaceId === view.workspaceId &&
    (view.accountId === undefined || view.accountId === photo.accountId)
  );
}
