import type { Membership } from '../../auth/accounts/accounts.js';
import { canView } from '../../auth/accounts/photo-policy.js';

/** How long a link can work, in days; the page offers these. */
export const SHARE_DAYS = [1, 7, 30, 90] as const;
/** How long a link works if nothing else is chosen, in days. */
export const DEFAULT_SHARE_DAYS = 30;

/** How many links of a workspace can work at the same time. */
export const MAX_SHARES = 500;

/** The lengths that a password of a link may have. */
export const SHARE_PASSWORD_LENGTH = { min: 8, max: 128 } as const;

/** What a link leads to. */
export interface ShareTarget {
  readonly kind: 'photo' | 'project';
  /** Of a photo: the id of its first version, which all versions have in common. */
  readonly id: string;
}

/** A link that has not expired, whose creator is still in the workspace. */
export interface Share {
  readonly id: string;
  readonly target: ShareTarget & { readonly name: string };
  readonly creatorId: string;
  readonly creatorName: string;
  /** The workspace with the creator's current role in it: a link shows what its creator can see. */
  readonly workspace: Membership;
  readonly passwordHash: string | undefined;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly openedAt: Date | undefined;
  /** Whether it leads to nothing at present; see {@link isSuspended}. */
  readonly isSuspended: boolean;
}

/** A link as it may appear in the log: without its token. */
export function linkForLog({
  id,
  workspaceId,
  target,
}: {
  readonly id: string;
  readonly workspaceId: string;
  readonly target: ShareTarget;
}): { link: string; workspace: string; photo?: string; project?: string } {
  const about = target.kind === 'photo' ? { photo: target.id } : { project: target.id };
  return { link: id, workspace: workspaceId, ...about };
}

/**
 * Whether a link leads to nothing at present, although it has not expired: its photo is in the trash, or its creator can
 * no longer see the photo, or its project is archived.
 * @param photo undefined for a link to a project.
 */
export function isSuspended(
  photo: { readonly accountId: string; readonly trashedAt: Date | undefined } | undefined,
  isArchived: boolean,
  { creatorId, workspace }: Pick<Share, 'creatorId' | 'workspace'>,
): boolean {
  if (photo === undefined) {
    return isArchived;
  }
  const isSeen = canView({ ...photo, workspaceId: workspace.id }, creatorId, [workspace]);
  return photo.trashedAt !== undefined || !isSeen;
}

/** Whether a user may see a link in the list and revoke it: they made it, or they own its workspace. */
export function mayRevoke(
  { creatorId, workspace }: Pick<Share, 'creatorId' | 'workspace'>,
  accountId: string,
  memberships: readonly Membership[],
): boolean {
  const membership = memberships.find(({ id }) => id === workspace.id);
  return membership !== undefined && (membership.role === 'owner' || creatorId === accountId);
}
