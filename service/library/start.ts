import path from 'node:path';
import type { Identity } from '../identity/index.js';
import type { Job } from '../kernel/jobs/jobs.js';
import type { Kernel } from '../kernel/kernel.js';
import { ConcurrencyLimit } from '../kernel/single-flight.js';
import type { Oauth } from '../oauth/index.js';
import { linkToPhoto } from '../site/addresses/photo-paths.js';
import { ContentAddresses } from './content/content-urls.js';
import { deviceApiRoutes } from './devices/api.js';
import { DeviceTable } from './devices/device-table.js';
import { feedbackApiRoutes } from './feedback/api.js';
import { FeedbackTable } from './feedback/feedback-table.js';
import { GuestAddresses } from './feedback/guest-addresses.js';
import { GuestTable } from './feedback/guest-table.js';
import { LabelTable } from './feedback/labels.js';
import { placementApiRoutes } from './placements/index.js';
import { PlacementTable } from './placements/placement-table.js';
import { PhotoApi } from './photos/api/api.js';
import { photoApiRoutes } from './photos/api/routes.js';
import { UploadApiRepository } from './photos/api/upload-api-repository.js';
import { PhotoChanges } from './photos/data/photo-changes.js';
import { PhotoTable } from './photos/data/photo-table.js';
import { PhotoThumbnails } from './photos/data/photo-thumbnails.js';
import { purgeTrash } from './photos/data/trash-purge.js';
import { VersionTable } from './photos/data/version-table.js';
import { MAX_OPEN_DOWNLOADS } from './photos/files/download.js';
import { ListQueue } from '../kernel/rate-limit/list-queue.js';
import { ZipLimit } from './photos/files/zip-limit.js';
import { photoRoutes } from './photos/routes.js';
import { PageRenderer } from './previews/documents/page-renderer.js';
import { ImageWorker } from './previews/image-worker.js';
import { posterRoutes } from './previews/poster-api.js';
import { moveThumbnails } from './previews/move-thumbnails.js';
import { StoredLocations } from './previews/stored-locations.js';
import { ThumbnailTable } from './previews/thumbnail-table.js';
import { ThumbnailWorker } from './previews/thumbnail-worker.js';
import { findFfmpeg } from './previews/video/find-ffmpeg.js';
import { Watermarks } from './previews/watermarks.js';
import { projectApiRoutes } from './projects/api.js';
import { sumPhotoCounts } from './projects/photo-counts.js';
import { ProjectTable } from './projects/project-table.js';
import { projectRoutes } from './projects/routes.js';
import type { UploadLimits } from './uploads/limits.js';
import { SharedUploadLocks } from './uploads/locks/shared-upload-locks.js';
import { UploadLocks } from './uploads/locks/upload-locks.js';
import { UnfinishedUploads } from './uploads/repository/unfinished-uploads.js';
import { UploadRepository } from './uploads/repository/upload-repository.js';
import { browserUploadRoutes, uploadRoutes } from './uploads/routes.js';
import { removeDeletedFiles } from './uploads/storage/deleted-files.js';
import { DiskSpace, freeDiskOf } from './uploads/storage/disk-space.js';
import { openStorage } from './uploads/storage/open-storage.js';
import type { S3Options } from './uploads/storage/s3-options.js';
import type { UploadStorage } from './uploads/storage/upload-storage.js';
import { UploadFinalizer } from './uploads/tus/finalize.js';
import { UploadHandler } from './uploads/tus/upload-handler.js';
import { UploadCleanup } from './uploads/upload-cleanup.js';

const PURGE_EVERY_MS = 5 * 60_000;
const REMOVE_STRAYS_EVERY_MS = 24 * 3_600_000;
const CATCH_UP_EVERY_MS = 30_000;
/** Often, because pages add up the rows since the last time. The database bounds them. */
const SUM_EVERY_MS = 10_000;

export interface LibraryOptions {
  readonly dataDir: string;
  readonly s3?: S3Options | undefined;
  readonly contentUrl?: string | undefined;
  readonly uploads: UploadLimits & { readonly recheckSeconds: number };
  readonly uploadIdleSeconds: number;
  readonly lifetimes: { readonly unfinishedUploadSeconds: number };
  readonly freeDiskBytes?: (() => Promise<number>) | undefined;
  readonly imageWorker?:
    | Pick<ImageWorker, 'inTurn' | 'mark' | 'logo' | 'mailPicture' | 'webPicture' | 'pages' | 'end'>
    | undefined;
}

/** What the module gives to later ones. */
export type Library = Awaited<ReturnType<typeof startLibrary>>;

