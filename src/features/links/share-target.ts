import type { ProjectRef } from '../../api/project.js';
import type { LinksPanel } from './panel.js';
import type { ShareTarget } from './share-links.js';

/** What a link shows, with its name. */
export interface Shared {
  readonly target: ShareTarget;
  readonly name: string;
}

/** Photos that were uploaded together. */
export interface SharedBatch {
  readonly project: ProjectRef | null;
  /** Their names, and their ids at the service. */
  readonly names: readonly string[];
  readonly uploads: readonly string[];
}

/** The share target of the last uploaded photos; null without one. */
export function shareTargetOf(
  state: LinksPanel['state'],
  batch: SharedBatch | null,
): Shared | null {
  if (!canShare(state) || batch === null) {
    return null;
  }
  if (batch.project !== null) {
    return { target: { project: batch.project.id }, name: batch.project.name };
  }
  return batch.uploads.length === 0
    ? null
    : { target: { uploads: batch.uploads }, name: batch.names[0] ?? '' };
}

/** Days for which a link works if nothing else is chosen. */
export const DEFAULT_DAYS = 30;

/** Whether links can be made, perhaps after the permission for them. */
export function canShare({ sharing }: LinksPanel['state']): boolean {
  return sharing === 'ready' || sharing === 'needs-permission';
}

/** The share target of the selected photos; null without any. Photos that are no longer listed do not count. */
export function selectedTarget(
  uploaded: Iterable<{ readonly uploadId: string | null; readonly name: string }>,
  selection: readonly string[],
): Shared | null {
  const chosen = new Set(selection);
  const photos = [...uploaded].filter(({ uploadId }) => uploadId !== null && chosen.has(uploadId));
  const [first] = photos;
  return first
    ? { target: { uploads: photos.flatMap(({ uploadId }) => uploadId ?? []) }, name: first.name }
    : null;
}
