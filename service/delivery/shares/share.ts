import type { EventAbout } from '../../kernel/events/event.js';
import type { Membership } from '../../identity/index.js';
import type { LogoOnPage } from '../logos/index.js';

/** How long a link can work, in days; the page offers these. */
export const SHARE_DAYS = [1, 7, 30, 90] as const;
/** How long a link works if nothing else is chosen, in days. */
export const DEFAULT_SHARE_DAYS = 30;

/** How far in the future a link may expire, in days. */
export const MAX_SHARE_DAYS = 366;

/** How many links of a workspace can work at the same time. */
export const MAX_SHARES = 500;

/** The lengths that a password of a link may have. */
export const SHARE_PASSWORD_LENGTH = { min: 8, max: 128 } as const;

/** How many photos can be chosen for one link. */
export const MAX_SHARE_PHOTOS = 1000;

/** The lengths of the texts that a link shows. */
export const MAX_SHARE_TITLE = 100;
export const MAX_SHARE_MESSAGE = 500;

/** How long an expired or revoked link is kept, in days. Until then a revoked link can be restored. */
export const ENDED_SHARE_DAYS = 30;

/** What guests can download: the originals, previews, or nothing. */
export const SHARE_DOWNLOADS = ['original', 'web', 'none'] as const;
export type ShareDownloads = (typeof SHARE_DOWNLOADS)[number];

/** The user who makes or changes a link. */
export interface SharingUser {
  readonly accountId: string;
  /** The grant of the app that made the request; undefined for the pages and for personal access tokens. */
  readonly grantId?: string | undefined;
}

/** What a link offers its guests. */
export interface ShareOffer {
  readonly title: string | undefined;
  readonly message: string | undefined;
  /** The id of the first version of the cover photo, which the link may no longer show. */
  readonly coverPhotoId: string | undefined;
  readonly downloads: ShareDownloads;
  /** Whether originals keep the location of the photo. */
  readonly showsLocation: boolean;
  /** Whether pictures and web copies carry the name of the workspace. Then there are no originals. */
  readonly watermark: boolean;
  /** Whether guests can answer. */
  readonly takesFeedback: boolean;
  /** How many favourites one guest can have; undefined without a limit. */
  readonly maxFavourites: number | undefined;
  /** How many files all guests together can download; undefined without a limit. */
  readonly maxDownloads: number | undefined;
}

/** The highest limits that a link can have. */
export const MAX_LIMITS = { favourites: 5000, downloads: 10_000 } as const;

export const DEFAULT_OFFER: ShareOffer = {
  title: undefined,
  message: undefined,
  coverPhotoId: undefined,
  downloads: 'original',
  showsLocation: false,
  watermark: false,
  takesFeedback: true,
  maxFavourites: undefined,
  maxDownloads: undefined,
};

/** What guests can download with this choice: no originals of a link with a watermark. */
export function downloadsOf({
  downloads,
  watermark,
}: Pick<ShareOffer, 'downloads' | 'watermark'>): ShareDownloads {
  return watermark && downloads === 'original' ? 'web' : downloads;
}

/** The text over the pictures of a link, if it has a watermark. */
export function watermarkTextOf({
  watermark,
  workspace,
}: Pick<Share, 'watermark' | 'workspace'>): string | undefined {
  return watermark ? workspace.name : undefined;
}

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

/**
 * Why a link shows nothing at present: its project is archived, its photos are in the trash, were deleted, or its creator
 * does not see them.
 */
export type ShareSuspension = 'archived' | 'trashed' | 'deleted' | 'unseen';

/** A link whose creator is still in the workspace. */
export interface Share extends ShareOffer {
  readonly id: string;
  /** `shown`: how many of the chosen photos it shows at present; 0 for a project. */
  readonly target: ShareTarget & { readonly name: string; readonly shown: number };
  readonly creatorId: string;
  readonly creatorName: string;
  /** The workspace with the creator's current role in it: a link shows what its creator can see. */
  readonly workspace: Membership;
  /** The logo of the workspace. */
  readonly logo: LogoOnPage | undefined;
  readonly passwordHash: string | undefined;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | undefined;
  readonly openedAt: Date | undefined;
  /** How often guests opened its page, and how often they downloaded a file or a ZIP. */
  readonly views: number;
  readonly downloadCount: number;
  /** Until when the link asks its reviewers for a decision; undefined for none. */
  readonly decisionUntil: Date | undefined;
  readonly suspension: ShareSuspension | undefined;
  /** Whether it shows nothing at present, see {@link ShareSuspension}. */
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
}): { readonly workspace: string; readonly ids: EventAbout } {
  if (target.kind === 'project') {
    return { workspace: workspaceId, ids: { link: id, project: target.id } };
  }
  const chosen = target.chosen === 1 ? { photo: target.id } : { photos: target.chosen };
  return { workspace: workspaceId, ids: { link: id, ...chosen } };
}

/** Whether a user may see a link in the list and change it: they made it, or they own its workspace. */
export function mayChange(
  { creatorId, workspace }: Pick<Share, 'creatorId' | 'workspace'>,
  accountId: string,
  memberships: readonly Membership[],
): boolean {
  const membership = memberships.find(({ id }) => id === workspace.id);
  return membership !== undefined && (membership.role === 'owner' || creatorId === accountId);
}

/** Whether guests get the photos of a link without their locations. */
export function removesLocation({ showsLocation }: Pick<Share, 'showsLocation'>): boolean {
  return !showsLocation;
}
