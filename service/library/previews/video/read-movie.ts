import {
  boxesIn,
  indexOfBytes,
  uint16,
  uint32,
  uint64,
  type Box,
  type ByteReader,
} from '../../../../packages/image-metadata/index.js';
import { isHdrTransfer, momentOf, type VideoFacts } from './video-facts.js';

/**
 * MP4, M4V and MOV: ISO/IEC 14496-12 and the QuickTime File Format, also of the time before `ftyp`. All numbers are in the
 * heads of tracks, or in those of fragments.
 * @packageDocumentation
 */

/** A film has a few tracks. Of a hostile one, no more are looked at. */
const MAX_TRACKS = 64;
const MAX_ENTRY_BYTES = 1024;
const MAX_TEXT_BYTES = 256;
/** Of the frames of one fragment, at most so many bytes are read. */
const MAX_RUN_BYTES = 1024 * 1024;

/** From when QuickTime counts seconds, in milliseconds since 1970. */
const YEAR_1904 = Date.UTC(1904, 0, 1);

/** Time code counts frames by numbers that leave some out. */
const DROP_FRAME = 1;

/** How long the head of a description of pictures is, behind which boxes follow. */
const VISUAL_ENTRY_BYTES = 78;

const VIDEO_CODECS: Readonly<Record<string, VideoFacts['videoCodec']>> = {
  ...names('avc1 avc2 avc3 avc4 dva1 dvav', 'h264'),
  ...names('hvc1 hev1 dvh1 dvhe', 'hevc'),
  ...names('vp08', 'vp8'),
  ...names('vp09', 'vp9'),
  ...names('av01 dav1', 'av1'),
  ...names('apcn apch apcs apco ap4h ap4x', 'prores'),
};
const AUDIO_CODECS: Readonly<Record<string, VideoFacts['audioCodec']>> = {
  ...names('Opus', 'opus'),
  ...names('.mp3', 'mp3'),
  ...names('sowt twos lpcm ipcm fpcm in24 in32 fl32 fl64 NONE', 'pcm'),
  'raw ': 'pcm',
};
/** Object types of MPEG-4 (ISO/IEC 14496-1), as registered at mp4ra.org. */
const OBJECT_TYPES: Readonly<Record<number, VideoFacts['audioCodec']>> = {
  0x40: 'aac',
  0x66: 'aac',
  0x67: 'aac',
  0x68: 'aac',
  0x69: 'mp3',
  0x6b: 'mp3',
  0xad: 'opus',
  0xdd: 'vorbis',
};
const ESDS = Uint8Array.from(Buffer.from('esds'));
/** The tags of descriptors in a box `esds`: of a stream, and in it of its decoder. */
const STREAM_TAG = 3;
const DECODER_TAG = 4;
/** Dolby Vision without a layer that others can show. */
const DOLBY_VISION = ['dvh1', 'dvhe', 'dva1', 'dvav', 'dav1'];

