import { joinPieces, sourceOf, type ByteSource, type Piece } from './bytes.js';
import type { CopyTexts } from './changes.js';
import { planResources } from './image-resources.js';
import { editIptc } from './iptc.js';
import { TAG, TiffRewrite, TYPE } from './tiff-rewrite.js';
import { editXmp } from './xmp.js';

/** Rewrites a TIFF file with its XMP, its IPTC block and Photoshop's resources. @throws {CwError} CW-810 */
export function planTiff(source: ByteSource, changes: CopyTexts): Promise<readonly Piece[]> {
  const rewrite = new TiffRewrite(source, changes, async (valueOf) => {
    const xmp = editXmp(await valueOf(TAG.xmp), changes);
    const iptc = editIptc(await valueOf(TAG.iptc), changes);
    const resources = await valueOf(TAG.resources);
    return [
      ...(xmp ? [{ tag: TAG.xmp, type: TYPE.byte, bytes: xmp }] : []),
      ...(iptc ? [{ tag: TAG.iptc, type: TYPE.undefined, bytes: iptc }] : []),
      ...(resources
        ? [
            {
              tag: TAG.resources,
              type: TYPE.byte,
              bytes: await editResources(resources, changes),
            },
          ]
        : []),
    ];
  });
  return rewrite.plan();
}

async function editResources(resources: Uint8Array, changes: CopyTexts): Promise<Uint8Array> {
  const source = sourceOf(resources);
  return joinPieces(source, await planResources(source, 0, source.size, changes, []));
}
