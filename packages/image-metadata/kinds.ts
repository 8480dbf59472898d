/** The kinds of files, which differ in their first characters. */
export type Kind =
  | 'jpeg'
  | 'png'
  | 'webp'
  | 'gif'
  | 'photoshop'
  | 'tiff'
  | 'boxes'
  | 'ebml'
  | 'codestream'
  | 'jxl-codestream'
  | 'pdf'
  | 'exr'
  | 'bmp'
  | 'raw'
  | 'archive';

const TIFF = ['II*\0', 'MM\0*', 'II+\0', 'MM\0+', 'IIRO', 'IIRS', 'MMOR', 'IIU\0'];
/** The first boxes of ISO base media files, JPEG XL and JPEG 2000, and of old QuickTime files. */
const BOXES = ['ftyp', 'JXL ', 'jP  ', 'moov', 'mdat', 'wide', 'skip', 'free', 'pnot'];

const STARTS: readonly (readonly [string, Kind])[] = [
  ['\u00ff\u00d8\u00ff', 'jpeg'],
  ['\u0089PNG\r\n\u001a\n', 'png'],
  ['GIF8', 'gif'],
  ['8BPS\0', 'photoshop'],
  ...TIFF.map((start): [string, Kind] => [start, 'tiff']),
  ['\u00ff\u004f\u00ff\u0051', 'codestream'],
  ['\u00ff\u000a', 'jxl-codestream'],
  ['%PDF-', 'pdf'],
  ['\u001aE\u00df\u00a3', 'ebml'],
  ['v/1\u0001', 'exr'],
  ['BM', 'bmp'],
  ['FUJIFILMCCD-RAW', 'raw'],
  ['\0MRM', 'raw'],
  ['FOVb', 'raw'],
  ['PK', 'archive'],
];

/** @param head  the first 16 bytes as characters */
export function kindOf(head: string): Kind | null {
  if (head.startsWith('RIFF')) {
    return head.slice(8, 12) === 'WEBP' ? 'webp' : null;
  }
  if (head.slice(6, 14) === 'HEAPCCDR') {
    return 'raw';
  }
  if (BOXES.includes(head.slice(4, 8))) {
    return 'boxes';
  }
  return STARTS.find(([start]) => head.startsWith(start))?.[1] ?? null;
}

/** The first elements of an XMP packet. */
export const XMP_ROOTS = ['<x:xmpmeta', '<x:xapmeta', '<rdf:RDF'];

/** The beginning of a text, without zeros, a byte order mark and white space. */
export function textStart(head: string): string {
  return head
    .split('\0')
    .join('')
    .replace(/^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/, '')
    .trimStart();
}

/**
 * Whether a file is of no known kind, so that its location cannot be searched. An XML file may be XMP.
 * @param head  the first bytes as characters: 16 at least, or all of a shorter file
 */
export function isUnknownKind(head: string): boolean {
  const text = textStart(head);
  const mayBeXmp = ['<?', ...XMP_ROOTS].some(
    (start) => text.startsWith(start) || start.startsWith(text),
  );
  return !mayBeXmp && kindOf(head) === null;
}
