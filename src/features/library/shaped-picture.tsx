import type { VNode } from 'preact';
import { Icon } from '../../ui/controls.js';
import { kindOf } from '../../ui/picture.js';
import { useUploadPicture, type PicturesPanel } from '../pictures/index.js';
import { pictureSize, shapeOf, type Size } from './justified-rows.js';
import type { LibraryFile } from './library-file.js';

/** The picture of a file in its own shape, as large as a frame allows; a sign while there is none. */
export function ShapedPicture({
  context,
  file,
  frame,
  large = null,
}: {
  readonly context: PicturesPanel['context'];
  readonly file: LibraryFile;
  /** In CSS pixels. */
  readonly frame: Size;
  /** A larger picture of it as a `data:` URL, when there is one. */
  readonly large?: string | null;
}): VNode {
  const small = useUploadPicture(context, file.id);
  const source = large ?? small;
  if (source === null) {
    return <Icon name={kindOf(file.name)} />;
  }
  const { width, height } = pictureSize(shapeOf(file), frame);
  const isKnown = file.width !== null && file.height !== null;
  return (
    <img
      src={source}
      style={
        isKnown
          ? { width: `${width}px`, height: `${height}px` }
          : // The picture itself has the shape.
            { maxWidth: `${frame.width}px`, maxHeight: `${frame.height}px` }
      }
    />
  );
}
