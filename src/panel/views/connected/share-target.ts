import type { UploadedPhoto } from '../../../uploads/history/upload-history.js';
import type { PanelState, PanelUi } from '../../view.js';

/** What the photos that were uploaded last can be shared as; null where there is nothing to share. */
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

/** The id that the service has for an uploaded photo: the last part of the address of its page. */
export function idAtService(photo: UploadedPhoto | undefined): readonly string[] {
  const id = /\/([\w.-]+)$/.exec(photo?.pageUrl ?? '')?.[1];
  return id === undefined ? [] : [id];
}
