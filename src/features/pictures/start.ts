import type { Host } from '../../host/host.js';
import type { UploadQueue } from '../queue/index.js';
import type { PartSources } from '../../ui/view.js';
import type { PicturesPanel } from './panel.js';
import { Pictures } from './pictures.js';

export function startPictures(
  { spool, clock, pictureScaler }: Pick<Host, 'spool' | 'clock' | 'pictureScaler'>,
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
  return {
    pictures,
    panel: { state: { pictures: pictures.changes }, context: { pictures } },
  };
}
