import { Server, type Locker, type Upload } from '@tus/server';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { unavailability } from '../errors.js';
import { EXPOSED_HEADERS } from '../http/cors.js';
import { sendError } from '../http/responses.js';

import { lineAbout, type Log } from '../log.js';
import type { BearerCheck, Caller } from '../oauth/bearer.js';
import type { Scope } from '../oauth/scopes.js';
import { CheckedStore } from './checked-store.js';
import { DISK_FULL, noRoom, notFound, refusal, sendEarly } from './early-answers.js';
import { isDiskFull, type DiskSpace } from './disk-space.js';
import { answerList } from './list-answer.js';
import { metadataProblem, readMetadata } from './metadata.js';
import { Bounded, OnceAtATime } from './once-at-a-time.js';
import { TusAnswer } from './tus-answer.js';
import { askTus, sendTusAnswer } from './tus-exchange.js';
import { readUploadTarget, uploadPath, UPLOADS_PATH, type UploadTarget } from './upload-address.js';
import { UploadBody, type EarlyAnswer } from './upload-body.js';
import type { NewUpload, StoredUpload } from './stored-upload.js';
import type { RoomLimits, UploadTable } from './upload-table.js';
import { watch } from './watched-body.js';
import type { UploadStorage } from './upload-storage.js';

/** Largest file accepted, in bytes: 5 GiB. */
const MAX_UPLOAD_BYTES = 5 * 1024 ** 3;

const TOO_MANY_OPEN: EarlyAnswer = {
  status: 429,
  error: 'too_many_requests',
  description: 'too many requests of yours are open; let some of them end first',
  headers: { 'Retry-After': '1' },
};

/** How long a request that was asked to let go of an upload may go on, in milliseconds. */
const LOCK_DRAIN_MS = 250;

/** How many requests about uploads one person may have open in this process. The plugin has a few. */
const MAX_OPEN_REQUESTS = 64;

export interface UploadsParts {
  readonly bearer: BearerCheck;
  readonly uploads: UploadTable;
  readonly store: UploadStorage;
  readonly locks: Locker;
  readonly space: DiskSpace;
  readonly limits: RoomLimits;
  /** How often the permission of a long request is looked at, in seconds. */
  readonly recheckSeconds: number;
  /** How long the sender of a file may say nothing in the middle of a request. */
  readonly idleSeconds: number;
  readonly log: Log;
  readonly now: () => Date;
}

/** What a person's request is about. */
interface Job {
  readonly target: UploadTarget;
  readonly caller: Caller;
  readonly requestId: string;
}

/** What the hooks of the tus server need to know about the request they work for. */
interface RequestContext {
  readonly caller: Caller;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** The one upload that this request may work on: its own, or the one that it creates. */
  readonly id: string;
}

/**
 * `/api/v1/uploads`: resumable uploads by tus 1.0.0 (creation, creation-with-upload, termination)
 * and the list of what arrived. Apps work on what they uploaded for this person in the token's workspace only.
 */
export class Uploads {
  private readonly tus: Server;
  private readonly context = new AsyncLocalStorage<RequestContext>();
  private readonly finishing = new OnceAtATime();
  private readonly open = new Bounded(MAX_OPEN_REQUESTS);

  constructor(private readonly parts: UploadsParts) {
    this.tus = new Server({
      path: UPLOADS_PATH,
      datastore: new CheckedStore(parts.store, () => this.context.getStore()?.id),
      locker: parts.locks,
      lockDrainTimeout: LOCK_DRAIN_MS,
      maxSize: MAX_UPLOAD_BYTES,
      relativeLocation: true,
      disableTerminationForFinishedUploads: true,
      exposedHeaders: [...EXPOSED_HEADERS],
      namingFunction: () => this.requestContext().id,
      getFileIdFromRequest: () => this.context.getStore()?.id,
      onUploadCreate: (_request, upload) => this.accept(upload),
      onUploadFinish: async () => {
        await this.finish(this.requestContext().id);
        return {};
      },
      onResponseError: (_request, error) => this.explain(error),
    });
  }

