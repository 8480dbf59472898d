import type { ServerResponse } from 'node:http';
import { sendError, sendJson } from '../../../kernel/http/responses.js';
import type { Principal } from '../../../oauth/index.js';
import { presentUpload, type UploadApiRepository } from './upload-api-repository.js';
import { nextPage, readPageRequest } from './pagination.js';

/** Answers with the requested page of the list. */
export async function listUploads(
  uploads: UploadApiRepository,
  caller: Principal,
  query: string | undefined,
  response: ServerResponse,
): Promise<void> {
  const page = readPageRequest(query);
  if ('problem' in page) {
    sendError(response, 400, 'invalid_request', page.problem);
    return;
  }
  const { limit } = page;
  // One more than wanted, to see whether there are more.
  const found = await uploads.page(caller, { ...page, limit: limit + 1 });
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const next = found.length > limit && last !== undefined ? nextPage(page, last) : undefined;
  if (next !== undefined) {
    response.setHeader('Link', `<${next}>; rel="next"`);
  }
  sendJson(response, 200, {
    uploads: shown.map(presentUpload),
    ...(next !== undefined && { next }),
  });
}
