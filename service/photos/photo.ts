import type { Membership } from '../accounts/accounts.js';

/** A photo that has arrived, as the pages know it. */
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
  readonly personName: string;
  /** Through which app. */
  readonly clientId: string;
  readonly arrivedAt: Date;
  /** In pixels, as it is shown; undefined where the file does not tell, or nobody has looked yet. */
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** See `service/thumbnails/look.ts`. */
  readonly capturedAt: string | undefined;
  /** When it was put into the trash, if it lies there, and by whom, if they are still known. */
  readonly trashedAt: Date | undefined;
  readonly trashedByName: string | undefined;
}

/** What of a workspace is looked at: all of it, or what one person sent. */
export interface View {
  readonly workspaceId: string;
  readonly accountId: string | undefined;
}

/** How long the trash keeps a photo, in days. */
export const TRASH_DAYS = 30;

/** When the trash loses a photo that was put there at this time. */
export function leavesTrashAt(trashedAt: Date): Date {
  return new Date(trashedAt.getTime() + TRASH_DAYS * 24 * 3_600_000);
}

/** Whether a person may see a photo, and put it into the trash: it is theirs, or they own its workspace. */
export function maySee(
  photo: Pick<Photo, 'workspaceId' | 'accountId'>,
  accountId: string,
  memberships: readonly Membership[],
): boolean {
  const membership = memberships.find(({ id }) => id === photo.workspaceId);
  return membership !== undefined && (membership.role === 'owner' || photo.accountId === accountId);
}
