import { useLayoutEffect, useState } from 'preact/hooks';
import { CancelSource } from '../../util/cancel.js';
import type { PicturesPanel } from './panel.js';

/**
 * A large picture of an upload while an element shows it, as a `data:` URL; null while it comes, and where there is none.
 * @param upload  null for none
 */
export function useUploadPreview(
  { uploadPreviews }: Pick<PicturesPanel['context'], 'uploadPreviews'>,
  upload: string | null,
): { readonly url: string | null; readonly isComing: boolean } {
  const [loaded, setLoaded] = useState<{
    readonly upload: string;
    readonly url: string | null;
  } | null>(null);
  useLayoutEffect(() => {
    if (upload === null) {
      return undefined;
    }
    const source = new CancelSource();
    void uploadPreviews.load(upload, source.signal).then((url) => {
      if (!source.signal.cancelled) {
        setLoaded({ upload, url });
      }
    });
    return () => {
      source.cancel();
    };
  }, [upload]);
  const isLoaded = loaded?.upload === upload;
  return { url: isLoaded ? loaded.url : null, isComing: upload !== null && !isLoaded };
}
