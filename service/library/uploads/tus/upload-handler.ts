import { ERRORS, Server, type Locker, type Upload } from '@tus/server';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { unavailability, UnknownOutcomeError } from '../../../kernel/errors.js';
import { EXPOSED_HEADERS } from '../../../kernel/http/cors.js';
import { sendApiError, type ApiError } from '../../../kernel/http/api-error.js';
import type { RequestContext } from '../../../kernel/http/request/request-context.js';
import { uploadPath } from '../../../site/addresses/upload-paths.js';
import { UPLOADS_PATH } from '../../../kernel/http/tus-headers.js';
import { lineAbout, type Log } from '../../../kernel/log.js';
import { refusal, type BearerCheck, type Principal } from '../../../oauth/index.js';
import type { Scope } from '../../../identity/index.js';
import { CheckedStore } from './checked-store.js';
import { Creation, type CreationDeps } from './creation.js';
import { writeReprDigest } from '../digests.js';
import { DISK_FULL, notFound } from '../upload-errors.js';
import { isDiskFull } from '../storage/disk-space.js';
import type { Outcome } from './finalize.js';
import { answerKnown } from '../known-uploads.js';
import { ConcurrencyLimit } from '../../../kernel/single-flight.js';
import { TusError } from '../tus-error.js';
import { handleTus, sendTusAnswer } from './tus-bridge.js';
import { UploadBody } from './upload-body.js';
import { mayComplete, readTusHeaders, type TusHeaders } from './upload-request.js';
import type { PhotoVersion } from '../repository/upload-repository.js';
import type { StoredUpload } from '../upload.js';
import { watchUpload } from './upload-watchdog.js';

/** Largest file accepted, in bytes: 5 GiB. */
const MAX_UPLOAD_BYTES = 5 * 1024 ** 3;

const TOO_MANY_OPEN: ApiError = {
  status: 429,
  error: 'too_many_requests',
  description: 'too many of your requests are open; wait until some of them end',
  headers: { 'Retry-After': '1' },
};

const FINISHED_STAYS: ApiError = {
  status: 403,
  error: 'access_denied',
  description: 'a completed upload cannot be removed with DELETE',
};

/** The scope for a creation that names a project. */
const PROJECT_SCOPE: Scope = 'projects:write';

/** How long a request may continue after it was requested to release an upload, in milliseconds. */
const LOCK_DRAIN_MS = 250;

/** Common options of all tus servers. */
const TUS_OPTIONS = {
  path: UPLOADS_PATH,
  lockDrainTimeout: LOCK_DRAIN_MS,
  maxSize: MAX_UPLOAD_BYTES,
  relativeLocation: true,
  disableTerminationForFinishedUploads: true,
  exposedHeaders: [...EXPOSED_HEADERS],
  allowedHeaders: ['Repr-Digest'],
};

/** An upload counts as active for at least this long after its creation, see `markActive` in upload-repository.ts. */
const ACTIVE_STEP_MS = 3_600_000;

/** How many requests about uploads one user may have open in this process. The plugin has a few. */
const MAX_OPEN_REQUESTS = 64;

export interface UploadHandlerDeps extends CreationDeps {
  readonly bearer: BearerCheck;
  readonly locks: Locker;
  /** How often the permission of a long request is checked again, in seconds. */
  readonly recheckSeconds: number;
  /** How long the sender of a file may be silent in the middle of a request. */
  readonly idleSeconds: number;
  /** The `Link` to the page of a finished upload. */
  readonly linkToPage: (id: string) => string;
  readonly log: Log;
}

/** The request context for the hooks of the tus server. */
interface HookContext {
  readonly caller: Principal;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly headers: TusHeaders;
  /** The one upload that this request may work on: its own, or the one that it creates. */
  readonly id: string;
  /** The upload as it was at the beginning, unless the request creates it. */
  readonly upload: StoredUpload | undefined;
}

/**
 * `/api/v1/uploads`: resumable uploads by tus 1.0.0, and the check which of some files are known. An app can access
 * only its own uploads, for this user, in the token's workspace.
 */
export class UploadHandler {
  private readonly creation: Creation;
  private readonly open = new ConcurrencyLimit(MAX_OPEN_REQUESTS);

  constructor(private readonly deps: UploadHandlerDeps) {
    this.creation = new Creation(deps);
  }

  /** Answers OPTIONS with the tus server's capabilities. */
  async options({ request, response, method }: RequestContext): Promise<void> {
    const tus = new Server({ ...TUS_OPTIONS, datastore: this.deps.store });
    await sendTusAnswer(response, await handleTus(tus, request, { method }));
  }

  /** Answers `POST /api/v1/uploads/known`. */
  async known({ request, response }: RequestContext, caller: Principal): Promise<void> {
    await this.limited(caller, response, () =>
      answerKnown(this.deps.uploads, caller, request, response),
    );
  }

  /**
   * Answers a request of tus: creates an upload, returns its offset, receives bytes for it, or removes it.
   * @param path where the uploads are for the caller.
   */
  async upload(context: RequestContext, caller: Principal, path: string): Promise<void> {
    await this.limited(caller, context.response, () => this.work(context, caller, path));
  }

