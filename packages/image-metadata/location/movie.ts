import { boxesIn, type Box } from '../box.js';
import { bytesOfLatin1, uint32 } from '../byte-source.js';
import { Unsearchable, type Region } from './search.js';
import { isPlaceProperty, mentionsPlace } from './words.js';
import { searchXmp } from './xmp.js';

/**
 * Films: the `moov` box of MP4, MOV and CR3 files (ISO/IEC 14496-12, QuickTime File Format).
 * @packageDocumentation
 */

/** Searches a box of the type `uuid`. */
export type SearchUuid = (box: Box<Region>) => Promise<void>;

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));
const MOVIE = set('mvhd iods mvex ctab clip prfl rmra');
const TRACK = set('tkhd edts tref load tapt clip matt txas imap');
const MEDIA = set('mdhd hdlr minf elng');
/** Kinds of tracks without text. */
const HANDLERS = set('vide soun tmcd clcp auxv pict');
/** Metadata of tracks that are known: orientation and faces of Apple's, exposure of Canon's, times of motion photos. */
const APPLE_SAMPLES = 'mebx';
const APPLE_KEY = 'com.apple.quicktime.';
const KNOWN_SAMPLES: readonly (readonly [string, string])[] = [
  ['CTMD', ''],
  ['mett', 'application/motionphoto-image-meta'],
  ['mett', 'application/microvideo-image-meta'],
];
const USER_PLACES = ['\u00a9xyz', 'loci'];
const USER_DATA = set(
  'name cprt titl dscp perf gnre albm yrrc rtng kywd clsf auth chpl AllF LOOP SelO WLOC hnti hinf tagc ptv  SDLN smrd smta cpil',
);
const MAX_TEXT_BYTES = 64 * 1024;
const FILLER = 0x78;
const FREE = 'free';

/** Gives a box a type that every program skips, and zeros. */
export async function removeBox({ type, name, content }: Box<Region>): Promise<void> {
  if (type !== FREE) {
    name.replace(0, bytesOfLatin1(FREE));
  }
  await content.blank();
}

/** Searches a `moov` box. @throws {Unsearchable} */
export async function searchMovie(movie: Region, searchUuid: SearchUuid): Promise<void> {
  for await (const box of boxesIn(movie)) {
    if (box.type === 'trak') {
      await searchTrack(box.data, searchUuid);
    } else if (box.type === 'cmov') {
      throw new Unsearchable('compressed');
    } else if (box.type === 'gps ') {
      throw new Unsearchable('timed-metadata');
    } else if (!MOVIE.has(box.type)) {
      await searchCommon(box, searchUuid);
    }
  }
}

/** Boxes that movies, tracks and media have. Unknown ones become free space. */
async function searchCommon(box: Box<Region>, searchUuid: SearchUuid): Promise<void> {
  switch (box.type) {
    case 'udta':
      return searchUserData(box.data, searchUuid);
    case 'meta':
      return searchMeta(box.data, searchUuid);
    case 'uuid':
      return searchUuid(box);
    default:
      return removeBox(box);
  }
}

async function searchTrack(track: Region, searchUuid: SearchUuid): Promise<void> {
  for await (const box of boxesIn(track)) {
    if (box.type === 'mdia') {
      await searchMedia(box.data, searchUuid);
    } else if (!TRACK.has(box.type)) {
      await searchCommon(box, searchUuid);
    }
  }
}

async function searchMedia(media: Region, searchUuid: SearchUuid): Promise<void> {
  let handler = '';
  let samples = '';
  for await (const box of boxesIn(media)) {
    if (box.type === 'hdlr') {
      handler = await box.data.text(8, 4);
    } else if (box.type === 'minf') {
      samples = await sampleDescriptions(box.data);
    } else if (!MEDIA.has(box.type)) {
      await searchCommon(box, searchUuid);
    }
  }
  if (!HANDLERS.has(handler) && !(handler === 'meta' && isKnownMetadata(samples))) {
    throw new Unsearchable('timed-metadata');
  }
}

