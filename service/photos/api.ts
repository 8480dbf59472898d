import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Queryable } from '../database/database.js';
import { sendJson } from '../http/responses.js';
import type { BearerCheck, Caller } from '../oauth/bearer.js';
import type { Scope } from '../oauth/scopes.js';
import { notFound, refusal, sendEarly } from '../uploads/early-answers.js';
import type { Bounded } from '../uploads/once-at-a-time.js';
import type { ListedUpload } from '../uploads/stored-upload.js';
import type { EarlyAnswer } from '../uploads/upload-body.js';
import { toListed } from '../uploads/upload-list.js';
import { LISTED, toListedUpload, type UploadRow } from '../uploads/upload-rows.js';
import type { UploadStorage } from '../uploads/upload-storage.js';
import { sendFile } from './send-file.js';

export interface PhotoApiParts {
  readonly bearer: BearerCheck;
  readonly database: Queryable;
  readonly store: Pick<UploadStorage, 'readRange'>;
  /** Counts by person, together with the downloads of the pages. */
  readonly open: Bounded;
}

const TOO_MANY_OPEN: EarlyAnswer = {
  status: 429,
  error: 'too_many_requests',
  description: 'too many downloads of yours are open; let some of them end first',
  headers: { 'Retry-After': '5' },
};

/** What programs are told of one upload that has arrived: what is known of it, and its bytes. */
export class PhotoApi {
  constructor(private readonly parts: PhotoApiParts) {}

  /**
   * Answers `GET /api/v1/uploads/{id}` as the list shows it. With `uploads:read` it may be any of the person's in the
   * workspace, else one of the same app.
   */
  async one(request: IncomingMessage, response: ServerResponse, id: string): Promise<void> {
    const upload = await this.find(request, response, id, ['uploads:write', 'uploads:read']);
    if (upload !== undefined) {
      sendJson(response, 200, toListed(upload));
    }
  }

  /** Answers `GET /api/v1/uploads/{id}/content` with the bytes. */
  async content(request: IncomingMessage, response: ServerResponse, id: string): Promise<void> {
    const upload = await this.find(request, response, id, ['uploads:content']);
    const { sha256 } = upload ?? {};
    if (upload === undefined || sha256 === undefined) {
      return;
    }
    const hadPlace = await this.parts.open.run(upload.accountId, () =>
      sendFile(this.parts.store, { ...upload, sha256 }, request, response),
    );
    if (!hadPlace) {
      sendEarly(response, TOO_MANY_OPEN);
    }
  }

  /** The upload, when the caller may have it; else the answer has been given. */
  private async find(
    request: IncomingMessage,
    response: ServerResponse,
    id: string,
    scopes: readonly Scope[],
  ): Promise<(ListedUpload & { accountId: string }) | undefined> {
    const result = await this.parts.bearer.check(request.headers.authorization, scopes);
    if ('challenge' in result) {
      sendEarly(response, refusal(result.challenge));
      return undefined;
    }
    const isOfApp = !result.caller.scopes.has('uploads:read') && scopes.includes('uploads:read');
    const found = await this.findOf(result.caller, id, isOfApp);
    if (found === undefined) {
      sendEarly(response, notFound());
      return undefined;
    }
    return { ...found, accountId: result.caller.accountId };
  }

  /** One of the person's uploads in the workspace that has arrived and is not in the trash. */
  private async findOf(
    { accountId, workspaceId, clientId }: Caller,
    id: string,
    isOfApp: boolean,
  ): Promise<ListedUpload | undefined> {
    const [row] = await this.parts.database.query<UploadRow>(
      `SELECT ${LISTED} FROM uploads
        WHERE id = $1 AND account_id = $2 AND workspace_id = $3 AND finished_at IS NOT NULL
          AND trashed_at IS NULL ${isOfApp ? 'AND client_id = $4' : ''}`,
      [id, accountId, workspaceId, ...(isOfApp ? [clientId] : [])],
    );
    return row && { ...toListedUpload(row), createdAt: row.created_at };
  }
}
