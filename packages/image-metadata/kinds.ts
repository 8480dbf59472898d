/** The kinds of files, which differ in their first characters. */
export type Kind =
  | 'jpeg'
  | 'png'
  | 'webp'
  | 'gif'
  | 'photoshop'
  | 'tiff'
  | 'boxes'
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