async function sampleDescriptions(information: Region): Promise<string> {
  for await (const table of boxesIn(information)) {
    if (table.type === 'stbl') {
      for await (const { type, data } of boxesIn(table.data)) {
        if (type === 'stsd') {
          return data.text(8, MAX_TEXT_BYTES);
        }
      }
    }
  }
  return '';
}

/** @param samples  the descriptions, each with its length and type */
function isKnownMetadata(samples: string): boolean {
  const type = samples.slice(4, 8);
  if (type === APPLE_SAMPLES) {
    const keys = samples.split('mdta').slice(1);
    return (
      keys.length > 0 && keys.every((key) => key.startsWith(APPLE_KEY)) && !mentionsPlace(samples)
    );
  }
  return KNOWN_SAMPLES.some(([own, mime]) => own === type && samples.includes(mime));
}

/** Searches a `udta` box. */
export async function searchUserData(data: Region, searchUuid: SearchUuid): Promise<void> {
  const { search } = data;
  for await (const box of boxesIn(data)) {
    const { type } = box;
    if (USER_PLACES.includes(type)) {
      search.hasLocation = true;
      await removeBox(box);
    } else if (type === 'XMP_') {
      await searchXmp(box.data);
    } else if (type.startsWith('\u00a9')) {
      if (mentionsPlace(await box.data.text(0, MAX_TEXT_BYTES))) {
        search.hasLocation = true;
        await removeBox(box);
      }
    } else if (!USER_DATA.has(type)) {
      await (type === 'udta' ? removeBox(box) : searchCommon(box, searchUuid));
    }
  }
}

/** Whether a `meta` box begins with version and flags, as in MP4 and HEIC. QuickTime's does not. */
export function isMetaBox(start: string): boolean {
  return start.slice(4, 8) !== 'hdlr';
}

const META = set('hdlr pitm iinf iloc idat iprp iref ipro dinf grpl');

/** Searches what a `meta` box has beside items. */
export async function searchMeta(meta: Region, searchUuid: SearchUuid): Promise<void> {
  let keys: ReadonlyMap<number, Region> = new Map();
  for await (const box of boxesIn(meta, isMetaBox(await meta.text(0, 8)) ? 4 : 0)) {
    const { type, data } = box;
    if (type === 'keys') {
      keys = await placeKeys(data);
    } else if (type === 'ilst') {
      await searchValues(data, keys);
    } else if (type === 'xml ') {
      await searchXmp(data);
    } else if (type === 'uuid') {
      await searchUuid(box);
    } else if (!META.has(type)) {
      await removeBox(box);
    }
  }
}

/** The names of keys that are about a place, by their numbers. */
async function placeKeys(data: Region): Promise<ReadonlyMap<number, Region>> {
  const keys = new Map<number, Region>();
  let index = 0;
  for await (const { data: name } of boxesIn(data, 8)) {
    index += 1;
    const text = await name.text(0, MAX_TEXT_BYTES);
    if (mentionsPlace(text) || isPlaceProperty(text.slice(text.lastIndexOf('.') + 1))) {
      keys.set(index, name);
    }
  }
  return keys;
}

async function searchValues(list: Region, keys: ReadonlyMap<number, Region>): Promise<void> {
  const { search } = list;
  for await (const { type, name, data } of boxesIn(list)) {
    const number = uint32(bytesOfLatin1(type));
    const isPlace =
      keys.has(number) ||
      USER_PLACES.includes(type) ||
      (type === '----' && mentionsPlace(await data.text(0, MAX_TEXT_BYTES)));
    if (isPlace) {
      search.hasLocation = true;
      name.replace(0, bytesOfLatin1(FREE));
      await data.blank();
    }
  }
  for (const key of keys.values()) {
    await key.blank(FILLER);
  }
}
