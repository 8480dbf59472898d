import type { ServerResponse } from 'node:http';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  PICTURE_TYPE,
  disposition,
  setFileHeaders,
  type Watermarks,
  type UploadStorage,
  type Photo,
  type PhotoTable,
  type SendZipDeps,
} from '../../library/index.js';

/** The previews that guests get as files: those of the photographer, or those with a watermark. */
export interface WebCopies {
  /** Photos in web size, with the names and sizes of their files. Those without a preview are left out. */
  of(photos: readonly Photo[]): Promise<Photo[]>;
  /** The bytes of such a file; undefined when the storage has lost it. */
  read(id: string, size: number): Promise<Readable | undefined>;
}

export function plainCopies(store: Pick<UploadStorage, 'readPreview'>): WebCopies {
  return {
    of: (photos) =>
      Promise.resolve(
        photos.flatMap((photo) => (photo.preview ? [webCopyOf(photo, photo.preview.size)] : [])),
      ),
    read: (id, size) => store.readPreview(id, size),
  };
}

/** Those that have a watermark already. */
export function watermarkedCopies(
  watermarks: Pick<Watermarks, 'sizes' | 'read'>,
  text: string,
): WebCopies {
  return {
    of: async (photos) => {
      const { sizes } = await watermarks.sizes(photos, text);
      return photos.flatMap((photo) => {
        const size = sizes.get(photo.id);
        return size === undefined ? [] : [webCopyOf(photo, size)];
      });
    },
    read: (id, size) => watermarks.read(id, size),
  };
}

function webCopyOf(photo: Photo, size: number): Photo {
  const { name: stem } = path.posix.parse(photo.name);
  return { ...photo, name: `${stem}-web.webp`, size };
}

/** Sends a web copy as a file to be saved. @returns whether the storage has it. */
export async function sendWebCopy(
  copies: WebCopies,
  { id, name, size }: Photo,
  { response, isHead }: { readonly response: ServerResponse; readonly isHead: boolean },
): Promise<boolean> {
  const bytes = await copies.read(id, size);
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

/** Makes {@link sendZip} send web copies in place of originals. */
export function inWebSize(deps: SendZipDeps, copies: WebCopies): SendZipDeps {
  const several = async (ids: readonly string[]): Promise<Photo[]> =>
    copies.of(await deps.photos.several(ids));
  return {
    ...deps,
    photos: { several },
    store: {
      readRange: async (id, { end }) => {
        const bytes = await copies.read(id, end + 1);
        if (bytes === undefined) {
          throw new Error(`the web copy of ${id} is missing`);
        }
        return bytes;
      },
    },
  };
}

/** Photos that come in parts, as they are stored. */
export async function* photosOf(
  photos: Pick<PhotoTable, 'several'>,
  parts: AsyncIterable<readonly { readonly id: string }[]>,
): AsyncGenerator<readonly Photo[]> {
  for await (const part of parts) {
    yield photos.several(part.map(({ id }) => id));
  }
}

/** The web copies of photos that come in parts. */
export async function* webCopiesOf(
  copies: WebCopies,
  parts: AsyncIterable<readonly Photo[]>,
): AsyncGenerator<readonly Photo[]> {
  for await (const part of parts) {
    yield copies.of(part);
  }
}
