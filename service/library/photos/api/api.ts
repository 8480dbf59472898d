import { invalid, sendApiError, type ApiError } from '../../../kernel/http/api-error.js';
import type {
  BufferedContext,
  RequestContext,
} from '../../../kernel/http/request/request-context.js';
import { sendJson } from '../../../kernel/http/responses.js';
import type { BearerCheck, Principal } from '../../../oauth/index.js';
import { notFound, type UploadStorage } from '../../uploads/index.js';
import type { ConcurrencyLimit } from '../../../kernel/single-flight.js';
import { listUploads } from './list-uploads.js';
import { sendWhilePermitted } from '../files/download-permission.js';
import {
  filmComments,
  FRAME_RATE_NAMES,
  presentFeedback,
  readMarkerOptions,
  type NoMarkers,
} from '../../feedback/index.js';
import type { ListQueue } from '../../../kernel/rate-limit/list-queue.js';
import { markerFormat, sendMarkers } from '../files/markers.js';
import { sendFile } from '../files/send-file.js';
import {
  presentUpload,
  presentVersion,
  type Purpose,
  type PresentedUpload,
  type UploadApiRepository,
} from './upload-api-repository.js';

export interface PhotoApiDeps {
  readonly bearer: BearerCheck;
  readonly shown: UploadApiRepository;
  readonly lists: ListQueue;
  readonly store: Pick<UploadStorage, 'readRange' | 'directUrl'>;
  /** Limits the open downloads of each user, those of the pages included. */
  readonly open: ConcurrencyLimit;
  /** How often the permission of a long download is checked again, in seconds. */
  readonly recheckSeconds: number;
}

const TOO_MANY_OPEN: ApiError = {
  status: 429,
  error: 'too_many_requests',
  description: 'too many of your downloads are open; wait until some of them end',
  headers: { 'Retry-After': '5' },
};

/** Among how many answers the comments with a time are looked for. */
const MAX_MARKED = 5000;

const MARKER_QUERY: readonly string[] = ['format', 'link', 'state', 'start', 'rate'];

const NO_MARKERS: Readonly<Record<NoMarkers, ApiError>> = {
  film: {
    status: 422,
    error: 'no_film',
    description: 'the upload is no film, or was not read yet',
  },
  'no-rate': {
    status: 422,
    error: 'unknown_frame_rate',
    description: 'the frame rate of the film is not known; choose rate',
  },
  rate: invalid(`rate must be one of ${FRAME_RATE_NAMES.join(', ')}`),
  start: invalid('start must be a time code such as 01:00:00:00, with ; before drop frames'),
};

/** Returns finished uploads to API clients: their list, the description of one, or its bytes. */
export class PhotoApi {
  constructor(private readonly deps: PhotoApiDeps) {}

  /** Answers `GET /api/v1/uploads` with the list of completed uploads. */
  async list({ response, target }: RequestContext, caller: Principal): Promise<void> {
    const { shown, lists } = this.deps;
    await lists.run(caller.accountId, () =>
      listUploads(shown, caller, target.search.slice(1), response),
    );
  }

  /**
   * Answers `GET /api/v1/uploads/{id}`: the upload as the list shows it, with the other versions of its photo and what guests said. With `uploads:read`
   * it may be any upload of the user in the workspace; with `workspace:read` any that the user sees there;
   * otherwise only one of the same app.
   */
  async one(context: RequestContext, caller: Principal): Promise<void> {
    const upload = await this.find(context, caller, 'list');
    if (upload !== undefined) {
      const versions = await this.deps.shown.otherVersions(caller, upload);
      const feedback = await this.deps.shown.feedback(upload);
      sendJson(context.response, 200, {
        ...presentUpload(upload),
        versions: versions.map(presentVersion),
        feedback: feedback.map(presentFeedback),
      });
    }
  }

  /** Answers `GET /api/v1/uploads/{id}/markers` with the comments on a film as a file for editing programs. */
  async markers(context: BufferedContext, caller: Principal): Promise<void> {
    const { response, query, method } = context;
    const upload = await this.find(context, caller, 'list');
    if (upload === undefined) {
      return;
    }
    const format = markerFormat(query.get('format'));
    if (format === undefined || ![...query.keys()].every((name) => MARKER_QUERY.includes(name))) {
      sendApiError(
        response,
        invalid(
          `format must be edl, fcpxml or csv; others are ${MARKER_QUERY.slice(1).join(', ')}`,
        ),
      );
      return;
    }
    const comments = filmComments(
      upload,
      await this.deps.shown.feedback(upload, MAX_MARKED),
      readMarkerOptions(query),
    );
    if (typeof comments === 'string') {
      sendApiError(response, NO_MARKERS[comments]);
    } else {
      sendMarkers(response, { format, comments, isHead: method === 'HEAD' });
    }
  }

  /** Answers `GET /api/v1/uploads/{id}/content` with the bytes. */
  async content(context: RequestContext, caller: Principal): Promise<void> {
    const { response, id } = context;
    const upload = await this.find(context, caller, 'content');
    const { sha256 } = upload ?? {};
    if (upload === undefined || sha256 === undefined) {
      return;
    }
    const { bearer, shown, store, open, recheckSeconds } = this.deps;
    const stillMay = async (): Promise<boolean> =>
      (await bearer.isStillAuthorized(caller)) &&
      (await shown.one(caller, id, 'content')) !== undefined;
    const send = (): Promise<void> => sendFile(store, { ...upload, sha256 }, context);
    const isAllowed = await open.run(caller.accountId, () =>
      sendWhilePermitted(response, recheckSeconds, stillMay, send),
    );
    if (!isAllowed) {
      sendApiError(response, TOO_MANY_OPEN);
    }
  }

  /** The upload, if the caller may have it; undefined when the refusal has been sent. */
  private async find(
    { response, id }: RequestContext,
    caller: Principal,
    purpose: Purpose,
  ): Promise<PresentedUpload | undefined> {
    const upload = await this.deps.shown.one(caller, id, purpose);
    if (upload === undefined) {
      sendApiError(response, notFound());
    }
    return upload;
  }
}
