import { bytesOfLatin1, latin1, uint32 } from '../byte-source.js';
import { textStart, XMP_ROOTS } from '../kinds.js';
import { isSpace, isWide, XmpReader, type XmpHandler } from '../xmp.js';
import { Region } from './search.js';
import { isCoordinateStart, isPlaceProperty, mentionsPlace } from './words.js';

/** A longer packet is removed as a whole, without being read. */
const MAX_PACKET_BYTES = 16 * 1024 * 1024;
/** With more places than this the packet is removed as a whole: it is made to harm. */
const MAX_PLACES = 256;

const SPACE = 0x20;

/** How pictures begin in Base64. They have metadata as well. */
const JPEG_IN_BASE64 = '/9j/';
/** Adobe's thumbnails have no metadata. */
const THUMBNAIL = 'xmpGImg:image';

interface Place {
  readonly at: number;
  readonly length: number;
}

/**
 * Searches an XMP packet (ISO 16684-1) or a sidecar. Properties about a place become spaces, with their tags; values that
 * are coordinates become spaces. A packet that is not well-formed, or that has two bytes for each character and a place,
 * becomes spaces as a whole.
 */
export async function searchXmp(packet: Region): Promise<void> {
  const { search } = packet;
  search.step();
  if (packet.size > MAX_PACKET_BYTES) {
    await packet.blank(SPACE);
    return;
  }
  const { places, ...finder } = placeFinder();
  const reader = new XmpReader(finder);
  for await (const { at, bytes } of packet.pieces()) {
    reader.read(bytes, at);
    search.step(reader.takeSteps());
    if (reader.isMalformed || places.length > MAX_PLACES) {
      break;
    }
  }
  const isMalformed = !reader.end();
  const isPlaceWide = places.length > 0 && isWide(await packet.readUpTo(0, 64));
  if (isMalformed || places.length > MAX_PLACES || isPlaceWide) {
    const isBlanked = await packet.blank(SPACE);
    search.hasLocation ||= isBlanked && places.length > 0;
    return;
  }
  for (const { at, length } of places) {
    if (await packet.part(at, length).blank(SPACE)) {
      search.hasLocation = true;
    }
  }
}

/** Whether a text begins as an XMP packet, behind a byte order mark and instructions. Other XML may be anything. */
export function isXmp(start: string): boolean {
  let text = textStart(start);
  while (text.startsWith('<?')) {
    const end = text.indexOf('?>');
    text = end < 0 ? '' : text.slice(end + 2).trimStart();
  }
  return XMP_ROOTS.some((root) => text.startsWith(root));
}

/** Finds what is to be removed. Inside a removed property that happens anyway. */
function placeFinder(): XmpHandler & { readonly places: readonly Place[] } {
  const places: Place[] = [];
  const value = new ValueMatcher();
  let depth = 0;
  /** The property that is removed: where it begins, and how deep it is. */
  let cut: { readonly from: number; readonly depth: number } | null = null;
  const note = (from: number, to: number): void => {
    if (cut === null && to > from) {
      places.push({ at: from, length: to - from });
    }
  };
  return {
    places,
    character: (code) => {
      value.next(code);
    },
    text(from, to, element) {
      if (from >= 0 && value.isUnwanted(element)) {
        note(from, to);
      }
      value.reset();
    },
    attribute({ name, at, valueAt, end }) {
      if (isPlaceProperty(name)) {
        note(at, end);
      } else if (value.isUnwanted(name)) {
        note(valueAt, end - 1);
      }
      value.reset();
    },
    namespace: () => {
      value.reset();
    },
    startTag(name, from, to, isEmpty) {
      depth += isEmpty ? 0 : 1;
      if (cut === null && isPlaceProperty(name)) {
        if (isEmpty) {
          note(from, to);
        } else {
          cut = { from, depth };
        }
      }
    },
    endTag(to) {
      depth -= 1;
      if (cut && depth < cut.depth) {
        const start = cut.from;
        cut = null;
        note(start, to);
      }
    },
    comment(text, from, to) {
      if (text === null || mentionsPlace(text)) {
        note(from, to);
      }
    },
  };
}

/** Looks for coordinates in a value. */
class ValueMatcher {
  private static readonly WORD = 'geo:';
  private matched = 0;
  private isCoordinate = false;
  private start = '';

  reset(): void {
    this.matched = 0;
    this.isCoordinate = false;
    this.start = '';
  }

  isUnwanted(name: string): boolean {
    return this.isCoordinate || (this.start === JPEG_IN_BASE64 && name !== THUMBNAIL);
  }

  next(code: number): void {
    if (this.matched === ValueMatcher.WORD.length) {
      this.isCoordinate ||= isCoordinateStart(code);
      this.matched = 0;
    }
    const lower = code >= 0x41 && code <= 0x5a ? code | 0x20 : code;
    if (lower === ValueMatcher.WORD.charCodeAt(this.matched)) {
      this.matched += 1;
    } else {
      this.matched = lower === ValueMatcher.WORD.charCodeAt(0) ? 1 : 0;
    }
    if (this.start.length < JPEG_IN_BASE64.length && !isSpace(code)) {
      this.start += code < 0x80 ? String.fromCharCode(code) : '?';
    }
  }
}

const EXTENSION_HEAD_BYTES = 32 + 4 + 4;

/**
 * Searches extended XMP, which is one packet in several segments: a digest as its name, the whole length, the place of the
 * part. Parts that do not fit together become spaces.
 */
export async function searchExtendedXmp(parts: readonly Region[]): Promise<void> {
  const packets = new Map<string, { readonly offset: number; readonly data: Region }[]>();
  for (const part of parts) {
    part.search.step();
    if (part.size < EXTENSION_HEAD_BYTES) {
      await part.blank();
      continue;
    }
    const head = await part.read(0, EXTENSION_HEAD_BYTES);
    const name = latin1(head, 0, 32);
    const offset = uint32(head, 36);
    const packet = packets.get(name) ?? [];
    packet.push({ offset, data: part.part(EXTENSION_HEAD_BYTES) });
    packets.set(name, packet);
  }
  for (const packet of packets.values()) {
    const sorted = packet.sort((one, other) => one.offset - other.offset);
    const [first] = sorted;
    if (first) {
      const parts = sorted.map(({ data }) => data);
      await searchXmp(Region.join(first.data.search, parts));
    }
  }
}

/** The part of a region that holds a packet, from `<?xpacket` or `<x:xmpmeta` to its end; null where there is none. */
export async function packetIn(region: Region): Promise<Region | null> {
  const start = await region.indexOf(bytesOfLatin1('<x:xmpmeta'));
  if (start < 0) {
    return null;
  }
  const close = '</x:xmpmeta>';
  const end = await region.indexOf(bytesOfLatin1(close), start);
  return end < 0 ? region.part(start) : region.part(start, end + close.length - start);
}
