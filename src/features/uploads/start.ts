import type { Pictures } from '../pictures/index.js';
import type { Connection } from '../../account/connection.js';
import type { Host } from '../../host/host.js';
import { randomFraction, randomId } from '../../util/random-id.js';
import type { PartSources } from '../../ui/view.js';
import { detectProblem } from '../import/index.js';
import type { UploadsPanel } from './panel.js';
import { UploadManager, type UploadManagerOptions } from './upload-manager.js';

interface StartOptions extends Omit<
  UploadManagerOptions,
  | 'records'
  | 'spool'
  | 'clock'
  | 'random'
  | 'newId'
  | 'detectProblem'
  | 'identify'
  | 'reopenPhoto'
  | 'endpoint'
  | 'requests'
  | 'capabilities'
  | 'owner'
  | 'account'
> {
  readonly pictures: Pick<Pictures, 'identify'>;
  /** Receives errors that occur after an action has returned. */
  readonly onUnexpectedError: (error: unknown) => void;
}

export function startUploads(
  host: Pick<Host, 'records' | 'spool' | 'clock' | 'randomBytes' | 'pickPhotos' | 'reopenPhoto'>,
  connection: Pick<Connection, 'requests' | 'capabilities' | 'api' | 'account' | 'owner'>,
  { pictures, onUnexpectedError, ...options }: StartOptions,
): {
  readonly uploads: UploadManager;
  readonly panel: PartSources<UploadsPanel>;
} {
  const { records, spool, clock, randomBytes } = host;
  const uploads = new UploadManager({
    ...connection,
    ...options,
    endpoint: `${connection.api}/uploads`,
    identify: (id, size) => pictures.identify(id, size),
    records,
    spool,
    clock,
    random: () => randomFraction(randomBytes),
    newId: () => randomId(randomBytes),
    detectProblem,
    reopenPhoto: (token) => host.reopenPhoto(token),
  });
  const { queue } = options;
  return {
    uploads,
    panel: {
      state: {
        queue: connection.requests.state,
        uploadState: uploads.state,
        summary: queue.summary,
        photos: { get: () => queue.slice(0, Infinity) },
      },
      context: {
        uploads,
        actions: {
          // Adding is not awaited, so that the button is free again as soon as the picker has closed.
          addPhotos: async () => {
            const photos = await host.pickPhotos();
            void uploads.addPhotos(photos).catch(onUnexpectedError);
          },
        },
      },
    },
  };
}
