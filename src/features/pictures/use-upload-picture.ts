import { useLayoutEffect } from 'preact/hooks';
import type { PicturesPanel } from './panel.js';

/**
 * The small picture of an upload while an element shows it, as a `data:` URL; null while there is none.
 * @param upload  null for none
 * @param page  1 for the first; null for the file
 */
export function useUploadPicture(
  { uploadPictures }: Pick<PicturesPanel['context'], 'uploadPictures'>,
  upload: string | null,
  page: number | null = null,
): string | null {
  useLayoutEffect(
    () => (upload === null ? undefined : uploadPictures.hold(upload, page)),
    [upload, page],
  );
  return upload === null ? null : uploadPictures.of(upload, page);
}
