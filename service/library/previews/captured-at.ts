import {
  TAG,
  Tiff,
  type ByteReader,
  type Directory,
  type MetadataBlock,
} from '../../../packages/image-metadata/index.js';
import { DATASET, readIptc, type IptcTexts } from './formats/iptc.js';
import { readXmp, type XmpProperties } from './formats/xmp.js';

/** A camera whose clock was never set gives a year before photography, or none. */
const EARLIEST_YEAR = 1900;

/** The time zones that exist, in minutes from UTC. */
const EARLIEST_ZONE = -12 * 60;
const LATEST_ZONE = 14 * 60;

const MAX_DATE_BYTES = 64;

/** EXIF writes `2026:05:01 10:20:30`; programs also write dashes, slashes, a `T`, fractions and a zone. */
const DATE =
  /^(\d{4})([:/.-])(\d\d)\2(\d\d)(?:T| +)(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d*)?)?\s*(Z|[+-]\d\d?(?::?\d\d)?)?$/i;
const ZONE = /^([+-])(\d\d?)(?::?(\d\d))?$/;

/** How IPTC-IIM writes a date and a time. */
const IPTC_DATE = /^(\d{4})(\d\d)(\d\d)$/;
const IPTC_TIME = /^(\d\d)(\d\d)(\d\d)([+-]\d{4})?$/;

/** Where Casio's first cameras wrote the time into their block, as `1998.10.24.12.08.57`. */
const CASIO_TIME = { at: 0x48, length: 19 } as const;

const MIDNIGHT = '00:00:00';

/** The properties of XMP that stand for the two times of EXIF, the better ones first. */
const XMP_PROPERTIES = [
  'exif:DateTimeOriginal',
  'photoshop:DateCreated',
  'exif:DateTimeDigitized',
  'xmp:CreateDate',
] as const;

/**
 * When a picture was taken: `DateTimeOriginal` of its
 * [EXIF](https://www.cipa.jp/std/documents/download_e.html?DC-008-Translation-2023-E) data, else `DateTimeDigitized`,
 * else the same of its XMP, else that of its IPTC datasets or of its maker's block. Most cameras do not know their time zone:
 * then it is the local time of the place where the picture was taken. A date without a time begins at midnight. For the
 * form see `image-info.ts`.
 * @returns undefined when no possible time is there. An impossible one is never taken for another.
 */
export async function capturedAt(blocks: readonly MetadataBlock[]): Promise<string | undefined> {
  const readers: readonly Partial<Record<MetadataBlock['kind'], ReadTime>>[] = [
    { exif: inExif },
    { xmp: async (data) => inXmp(await readXmp(data)) },
    { iptc: async (data) => inIptc(await readIptc(data)) },
    { casio: inCasio, 'crw time': inCrw },
    { xmp: async (data) => dateInXmp(await readXmp(data)) },
  ];
  for (const reader of readers) {
    for (const { kind, data } of blocks) {
      const found = await reader[kind]?.(data);
      if (found !== undefined) {
        return found;
      }
    }
  }
  return undefined;
}

type ReadTime = (data: ByteReader) => Promise<string | undefined>;

async function inExif(exif: ByteReader): Promise<string | undefined> {
  const tiff = await Tiff.in(exif);
  const first = await tiff?.first();
  const photo = await tiff?.directory((await first?.number(TAG.exif)) ?? 0);
  const places = [photo, first].filter((directory) => !!directory);
  return (
    (await timeIn(places, TAG.takenAt, TAG.takenZone)) ??
    (await timeIn(places, TAG.digitizedAt, TAG.digitizedZone))
  );
}

async function timeIn(
  places: readonly Directory[],
  timeTag: number,
  zoneTag: number,
): Promise<string | undefined> {
  for (const place of places) {
    const time = await place.text(timeTag, MAX_DATE_BYTES);
    const found = time && readTime(time, (await place.text(zoneTag, MAX_DATE_BYTES)) ?? '');
    if (found) {
      return found;
    }
  }
  return undefined;
}

/** Programs write the zone of their machine into XMP, not that of the camera, so it is ignored. */
function inXmp(xmp: XmpProperties): string | undefined {
  return XMP_PROPERTIES.flatMap((property) => xmp.get(property) ?? [])
    .map((value) => readTime(value)?.slice(0, 19))
    .find((time) => time !== undefined);
}

/** The day alone, or with the time that Photo Mechanic writes beside it. */
function dateInXmp(xmp: XmpProperties): string | undefined {
  const [date = ''] = xmp.get('photoshop:DateCreated') ?? [];
  const [time] = xmp.get('photomechanic:TimeCreated') ?? [];
  return iptcTime(date, time);
}

/** The date of the picture, else that of its digital form. */
function inIptc(texts: IptcTexts): string | undefined {
  const [date, time, digitalDate, digitalTime] = [
    DATASET.date,
    DATASET.time,
    DATASET.digitalDate,
    DATASET.digitalTime,
  ].map((name) => texts.get(name)?.[0]);
  return iptcTime(date, time) ?? iptcTime(digitalDate, digitalTime);
}

function iptcTime(date = '', time = ''): string | undefined {
  const day = date.trim().replace(IPTC_DATE, '$1-$2-$3');
  const hour = time.trim().replace(IPTC_TIME, '$1:$2:$3$4');
  return readTime(`${day} ${hour}`) ?? readTime(`${day} ${MIDNIGHT}`);
}

async function inCasio(data: ByteReader): Promise<string | undefined> {
  const text = (await data.text(CASIO_TIME.at, CASIO_TIME.length)) ?? '';
  const [year, month, day, ...time] = text.split('.');
  return readTime(`${year ?? ''}-${month ?? ''}-${day ?? ''} ${time.join(':')}`);
}

async function inCrw(data: ByteReader): Promise<string | undefined> {
  const seconds = (await data.uint32(0, true)) ?? 0;
  return seconds === 0 ? undefined : readTime(new Date(seconds * 1000).toISOString().slice(0, 19));
}

/**
 * Reads a time as cameras and programs write it.
 * @param zone the zone, where it is noted apart from the time
 * @returns undefined for a time that does not exist. A zone that does not exist is left out.
 */
export function readTime(text: string, zone = ''): string | undefined {
  const match = DATE.exec(text.split('\0', 1)[0]?.trim() ?? '');
  if (match === null) {
    return undefined;
  }
  const [, year = '', , month = '', day = '', hour = '', minute = '', second = '00', inText] =
    match;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  // A date that JavaScript has to change to read it, such as 31 February, is not the same afterwards.
  const time = new Date(`${local}Z`);
  const exists = !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 19) === local;
  return exists && Number(year) >= EARLIEST_YEAR
    ? `${local}${readZone(inText ?? zone.trim())}`
    : undefined;
}

function readZone(text: string): string {
  if (/^z$/i.test(text)) {
    return '+00:00';
  }
  const [, sign = '', hours = '', minutes = '00'] = ZONE.exec(text) ?? [];
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  const exists =
    sign !== '' && Number(minutes) < 60 && offset >= EARLIEST_ZONE && offset <= LATEST_ZONE;
  // -00:00 means that the zone is not known.
  return exists && !(sign === '-' && offset === 0)
    ? `${sign}${hours.padStart(2, '0')}:${minutes}`
    : '';
}
