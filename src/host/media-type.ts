/** Media types of photos by file extension, for hosts whose picker reports only names. */
const PHOTO_TYPES: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  jpe: 'image/jpeg',
  png: 'image/png',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  webp: 'image/webp',
  gif: 'image/gif',
  bmp: 'image/bmp',
  heic: 'image/heic',
  heif: 'image/heif',
  hif: 'image/heif',
  avif: 'image/avif',
  jxl: 'image/jxl',
  psd: 'image/vnd.adobe.photoshop',
  psb: 'image/vnd.adobe.photoshop',
  dng: 'image/x-adobe-dng',
  cr2: 'image/x-canon-cr2',
  cr3: 'image/x-canon-cr3',
  nef: 'image/x-nikon-nef',
  arw: 'image/x-sony-arw',
  raf: 'image/x-fuji-raf',
  orf: 'image/x-olympus-orf',
  rw2: 'image/x-panasonic-rw2',
  rwl: 'image/x-leica-rwl',
  crw: 'image/x-canon-crw',
  mrw: 'image/x-minolta-mrw',
  x3f: 'image/x-sigma-x3f',
  nrw: 'image/x-nikon-nrw',
  pef: 'image/x-pentax-pef',
  srw: 'image/x-samsung-srw',
  iiq: 'image/x-phaseone-iiq',
  '3fr': 'image/x-hasselblad-3fr',
};

/** File endings the picker offers. */
export const PHOTO_EXTENSIONS: readonly string[] = Object.keys(PHOTO_TYPES);

/** Media types of photos, and of what else apps export. */
const TYPES: Readonly<Record<string, string>> = {
  ...PHOTO_TYPES,
  pdf: 'application/pdf',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  mxf: 'application/mxf',
};

/** The media type a file name suggests; `application/octet-stream` when it suggests none. */
export function mediaTypeOf(fileName: string): string {
  const ending = /\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
  return TYPES[ending] ?? 'application/octet-stream';
}
