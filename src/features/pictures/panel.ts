import type { PanelPart } from '../../ui/view.js';
import type { Pictures } from './pictures.js';

export interface PicturesPanel extends PanelPart {
  /** Another number after each change of a picture. */
  readonly state: { readonly pictures: number };
  readonly context: { readonly pictures: Pick<Pictures, 'thumbnailOf'> };
}