  /** Answers a request whose target, as it came, is at or below `/api/v1/uploads`, with a method of the route table. */
  async handle(
    request: IncomingMessage,
    response: ServerResponse,
    about: { target: string; requestId: string },
  ): Promise<void> {
    const method = request.method ?? '';
    const target = readUploadTarget(about.target);
    const hasQuery = target?.kind === 'collection' && target.query !== undefined;
    const isList = target?.kind === 'collection' && (method === 'GET' || method === 'HEAD');
    if (target === undefined || (hasQuery && !isList)) {
      sendError(response, 404, 'not_found', 'there is nothing at this address');
      return;
    }
    if (method === 'OPTIONS') {
      await sendTusAnswer(response, await askTus(this.tus, request, undefined, undefined));
      return;
    }
    const scopes: Scope[] = isList ? ['uploads:write', 'uploads:read'] : ['uploads:write'];
    const result = await this.parts.bearer.check(request.headers.authorization, scopes);
    if ('challenge' in result) {
      sendEarly(response, refusal(result.challenge));
      return;
    }
    if (isList) {
      await answerList(this.parts.uploads, result.caller, target.query, response);
      return;
    }
    const job = { target, caller: result.caller, requestId: about.requestId };
    await this.inTurn(request, response, job);
  }

  /** Does one piece of work, unless the person has too much open. */
  private async inTurn(
    request: IncomingMessage,
    response: ServerResponse,
    job: Job,
  ): Promise<void> {
    const leave = this.open.enter(job.caller.accountId);
    if (leave === undefined) {
      sendEarly(response, TOO_MANY_OPEN);
      return;
    }
    try {
      await this.work(request, response, job);
    } finally {
      leave();
    }
  }

  /** Does what tus is for: creates an upload, tells its offset, takes bytes for it, or removes it. */
  private async work(request: IncomingMessage, response: ServerResponse, job: Job): Promise<void> {
    const { target, caller, requestId } = job;
    const refused = await this.refusalOf(request, job);
    if (refused !== undefined) {
      sendEarly(response, refused);
      return;
    }
    const given = target.kind === 'upload' ? target.id : undefined;
    const takesBytes = request.method === 'POST' || request.method === 'PATCH';
    const body = takesBytes ? new UploadBody(request, this.parts.idleSeconds * 1000) : undefined;
    const stopWatching = body === undefined ? undefined : watch(body, caller, this.parts);
    let answer: Response;
    try {
      answer = await this.context.run(
        { caller, response, requestId, id: given ?? randomUUID() },
        () => askTus(this.tus, request, given, body),
      );
      // Only then, as the bytes may have come to their end while this request waited for its turn: who reads that
      // all bytes are here believes that the upload is finished.
      if (request.method === 'HEAD' && isComplete(answer)) {
        await this.finish(given);
      }
    } finally {
      stopWatching?.();
      body?.end();
    }
    if (body?.stoppedFor === undefined) {
      await sendTusAnswer(response, answer);
    } else {
      sendEarly(response, body.stoppedFor);
    }
  }

  /** Why the work cannot be done; nothing when it can. */
  private async refusalOf(
    request: IncomingMessage,
    { target, caller }: Job,
  ): Promise<EarlyAnswer | undefined> {
    if (target.kind === 'upload') {
      const record = await this.findOwn(caller, target.id);
      return record === undefined ? notFound() : this.prepare(request, record);
    }
    const problem = metadataProblem(request.headers['upload-metadata']?.toString());
    return problem === undefined
      ? undefined
      : { status: 400, error: 'invalid_request', description: problem };
  }

  /** What comes before the work on an upload that is there; or why it cannot be done. */
  private async prepare(
    request: IncomingMessage,
    record: StoredUpload,
  ): Promise<EarlyAnswer | undefined> {
    if (request.method !== 'PATCH') {
      return undefined;
    }
    const length = Number(request.headers['content-length'] ?? 0);
    if (!(await this.parts.space.hasRoomFor(length))) {
      return noRoom();
    }
    // Before the first byte is written, so that the upload is not taken for abandoned meanwhile.
    await this.parts.uploads.markActive(record.id, this.parts.now());
    return undefined;
  }

