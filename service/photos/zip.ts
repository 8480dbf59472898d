import { makeZip, predictLength } from 'client-zip';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Accounts } from '../accounts/accounts.js';
import { sendPage } from '../http/responses.js';
import { sentence } from '../pages/sentence.js';
import type { ProjectTable } from '../projects/project-table.js';
import type { UploadStorage } from '../uploads/upload-storage.js';
import type { Visit, VisitHandler } from '../visits/visit.js';
import { chosenPhotos } from './chosen.js';
import { refuseDownload, type DownloadParts } from './download.js';
import { gather, MAX_IN_ZIP, type Zipped } from './gather.js';
import { photoProblemPage } from './no-photo.js';
import { maySee, stillSees } from './photo.js';
import { filterOf, readQuery, viewIn } from './photo-query.js';
import { disposition, setFileHeaders } from './send-file.js';

/** How often to check whether the reader may still have the ZIP, in milliseconds: sending one may take hours. */
const RECHECK_MS = 30_000;

export interface ZipParts extends DownloadParts {
  readonly projects: Pick<ProjectTable, 'find'>;
  readonly accounts: Pick<Accounts, 'workspacesOf'>;
  readonly now: () => Date;
}

/** A ZIP to be sent. */
export interface ZipToSend {
  readonly photos: readonly Zipped[];
  readonly name: string;
  /** Whether the ZIP may still be sent; asked between photos, at most once every {@link RECHECK_MS}. */
  readonly mayGoOn: () => Promise<boolean>;
  readonly now: () => Date;
}

/** Sends the photos that are ticked in the form, or all photos of a list, as one ZIP. */
export function zip(parts: ZipParts): VisitHandler {
  return async (visit) => {
    const { response, account } = visit;
    const send = visit.form === undefined ? sendAll : sendChosen;
    if (!(await parts.open.run(account.id, () => send(parts, visit)))) {
      refuseDownload(response);
    }
  };
}

async function sendChosen(parts: ZipParts, visit: Visit): Promise<void> {
  const { response, account } = visit;
  const photos = await chosenPhotos(parts.photos, visit);
  if (photos.length === 0) {
    sendPage(response, 400, photoProblemPage(sentence('chooseSome')));
    return;
  }
  const mayGoOn = async (): Promise<boolean> => {
    const memberships = await parts.accounts.workspacesOf(account.id);
    return photos.every((photo) => maySee(photo, account.id, memberships));
  };
  await sendZip(parts.store, { photos, name: nameOfDay(parts), mayGoOn, now: parts.now }, response);
}

/** All photos of the list that the address describes, from its top. */
async function sendAll(parts: ZipParts, visit: Visit): Promise<void> {
  const { response, account, memberships } = visit;
  const query = readQuery(visit.query, memberships);
  if (query === undefined) {
    sendPage(response, 404, photoProblemPage(sentence('noPhotoMatches')));
    return;
  }
  const view = viewIn(query, account.id);
  const photos = await gather(parts.photos, view, filterOf(query));
  if (photos === undefined) {
    sendPage(response, 400, photoProblemPage(sentence('tooManyForZip', { max: MAX_IN_ZIP })));
    return;
  }
  if (photos.length === 0) {
    sendPage(response, 404, photoProblemPage(sentence('noPhotoMatches')));
    return;
  }
  const project = await parts.projects.find(query.project);
  const isHere = project?.workspaceId === query.workspace.id;
  const name = isHere ? `${withoutRefused(project.name)}.zip` : nameOfDay(parts);
  const mayGoOn = async (): Promise<boolean> => {
    const current = await parts.accounts.workspacesOf(account.id);
    const workspace = current.find(({ id }) => id === view.workspaceId);
    return stillSees(view, workspace, account.id);
  };
  await sendZip(parts.store, { photos, name, mayGoOn, now: parts.now }, response);
}

function nameOfDay({ now }: ZipParts): string {
  return `photos-${now().toISOString().slice(0, 10)}.zip`;
}

/**
 * Sends photos as one ZIP. Photos are compressed already, so they are stored without compression; one is read at a
 * time, as fast as the client takes it. The ZIP is a ZIP64 if it is longer than 4 GiB.
 */
export async function sendZip(
  store: Pick<UploadStorage, 'readRange'>,
  { photos, name, mayGoOn, now }: ZipToSend,
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
    let checkedAt = now().getTime();
    for (const { photo, ...file } of files) {
      if (now().getTime() - checkedAt >= RECHECK_MS) {
        checkedAt = now().getTime();
        if (!(await mayGoOn())) {
          // The part that was sent must not look like a complete ZIP.
          response.destroy();
          return;
        }
      }
      current =
        photo.size === 0
          ? Readable.from([])
          : await store.readRange(photo.id, { start: 0, end: photo.size - 1 });
      yield { ...file, input: current };
    }
  }
  setFileHeaders(response);
  response.setHeader('Content-Type', 'application/zip');
  response.setHeader('Content-Disposition', disposition(name));
  response.setHeader('Content-Length', String(predictLength(files)));
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  try {
    await pipeline(bytesOf(makeZip(entries())), response);
  } finally {
    // The library does not close a file that it has not read to the end.
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

/** A name without the characters that some file systems refuse. */
export function withoutRefused(name: string): string {
  return name.replace(/[\p{Cc}\\/:*?"<>|]/gu, '_');
}

/** Names of devices on Windows, whatever follows a dot: it makes no file that is called so. */
const DEVICE = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(?= *(?:\.|$))/iu;

/**
 * Names for the files in a ZIP: none leads to another folder, none occurs twice (many systems do not distinguish small
 * and capital letters), and none has a character that some file systems refuse or is the name of a device.
 */
export function namesInZip(names: readonly string[]): string[] {
  const taken = new Set<string>();
  // By name, the next number to try: a thousand files of one name must not take a million tries.
  const next = new Map<string, number>();
  return names.map((name) => {
    const clean = withoutRefused(name)
      .replace(/^\.+|[. ]+$/g, '_')
      .replace(DEVICE, '_$&');
    const dot = clean.lastIndexOf('.');
    const [stem, ending] = dot > 0 ? [clean.slice(0, dot), clean.slice(dot)] : [clean, ''];
    const key = clean.toLowerCase();
    let free = clean;
    let count = next.get(key) ?? 2;
    for (; taken.has(free.toLowerCase()); count += 1) {
      free = `${stem} (${count})${ending}`;
    }
    next.set(key, count);
    taken.add(free.toLowerCase());
    return free;
  });
}
