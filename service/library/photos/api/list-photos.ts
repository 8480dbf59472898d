import { sendApiError, invalid } from '../../../kernel/http/api-error.js';
import type { BufferedContext } from '../../../kernel/http/request/request-context.js';
import { sendJson } from '../../../kernel/http/responses.js';
import type { Principal } from '../../../oauth/index.js';
import { PHOTOS_API_PATH } from '../../../site/addresses/photo-paths.js';
import { uploadThumbnailPath } from '../../../site/addresses/upload-paths.js';
import { MEDIA_KINDS, type MediaKind } from '../data/photo-kind.js';
import { formatPlace, MAX_TEXT_LENGTH, parsePlace } from '../data/photo-query.js';
import { ORDERS, placeOf, type ListOrder } from '../data/photo-order.js';
import type { Page, PhotoTable } from '../data/photo-table.js';
import { presentUpload, type UploadApiRepository } from './upload-api-repository.js';

export interface ListPhotosDeps {
  readonly photos: Pick<PhotoTable, 'page' | 'resumeAfter'>;
  readonly shown: Pick<UploadApiRepository, 'reachOf' | 'several' | 'versionNumbers'>;
}

const MAX_PAGE = 200;
const DEFAULT_PAGE = 50;

const FILTERS = ['q', 'project', 'kind', 'approved', 'mine', 'sort'] as const;
const PARAMETERS: readonly string[] = ['limit', 'after', ...FILTERS];

interface PhotosRequest extends Page {
  readonly order: ListOrder;
  readonly isMine: boolean;
}

/** Answers `GET /api/v1/photos` with a page of what the list of the browser shows: the current versions. */
export async function listPhotos(
  { photos, shown }: ListPhotosDeps,
  { response, query }: BufferedContext,
  caller: Principal,
): Promise<void> {
  const request = readRequest(query);
  if (typeof request === 'string') {
    sendApiError(response, invalid(request));
    return;
  }
  const { limit, order, isMine } = request;
  const reach = await shown.reachOf(caller, 'list');
  const view = isMine ? { ...reach, accountId: caller.accountId } : reach;
  // One more than wanted, to see whether there are more.
  const page = { ...request, limit: limit + 1 };
  const found = await photos.page(view, page);
  const wanted = found.slice(0, limit);
  const last = found.length > limit ? wanted.at(-1) : undefined;
  const place = last === undefined ? await photos.resumeAfter(view, page) : placeOf(last, order);
  const ids = wanted.map(({ id }) => id);
  const uploads = ids.length === 0 ? [] : await shown.several(caller, ids);
  const byId = new Map(uploads.map((upload) => [upload.id, upload]));
  const numbers = await shown.versionNumbers([...byId.keys()]);
  const next = place && nextPage(query, formatPlace(place));
  if (next !== undefined) {
    response.setHeader('Link', `<${next}>; rel="next"`);
  }
  sendJson(response, 200, {
    photos: ids.flatMap((id) => {
      const upload = byId.get(id);
      // Another request may have removed it in between.
      return upload === undefined
        ? []
        : [
            {
              version: numbers.get(id) ?? null,
              thumbnail: uploadThumbnailPath(id),
              ...presentUpload(upload),
            },
          ];
    }),
    ...(next !== undefined && { next }),
  });
}

/** @returns one sentence about the problem for a query that is wrong */
function readRequest(query: URLSearchParams): PhotosRequest | string {
  const names = [...query.keys()];
  if (!names.every((name) => PARAMETERS.includes(name)) || new Set(names).size < names.length) {
    return `the list takes ${PARAMETERS.join(', ')}, each once`;
  }
  const limit = query.get('limit') ?? String(DEFAULT_PAGE);
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > MAX_PAGE) {
    return `limit must be a whole number from 1 to ${MAX_PAGE}`;
  }
  const text = (query.get('q') ?? '').trim();
  if (text.length > MAX_TEXT_LENGTH) {
    return `q may have ${MAX_TEXT_LENGTH} characters at most`;
  }
  const kind = oneOf(MEDIA_KINDS, query.get('kind'));
  const order = oneOf(ORDERS, query.get('sort') ?? 'captured-desc');
  if (kind === 'wrong' || order === 'wrong' || order === undefined) {
    return `kind is one of ${MEDIA_KINDS.join(', ')}, sort one of ${ORDERS.join(', ')}`;
  }
  const flags = [query.get('approved') ?? 'true', query.get('mine') ?? 'true'];
  if (flags.some((flag) => flag !== 'true')) {
    return 'approved and mine are true, or left out';
  }
  const after = query.get('after');
  const place = parsePlace(after, order);
  if (after !== null && place === undefined) {
    return 'after must be a cursor from a previous response';
  }
  return {
    ...{ order, limit: Number(limit), isMine: query.has('mine') },
    filter: {
      text,
      kind,
      project: query.get('project') ?? undefined,
      answer: query.has('approved') ? 'approval' : undefined,
    },
    from: place && { place, direction: 'after' },
  };
}

function oneOf<T extends MediaKind | ListOrder>(
  known: readonly T[],
  value: string | null,
): T | 'wrong' | undefined {
  return value === null ? undefined : (known.find((one) => one === value) ?? 'wrong');
}

/** The address of the page that begins after a place. */
function nextPage(query: URLSearchParams, after: string): string {
  const kept = [...query].filter(([name]) => name !== 'after');
  return `${PHOTOS_API_PATH}?${new URLSearchParams([...kept, ['after', after]]).toString()}`;
}