  /** Does the work of a request, unless the user has too many requests open. */
  private async limited(
    caller: Principal,
    response: ServerResponse,
    work: () => Promise<void>,
  ): Promise<void> {
    if (!(await this.open.run(caller.accountId, work))) {
      sendApiError(response, TOO_MANY_OPEN);
    }
  }

  private async work(
    { request, response, method, requestId, id: wanted }: RequestContext,
    caller: Principal,
    path: string,
  ): Promise<void> {
    const upload = wanted === '' ? undefined : await this.findOwn(caller, wanted);
    if (wanted !== '' && upload === undefined) {
      sendApiError(response, notFound());
      return;
    }
    const headers = await this.prepare(request, method, caller, upload);
    if ('status' in headers) {
      sendApiError(response, headers);
      return;
    }
    const takesBytes = method === 'POST' || method === 'PATCH';
    const body = takesBytes ? new UploadBody(request, this.deps.idleSeconds * 1000) : undefined;
    const stopWatching = body === undefined ? undefined : watchUpload(body, caller, this.deps);
    const id = upload?.id ?? randomUUID();
    const tus = this.serverFor({ caller, response, requestId, headers, id, upload });
    let answer: Response;
    try {
      answer = await handleTus(tus, request, {
        method,
        ...(upload !== undefined && { id: upload.id }),
        body,
      });
    } finally {
      stopWatching?.();
      body?.end();
    }
    if (path !== UPLOADS_PATH) {
      answerAt(path, response, answer);
    }
    if (body?.stoppedFor !== undefined) {
      sendApiError(response, body.stoppedFor);
    } else if (method === 'HEAD' && upload !== undefined && answer.ok) {
      await this.answerHead(upload, response, answer);
    } else {
      await sendTusAnswer(response, answer);
    }
  }

  /** A tus server for one request. Its hooks and its store work only for this request and its upload. */
  private serverFor(context: HookContext): Server {
    let { upload } = context;
    return new Server({
      ...TUS_OPTIONS,
      datastore: new CheckedStore(this.deps.store, context.id, (offset) =>
        this.storeExpectedDigests(context, offset),
      ),
      locker: this.deps.locks,
      namingFunction: () => context.id,
      getFileIdFromRequest: () => context.id,
      onUploadCreate: async (_request, sent) => {
        upload = await this.accept(context, sent);
        return {};
      },
      onUploadFinish: () => this.finish(context.id, upload),
      onResponseError: (_request, error) => this.explain(context, error),
    });
  }

  /**
   * Answers HEAD. A client that reads that all bytes are here takes the upload for finished, so it is finished before
   * the answer goes out. This comes after the offset was read: the last bytes may have been received while this request
   * waited for the lock.
   */
  private async answerHead(
    upload: StoredUpload,
    response: ServerResponse,
    answer: Response,
  ): Promise<void> {
    const outcome = isComplete(answer) ? await this.deps.finishing.finish(upload.id) : undefined;
    if (outcome?.state === 'rejected' || outcome?.state === 'missing') {
      sendApiError(response, notFound());
      return;
    }
    setHeaders(response, await this.headersOf(upload.id, outcome));
    // The tus server would encode the values again from text, but not all of them are text.
    const metadata = upload.metadataHeader ?? answer.headers.get('Upload-Metadata') ?? '';
    answer.headers.delete('Upload-Metadata');
    if (metadata !== '') {
      response.setHeader('Upload-Metadata', metadata);
    }
    await sendTusAnswer(response, answer);
  }

  /** Checks the request before the work begins; returns the error if it is refused. */
  private async prepare(
    request: IncomingMessage,
    method: string,
    caller: Principal,
    upload: StoredUpload | undefined,
  ): Promise<TusHeaders | ApiError> {
    const headers = readTusHeaders(request, method);
    if ('status' in headers) {
      return headers;
    }
    if (upload === undefined) {
      const isAllowed = !headers.namesProject || caller.scopes.has(PROJECT_SCOPE);
      return isAllowed ? headers : refusal(this.deps.bearer.insufficientScope(PROJECT_SCOPE));
    }
    if (method === 'DELETE' && upload.finishedAt !== undefined) {
      return FINISHED_STAYS;
    }
    if (method === 'PATCH') {
      if (!(await this.deps.space.hasRoomFor(headers.contentLength ?? 0))) {
        return DISK_FULL;
      }
      // Before the first byte is written, so that the cleanup does not treat the upload as abandoned.
      if (this.deps.now().getTime() - upload.createdAt.getTime() >= ACTIVE_STEP_MS) {
        await this.deps.uploads.markActive(upload.id, this.deps.now());
      }
    }
    return headers;
  }

