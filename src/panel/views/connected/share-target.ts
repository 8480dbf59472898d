import type { PanelState, PanelUi } from '../../view.js';

/** The share target of the last uploaded photos; null without one. */
export function shareTargetOf(state: PanelState): PanelUi['sharing'] {
  const batch = state.uploadState.lastBatch;
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
export function canShare({ sharing }: Pick<PanelState, 'sharing'>): boolean {
  return sharing === 'ready' || sharing === 'needs-permission';
}

/** The share target of the selected photos; null without any. Photos that are no longer listed do not count. */
export function selectedTarget(
  { uploadedById }: Pick<PanelState, 'uploadedById'>,
  selection: readonly string[],
): PanelUi['sharing'] {
  const chosen = new Set(selection);
  const photos = [...uploadedById.values()].filter(
    ({ uploadId }) => uploadId !== null && chosen.has(uploadId),
  );
  const [first] = photos;
  return first
    ? { target: { uploads: photos.flatMap(({ uploadId }) => uploadId ?? []) }, name: first.name }
    : null;
}
