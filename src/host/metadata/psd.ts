import {
  bigEndian,
  latin1,
  readPart,
  sizeOf,
  unchangeable,
  viewOf,
  WindowedSource,
  type ByteSource,
  type Piece,
} from './bytes.js';
import type { CopyTexts } from './changes.js';
import { planResources } from './image-resources.js';

const HEADER_BYTES = 26;
/** Rewrites a PSD or PSB file. Only its image resources change. @throws {CwError} CW-810 */
export async function planPsd(file: ByteSource, changes: CopyTexts): Promise<readonly Piece[]> {
  const source = new WindowedSource(file);
  const header = await readPart(source, 0, HEADER_BYTES);
  const version = viewOf(header).getUint16(4);
  if (latin1(header, 0, 4) !== '8BPS' || (version !== 1 && version !== 2)) {
    throw unchangeable('this is no Photoshop file');
  }
  const lengthAt = async (at: number): Promise<number> =>
    viewOf(await readPart(source, at, at + 4)).getUint32(0);
  const resources = HEADER_BYTES + 4 + (await lengthAt(HEADER_BYTES));
  const start = resources + 4;
  const layers = start + (await lengthAt(resources));
  const pieces = await planResources(source, start, layers, changes, ['iptc', 'xmp']);
  const longLengths = version === 2;
  const lengthBytes = longLengths ? 8 : 4;
  const high = longLengths ? await lengthAt(layers) : 0;
  const low = await lengthAt(layers + lengthBytes - 4);
  const end = layers + lengthBytes + high * 2 ** 32 + low;
  if (end > source.size) {
    throw unchangeable('the Photoshop file is cut short');
  }
  return [
    { from: 0, to: resources },
    bigEndian(sizeOf(pieces), 4),
    ...pieces,
    { from: layers, to: source.size },
  ];
}
