import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { PICTURE_TYPE } from '../previews/index.js';
import type { UploadStorage } from '../uploads/index.js';
import {
  disposition,
  setFileHeaders,
  type Photo,
  type PhotoTable,
  type SendZipDeps,
} from '../photos/index.js';

/** A photo in web size: its preview, as a file with another name. */
export function webCopyOf(photo: Photo): Photo | undefined {
  const { preview, name } = photo;
  const { name: stem } = path.posix.parse(name);
  return preview && { ...photo, name: `${stem}-web.webp`, size: preview.size };
}

/** Sends the preview of a photo as a file to be saved. @returns whether the storage has it. */
export async function sendWebCopy(
  store: Pick<UploadStorage, 'readPreview'>,
  { id, name, size }: Photo,
  { response, isHead }: { readonly response: ServerResponse; readonly isHead: boolean },
): Promise<boolean> {
  const bytes = await store.readPreview(id, size);
  if (bytes === undefined) {
    return false;
  }
  setFileHeaders(response);
  response.setHeader('Content-Type', PICTURE_TYPE);
  response.setHeader('Content-Disposition', disposition(name));
  response.setHeader('Content-Length', String(size));
  if (isHead) {
    bytes.destroy();
    response.end();
  } else {
    await pipeline(bytes, response);
  }
  return true;
}

/** Makes {@link sendZip} send previews in place of originals. Photos without a preview are left out. */
export function inWebSize(
  deps: SendZipDeps,
  store: Pick<UploadStorage, 'readPreview'>,
): SendZipDeps {
  const several = async (ids: readonly string[]): Promise<Photo[]> =>
    webCopies(await deps.photos.several(ids));
  return {
    ...deps,
    photos: { several },
    store: {
      readRange: async (id, { end }) => {
        const bytes = await store.readPreview(id, end + 1);
        if (bytes === undefined) {
          throw new Error(`the preview of ${id} is missing`);
        }
        return bytes;
      },
    },
  };
}

/** The web copies of photos that come in parts. */
export async function* webCopiesOf(
  photos: Pick<PhotoTable, 'several'>,
  parts: AsyncIterable<readonly { readonly id: string }[]>,
): AsyncGenerator<readonly Photo[]> {
  for await (const part of parts) {
    yield webCopies(await photos.several(part.map(({ id }) => id)));
  }
}

export function webCopies(photos: readonly Photo[]): Photo[] {
  return photos.flatMap((photo) => webCopyOf(photo) ?? []);
}
