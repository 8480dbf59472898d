import type { ByteReader } from '../byte-reader.js';
import { TAG, TYPE } from '../tiff.js';
import type { MetadataTexts } from './changes.js';
import { editResources } from './image-resources.js';
import { editIptc } from './iptc.js';
import type { Piece } from './pieces.js';
import { TiffRewrite } from './tiff-rewrite.js';
import { editXmp } from './xmp.js';

/** Rewrites a TIFF file with its XMP, its IPTC block and Photoshop's resources. @throws {UnwritableError} */
export function planTiff(file: ByteReader, texts: MetadataTexts): Promise<readonly Piece[]> {
  const rewrite = new TiffRewrite(file, texts, async (valueOf) => {
    const xmp = editXmp(await valueOf(TAG.xmp), texts);
    const iptc = await editIptc(await valueOf(TAG.iptc), texts);
    const old = await valueOf(TAG.photoshop);
    const resources = old && (await editResources(old, texts, []));
    return [
      ...(xmp ? [{ tag: TAG.xmp, type: TYPE.byte, bytes: xmp }] : []),
      ...(iptc ? [{ tag: TAG.iptc, type: TYPE.undefined, bytes: iptc }] : []),
      ...(resources ? [{ tag: TAG.photoshop, type: TYPE.byte, bytes: resources }] : []),
    ];
  });
  return rewrite.plan();
}
