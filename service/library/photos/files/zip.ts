import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { sendPage, sendRedirect, type PageTarget } from '../../../kernel/http/responses.js';
import { unavailablePage } from '../../../site/error-pages.js';
import { message } from '../../../kernel/i18n/message.js';
import type { ProjectTable } from '../../projects/index.js';
import type { Patch } from '../../../../packages/image-metadata/patches.js';
import { hasZone, type StoredLocations } from '../../previews/index.js';
import type { UploadStorage } from '../../uploads/index.js';
import type { AuthenticatedRequest, PageHandler } from '../../../identity/index.js';
import { isWholeList, selectedOfList, selectedPhotos } from '../pages/selection.js';
import { pageOfList, withProblem } from '../pages/change-message.js';
import { PHOTOS } from '../../../site/addresses/photo-paths.js';
import {
  permissionOf,
  sendWhilePermitted,
  type Permission,
  type RecheckDeps,
} from './download-permission.js';
import { refuseDownload, type DownloadDeps } from './download.js';
import { photoErrorPage } from '../pages/not-found-page.js';
import type { Photo } from '../data/photo.js';
import { filterOf, readQuery, viewIn } from '../data/photo-query.js';
import type { ListedPhoto } from '../data/photo-table.js';
import { disposition, setFileHeaders } from './send-file.js';
import { patchedStream } from './without-location.js';
import {
  dataDescriptor,
  directoryHeader,
  endOfZip,
  lengthInZip,
  localHeader,
  type ZipEntry,
} from './zip-format.js';
import { nameInZip, withoutRefused } from './zip-names.js';
import type { ZipLimit } from './zip-limit.js';
import { MAX_IN_ZIP, planZip, type ZipNote, type ZipPlan } from './zip-plan.js';

/** How many photos one query reads while a ZIP is sent. */
const BATCH = 100;

/** `Retry-After` when this process sends as many ZIPs as it can, in seconds. */
const RETRY_SECONDS = 10;

/** The dependencies of sending a ZIP. */
export interface SendZipDeps extends RecheckDeps {
  readonly store: Pick<UploadStorage, 'readRange'>;
  readonly zips: ZipLimit;
}

export interface ZipDeps extends DownloadDeps {
  readonly zips: ZipLimit;
  readonly projects: Pick<ProjectTable, 'find'>;
  readonly now: () => Date;
}

/** A ZIP to be sent. */
export interface ZipDownload {
  readonly name: string;
  /** Whom it counts for, see {@link ZipLimit}. */
  readonly owner: string;
  readonly photos: AsyncIterable<readonly ListedPhoto[]> | Iterable<readonly ListedPhoto[]>;
  readonly permission: Permission;
  /** Finds the locations that are removed from the photos; all of them have been searched. */
  readonly locations?: Pick<StoredLocations, 'of'> | undefined;
  readonly note?: ZipNote | undefined;
  /** Called before the first byte is sent. */
  readonly onBegin?: () => Promise<void>;
}

/** Why there is no ZIP: nothing has been sent then. */
export type ZipUnavailable = 'too many' | 'empty';

/** Sends the photos that are ticked in the form as one ZIP. */
export function zipOfSelection(deps: ZipDeps): PageHandler {
  return (context) => sendLimited(deps, context, sendChosen);
}

/** Sends all photos of a list as one ZIP. */
export function zipOfList(deps: ZipDeps): PageHandler {
  return (context) => sendLimited(deps, context, sendAll);
}

/** Sends a ZIP, unless the user has too many downloads open. */
async function sendLimited(
  deps: ZipDeps,
  context: AuthenticatedRequest,
  send: (deps: ZipDeps, context: AuthenticatedRequest) => Promise<void>,
): Promise<void> {
  if (!(await deps.open.run(context.account.id, () => send(deps, context)))) {
    refuseDownload(context);
  }
}

async function sendChosen(deps: ZipDeps, context: AuthenticatedRequest): Promise<void> {
  const { account } = context;
  const query = readQuery(context.query, context.memberships);
  const photos =
    query !== undefined && isWholeList(context)
      ? selectedOfList(deps.photos, query, context)
      : await selectedPhotos(deps.photos, context).then((selected) => selected && [selected]);
  const chosen = {
    name: nameOfDay(deps),
    owner: account.id,
    photos: photos ?? [],
    permission: permissionOf(deps.accounts, account.id),
  };
  const problem = photos === undefined ? 'selectedTooMany' : await sendZip(deps, chosen, context);
  if (problem === 'too many') {
    sendPage(context, 400, photoErrorPage(message('tooManyForZip', { max: MAX_IN_ZIP })));
  } else if (problem !== undefined) {
    const list = query === undefined ? PHOTOS.root : pageOfList(query);
    sendRedirect(context.response, withProblem(list, problem === 'empty' ? 'chooseSome' : problem));
  }
}

