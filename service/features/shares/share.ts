import type { Membership } from '../../auth/accounts/accounts.js';

/** How long a link can work, in days; the page offers these. */
export const SHARE_DAYS = [1, 7, 30, 90] as const;
/** How long a link works if nothing else is chosen, in days. */
export const DEFAULT_SHARE_DAYS = 30;

/** How many links of a workspace can work at the same time. */
export const MAX_SHARES = 500;

/** The lengths that a password of a link may have. */
export const SHARE_PASSWORD_LENGTH = { min: 8, max: 128 } as const;

/** How many photos can be chosen for one link. */
export const MAX_SHARE_PHOTOS = 1000;

/** The target of a new link: a project, or at least one chosen photo. */
export type NewShareTarget =
  | { readonly kind: 'project'; readonly id: string }
  /** The ids of their first versions. */
  | { readonly kind: 'photos'; readonly ids: readonly string[] };

/** The target of a link. */
export interface ShareTarget {
  readonly kind: 'project' | 'photos';
  /** The id of the project, or of the first photo: that of its first version, which all versions have in common. */
  readonly id: string;
  /** How many photos were chosen; 0 for a project. */
  readonly chosen: number;
}

/** A link that has not expired, whose creator is still in the workspace. */
export interface Share {
  readonly id: string;
  /** `shown`: how many of the chosen photos it shows at present; 0 for a project. */
  readonly target: ShareTarget & { readonly name: string; readonly shown: number };
  readonly creatorId: string;
  readonly creatorName: string;
  /** The workspace with the creator's current role in it: a link shows what its creator can see. */
  readonly workspace: Membership;
  readonly passwordHash: string | undefined;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly openedAt: Date | undefined;
  /** Whether it shows nothing at present: its project is archived, or it shows none of the chosen photos. */
  readonly isSuspended: boolean;
}

/** A link that was looked up, with its target. */
export interface OpenShare extends Share {
  /**
   * The chosen photos that it shows at present, in the order of capture; empty for a project. `id` is that of the
   * current version.
   */
  readonly photos: readonly { readonly id: string; readonly photoId: string }[];
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
}): { link: string; workspace: string; photo?: string; photos?: number; project?: string } {
  const link = { link: id, workspace: workspaceId };
  if (target.kind === 'project') {
    return { ...link, project: target.id };
  }
  return target.chosen === 1 ? { ...link, photo: target.id } : { ...link, photos: target.chosen };
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

/** Whether guests get the photos of a link without their locations. */
export function removesLocation(share: Share & { readonly showsLocation?: boolean }): boolean {
  return share.showsLocation !== true;
}
