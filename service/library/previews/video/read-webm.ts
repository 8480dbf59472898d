import {
  EBML,
  elementsIn,
  unsignedIn,
  type ByteReader,
} from '../../../../packages/image-metadata/index.js';
import { isHdrTransfer, momentOf, type VideoFacts } from './video-facts.js';

const TIMESTAMP_SCALE = 0x2ad7b1;
const DURATION = 0x4489;
const DATE = 0x4461;
const CODEC = 0x86;
const FRAME_DURATION = 0x23e383;
const VIDEO = 0xe0;
const SIDES = { pixelWidth: 0xb0, pixelHeight: 0xba, shownWidth: 0x54b0, shownHeight: 0x54ba };
const SHOWN_UNIT = 0x54b2;
const COLOUR = 0x55b0;
const TRANSFER = 0x55ba;

const VIDEO_TRACK = 1;
const AUDIO_TRACK = 2;

/** In nanoseconds, if the file has no scale. */
const USUAL_SCALE = 1_000_000;
const NANOSECONDS = 1e9;
/** From when dates count, in milliseconds since 1970. */
const YEAR_2001 = Date.UTC(2001, 0, 1);
/** A name of a codec is short. */
const MAX_NAME_BYTES = 64;

const VIDEO_CODECS: readonly (readonly [string, VideoFacts['videoCodec']])[] = [
  ['V_VP8', 'vp8'],
  ['V_VP9', 'vp9'],
  ['V_AV1', 'av1'],
  ['V_MPEG4/ISO/AVC', 'h264'],
  ['V_MPEGH/ISO/HEVC', 'hevc'],
  ['V_PRORES', 'prores'],
];
const AUDIO_CODECS: readonly (readonly [string, VideoFacts['audioCodec']])[] = [
  ['A_OPUS', 'opus'],
  ['A_VORBIS', 'vorbis'],
  ['A_AAC', 'aac'],
  ['A_MPEG/L3', 'mp3'],
  ['A_PCM', 'pcm'],
];

/** Reads a WebM or Matroska file up to its first frames. @returns undefined for another file */
export async function readWebm(reader: ByteReader): Promise<VideoFacts | undefined> {
  let facts: VideoFacts | undefined;
  for await (const { id, data } of elementsIn(reader)) {
    if (id === EBML.segment) {
      return { ...facts, ...(await inSegment(data)) };
    }
    if (id !== EBML.header) {
      return facts;
    }
    facts = {};
  }
  return facts;
}

async function inSegment(segment: ByteReader): Promise<VideoFacts> {
  let info: VideoFacts = {};
  let tracks: VideoFacts = {};
  for await (const { id, data } of elementsIn(segment)) {
    if (id === EBML.info) {
      info = await inInfo(data);
    } else if (id === EBML.tracks) {
      tracks = await inTracks(data);
    } else if (id === EBML.cluster) {
      break;
    }
  }
  return { ...info, ...tracks };
}

async function inInfo(info: ByteReader): Promise<VideoFacts> {
  let scale = USUAL_SCALE;
  let duration: number | undefined;
  let capturedAt: string | undefined;
  for await (const { id, data } of elementsIn(info)) {
    if (id === TIMESTAMP_SCALE) {
      scale = (await unsignedIn(data)) ?? scale;
    } else if (id === DURATION) {
      duration = await floatIn(data);
    } else if (id === DATE) {
      const bytes = data.size === 8 ? await data.read(0, 8) : null;
      capturedAt = bytes
        ? momentOf(YEAR_2001 + Number(viewOf(bytes).getBigInt64(0)) / 1e6)
        : undefined;
    }
  }
  return {
    ...(duration !== undefined && { duration: (duration * scale) / NANOSECONDS }),
    ...(capturedAt !== undefined && { capturedAt }),
  };
}

/** The first track of pictures, and the first of sound. */
async function inTracks(tracks: ByteReader): Promise<VideoFacts> {
  let video: VideoFacts | undefined;
  let audioCodec: VideoFacts['audioCodec'];
  for await (const { id, data } of elementsIn(tracks)) {
    const track = id === EBML.track ? await inTrack(data) : undefined;
    if (track?.type === VIDEO_TRACK) {
      video ??= {
        ...track.facts,
        videoCodec: VIDEO_CODECS.find(([name]) => track.codec.startsWith(name))?.[1] ?? 'other',
      };
    } else if (track?.type === AUDIO_TRACK) {
      audioCodec ??= AUDIO_CODECS.find(([name]) => track.codec.startsWith(name))?.[1] ?? 'other';
    }
  }
  return { ...video, ...(audioCodec !== undefined && { audioCodec }) };
}

async function inTrack(
  track: ByteReader,
): Promise<{ readonly type: number; readonly codec: string; readonly facts: VideoFacts }> {
  let type = 0;
  let codec = '';
  let frameRate: number | undefined;
  let video: VideoFacts = {};
  for await (const { id, data } of elementsIn(track)) {
    if (id === EBML.trackType) {
      type = (await unsignedIn(data)) ?? 0;
    } else if (id === CODEC) {
      codec = await data.head(MAX_NAME_BYTES);
    } else if (id === FRAME_DURATION) {
      frameRate = NANOSECONDS / ((await unsignedIn(data)) ?? 0);
    } else if (id === VIDEO) {
      video = await inVideo(data);
    }
  }
  return { type, codec, facts: { ...video, frameRate } };
}

async function inVideo(video: ByteReader): Promise<VideoFacts> {
  const numbers = new Map<number, number | null>();
  let isHdr = false;
  for await (const { id, data } of elementsIn(video)) {
    if (id === COLOUR) {
      for await (const { id: own, data: value } of elementsIn(data)) {
        isHdr ||= own === TRANSFER && isHdrTransfer(await unsignedIn(value));
      }
    } else {
      numbers.set(id, await unsignedIn(data));
    }
  }
  // Other units are centimetres and ratios.
  const isInPixels = (numbers.get(SHOWN_UNIT) ?? 0) === 0;
  const side = (shown: number, coded: number): number | undefined =>
    (isInPixels ? numbers.get(shown) : undefined) ?? numbers.get(coded) ?? undefined;
  return {
    width: side(SIDES.shownWidth, SIDES.pixelWidth),
    height: side(SIDES.shownHeight, SIDES.pixelHeight),
    ...(isHdr && { isHdr }),
  };
}

async function floatIn(data: ByteReader): Promise<number | undefined> {
  const bytes = data.size === 4 || data.size === 8 ? await data.read(0, data.size) : null;
  if (!bytes) {
    return undefined;
  }
  return bytes.length === 4 ? viewOf(bytes).getFloat32(0) : viewOf(bytes).getFloat64(0);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