/** All photos of the list that the address describes, from its top. */
async function sendAll(deps: ZipDeps, context: AuthenticatedRequest): Promise<void> {
  const { response, account, memberships } = context;
  const query = readQuery(context.query, memberships);
  if (query === undefined) {
    sendPage(context, 404, photoErrorPage(message('noPhotoMatches')));
    return;
  }
  const [view, filter] = [viewIn(query, account.id), filterOf(query)];
  const project = await deps.projects.find(query.project);
  const isHere = project?.workspaceId === query.workspace.id;
  const name = isHere ? fileNameOf(project.name, 'zip') : nameOfDay(deps);
  const problem =
    context.method === 'HEAD'
      ? describeZip(
          await deps.zips.plan(account.id, () => deps.photos.count(view, filter, MAX_IN_ZIP + 1)),
          name,
          response,
        )
      : await sendZip(
          deps,
          {
            name,
            owner: account.id,
            photos: deps.photos.listed(view, filter),
            permission: permissionOf(deps.accounts, account.id),
          },
          context,
        );
  if (problem === 'empty') {
    sendPage(context, 404, photoErrorPage(message('noPhotoMatches')));
  } else if (problem === 'too many') {
    sendPage(context, 400, photoErrorPage(message('tooManyForZip', { max: MAX_IN_ZIP })));
  }
}

function nameOfDay({ now }: ZipDeps): string {
  return `files-${now().toISOString().slice(0, 10)}.zip`;
}

/** The name of a file about a project or a photo. */
export function fileNameOf(name: string, extension: string): string {
  return `${withoutRefused(name)}.${extension}`;
}

/**
 * Answers HEAD, without the length of the ZIP, which only its plan has: making one costs too much for a question
 * ([RFC 9110 §9.3.2](https://www.rfc-editor.org/rfc/rfc9110#section-9.3.2)).
 * @param count how many photos there are.
 * @returns why there is no ZIP; undefined when the answer has been sent.
 */
export function describeZip(
  count: number,
  name: string,
  response: ServerResponse,
): ZipUnavailable | undefined {
  if (count === 0 || count > MAX_IN_ZIP) {
    return count === 0 ? 'empty' : 'too many';
  }
  setZipHeaders(response, name);
  response.end();
  return undefined;
}

/**
 * Sends photos as one ZIP. Photos are compressed already, so they are stored without compression; one is read at a
 * time, as fast as the client takes it. The connection is cut soon after the permission for a photo has ended that is
 * not sent yet.
 * @returns why there is no ZIP; undefined when the answer has been sent.
 */
export async function sendZip(
  deps: SendZipDeps,
  download: ZipDownload,
  context: PageTarget,
): Promise<ZipUnavailable | undefined> {
  const { response } = context;
  let problem: ZipUnavailable | undefined;
  const isAllowed = await deps.zips.run(download.owner, async () => {
    const plan = await deps.zips.plan(download.owner, () =>
      planZip(download.photos, download.note),
    );
    if (plan === undefined || plan.ids.length === 0) {
      problem = plan === undefined ? 'too many' : 'empty';
      return;
    }
    await download.onBegin?.();
    setZipHeaders(response, download.name);
    response.setHeader('Content-Length', String(plan.length));
    await new Sending(deps, plan, download).send(response);
  });
  if (!isAllowed) {
    response.setHeader('Retry-After', String(RETRY_SECONDS));
    sendPage(context, 503, unavailablePage());
  }
  return problem;
}

function setZipHeaders(response: ServerResponse, name: string): void {
  setFileHeaders(response);
  response.setHeader('Content-Type', 'application/zip');
  response.setHeader('Content-Disposition', disposition(name));
}

/** When a picture was taken, if its file has the zone, too; else when it was uploaded: both are moments. */
function timeOf({ capturedAt = '', takenAt, uploadedAt }: Photo): Date {
  return hasZone(capturedAt) ? takenAt : uploadedAt;
}

/** One ZIP that is being sent. */
class Sending {
  private readonly checksums: Uint32Array;
  /** The permitted photos that are not sent yet. */
  private due: readonly string[] = [];
  private readonly beganAt = new Date();

