import type { IncomingMessage, ServerResponse } from 'node:http';

/** The path at and below which tus is spoken: that of the uploads. */
export const UPLOADS_PATH = '/api/v1/uploads';

/** The only version of the tus protocol that the service speaks. */
export const TUS_VERSION = '1.0.0';

/** Whether a path is at or below that of the uploads. It need not be the path of a route. */
export function isForUploads(path: string): boolean {
  return path === UPLOADS_PATH || path.startsWith(`${UPLOADS_PATH}/`);
}

/**
 * Sets `Tus-Resumable` on the answer to a request at or below the path of the uploads. Every answer needs it, also an
 * error ([tus 1.0.0, Tus-Resumable](https://tus.io/protocols/resumable-upload#tus-resumable)).
 */
export function setTusResumable(response: ServerResponse, path: string): void {
  if (isForUploads(path)) {
    response.setHeader('Tus-Resumable', TUS_VERSION);
  }
}

/**
 * The method of a request. At or below the path of the uploads, the header `X-HTTP-Method-Override` takes its place
 * ([tus 1.0.0](https://tus.io/protocols/resumable-upload#x-http-method-override)), for the route, for CORS and for the
 * scope that a token needs. Elsewhere that header is ignored.
 */
export function methodOf({ method = '', headers }: IncomingMessage, path: string): string {
  const other = headers['x-http-method-override']?.toString() ?? '';
  return other !== '' && isForUploads(path) ? other : method;
}
