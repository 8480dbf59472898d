import { makeZip, predictLength } from 'client-zip';
import contentDisposition from 'content-disposition';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sendPage } from '../http/responses.js';
import { sentence } from '../pages/sentence.js';
import type { UploadStorage } from '../uploads/upload-storage.js';
import type { VisitHandler } from '../visits/visit.js';
import { chosenPhotos } from './chosen.js';
import { refuseDownload, type DownloadParts } from './download.js';
import { photoProblemPage } from './no-photo.js';
import type { Photo } from './photo.js';
import { setFileHeaders } from './send-file.js';

/** Hands out the photos that are chosen in the form as one ZIP. */
export function zip({
  photos,
  store,
  open,
  now,
}: DownloadParts & { now: () => Date }): VisitHandler {
  return async (visit) => {
    const { response, account } = visit;
    const chosen = await chosenPhotos(photos, visit);
    if (chosen.length === 0) {
      sendPage(response, 400, photoProblemPage(sentence('chooseSome')));
      return;
    }
    const name = `photos-${now().toISOString().slice(0, 10)}.zip`;
    if (!(await open.run(account.id, () => sendZip(store, chosen, name, response)))) {
      refuseDownload(response);
    }
  };
}

/** Photos are compressed already, so they are stored as they are; one is read at a time, as the client takes it. */
export async function sendZip(
  store: Pick<UploadStorage, 'readRange'>,
  photos: readonly Photo[],
  name: string,
  response: ServerResponse,
): Promise<void> {
  const names = namesInZip(photos.map((photo) => photo.name));
  const files = photos.map((photo, index) => ({
    photo,
    name: names[index] ?? photo.id,
    size: photo.size,
    lastModified: photo.arrivedAt,
  }));
  let current: Readable | undefined;
  async function* entries() {
    for (const { photo, ...file } of files) {
      current =
        photo.size === 0
          ? Readable.from([])
          : await store.readRange(photo.id, { start: 0, end: photo.size - 1 });
      yield { ...file, input: current };
    }
  }
  setFileHeaders(response);
  response.setHeader('Content-Type', 'application/zip');
  response.setHeader('Content-Disposition', contentDisposition(name));
  response.setHeader('Content-Length', String(predictLength(files)));
  try {
    await pipeline(bytesOf(makeZip(entries())), response);
  } finally {
    // The library leaves a file open that it does not read to the end.
    current?.destroy();
  }
}

async function* bytesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** A name without characters that some file system refuses. */
export function withoutRefused(name: string): string {
  return name.replace(/[\p{Cc}\\/:*?"<>|]/gu, '_');
}

/**
 * Names that any system can unpack: none leads to another folder, none is there twice (small and capital letters
 * are the same to many), and none has a character that some file system refuses.
 */
export function namesInZip(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const clean = withoutRefused(name).replace(/^\.+|[. ]+$/g, '_');
    const dot = clean.lastIndexOf('.');
    const [stem, ending] = dot > 0 ? [clean.slice(0, dot), clean.slice(dot)] : [clean, ''];
    let free = clean;
    for (let count = 2; taken.has(free.toLowerCase()); count += 1) {
      free = `${stem} (${count})${ending}`;
    }
    taken.add(free.toLowerCase());
    return free;
  });
}
