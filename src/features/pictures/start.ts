import type { PartSources } from '../../ui/view.js';
import type { PicturesPanel } from './panel.js';
import { Pictures, type PicturesOptions } from './pictures.js';

export function startPictures(options: PicturesOptions): {
  readonly pictures: Pictures;
  readonly panel: PartSources<PicturesPanel>;
} {
  const pictures = new Pictures(options);
  return {
    pictures,
    panel: { state: { pictures: pictures.changes }, context: { pictures } },
  };
}
