import type { IncomingMessage, ServerResponse } from 'node:http';
import { isForUploads } from './route-table.js';

/** The one version of tus that is spoken here. */
export const TUS_VERSION = '1.0.0';

/**
 * Says which version of tus is spoken on an answer to a request at or below the uploads, whoever gives it and
 * whatever it says ([tus 1.0.0, Tus-Resumable](https://tus.io/protocols/resumable-upload#tus-resumable)).
 */
export function sayTusVersion(response: ServerResponse, path: string): void {
  if (isForUploads(path)) {
    response.setHeader('Tus-Resumable', TUS_VERSION);
  }
}

/**
 * The method of a request. At or below the uploads it is the one in `X-HTTP-Method-Override` where there is
 * such a header ([tus
 * 1.0.0](https://tus.io/protocols/resumable-upload#x-http-method-override)), for everything that is decided by
 * the method: the route, CORS, the scope that a token needs. Nowhere else does the header mean anything.
 */
export function methodOf({ method = '', headers }: IncomingMessage, path: string): string {
  const other = headers['x-http-method-override']?.toString() ?? '';
  return other !== '' && isForUploads(path) ? other : method;
}
