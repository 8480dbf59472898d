import {
  TAG,
  Tiff,
  type Directory,
  type MetadataBlock,
} from '../../../packages/image-metadata/index.js';
import { DATASET, readIptc, type IptcTexts } from './formats/iptc.js';
import { decodedText } from './formats/text.js';
import { readXmp, type XmpProperties } from './formats/xmp.js';
import { NUMBER_LIMITS, TEXT_LIMITS, type PictureInfo } from './picture-info.js';

/** How many bytes of a text in EXIF data are read: UTF-8 has up to four for a character. */
const MAX_TEXT_BYTES = 4 * TEXT_LIMITS.caption;

/** What cameras write where a photographer has written nothing. */
const NO_CAPTION =
  /^(?:olympus digital camera|(?:konica )?minolta digital camera|sony dsc|digital camera|exif_jpeg_picture|default|untitled|samsung)$/i;

/** The sources of one file. A missing one is empty. */
interface Sources {
  readonly xmp: XmpProperties;
  readonly iptc: IptcTexts;
  /** The first directory of the EXIF data, and that of the exposure. */
  readonly first: Directory | undefined;
  readonly photo: Directory | undefined;
}

/**
 * Reads a file's own information about its picture. XMP is preferred to IPTC, and IPTC to EXIF: photographers edit XMP, and
 * cameras fill EXIF with texts of their own. Camera and exposure are read from EXIF first, which the camera has written.
 * @returns undefined when it has none
 */
export async function readPictureInfo(
  blocks: readonly MetadataBlock[],
  hasLocation: boolean,
): Promise<PictureInfo | undefined> {
  const sources = await sourcesIn(blocks);
  const keywords = keywordsOf(sources);
  const exposure = await exposureOf(sources);
  const info = known({
    ...(await cameraOf(sources)),
    ...(await textsOf(sources)),
    keywords: keywords.length > 0 ? keywords : undefined,
    exposure: Object.keys(exposure).length > 0 ? exposure : undefined,
    rating: await ratingOf(sources),
    hasLocation: hasLocation ? true : undefined,
  });
  return Object.keys(info).length > 0 ? info : undefined;
}

async function sourcesIn(blocks: readonly MetadataBlock[]): Promise<Sources> {
  const of = (kind: MetadataBlock['kind']): MetadataBlock[] =>
    blocks.filter((one) => one.kind === kind);
  const xmp = of('xmp')[0];
  const iptc = of('iptc')[0];
  const directories: Directory[] = [];
  for (const { data } of of('exif')) {
    const tiff = await Tiff.in(data);
    const first = await tiff?.first();
    const photo = await tiff?.directory((await first?.number(TAG.exif)) ?? 0);
    directories.push(...[first, photo].filter((one) => !!one));
  }
  return {
    xmp: xmp === undefined ? new Map() : await readXmp(xmp.data),
    iptc: iptc === undefined ? new Map() : await readIptc(iptc.data),
    first: directories.find((one) => one.has(TAG.model) || one.has(TAG.make)) ?? directories[0],
    photo: directories.find((one) => one.has(TAG.exposureTime)) ?? directories[1],
  };
}

async function cameraOf({
  first,
  photo,
  xmp,
}: Sources): Promise<Pick<PictureInfo, 'camera' | 'lens'>> {
  const make = line((await text(first, TAG.make)) ?? one(xmp, 'tiff:Make'), TEXT_LIMITS.name);
  const model = line((await text(first, TAG.model)) ?? one(xmp, 'tiff:Model'), TEXT_LIMITS.name);
  const lensMake = line(await text(photo, TAG.lensMake), TEXT_LIMITS.name);
  const lens = line(
    (await text(photo, TAG.lensModel)) ?? one(xmp, 'exifEX:LensModel') ?? one(xmp, 'aux:Lens'),
    TEXT_LIMITS.name,
  );
  return {
    camera: line(withMaker(make, model), TEXT_LIMITS.name),
    lens: line(lens === undefined ? undefined : withMaker(lensMake, lens), TEXT_LIMITS.name),
  };
}

/** A model with its maker, which is not repeated: "NIKON CORPORATION" and "NIKON Z 8" are "NIKON Z 8". */
function withMaker(maker: string | undefined, model: string | undefined): string | undefined {
  if (maker === undefined || model === undefined) {
    return model ?? maker;
  }
  const [brand = ''] = maker.toLowerCase().split(/[\s,]/);
  return model.toLowerCase().startsWith(brand) ? model : `${maker} ${model}`;
}

