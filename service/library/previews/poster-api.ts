import { sendApiError, type ApiError } from '../../kernel/http/api-error.js';
import { permit } from '../../kernel/http/permission.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendStatus } from '../../kernel/http/responses.js';
import type { Route } from '../../kernel/http/router.js';
import { tokenPermission, type BearerCheck, type Principal } from '../../oauth/index.js';
import { uploadPosterPath } from '../../site/addresses/upload-paths.js';
import { HEAD_BYTES, notFound, type UploadStorage } from '../uploads/index.js';
import { mediaTypeIn } from './media-type.js';
import type { ThumbnailTable } from './thumbnail-table.js';
import type { ThumbnailWorker } from './thumbnail-worker.js';

/** The longest poster that an app may send, in bytes. */
const MAX_POSTER_BYTES = 512 * 1024;

const POSTER_TYPES: ReadonlySet<string | undefined> = new Set(['image/jpeg', 'image/png']);

export interface PosterDeps {
  readonly bearer: BearerCheck;
  readonly store: Pick<UploadStorage, 'writePreview'>;
  readonly table: Pick<ThumbnailTable, 'findForPoster' | 'claimPoster' | 'recordPoster'>;
  readonly thumbnailWorker: Pick<ThumbnailWorker, 'enqueue'>;
  readonly now: () => Date;
}

const NO_PICTURE: ApiError = {
  status: 415,
  error: 'unsupported_media_type',
  description: 'a poster is a JPEG or a PNG',
};
const NOT_TAKEN: ApiError = {
  status: 409,
  error: 'poster_not_taken',
  description: 'the file is no film, or it has a poster already',
};

/** The request with which an app sends the picture of a film that it has uploaded. */
export function posterRoutes(deps: PosterDeps): Route[] {
  return [
    {
      path: uploadPosterPath(':id'),
      kind: 'api',
      maxBodyBytes: MAX_POSTER_BYTES,
      handlers: permit(tokenPermission(deps.bearer, ['uploads:write']), {
        PUT: (context, caller) => receive(deps, context, caller),
      }),
    },
  ];
}

/** Answers `PUT /api/v1/uploads/{id}/poster`. The picture is only stored: the picture process reads it, with the film. */
async function receive(
  { store, table, thumbnailWorker, now }: PosterDeps,
  { response, body, id }: BufferedContext,
  caller: Principal,
): Promise<void> {
  if (!POSTER_TYPES.has(mediaTypeIn(body.subarray(0, HEAD_BYTES)))) {
    sendApiError(response, NO_PICTURE);
    return;
  }
  const file = await table.findForPoster(id, caller);
  if (file === undefined) {
    sendApiError(response, notFound());
    return;
  }
  const claimedAt = now();
  if (!file.takesPoster || !(await table.claimPoster(id, claimedAt))) {
    sendApiError(response, NOT_TAKEN);
    return;
  }
  await store.writePreview(id, body, 'poster');
  if (!(await table.recordPoster(id, body.length, claimedAt))) {
    sendApiError(response, NOT_TAKEN);
    return;
  }
  thumbnailWorker.enqueue({ id, workspaceId: caller.workspaceId });
  sendStatus(response, 204);
}
