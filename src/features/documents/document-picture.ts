import { useLayoutEffect, useState } from 'preact/hooks';
import type { OpenDocument } from '../../host/open-document.js';

/** Longer side of the document's picture, in pixels: twice what the style sheet shows, for dense screens. */
const PICTURE_PX = 88;

/**
 * A small picture of the open document as it is now. The former one stays until it is made.
 * @returns a data URL; null while there is none
 */
export function useDocumentPicture(
  document: OpenDocument | null,
  onError: (error: unknown) => void,
): string | null {
  const [picture, setPicture] = useState<string | null>(null);
  useLayoutEffect(() => {
    let isShown = true;
    document
      ?.thumbnail(PICTURE_PX)
      .then((made) => {
        if (isShown && made !== null) {
          setPicture(made);
        }
      })
      .catch(onError);
    return () => {
      isShown = false;
    };
  }, [document?.key, document?.stateId]);
  return picture;
}
