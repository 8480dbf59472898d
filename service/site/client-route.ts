import type { ClientFiles } from './client-files.js';
import { CLIENT_FILES } from './addresses/client-paths.js';
import { OPEN, permit } from '../kernel/http/permission.js';
import { sendStatus } from '../kernel/http/responses.js';
import type { BufferedRoute } from '../kernel/http/router.js';

/** The route of the scripts and style sheets of the pages. They are the same for everybody. */
export function clientRoute(files: Pick<ClientFiles, 'find'>): BufferedRoute {
  return {
    path: CLIENT_FILES.file(':file'),
    kind: 'public-link',
    handlers: permit(OPEN, {
      GET: async ({ response, id, query }) => {
        const file = await files.find(id, query.get('v') ?? '');
        if (file === undefined) {
          sendStatus(response, 404);
          return;
        }
        response.setHeader(
          'Cache-Control',
          file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
        );
        response.setHeader('Content-Type', file.type);
        response.setHeader('Content-Length', file.body.length);
        response.removeHeader('Vary');
        response.end(file.body);
      },
    }),
  };
}
