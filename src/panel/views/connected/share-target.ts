import type { PanelState, PanelUi } from '../../view.js';

/** The share target of the last uploaded photos; null without one. */
export function shareTargetOf(state: PanelState): PanelUi['sharing'] {
  const { sharing, uploadState } = state;
  const batch = uploadState.lastBatch;
  if (sharing === 'unknown' || sharing === 'unsupported' || batch === null) {
    return null;
  }
  if (batch.project !== null) {
    return { target: { project: batch.project.id }, name: batch.project.name };
  }
  return batch.uploads.length === 0
    ? null
    : { target: { uploads: batch.uploads }, name: batch.names[0] ?? '' };
}
