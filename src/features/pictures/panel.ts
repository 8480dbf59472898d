import type { PanelPart } from '../../ui/view.js';
import type { Pictures } from './pictures.js';
import type { UploadPictures } from './upload-pictures.js';
import type { UploadPreviews } from './upload-previews.js';

export interface PicturesPanel extends PanelPart {
  readonly state: {
    /** Another number after each change of a picture. */
    readonly pictures: number;
    /** The same for pictures of the service. */
    readonly uploadPictures: number;
  };
  readonly context: {
    readonly pictures: Pick<Pictures, 'thumbnailOf'>;
    readonly uploadPictures: Pick<UploadPictures, 'of' | 'hold'>;
    readonly uploadPreviews: Pick<UploadPreviews, 'load'>;
  };
}
