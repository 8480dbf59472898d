import type { BufferedHandler, BufferedRoute, Route } from '../../../platform/http/router.js';
import { uploadChangePath, uploadContentPath } from '../../../platform/paths/upload-paths.js';
import type { PhotoApi } from './api.js';
import { ChangeApi, type ChangeApiDeps } from './change-api.js';
import { openApiRoute } from './openapi.js';

/** The API for finished uploads. The description of one is with the uploads, at the same path. */
export function photoApiRoutes(deps: ChangeApiDeps & { readonly photoApi: PhotoApi }): Route[] {
  const changes = new ChangeApi(deps);
  const post = (path: string, handler: BufferedHandler): BufferedRoute => ({
    path,
    kind: 'api',
    auth: 'token',
    handlers: { POST: handler },
  });
  return [
    {
      path: uploadContentPath(':id'),
      kind: 'api',
      auth: 'token',
      sendsFile: true,
      handlers: { GET: (context) => deps.photoApi.content(context) },
    },
    post(uploadChangePath(':id', 'trash'), (context) => changes.trash(context)),
    post(uploadChangePath(':id', 'restore'), (context) => changes.restore(context)),
    post(uploadChangePath(':id', 'project'), (context) => changes.move(context)),
    openApiRoute,
  ];
}
