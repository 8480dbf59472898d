import path from 'node:path';
import type { Provider } from 'oidc-provider';
import { healthOf } from '../database/health.js';
import type { Handlers } from '../http/front.js';
import { answerHealth } from '../http/health-answer.js';
import { answerMe } from '../me/me.js';
import { BearerCheck } from '../oauth/bearer.js';
import { answerResourceMetadata, resourceMetadataUrl } from '../oauth/protected-resource.js';
import { PhotoApi } from '../photos/api.js';
import { ChangeApi } from '../photos/change-api.js';
import { answerOpenApi } from '../photos/openapi.js';
import { linkToPhoto } from '../photos/paths.js';
import { ShownUploads } from '../photos/shown-uploads.js';
import { ProjectApi } from '../projects/api.js';
import { DiskSpace, freeDiskOf } from '../uploads/disk-space.js';
import type { Finishing } from '../uploads/finishing.js';
import { SharedUploadLocks } from '../uploads/shared-upload-locks.js';
import { UploadLocks } from '../uploads/upload-locks.js';
import { Uploads, type UploadsParts } from '../uploads/uploads.js';
import type { CommonParts } from './common-parts.js';
import type { Foundation } from './foundation.js';

type ApiHandlers = Pick<
  Handlers,
  | 'health'
  | 'me'
  | 'uploads'
  | 'content'
  | 'changes'
  | 'projectApi'
  | 'openapi'
  | 'resourceMetadata'
>;

/** Builds what programs call: the health check, `/api/v1/me`, uploads, photos that have arrived, and projects. */
export function api(
  foundation: Foundation,
  common: CommonParts,
  { provider, finishing }: { provider: Provider; finishing: Finishing },
): ApiHandlers {
  const { options, database, baseUrl } = foundation;
  const bearer = new BearerCheck(
    database,
    common.personalTokens,
    resourceMetadataUrl(baseUrl),
    options.now,
  );
  const shown = new ShownUploads(database, common.accounts);
  const photoApi = new PhotoApi({ ...common, bearer, shown });
  const space = diskSpace(foundation);
  const uploads = new Uploads({
    ...uploadLimits(foundation),
    bearer,
    shown,
    space,
    finishing,
    uploads: common.table,
    store: common.store,
    answerOne: (request, response, id) => photoApi.one(request, response, id),
    locks: uploadLocks(foundation),
  });
  return {
    health: answerHealth({ isHealthy: healthOf(database), hasRoom: () => space.hasRoomFor(0) }),
    me: answerMe({ bearer, database, provider }),
    uploads: (request, response, about) => uploads.handle(request, response, about),
    content: (request, response, { id }) => photoApi.content(request, response, id),
    changes: changes(new ChangeApi({ ...common, bearer, shown })),
    projectApi: projects(new ProjectApi({ ...common, bearer })),
    openapi: answerOpenApi,
    resourceMetadata: answerResourceMetadata(baseUrl),
  };
}

function uploadLimits({
  options,
  baseUrl,
}: Foundation): Pick<
  UploadsParts,
  'limits' | 'recheckSeconds' | 'idleSeconds' | 'linkToPage' | 'log' | 'now'
> {
  return {
    limits: options.uploads,
    recheckSeconds: options.uploads.recheckSeconds,
    idleSeconds: options.uploadIdleSeconds,
    linkToPage: (id) => linkToPhoto(baseUrl, id),
    log: options.log,
    now: options.now,
  };
}

function diskSpace({ options }: Foundation): DiskSpace {
  const folder = path.join(options.dataDir, 'uploads');
  const free = options.s3 === undefined ? (options.freeDiskBytes ?? freeDiskOf(folder)) : undefined;
  return new DiskSpace(free, options.uploads.minFreeDiskBytes);
}

function uploadLocks({ database }: Foundation): UploadLocks | SharedUploadLocks {
  const local = new UploadLocks();
  return database.isShared ? new SharedUploadLocks(local, database) : local;
}

/** Changes a photo that has arrived. The last word of the path says how. */
function changes(api: ChangeApi): Handlers['changes'] {
  return async (request, response, { route, id }) => {
    const change = route.path.split('/').at(-1);
    if (change === 'project') {
      await api.move(request, response, id);
    } else {
      await (change === 'trash'
        ? api.trash(request, response, id)
        : api.restore(request, response, id));
    }
  };
}

function projects(api: ProjectApi): Handlers['projectApi'] {
  return (request, response, { id }) =>
    id === '' ? api.all(request, response) : api.one(request, response, id);
}