export async function startLibrary(
  kernel: Kernel,
  options: LibraryOptions,
  { guard, accounts, audit, formTokens, provider }: Identity,
  { bearer }: Oauth,
) {
  const { database, baseUrl, now } = kernel;
  const { contentUrl, imageWorker = new ImageWorker() } = options;
  const { recheckSeconds } = options.uploads;
  const uploads = new UploadRepository(database);
  const store = await openStorage(options, uploads);
  const thumbnailTable = new ThumbnailTable(database);
  const thumbnailWorker = new ThumbnailWorker({
    ...kernel,
    table: thumbnailTable,
    store,
    imageWorker,
    drawsFilms: findFfmpeg() !== undefined,
  });
  const watermarks = new Watermarks({ ...kernel, store, imageWorker, thumbnailWorker });
  const pages = new PageRenderer({ ...kernel, store, imageWorker });
  const finishing = new UploadFinalizer({
    ...kernel,
    uploads,
    store,
    onFinished: (photo, head) => {
      thumbnailWorker.enqueue(photo, head);
    },
  });
  const space = diskSpace(options);
  const photos = new PhotoTable(database);
  const projects = new ProjectTable(database, now);
  const answers = new FeedbackTable(database, now);
  const guestList = new GuestTable(database, now);
  const thumbnails = new PhotoThumbnails(database);
  const placements = new PlacementTable(database);
  const devices = new DeviceTable(database, now);
  const shown = new UploadApiRepository(database, accounts, baseUrl);
  const open = new ConcurrencyLimit(MAX_OPEN_DOWNLOADS);
  const zips = new ZipLimit();
  const content =
    contentUrl === undefined ? undefined : new ContentAddresses(contentUrl, formTokens, now);
  const lists = new ListQueue();
  const photoApi = new PhotoApi({ bearer, shown, lists, store, open, recheckSeconds });
  const local = new UploadLocks();
  const handler = new UploadHandler({
    ...kernel,
    uploads,
    store,
    bearer,
    space,
    finishing,
    limits: options.uploads,
    recheckSeconds,
    idleSeconds: options.uploadIdleSeconds,
    linkToPage: (id) => linkToPhoto(baseUrl, id),
    locks: database.isShared ? new SharedUploadLocks(local, database) : local,
  });
  const api = {
    ...kernel,
    bearer,
    accounts,
    photos,
    projects,
    placements,
    devices,
    shown,
    lists,
    photoApi,
  };
  const shared = {
    store,
    photos,
    projects,
    placements,
    answers,
    guestList,
    guestAddresses: new GuestAddresses(database),
    labels: new LabelTable(database),
    thumbnails,
    thumbnailWorker,
    watermarks,
    pages,
    /** Where the location is in files. */
    locations: new StoredLocations(database, now),
    devices,
    shown,
    /** Reads and makes pictures. */
    imageWorker,
    /** Limits the concurrent downloads of each user, or of each address of guests. */
    open,
    /** Limits the ZIPs among them. */
    zips,
    recheckSeconds,
    /** Makes URLs on the host of stored files; undefined without a separate host. */
    content,
  };
  return {
    ...shared,
    routes: [
      ...uploadRoutes(handler, bearer, {
        list: (context, caller) => photoApi.list(context, caller),
        one: (context, caller) => photoApi.one(context, caller),
      }),
      ...photoApiRoutes({ ...api, store, thumbnails, thumbnailWorker, imageWorker, pages }),
      ...placementApiRoutes({
        ...api,
        findListed: (caller, id) => shown.withReach(caller, id),
      }),
      ...posterRoutes({ bearer, store, table: thumbnailTable, thumbnailWorker, now }),
      ...projectApiRoutes(api),
      ...deviceApiRoutes(api),
      ...feedbackApiRoutes({ bearer, accounts, answers, audit, lists }),
      ...browserUploadRoutes(handler, guard),
      ...photoRoutes({
        ...kernel,
        ...shared,
        guard,
        accounts,
        audit,
        provider,
        changes: new PhotoChanges(database, now),
        versions: new VersionTable(database),
        workspaceBytes: options.uploads.workspaceBytes,
      }),
      ...projectRoutes({ guard, projects }),
    ],
    jobs: libraryJobs(kernel, options, { store, photos, finishing, thumbnailWorker }),
    /** Whether there is room for uploads. */
    hasRoom: () => space.hasRoomFor(0),
    /** Stops the work on pictures, which runs independently of requests and jobs. */
    close: async () => {
      pages.close();
      await Promise.all([watermarks.close(), thumbnailWorker.close()]);
    },
  };
}

/** They remove obsolete data, and finish work that an earlier process left incomplete. */
function libraryJobs(
  kernel: Kernel,
  { lifetimes }: LibraryOptions,
  {
    store,
    photos,
    finishing,
    thumbnailWorker,
  }: {
    readonly store: UploadStorage;
    readonly photos: PhotoTable;
    readonly finishing: UploadFinalizer;
    readonly thumbnailWorker: ThumbnailWorker;
  },
): Job[] {
  const { database, now, reportError } = kernel;
  const cleanup = new UploadCleanup({
    unfinished: new UnfinishedUploads(database),
    store,
    finishIfComplete: (upload) => finishing.finishIfComplete(upload),
    reportError,
  });
  const abandonedBefore = (): Date =>
    new Date(now().getTime() - lifetimes.unfinishedUploadSeconds * 1000);
  return [
    {
      run: (signal) => moveThumbnails({ database, store }, signal),
      everyMs: undefined,
      isSeparate: true,
    },
    { run: (signal) => cleanup.recover(signal), everyMs: undefined },
    {
      run: async (signal) => {
        await cleanup.removeAbandoned(abandonedBefore(), signal);
        await purgeTrash({ photos, store, now, reportError }, signal);
        await removeDeletedFiles({ ...kernel, store }, signal);
      },
      everyMs: PURGE_EVERY_MS,
      isCleanup: true,
    },
    { run: () => thumbnailWorker.catchUp(), everyMs: CATCH_UP_EVERY_MS },
    { run: (signal) => sumPhotoCounts(database, signal), everyMs: SUM_EVERY_MS },
    {
      run: (signal) => cleanup.removeStrays(abandonedBefore(), signal),
      everyMs: REMOVE_STRAYS_EVERY_MS,
      isCleanup: true,
    },
  ];
}

function diskSpace({ dataDir, s3, freeDiskBytes, uploads }: LibraryOptions): DiskSpace {
  const folder = path.join(dataDir, 'uploads');
  const free = s3 === undefined ? (freeDiskBytes ?? freeDiskOf(folder)) : undefined;
  return new DiskSpace(free, uploads.minFreeDiskBytes);
}