const CREATION_KEY = 'com.apple.quicktime.creationdate';
const DAY = '\u00a9day';
const DATE = /(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?/;

function names<T>(list: string, codec: T): Record<string, T> {
  return Object.fromEntries(list.split(' ').map((name) => [name, codec]));
}

const KINDS = ['vide', 'soun', 'tmcd'] as const;

/** A track of pictures, sound or time code. */
interface Track {
  readonly id: number;
  readonly kind: (typeof KINDS)[number];
  readonly isEnabled: boolean;
  readonly facts: VideoFacts;
  /** Units in a second. */
  readonly timescale: number;
  /** How many frames are there, without those of fragments. */
  readonly frames: number;
  /** In units. */
  readonly duration: number;
}

/** The head of a movie or of its media. */
interface Head {
  /** In seconds since 1904. */
  readonly created: number;
  readonly timescale: number;
  readonly duration: number;
}

/** Reads a film. @returns undefined for a file without a `moov` box that holds a track of pictures */
export async function readMovie(reader: ByteReader): Promise<VideoFacts | undefined> {
  let movie: Movie | undefined;
  let fragments: Fragments | undefined;
  let end = 0;
  for await (const box of boxesIn(reader)) {
    end = box.end;
    if (box.type === 'moov' && movie === undefined) {
      movie = await inMovie(box.data, reader);
      if (movie.video === undefined) {
        return undefined;
      }
      if (!movie.isFragmented) {
        return factsOf(movie);
      }
      fragments = new Fragments(movie.video.id, movie.usualDuration);
    } else if (box.type === 'moof') {
      await fragments?.add(box.data);
    }
  }
  // Beyond the limits of reading, what was counted is only a part.
  return movie && factsOf(movie, end === reader.size ? fragments : undefined);
}

interface Movie {
  readonly head: Head | undefined;
  readonly video: Track | undefined;
  readonly audio: Track | undefined;
  readonly timeCode: VideoFacts['timeCode'];
  /** See `VideoFacts`. */
  readonly capturedAt: string | undefined;
  readonly isFragmented: boolean;
  /** In units of the movie, as the head of the fragments has it. */
  readonly fragmentsDuration: number;
  /** How long a frame of a fragment is if nothing else is written, by track, in its units. */
  readonly usualDuration: ReadonlyMap<number, number>;
}

async function inMovie(movie: ByteReader, file: ByteReader): Promise<Movie> {
  let head: Head | undefined;
  const tracks: Track[] = [];
  let seen = 0;
  let date: string | undefined;
  let isFragmented = false;
  let fragmentsDuration = 0;
  const usualDuration = new Map<number, number>();
  for await (const { type, data } of boxesIn(movie)) {
    if (type === 'mvhd') {
      head = await headIn(data);
    } else if (type === 'trak' && seen < MAX_TRACKS) {
      seen += 1;
      const track = await inTrack(data, file);
      tracks.push(...(track ? [track] : []));
    } else if (type === 'meta') {
      date = (await dateInMeta(data)) ?? date;
    } else if (type === 'udta') {
      date ??= await dateInUserData(data);
    } else if (type === 'mvex') {
      isFragmented = true;
      for await (const { type: own, data: value } of boxesIn(data)) {
        if (own === 'mehd') {
          fragmentsDuration = (await versioned(value, { short: 4, long: 4 })) ?? 0;
        } else if (own === 'trex' && usualDuration.size < MAX_TRACKS) {
          const bytes = await value.read(0, 16);
          if (bytes) {
            usualDuration.set(uint32(bytes, 4), uint32(bytes, 12));
          }
        }
      }
    }
  }
  const videos = tracks.filter(({ kind }) => kind === 'vide');
  return {
    head,
    video: videos.find(({ isEnabled }) => isEnabled) ?? videos[0],
    audio: tracks.find(({ kind }) => kind === 'soun'),
    timeCode: tracks.find(({ facts }) => facts.timeCode !== undefined)?.facts.timeCode,
    capturedAt: date ?? (head && momentOf(YEAR_1904 + 1000 * head.created)),
    isFragmented,
    fragmentsDuration,
    usualDuration,
  };
}

function factsOf(movie: Movie, fragments?: Fragments): VideoFacts {
  const { head, video, audio, capturedAt, fragmentsDuration } = movie;
  const seconds = (units: number, timescale = 0): number | undefined =>
    units > 0 && timescale > 0 ? units / timescale : undefined;
  const ofFragments = seconds(fragments?.end ?? 0, video?.timescale);
  const ofTrack = seconds(video?.duration ?? 0, video?.timescale);
  const frames = (video?.frames ?? 0) + (fragments?.frames ?? 0);
  const shown = ofFragments ?? ofTrack;
  return {
    ...video?.facts,
    ...(audio?.facts.audioCodec !== undefined && { audioCodec: audio.facts.audioCodec }),
    duration:
      ofFragments ??
      seconds(head?.duration ?? 0, head?.timescale) ??
      seconds(fragmentsDuration, head?.timescale) ??
      ofTrack,
    frameRate: frames > 0 && shown !== undefined ? frames / shown : undefined,
    capturedAt,
    ...(movie.timeCode !== undefined && { timeCode: movie.timeCode }),
  };
}

async function inTrack(track: ByteReader, file: ByteReader): Promise<Track | undefined> {
  let id = 0;
  let isEnabled = false;
  let shown: VideoFacts = {};
  let media: Omit<Track, 'id' | 'isEnabled'> | undefined;
  for await (const { type, data } of boxesIn(track)) {
    if (type === 'tkhd') {
      const [version = 0, , , flags = 0] = (await data.read(0, 4)) ?? [];
      const at = version === 1 ? 20 : 12;
      id = (await data.uint32(at)) ?? 0;
      isEnabled = (flags & 1) !== 0;
      shown = sidesIn(await data.read(version === 1 ? 52 : 40, 44));
    } else if (type === 'mdia') {
      media = await inMedia(data, file);
    }
  }
  return (
    media && {
      ...media,
      id,
      isEnabled,
      facts:
        media.kind === 'vide' ? { ...media.facts, ...turned(shown, media.facts) } : media.facts,
    }
  );
}

/** The sides of a track, and whether its matrix turns it by a quarter. */
interface Shown extends Pick<VideoFacts, 'width' | 'height'> {
  readonly isTurned?: boolean;
}

/** @param bytes matrix, width and height of the head of a track */
function sidesIn(bytes: Uint8Array | null): Shown {
  return bytes
    ? {
        width: uint32(bytes, 36) / 65536,
        height: uint32(bytes, 40) / 65536,
        isTurned: uint32(bytes) === 0 && uint32(bytes, 16) === 0,
      }
    : {};
}

function turned(
  { width = 0, height = 0, isTurned = false }: Shown,
  coded: VideoFacts,
): Pick<VideoFacts, 'width' | 'height'> {
  const isKnown = width > 0 && height > 0;
  const sides = isKnown ? { width, height } : { width: coded.width, height: coded.height };
  return isTurned ? { width: sides.height, height: sides.width } : sides;
}

async function inMedia(
  media: ByteReader,
  file: ByteReader,
): Promise<Omit<Track, 'id' | 'isEnabled'> | undefined> {
  let head: Head | undefined;
  let kind = '';
  let samples: ByteReader | undefined;
  for await (const { type, data } of boxesIn(media)) {
    if (type === 'mdhd') {
      head = await headIn(data);
    } else if (type === 'hdlr') {
      kind = (await data.text(8, 4)) ?? '';
    } else if (type === 'minf') {
      samples = await childOf(data, 'stbl');
    }
  }
  const known = KINDS.find((one) => one === kind);
  if (known === undefined) {
    return undefined;
  }
  const table = samples && (await inSampleTable(samples, known, file));
  const { timescale = 0, duration = 0 } = head ?? {};
  return {
    kind: known,
    timescale,
    duration,
    frames: table?.frames ?? 0,
    facts: table?.facts ?? {},
  };
}

async function childOf(parent: ByteReader, wanted: string): Promise<ByteReader | undefined> {
  for await (const { type, data } of boxesIn(parent)) {
    if (type === wanted) {
      return data;
    }
  }
  return undefined;
}

async function inSampleTable(
  table: ByteReader,
  kind: Track['kind'],
  file: ByteReader,
): Promise<Pick<Track, 'frames' | 'facts'>> {
  let frames = 0;
  let timeCodeFlags: number | null = null;
  let first: number | null = null;
  let facts: VideoFacts = {};
  for await (const { type, data } of boxesIn(table)) {
    if (type === 'stsz' || type === 'stz2') {
      frames = (await data.uint32(8)) ?? 0;
    } else if (type === 'stsd') {
      for await (const entry of boxesIn(data, 8)) {
        if (kind === 'tmcd') {
          timeCodeFlags = entry.type === 'tmcd' ? await entry.data.uint32(12) : null;
        } else {
          facts = kind === 'vide' ? await inVisualEntry(entry) : await inSoundEntry(entry);
        }
        break;
      }
    } else if (type === 'stco') {
      first = await data.uint32(8);
    } else if (type === 'co64') {
      const bytes = await data.read(8, 8);
      first = bytes && uint64(bytes);
    }
  }
  const number = timeCodeFlags === null || first === null ? null : await file.uint32(first);
  return number === null || timeCodeFlags === null
    ? { frames, facts }
    : {
        ...{ frames },
        facts: { timeCode: { frames: number, isDropFrame: (timeCodeFlags & DROP_FRAME) !== 0 } },
      };
}

async function inVisualEntry({ type, data }: Box<ByteReader>): Promise<VideoFacts> {
  const head = await data.read(0, VISUAL_ENTRY_BYTES);
  let isHdr = DOLBY_VISION.includes(type);
  let ratio = 1;
  for await (const { type: own, data: value } of boxesIn(data, VISUAL_ENTRY_BYTES)) {
    if (own === 'colr') {
      isHdr ||= isHdrTransfer(await value.uint16(6));
    } else if (own === 'vpcC') {
      isHdr ||= isHdrTransfer((await value.read(8, 1))?.[0] ?? null);
    } else if (own === 'pasp') {
      const [across = 0, down = 0] = [await value.uint32(0), await value.uint32(4)].map(Number);
      ratio = across > 0 && down > 0 ? across / down : 1;
    }
  }
  return {
    videoCodec: VIDEO_CODECS[type] ?? 'other',
    ...(head && { width: uint16(head, 24) * ratio, height: uint16(head, 26) }),
    ...(isHdr && { isHdr }),
  };
}

async function inSoundEntry({ type, data }: Box<ByteReader>): Promise<VideoFacts> {
  const known = AUDIO_CODECS[type];
  const entry = await data.read(0, Math.min(data.size, MAX_ENTRY_BYTES));
  const objectType = (entry && objectTypeIn(entry)) ?? -1;
  return { audioCodec: known ?? OBJECT_TYPES[objectType] ?? 'other' };
}

/** The type of the decoder in a box `esds` (ISO/IEC 14496-1 §7.2.6), which is at any place in a description of sound. */
function objectTypeIn(entry: Uint8Array): number | undefined {
  const box = indexOfBytes(entry, ESDS);
  const stream = box < 0 ? undefined : descriptorIn(entry, box + 8, STREAM_TAG);
  const decoder = stream && descriptorIn(entry, stream + 3, DECODER_TAG);
  return decoder && entry[decoder];
}

/** Where the content of a descriptor begins, behind its tag and a length of up to four bytes. */
function descriptorIn(bytes: Uint8Array, at: number, tag: number): number | undefined {
  if (bytes[at] !== tag) {
    return undefined;
  }
  const lengthBytes = [1, 2, 3, 4].find((count) => ((bytes[at + count] ?? 0) & 0x80) === 0);
  return lengthBytes && at + 1 + lengthBytes;
}

async function headIn(data: ByteReader): Promise<Head | undefined> {
  const [version] = (await data.read(0, 1)) ?? [];
  const bytes = await data.read(4, version === 1 ? 28 : 16);
  if (!bytes) {
    return undefined;
  }
  return version === 1
    ? { created: uint64(bytes), timescale: uint32(bytes, 16), duration: uint64(bytes, 20) }
    : { created: uint32(bytes), timescale: uint32(bytes, 8), duration: known(uint32(bytes, 12)) };
}

/** All bits are set where a length is not known. */
function known(duration: number): number {
  return duration === 0xffffffff ? 0 : duration;
}

/** A number of four bytes in version 0 of a box, of eight in version 1. @param at where it is, by version */
async function versioned(
  data: ByteReader,
  at: { readonly short: number; readonly long: number },
): Promise<number | null> {
  const [version] = (await data.read(0, 1)) ?? [];
  if (version !== 1) {
    return data.uint32(at.short);
  }
  const bytes = await data.read(at.long, 8);
  return bytes && uint64(bytes);
}

/** The fragments of a film (ISO/IEC 14496-12 §8.8): how many frames they have, and where the last one ends. */
class Fragments {
  frames = 0;
  end = 0;

  constructor(
    private readonly track: number,
    private readonly usualDuration: ReadonlyMap<number, number>,
  ) {}

  async add(fragment: ByteReader): Promise<void> {
    for await (const { type, data } of boxesIn(fragment)) {
      if (type === 'traf') {
        await this.addTrack(data);
      }
    }
  }

  private async addTrack(fragment: ByteReader): Promise<void> {
    let usual = this.usualDuration.get(this.track) ?? 0;
    let at = this.end;
    for await (const { type, data } of boxesIn(fragment)) {
      if (type === 'tfhd') {
        const [flags = 0, id] = [await data.uint32(0), await data.uint32(4)].map(Number);
        if (id !== this.track) {
          return;
        }
        const place = 8 + ((flags & 1) === 0 ? 0 : 8) + ((flags & 2) === 0 ? 0 : 4);
        usual = (flags & 8) === 0 ? usual : ((await data.uint32(place)) ?? usual);
      } else if (type === 'tfdt') {
        at = (await versioned(data, { short: 4, long: 4 })) ?? at;
      } else if (type === 'trun') {
        at += await this.addRun(data, usual);
      }
    }
    this.end = Math.max(this.end, at);
  }

  /** @returns how long the frames of a run are, in units */
  private async addRun(run: ByteReader, usual: number): Promise<number> {
    const [flags = 0, count = 0] = [await run.uint32(0), await run.uint32(4)].map(Number);
    this.frames += count;
    if ((flags & 0x100) === 0) {
      return count * usual;
    }
    const start = 8 + ((flags & 1) === 0 ? 0 : 4) + ((flags & 4) === 0 ? 0 : 4);
    const fields = [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length;
    const length = count * fields * 4;
    const bytes = length <= MAX_RUN_BYTES ? await run.read(start, length) : null;
    let duration = 0;
    for (let at = 0; bytes && at < bytes.length; at += fields * 4) {
      duration += uint32(bytes, at);
    }
    return duration;
  }
}

/** The time in the metadata of QuickTime, by its key. */
async function dateInMeta(meta: ByteReader): Promise<string | undefined> {
  const start = (await meta.text(4, 4)) === 'hdlr' ? 0 : 4;
  let number = 0;
  for await (const { type, data } of boxesIn(meta, start)) {
    if (type === 'keys') {
      let index = 0;
      for await (const { data: name } of boxesIn(data, 8)) {
        index += 1;
        if ((await name.head(MAX_TEXT_BYTES)) === CREATION_KEY) {
          number = index;
        }
      }
    } else if (type === 'ilst') {
      for await (const { type: key, data: value } of boxesIn(data)) {
        const isDate = key === DAY || (number > 0 && numberOf(key) === number);
        const date = isDate ? dateIn(await value.head(MAX_TEXT_BYTES)) : undefined;
        if (date !== undefined) {
          return date;
        }
      }
    }
  }
  return undefined;
}

async function dateInUserData(data: ByteReader): Promise<string | undefined> {
  for await (const { type, data: value } of boxesIn(data)) {
    const date =
      type === DAY
        ? dateIn(await value.head(MAX_TEXT_BYTES))
        : type === 'meta'
          ? await dateInMeta(value)
          : undefined;
    if (date !== undefined) {
      return date;
    }
  }
  return undefined;
}

function numberOf(type: string): number {
  return type.split('').reduce((value, letter) => value * 256 + letter.charCodeAt(0), 0);
}

/** A date with a time of day in a text, in the form of `image-info.ts`. */
function dateIn(text: string): string | undefined {
  const [, day = '', time = '', zone = ''] = DATE.exec(text) ?? [];
  const inForm = zone === 'Z' ? '+00:00' : zone.replace(/(\d\d):?(\d\d)$/, '$1:$2');
  const date = `${day}T${time}${inForm}`;
  return day !== '' && !Number.isNaN(Date.parse(date)) ? date : undefined;
}