  constructor(
    private readonly deps: SendZipDeps,
    private readonly plan: ZipPlan,
    private readonly zip: Pick<ZipDownload, 'permission' | 'locations'>,
  ) {
    this.checksums = new Uint32Array(plan.ids.length);
  }

  async send(response: ServerResponse): Promise<void> {
    const stillMay = async (): Promise<boolean> => (await this.permitted(this.due)) !== undefined;
    await sendWhilePermitted(response, this.deps.recheckSeconds, stillMay, () =>
      // A stream that is piped: `RequestLimit` gives the place of the request back then.
      pipeline(Readable.from(this.bytes(response), { objectMode: false }), response),
    );
  }

  private async *bytes(response: ServerResponse): AsyncGenerator<Uint8Array> {
    const { ids } = this.plan;
    for (let start = 0; start < ids.length; start += BATCH) {
      this.due = ids.slice(start, start + BATCH);
      const photos = await this.permitted(this.due);
      if (photos === undefined) {
        // The part that was sent must not look like a complete ZIP.
        response.destroy();
        return;
      }
      for (const [index, photo] of photos.entries()) {
        yield* this.file(photo, start + index);
        this.due = this.due.slice(1);
      }
    }
    yield* this.note();
    yield* this.directory();
  }

  /** These photos; undefined when they may not be sent, or one of them is gone. */
  private async permitted(ids: readonly string[]): Promise<Photo[] | undefined> {
    const photos = await this.deps.photos.several(ids);
    const may = photos.length === ids.length && (await this.zip.permission(photos));
    return may ? photos : undefined;
  }

  private async *file(photo: Photo, index: number): AsyncGenerator<Uint8Array> {
    const entry = this.entryOf(photo, index);
    yield localHeader(entry);
    let checksum = 0;
    if (photo.size > 0) {
      const patches = await this.patchesOf(photo);
      // Leaving the loop early destroys the stream.
      const bytes = await this.deps.store.readRange(photo.id, { start: 0, end: photo.size - 1 });
      for await (const chunk of patchedStream(bytes, 0, patches)) {
        checksum = crc32(chunk, checksum);
        yield chunk;
      }
    }
    this.checksums[index] = checksum;
    yield dataDescriptor(entry, checksum);
  }

  private async patchesOf({ id }: Photo): Promise<readonly Patch[]> {
    const location = await this.zip.locations?.of(id);
    if (location !== undefined && location.kind !== 'searched') {
      throw new Error(`the location in ${id} has to be searched again`);
    }
    return location?.patches ?? [];
  }

  private *note(): Generator<Buffer> {
    const { note } = this.plan;
    if (note !== undefined) {
      const entry = this.entryOfNote(note);
      yield localHeader(entry);
      yield note.bytes;
      yield dataDescriptor(entry, crc32(note.bytes));
    }
  }

  /** The end of the ZIP, after the files. Photos moved to the trash after they were sent stay in the ZIP. */
  private async *directory(): AsyncGenerator<Buffer> {
    const { ids } = this.plan;
    let offset = 0;
    let length = 0;
    for (let start = 0; start < ids.length; start += BATCH) {
      const photos = await this.deps.photos.several(ids.slice(start, start + BATCH));
      const headers = photos.map((photo, at) => {
        const index = start + at;
        const entry = this.entryOf(photo, index);
        const header = directoryHeader(entry, this.checksums[index] ?? 0, offset);
        offset += lengthInZip(Buffer.byteLength(entry.name), entry.size);
        length += header.length;
        return header;
      });
      yield Buffer.concat(headers);
      await nextTurn();
    }
    const { note } = this.plan;
    if (note !== undefined) {
      const entry = this.entryOfNote(note);
      const header = directoryHeader(entry, crc32(note.bytes), offset);
      offset += lengthInZip(Buffer.byteLength(entry.name), entry.size);
      length += header.length;
      yield header;
    }
    yield endOfZip({ entries: ids.length + (note === undefined ? 0 : 1), offset, length });
  }

  private entryOfNote({ name, bytes }: ZipNote): ZipEntry {
    return { name, size: bytes.length, modifiedAt: this.beganAt };
  }

  private entryOf(photo: Photo, index: number): ZipEntry {
    const number = this.plan.numbers[index] ?? 1;
    return { name: nameInZip(photo.name, number), size: photo.size, modifiedAt: timeOf(photo) };
  }
}
