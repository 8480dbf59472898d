import {
  bigEndian,
  bytesOfLatin1,
  concat,
  latin1,
  readPart,
  unchangeable,
  viewOf,
  type ByteSource,
  type Piece,
} from './bytes.js';
import type { CopyTexts } from './changes.js';
import { editIptc } from './iptc.js';
import { editExif } from './tiff-rewrite.js';
import { editXmp } from './xmp.js';

/**
 * Photoshop's image resources: in PSD files, and inside JPEG and TIFF files
 * (https://www.adobe.com/devnet-apps/photoshop/fileformatashtml/).
 * @packageDocumentation
 */

const RESOURCE = {
  iptc: 1028,
  exif: 1058,
  otherExif: 1059,
  xmp: 1060,
  /** MD5 of the IPTC block. Without it readers take what XMP has. */
  iptcDigest: 1061,
} as const;

const SIGNATURES = ['8BIM', 'MeSa', 'AgHg', 'PHUT', 'DCSR'];
const MAX_RESOURCES = 10_000;

/**
 * Rewrites the image resources between two places of a file.
 * @param ensured  resources to add, if texts are written, where there is none yet
 * @throws {CwError} CW-810
 */
export async function planResources(
  source: ByteSource,
  start: number,
  end: number,
  changes: CopyTexts,
  ensured: readonly ('iptc' | 'xmp')[],
): Promise<readonly Piece[]> {
  const pieces: Piece[] = [];
  const missing = new Set<number>(ensured.map((name) => RESOURCE[name]));
  let at = start;
  for (let count = 0; at < end; count += 1) {
    if (count > MAX_RESOURCES) {
      throw unchangeable('there are too many image resources');
    }
    const resource = await readResource(source, at, end);
    const { id, from, to } = resource;
    if (isEdited(id)) {
      missing.delete(id);
      const data = await readPart(source, from, to);
      const edited = await edit(id, data, changes);
      if (edited) {
        pieces.push(write(resource.head, edited));
      }
    } else {
      pieces.push({ from: at, to: resource.next });
    }
    at = resource.next;
  }
  for (const id of missing) {
    const added = id === RESOURCE.iptc ? editIptc(null, changes) : editXmp(null, changes);
    if (added) {
      pieces.push(
        write(concat(bytesOfLatin1('8BIM'), bigEndian(id, 2), Uint8Array.of(0, 0)), added),
      );
    }
  }
  return pieces;
}

function isEdited(id: number): boolean {
  return (Object.values(RESOURCE) as number[]).includes(id);
}

async function edit(id: number, data: Uint8Array, changes: CopyTexts): Promise<Uint8Array | null> {
  switch (id) {
    case RESOURCE.iptc:
      return editIptc(data, changes);
    case RESOURCE.xmp:
      return editXmp(data, changes);
    case RESOURCE.iptcDigest:
      return null;
    default:
      return editExif(data, changes);
  }
}

/** @param head  signature, id and name */
function write(head: Uint8Array, data: Uint8Array): Uint8Array {
  return concat(head, bigEndian(data.length, 4), data, new Uint8Array(data.length % 2));
}

interface Resource {
  readonly id: number;
  readonly head: Uint8Array;
  /** Where its data are. */
  readonly from: number;
  readonly to: number;
  readonly next: number;
}

async function readResource(source: ByteSource, at: number, end: number): Promise<Resource> {
  // The longest name has 255 bytes.
  const bytes = await readPart(source, at, Math.min(end, at + 4 + 2 + 256 + 4));
  const nameBytes = (bytes[6] ?? 0) + 1;
  const headBytes = 6 + nameBytes + (nameBytes % 2);
  if (bytes.length < headBytes + 4 || !SIGNATURES.includes(latin1(bytes, 0, 4))) {
    throw unchangeable('the image resources are damaged');
  }
  const view = viewOf(bytes);
  const length = view.getUint32(headBytes);
  const from = at + headBytes + 4;
  const to = from + length;
  if (to > end) {
    throw unchangeable('the image resources are damaged');
  }
  return {
    id: view.getUint16(4),
    head: bytes.slice(0, headBytes),
    from,
    to,
    // The last one may lack the byte that makes its length even.
    next: Math.min(to + (length % 2), end),
  };
}
