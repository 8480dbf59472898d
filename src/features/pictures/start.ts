import type { Connection } from '../../account/connection.js';
import type { Host } from '../../host/host.js';
import type { UploadQueue } from '../queue/index.js';
import type { PartSources } from '../../ui/view.js';
import type { PicturesPanel } from './panel.js';
import { Pictures } from './pictures.js';
import { UploadPictures } from './upload-pictures.js';
import { UploadPreviews } from './upload-previews.js';

export function startPictures(
  { spool, clock, pictureScaler }: Pick<Host, 'spool' | 'clock' | 'pictureScaler'>,
  { requests, api, session, account }: Pick<Connection, 'requests' | 'api' | 'session' | 'account'>,
  queue: Pick<UploadQueue, 'get'>,
): {
  readonly pictures: Pictures;
  readonly panel: PartSources<PicturesPanel>;
} {
  const pictures = new Pictures({
    spool,
    clock,
    scaler: pictureScaler,
    itemOf: (id) => queue.get(id),
  });
  const endpoint = `${api}/uploads`;
  const uploadPictures = new UploadPictures({ requests, endpoint, clock });
  const uploadPreviews = new UploadPreviews({ requests, endpoint, account });
  session.state.subscribe(({ kind }) => {
    if (kind !== 'signed-in') {
      uploadPictures.clear();
    }
  });
  return {
    pictures,
    panel: {
      state: { pictures: pictures.changes, uploadPictures: uploadPictures.changes },
      context: { pictures, uploadPictures, uploadPreviews },
    },
  };
}
