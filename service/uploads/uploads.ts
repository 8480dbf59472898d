import { Server } from '@tus/server';
import type { Locker, Upload } from '@tus/server';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { EXPOSED_HEADERS } from '../http/cors.js';
import { sendError, sendJson } from '../http/responses.js';
import { describe } from '../http/router.js';
import type { Log } from '../log.js';
import type { BearerCheck, Caller } from '../oauth/bearer.js';
import type { Scope } from '../oauth/scopes.js';
import { readMetadata } from './metadata.js';
import { TusAnswer } from './tus-answer.js';
import type { UploadRecord, UploadRecords } from './upload-records.js';
import type { UploadStorage } from './upload-storage.js';

const PATH = '/api/v1/uploads';

/** Largest file accepted, in bytes: 5 GiB. */
const MAX_UPLOAD_BYTES = 5 * 1024 ** 3;

/** How long a request that was asked to let go of an upload may go on, in milliseconds. */
const LOCK_DRAIN_MS = 250;

export interface UploadsParts {
  readonly bearer: BearerCheck;
  readonly records: UploadRecords;
  readonly store: UploadStorage;
  readonly locks: Locker;
  readonly log: Log;
  readonly now: () => Date;
}

/** What the hooks of the tus server need to know about the request they work for. */
interface RequestContext {
  readonly caller: Caller;
  readonly response: ServerResponse;
  readonly requestId: string;
}

/**
 * `/api/v1/uploads`: resumable uploads by tus 1.0.0 (creation, creation-with-upload, termination)
 * and the list of what arrived. Everybody sees their own uploads in the token's workspace only.
 */
export class Uploads {
  private readonly parts: UploadsParts;
  private readonly tus: Server;
  private readonly context = new AsyncLocalStorage<RequestContext>();

  constructor(parts: UploadsParts) {
    this.parts = parts;
    this.tus = new Server({
      path: PATH,
      datastore: parts.store,
      locker: parts.locks,
      lockDrainTimeout: LOCK_DRAIN_MS,
      maxSize: MAX_UPLOAD_BYTES,
      relativeLocation: true,
      disableTerminationForFinishedUploads: true,
      exposedHeaders: [...EXPOSED_HEADERS],
      namingFunction: () => randomUUID(),
      onUploadCreate: (_request, upload) => this.accept(upload),
      onUploadFinish: async (_request, upload) => {
        await this.finish(upload.id);
        return {};
      },
      onResponseError: (_request, error) => this.explain(error),
    });
  }

  /** Finishes uploads whose last byte arrived just before the service died. Call once at start. */
  async recover(): Promise<void> {
    for (const record of await this.parts.records.unfinished()) {
      await this.parts.store.finishIfComplete(record);
    }
  }

  /** Removes unfinished uploads for which nothing has come in since `before`, bytes and all. */
  async removeAbandoned(before: Date): Promise<void> {
    for (const id of await this.parts.records.removeAbandoned(before)) {
      await this.parts.store.discard(id);
    }
  }

  /** Answers a request to the collection (`id` undefined) or to one upload. */
  async handle(
    request: IncomingMessage,
    response: ServerResponse,
    { id, requestId }: { id: string | undefined; requestId: string },
  ): Promise<void> {
    const method = request.method ?? '';
    if (method === 'OPTIONS') {
      await this.tus.handle(request, response);
      return;
    }
    const allowed = id === undefined ? ['GET', 'POST'] : ['HEAD', 'PATCH', 'DELETE'];
    if (!allowed.includes(method)) {
      response.setHeader('Allow', [...allowed, 'OPTIONS'].join(', '));
      sendError(response, 405, 'method_not_allowed', `use ${allowed.join(', ')}`);
      return;
    }
    const scopes: Scope[] =
      method === 'GET' ? ['uploads:write', 'uploads:read'] : ['uploads:write'];
    const result = await this.parts.bearer.check(request.headers.authorization, scopes);
    if ('challenge' in result) {
      const { status, header, error, description } = result.challenge;
      response.setHeader('WWW-Authenticate', header);
      sendError(response, status, error, description);
      return;
    }
    if (method === 'GET') {
      await this.list(result.caller, response);
      return;
    }
    if (id !== undefined) {
      const record = await this.findOwn(result.caller, id);
      if (record === undefined) {
        sendError(response, 404, 'not_found', 'there is no such upload');
        return;
      }
      // Before the first byte is written, so that the upload is not taken for abandoned meanwhile.
      if (method === 'PATCH') await this.parts.records.markActive(id, this.parts.now());
      if (method === 'HEAD') await this.parts.store.finishIfComplete(record);
    }
    await this.context.run({ caller: result.caller, response, requestId }, () =>
      this.tus.handle(request, response),
    );
  }

  private async list(caller: Caller, response: ServerResponse): Promise<void> {
    const records = await this.parts.records.finished(caller);
    sendJson(response, 200, { uploads: records.map(toListed) });
  }

  private async findOwn(caller: Caller, id: string): Promise<UploadRecord | undefined> {
    const record = await this.parts.records.find(id);
    const own = record?.accountId === caller.accountId && record.workspaceId === caller.workspaceId;
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
    if ('problem' in metadata) throw new TusAnswer(400, metadata.problem);
    const size = upload.size ?? 0;
    const { record, added } = await this.parts.records.add({
      id: upload.id,
      accountId: caller.accountId,
      workspaceId: caller.workspaceId,
      clientUploadId: metadata.clientUploadId,
      size,
      name: metadata.name,
      type: metadata.type,
      metadata: upload.metadata ?? {},
      createdAt: this.parts.now(),
    });
    if (added) return {};
    if (record.size !== size) {
      throw new TusAnswer(409, 'this client_upload_id belongs to an upload of another length');
    }
    await this.parts.store.finishIfComplete(record);
    response.setHeader('Location', `${PATH}/${record.id}`);
    response.setHeader('Upload-Offset', String(await this.parts.store.received(record.id)));
    throw new TusAnswer(201, '');
  }

  private async finish(id: string): Promise<void> {
    const record = await this.parts.records.find(id);
    if (record !== undefined) await this.parts.store.finishIfComplete(record);
  }

  /** Keeps the texts of unexpected errors, which may name files, out of the answer. */
  private explain(error: Error | { status_code: number; body: string }): TusAnswer | undefined {
    if ('status_code' in error) return undefined;
    const requestId = this.context.getStore()?.requestId;
    this.parts.log({
      time: new Date().toISOString(),
      level: 'error',
      event: 'server_error',
      ...(requestId !== undefined && { requestId }),
      message: describe(error),
    });
    return new TusAnswer(500, 'something went wrong on our side');
  }

  private requestContext(): RequestContext {
    const context = this.context.getStore();
    if (context === undefined) throw new Error('a tus hook ran outside of a request');
    return context;
  }
}

function toListed(record: UploadRecord): Record<string, unknown> {
  return {
    id: record.id,
    name: record.name,
    size: record.size,
    type: record.type,
    sha256: record.sha256,
    created: record.createdAt.toISOString(),
    client_upload_id: record.clientUploadId ?? null,
  };
}
