import type { Membership } from '../../../auth/accounts/accounts.js';

/** A finished upload, as the pages show it. */
export interface Photo {
  readonly id: string;
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** In hex. */
  readonly sha256: string;
  readonly workspaceId: string;
  /** Who sent it. */
  readonly accountId: string;
  readonly uploaderName: string;
  /** Through which app. */
  readonly clientId: string;
  readonly uploadedAt: Date;
  /** The project it is in, if any. */
  readonly project: { readonly id: string; readonly name: string } | undefined;
  /** In pixels, as it is shown; undefined when the file does not tell, or was not read yet. */
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** See `service/features/previews/image-info.ts`. */
  readonly capturedAt: string | undefined;
  /** When it was put into the trash, if it is there, and by whom, if that is still known. */
  readonly trashedAt: Date | undefined;
  readonly trashedByName: string | undefined;
}

/** The part of a workspace that a list shows: all of it, or what one user sent. */
export interface Visibility {
  readonly workspaceId: string;
  readonly accountId: string | undefined;
}

/** How long the trash keeps a photo, in days. */
export const TRASH_DAYS = 30;

const TRASH_MS = TRASH_DAYS * 24 * 3_600_000;

/** When a photo that was put into the trash at this time is removed for good. */
export function leavesTrashAt(trashedAt: Date): Date {
  return new Date(trashedAt.getTime() + TRASH_MS);
}

/** The earliest time at which a photo can have been put into the trash and still be in it. */
export function trashBegins(now: Date): Date {
  return new Date(now.getTime() - TRASH_MS);
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

/**
 * The part of a workspace that a user may change (move, put into the trash, restore): owners everything, others what
 * they sent.
 */
export function editableBy(workspace: Membership, accountId: string): Visibility {
  return visibilityOf({ ...workspace, membersSeeAll: false }, accountId);
}

/** Whether a user sees a photo. A photo in the trash is seen only by those who may restore it. */
export function canView(
  photo: Pick<Photo, 'workspaceId' | 'accountId' | 'trashedAt'>,
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
  photo: Pick<Photo, 'workspaceId' | 'accountId'>,
  accountId: string,
  memberships: readonly Membership[],
): boolean {
  const workspace = memberships.find(({ id }) => id === photo.workspaceId);
  return workspace !== undefined && isIn(photo, editableBy(workspace, accountId));
}

function isIn(photo: Pick<Photo, 'workspaceId' | 'accountId'>, view: Visibility): boolean {
  return (
    photo.workspaceId === view.workspaceId &&
    (view.accountId === undefined || view.accountId === photo.accountId)
  );
}
