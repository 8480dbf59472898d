import type { BufferedContext } from '../../../kernel/http/request/request-context.js';
import { sendStatus } from '../../../kernel/http/responses.js';
import type { Photo } from '../data/photo.js';
import { isKnown } from '../files/send-file.js';

/**
 * Sets the `ETag` of a picture of a page, and answers 304 to a client that has it, before the picture is made. The tag is weak:
 * another release of the image library may make other bytes.
 * @returns whether it was answered
 */
export function sendUnchanged(
  { request, response }: Pick<BufferedContext, 'request' | 'response'>,
  { id, preview }: Photo,
  page: number,
): boolean {
  if (preview === undefined) {
    return false;
  }
  const tag = `W/"${id}.${page}.${preview.version}"`;
  response.setHeader('ETag', tag);
  response.setHeader('Cache-Control', 'private, no-cache');
  const isUnchanged = isKnown(request.headers['if-none-match'], tag);
  if (isUnchanged) {
    sendStatus(response, 304);
  }
  return isUnchanged;
}
