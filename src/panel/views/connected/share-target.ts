import type { UploadedPhoto } from '../../../uploads/history/upload-history.js';
import type { PanelState, PanelUi } from '../../view.js';

/** What the photos that were uploaded last can be shared as; null where there is nothing to share. */
export function shareTargetOf(state: PanelState): PanelUi['sharing'] {
  const { sharing, photos, uploadedById, uploadState } = state;
  if (sharing === 'unknown' || sharing === 'unsupported') {
    return null;
  }
  const project = uploadState.lastBatch?.project ?? null;
  if (project !== null) {
    return { target: { project: project.id }, name: project.name };
  }
  const uploads = photos.flatMap(({ record }) => idAtService(uploadedById.get(record.id)));
  const [first] = photos.filter(({ phase }) => phase === 'uploaded');
  return uploads.length === 0 ? null : { target: { uploads }, name: first?.record.name ?? '' };
}

/** The id that the service has for an uploaded photo: the last part of the address of its page. */
export function idAtService(photo: UploadedPhoto | undefined): readonly string[] {
  const id = /\/([\w.-]+)$/.exec(photo?.pageUrl ?? '')?.[1];
  return id === undefined ? [] : [id];
}