  private async findOwn(caller: Caller, id: string): Promise<StoredUpload | undefined> {
    const record = await this.parts.uploads.find(id);
    const own =
      record?.accountId === caller.accountId &&
      record.workspaceId === caller.workspaceId &&
      record.clientId === caller.clientId;
    return own ? record : undefined;
  }

  /**
   * Accepts a creation that the tus server found to be valid, by writing its row. A creation with
   * a `client_upload_id` that is already there changes nothing and is answered with the address
   * and the offset of the upload that exists.
   */
  private async accept(upload: Upload): Promise<Record<string, never>> {
    const { caller, response } = this.requestContext();
    const metadata = readMetadata(upload.metadata ?? {});
    if ('problem' in metadata) {
      throw new TusAnswer(400, metadata.problem);
    }
    const size = upload.size ?? 0;
    const { record, added } = await this.addOrFind({
      id: upload.id,
      accountId: caller.accountId,
      workspaceId: caller.workspaceId,
      clientId: caller.clientId,
      clientUploadId: metadata.clientUploadId,
      size,
      name: metadata.name,
      type: metadata.type,
      metadata: upload.metadata ?? {},
      createdAt: this.parts.now(),
    });
    if (added) {
      return {};
    }
    if (record.size !== size) {
      throw new TusAnswer(409, 'this client_upload_id belongs to an upload of another length');
    }
    const offset = await this.context.run({ ...this.requestContext(), id: record.id }, async () => {
      const received = await this.parts.store.received(record.id);
      if (received === size) {
        await this.finishIfComplete(record);
      }
      return received;
    });
    response.setHeader('Location', uploadPath(record.id));
    response.setHeader('Upload-Offset', String(offset));
    throw new TusAnswer(201, '');
  }

  /** A disk without room refuses what is new, but not the way back to what is there. */
  private async addOrFind(upload: NewUpload): Promise<{ record: StoredUpload; added: boolean }> {
    const { uploads, space, limits } = this.parts;
    if (await space.hasRoomFor(upload.size)) {
      return uploads.add(upload, limits);
    }
    const record = await uploads.findByClient(upload);
    if (record === undefined) {
      throw new TusAnswer(507, DISK_FULL);
    }
    return { record, added: false };
  }

  private async finish(id: string | undefined): Promise<void> {
    const record = id === undefined ? undefined : await this.parts.uploads.find(id);
    if (record !== undefined) {
      await this.finishIfComplete(record);
    }
  }

  /** Reads the whole file when it is complete, so it runs once, however many ask at the same time. */
  finishIfComplete(record: StoredUpload): Promise<void> {
    return this.finishing.run(record.id, () => this.parts.store.finishIfComplete(record));
  }

  /** Keeps the texts of unexpected errors, which may name files, out of the answer. */
  private explain(error: Error | { status_code: number; body: string }): TusAnswer | undefined {
    if ('status_code' in error) {
      return undefined;
    }
    if (isDiskFull(error)) {
      return new TusAnswer(507, DISK_FULL);
    }
    this.report(error);
    if (unavailability(error) !== undefined) {
      return new TusAnswer(503, 'the service is busy or not complete; try again');
    }
    return new TusAnswer(500, 'something went wrong on our side');
  }

  private report(error: unknown): void {
    const requestId = this.context.getStore()?.requestId;
    this.parts.log({
      time: new Date().toISOString(),
      level: 'error',
      event: 'server_error',
      ...(requestId !== undefined && { requestId }),
      message: lineAbout(error),
    });
  }

  private requestContext(): RequestContext {
    const context = this.context.getStore();
    if (context === undefined) {
      throw new Error('a tus hook ran outside of a request');
    }
    return context;
  }
}

/** Whether an answer to HEAD says that all bytes are here. */
function isComplete({ headers }: Response): boolean {
  const offset = headers.get('upload-offset');
  return offset !== null && offset === headers.get('upload-length');
}