  /**
   * Notes the digests that the sender of the last bytes announces for the whole upload. They are kept in the row, so
   * that the process that finishes the upload has them: another process, or this one after a crash.
   */
  private async storeExpectedDigests(
    { headers, upload, id }: HookContext,
    offset: number,
  ): Promise<void> {
    if (upload === undefined || headers.expected === undefined) {
      return;
    }
    if (mayComplete(headers, offset, upload.size)) {
      await this.deps.uploads.expect(id, headers.expected);
    }
  }

  private async findOwn(caller: Principal, id: string): Promise<StoredUpload | undefined> {
    const record = await this.deps.uploads.find(id);
    const own =
      record?.accountId === caller.accountId &&
      record.workspaceId === caller.workspaceId &&
      record.clientId === caller.clientId;
    return own ? record : undefined;
  }

  /**
   * Creates an upload. If it is there already, the answer is its address and offset, and the bytes that came with the
   * request are ignored.
   * @returns the upload that was created
   * @throws {TusError} 201 when the upload was there already, and when it cannot be created.
   */
  private async accept(
    { caller, response, headers }: HookContext,
    upload: Upload,
  ): Promise<StoredUpload> {
    const result = await this.creation.createOrFind(upload, caller, headers);
    if ('created' in result) {
      return result.created;
    }
    const { found } = result;
    setHeaders(response, {
      Location: uploadPath(found.record.id),
      'Upload-Offset': String(found.offset),
      ...(await this.headersOf(found.record.id, found.outcome)),
    });
    throw new TusError(201, '');
  }

  /**
   * Finishes the upload whose last byte came with the current request.
   * @param upload its row at the beginning of the request, which saves reading it again
   * @throws {TusError} when the received bytes do not match the digest.
   */
  private async finish(
    id: string,
    upload: StoredUpload | undefined,
  ): Promise<{ headers?: Record<string, string> }> {
    const { finishing } = this.deps;
    const outcome = await (upload === undefined
      ? finishing.finish(id)
      : finishing.finishComplete(upload));
    if (outcome.state === 'rejected') {
      throw new TusError(
        460,
        'the received bytes do not match Repr-Digest; create the upload again',
      );
    }
    if (outcome.state === 'missing') {
      throw new TusError(404, 'the upload does not exist');
    }
    return { headers: await this.headersOf(id, outcome) };
  }

  /** The headers for a finished upload: the digests of its bytes, its page, and which version of a photo it is. */
  private async headersOf(
    id: string,
    outcome: Outcome | undefined,
  ): Promise<Record<string, string>> {
    if (outcome?.state !== 'finished') {
      return {};
    }
    const version = outcome.isVersion ? await this.deps.uploads.versionOf(id) : undefined;
    return {
      'Repr-Digest': writeReprDigest(outcome.digests),
      Link: this.deps.linkToPage(id),
      ...(version !== undefined && { 'Photo-Version': writeVersion(version) }),
    };
  }

  /** Keeps the texts of unexpected errors, which may name files, out of the answer. */
  private explain(
    { response, requestId }: HookContext,
    error: Error | { status_code: number; body: string },
  ): TusError | undefined {
    if ('status_code' in error) {
      // All bytes are here, and the upload is about to be finished.
      return error.body === ERRORS.INVALID_TERMINATION.body
        ? new TusError(FINISHED_STAYS.status, FINISHED_STAYS.description)
        : undefined;
    }
    if (isDiskFull(error)) {
      return new TusError(DISK_FULL.status, DISK_FULL.description);
    }
    this.report(requestId, error);
    if (error instanceof UnknownOutcomeError) {
      // The client must not take any response for the outcome.
      response.destroy();
    }
    if (unavailability(error) !== undefined) {
      return new TusError(503, 'the service is busy; try again');
    }
    return new TusError(500, 'the service failed');
  }

  private report(requestId: string, error: unknown): void {
    this.deps.log({
      time: new Date().toISOString(),
      level: 'error',
      event: 'server_error',
      requestId,
      message: lineAbout(error),
    });
  }
}

/**
 * `Photo-Version: 2; of=%"Harbour.jpg"`: an integer, with a display string
 * ([RFC 9651 §3.3.8](https://www.rfc-editor.org/rfc/rfc9651#section-3.3.8)).
 */
function writeVersion({ number, of }: PhotoVersion): string {
  const encoded = of.replace(/[^ !#$&-~]/gu, (character) =>
    Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  );
  return `${number}; of=%"${encoded}"`;
}

/** Makes an answer one for scripts of our own origin, with addresses below this path. */
function answerAt(path: string, response: ServerResponse, { headers }: Response): void {
  const given = headers.get('Location') ?? response.getHeader('Location')?.toString();
  if (given?.startsWith(`${UPLOADS_PATH}/`) === true) {
    headers.delete('Location');
    response.setHeader('Location', path + given.slice(UPLOADS_PATH.length));
  }
  for (const name of [...headers.keys()].filter((one) => one.startsWith('access-control-'))) {
    headers.delete(name);
  }
}

function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, value);
  }
}

/** Whether the response to HEAD reports all bytes. */
function isComplete({ headers }: Response): boolean {
  const offset = headers.get('upload-offset');
  return offset !== null && offset === headers.get('upload-length');
}
