import { array, description, maxLength, object, optional, pipe, regex, string } from 'valibot';
import { sendApiError } from '../../../kernel/http/api-error.js';
import { sha256 } from '../../../kernel/hash.js';
import { parseJson } from '../../../kernel/http/request/json-body.js';
import type { BufferedContext } from '../../../kernel/http/request/request-context.js';
import { sendJson } from '../../../kernel/http/responses.js';
import type { Queryable } from '../../../kernel/database/database.js';
import type { Principal } from '../../../oauth/index.js';
import { DOCUMENT, ID } from '../../uploads/index.js';
import { findPlaced, type PlacedMatch } from '../data/placed-table.js';
import type { UploadApiRepository } from './upload-api-repository.js';

export interface PhotoStatusDeps {
  readonly database: Queryable;
  readonly shown: Pick<UploadApiRepository, 'reachOf'>;
}

/** How many links one request may be about. */
const MAX_LINKS = 500;

/** Room for that many links with the longest values, escaped, in bytes. */
export const MAX_STATUS_BYTES = 512 * 1024;

/** The body of `POST /api/v1/photos/status`. Members with other names are ignored: a later version may know them. */
export const STATUS = object({
  links: pipe(
    array(
      object({
        id: optional(pipe(string(), regex(ID), description('The id of the placed upload'))),
        sha256: optional(
          pipe(
            string(),
            regex(/^[\da-f]{64}$/),
            description('Of the placed bytes, in lower-case hex'),
          ),
        ),
        document: optional(
          pipe(
            string(),
            regex(DOCUMENT),
            description('As in Upload-Metadata, or up to its first #'),
          ),
        ),
      }),
    ),
    maxLength(MAX_LINKS),
    description('The first member that leads to a file counts: id, sha256, document'),
  ),
  revision: optional(pipe(string(), maxLength(64), description('That of the previous answer'))),
});

const SHAPE = `{"links": [{"id", "sha256", "document"}], "revision"} with ${MAX_LINKS} links at most; each member may be left out`;

/** Answers `POST /api/v1/photos/status`: which placed files have a newer version. */
export async function sendPhotoStatus(
  { database, shown }: PhotoStatusDeps,
  { request, response, body: sent }: BufferedContext,
  caller: Principal,
): Promise<void> {
  const body = parseJson(request, sent, STATUS, SHAPE);
  if ('refused' in body) {
    sendApiError(response, body.refused);
    return;
  }
  const reach = await shown.reachOf(caller, 'list');
  const { links: wanted, revision: known } = body.value;
  const links = (await findPlaced(database, reach, wanted)).map(presentMatch);
  const revision = sha256(JSON.stringify(links)).slice(0, 32);
  sendJson(response, 200, revision === known ? { revision } : { revision, links });
}

type State = 'current' | 'newer' | 'newer_approved' | 'other_bytes' | 'gone' | 'unknown';

function stateOf({ by, isTrashed, placed, current }: PlacedMatch): State {
  if (isTrashed || current === null) {
    return 'gone';
  }
  if (by === 'document') {
    return 'other_bytes';
  }
  if (placed.sha256 === current.sha256) {
    return 'current';
  }
  return current.approval?.is_current === true ? 'newer_approved' : 'newer';
}

function presentMatch(match: PlacedMatch | undefined): Record<string, unknown> {
  if (match === undefined) {
    return { state: 'unknown', by: null, placed: null, current: null };
  }
  const state = stateOf(match);
  const { by, placed, current } = match;
  return {
    ...{ state, by },
    // The bytes of a document that was recognized are none of its versions.
    placed: by === 'document' ? null : placed,
    current: state === 'gone' ? null : current,
  };
}
