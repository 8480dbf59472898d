/** The kinds of files that a list can be limited to. */
export const PHOTO_KINDS = [
  'jpeg',
  'png',
  'heic',
  'tiff',
  'psd',
  'raw',
  'pdf',
  'video',
  'other',
] as const;

export type PhotoKind = (typeof PHOTO_KINDS)[number];

/** The kinds that programs can limit a list to: what the files are, whatever their format. */
export const MEDIA_KINDS = ['image', 'document', 'video', 'other'] as const;

export type MediaKind = (typeof MEDIA_KINDS)[number];

/** The file name extensions of each kind, and the media subtypes for names without an extension. */
const SUFFIXES: Readonly<Record<Exclude<PhotoKind, 'other'>, readonly string[]>> = {
  jpeg: ['jpg', 'jpeg', 'jpe', 'jfif'],
  png: ['png'],
  heic: ['heic', 'heif', 'hif', 'avif'],
  tiff: ['tif', 'tiff'],
  psd: ['psd', 'psb', 'vnd.adobe.photoshop'],
  raw: [
    ...['3fr', 'arw', 'cr2', 'cr3', 'crw', 'dcr', 'dng', 'erf', 'fff', 'iiq', 'kdc', 'mef', 'mos', 'mrw', 'nef', 'nrw'],
    ...['orf', 'pef', 'raf', 'raw', 'rw2', 'rwl', 'sr2', 'srf', 'srw', 'x3f', 'x-adobe-dng'],
  ],
  pdf: ['pdf'],
  video: ['mp4', 'mov', 'm4v', 'webm', 'quicktime', 'x-m4v'],
};

/**
 * The content decides about PDF and video. Else the extension of the name; without one, what follows the slash in the
 * media type.
 */
const SUFFIX = String.raw`CASE WHEN media_type = 'application/pdf' THEN 'pdf' WHEN media_type LIKE 'video/%' THEN 'mp4'
  ELSE COALESCE(substring(lower(name) FROM '\.([a-z0-9]{1,8})$'), split_part(lower(type), '/', 2)) END`;

/** A kind as a condition of a query. */
export function kindCondition(kind: PhotoKind | MediaKind): string {
  return kind === 'other'
    ? `${SUFFIX} NOT IN (${listed(Object.values(SUFFIXES).flat())})`
    : `${SUFFIX} IN (${listed(suffixesOf(kind))})`;
}

function suffixesOf(kind: Exclude<PhotoKind | MediaKind, 'other'>): readonly string[] {
  if (kind === 'image') {
    const { pdf: _pdf, video: _video, ...images } = SUFFIXES;
    return Object.values(images).flat();
  }
  return SUFFIXES[kind === 'document' ? 'pdf' : kind];
}

function listed(suffixes: readonly string[]): string {
  return suffixes.map((suffix) => `'${suffix}'`).join(', ');
}