async function textsOf({
  xmp,
  iptc,
  first,
}: Sources): Promise<Pick<PictureInfo, 'title' | 'caption' | 'creator' | 'copyright'>> {
  const description = lines(await text(first, TAG.description));
  const creators = xmp.get('dc:creator') ?? iptc.get(DATASET.creator);
  return {
    title: line(one(xmp, 'dc:title') ?? one(iptc, DATASET.title), TEXT_LIMITS.title),
    caption:
      lines(one(xmp, 'dc:description')) ??
      lines(one(iptc, DATASET.caption)) ??
      (description !== undefined && NO_CAPTION.test(description) ? undefined : description),
    creator: line(creators?.join(', ') ?? (await text(first, TAG.artist)), TEXT_LIMITS.title),
    copyright: line(
      one(xmp, 'dc:rights') ??
        one(iptc, DATASET.copyright) ??
        // The notice of the photographer, NUL, and that of the editor.
        (await text(first, TAG.copyright)),
      TEXT_LIMITS.title,
    ),
  };
}

function keywordsOf({ xmp, iptc }: Sources): string[] {
  const all = xmp.get('dc:subject') ?? iptc.get(DATASET.keyword) ?? [];
  const cleaned = all.map((keyword) => line(keyword, TEXT_LIMITS.keyword));
  return [...new Set(cleaned.filter((keyword) => keyword !== undefined))].slice(
    0,
    TEXT_LIMITS.keywords,
  );
}

async function exposureOf({ photo, xmp }: Sources): Promise<NonNullable<PictureInfo['exposure']>> {
  const iso = await photo?.number(TAG.iso);
  const values = {
    time: (await photo?.fraction(TAG.exposureTime)) ?? fraction(one(xmp, 'exif:ExposureTime')),
    aperture: (await photo?.fraction(TAG.aperture)) ?? fraction(one(xmp, 'exif:FNumber')),
    // The old field holds 16 bits.
    iso:
      (iso === 65_535 ? await photo?.number(TAG.exposureIndex) : iso) ??
      fraction(one(xmp, 'exif:ISOSpeedRatings')),
    focalLength: (await photo?.fraction(TAG.focalLength)) ?? fraction(one(xmp, 'exif:FocalLength')),
  };
  return known({
    time: within(values.time, NUMBER_LIMITS.time),
    aperture: within(values.aperture, NUMBER_LIMITS.aperture),
    iso: within(values.iso, NUMBER_LIMITS.iso),
    focalLength: within(values.focalLength, NUMBER_LIMITS.focalLength),
  });
}

async function ratingOf({ xmp, first }: Sources): Promise<number | undefined> {
  const rating = fraction(one(xmp, 'xmp:Rating')) ?? (await first?.number(TAG.rating));
  const stars = within(rating, NUMBER_LIMITS.rating);
  return stars === undefined ? undefined : Math.round(stars);
}

function within(
  value: number | null | undefined,
  { least, most }: { readonly least: number; readonly most: number },
): number | undefined {
  return typeof value === 'number' && value >= least && value <= most ? value : undefined;
}

/** A number as XMP writes it: `1/250` or `2.8`. */
function fraction(value: string | undefined): number | undefined {
  const [, numerator, denominator = '1'] =
    /^\s*(\d{1,10}(?:\.\d{1,10})?)(?:\/(\d{1,10}))?\s*$/.exec(value ?? '') ?? [];
  const number = Number(numerator) / Number(denominator);
  return Number.isFinite(number) ? number : undefined;
}

function one<Name>(values: ReadonlyMap<Name, readonly string[]>, name: Name): string | undefined {
  return values.get(name)?.[0];
}

/** A text in EXIF data up to its first NUL. */
async function text(directory: Directory | undefined, tag: number): Promise<string | undefined> {
  const bytes = await directory?.bytes(tag, MAX_TEXT_BYTES);
  const end = bytes?.indexOf(0) ?? -1;
  const read = bytes && decodedText(end < 0 ? bytes : bytes.subarray(0, end));
  return read === undefined || read === null || read.trim() === '' ? undefined : read;
}

/** A text of one line, without control characters; undefined when nothing is left. */
function line(value: string | undefined, most: number): string | undefined {
  return cleaned(value?.replace(/\s+/gu, ' '), most);
}

/** A text of several lines. */
function lines(value: string | undefined): string | undefined {
  return cleaned(value?.replace(/\r\n?|\u{2028}|\u{2029}/gu, '\n'), TEXT_LIMITS.caption);
}

function cleaned(value: string | undefined, most: number): string | undefined {
  // Normalizing may lengthen a text.
  const normal = value
    ?.slice(0, 4 * most)
    .replace(/(?!\n)[\p{Cc}\p{Cs}]/gu, '')
    .normalize('NFC')
    .trim();
  // Not in the middle of a surrogate pair.
  const short = normal
    ?.slice(0, most)
    .replace(/[\u{d800}-\u{dbff}]$/u, '')
    .trim();
  return short === '' ? undefined : short;
}

/** An object without its undefined members. */
function known<T extends object>(values: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]: Exclude<T[Key], undefined>;
  };
}
