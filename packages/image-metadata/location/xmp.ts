import { bytesOfLatin1, latin1, uint32 } from '../byte-source.js';
import { textStart, XMP_ROOTS } from '../kinds.js';
import { Region } from './search.js';
import { isCoordinateStart, isPlaceProperty, mentionsPlace } from './words.js';

/** A longer packet is removed as a whole, without being read. */
const MAX_PACKET_BYTES = 16 * 1024 * 1024;
/** With more places than this the packet is removed as a whole: it is made to harm. */
const MAX_PLACES = 256;
const MAX_LEVELS = 500;
const MAX_NAME = 256;
const MAX_COMMENT = 4096;

const SPACE = 0x20;
const AMPERSAND = 0x26;
const SEMICOLON = 0x3b;
const LESS = 0x3c;
const GREATER = 0x3e;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const BANG = 0x21;
const QUESTION = 0x3f;
const QUOTES = [0x22, 0x27];

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
  const head = await packet.readUpTo(0, 64);
  // Packets are filled with zeros by some programs, but they do not begin with them.
  const isWide = head.subarray(0, 16).includes(0);
  const reader = new PacketReader();
  for await (const { at, bytes } of packet.pieces()) {
    reader.read(bytes, at);
    search.step(reader.takeSteps());
    if (reader.isMalformed || reader.places.length > MAX_PLACES) {
      break;
    }
  }
  const isMalformed = !reader.end();
  if (isMalformed || reader.places.length > MAX_PLACES || (isWide && reader.places.length > 0)) {
    const isBlanked = await packet.blank(SPACE);
    search.hasLocation ||= isBlanked && reader.places.length > 0;
    return;
  }
  for (const { at, length } of reader.places) {
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

type State =
  | 'text'
  | 'open'
  | 'markup'
  | 'comment'
  | 'cdata'
  | 'instruction'
  | 'start-name'
  | 'end-name'
  | 'in-tag'
  | 'attribute-name'
  | 'before-equals'
  | 'before-value'
  | 'value'
  | 'empty-tag';

/**
 * Reads a packet byte by byte, so that the work is linear in its length and memory does not grow with it. Zeros are
 * skipped: a packet with several bytes for each character is read as if it had one.
 */
class PacketReader {
  readonly places: Place[] = [];
  isMalformed = false;
  private state: State = 'text';
  private readonly levels: string[] = [];
  private steps = 0;
  /** The property that is removed: where it begins, and how deep it is. */
  private cut: { readonly start: number; readonly depth: number } | null = null;
  private tagStart = 0;
  private attributeStart = 0;
  private valueStart = 0;
  private quote = 0;
  private name = '';
  private tag = '';
  private attribute = '';
  private markup = '';
  private last = 0;
  private beforeLast = 0;
  private textStart = -1;
  private readonly text = new ValueMatcher();
  private readonly value = new ValueMatcher();
  private hasElement = false;
  private position = 0;

  read(bytes: Uint8Array, at: number): void {
    for (let index = 0; index < bytes.length && !this.isMalformed; index += 1) {
      const byte = bytes[index] ?? 0;
      this.position = at + index + 1;
      if (byte !== 0) {
        this.next(byte, at + index);
        this.beforeLast = this.last;
        this.last = byte;
      }
    }
  }

  takeSteps(): number {
    const { steps } = this;
    this.steps = 0;
    return steps;
  }

  /** @returns whether the packet is well-formed */
  end(): boolean {
    this.endText(this.position);
    return (
      !this.isMalformed && this.state === 'text' && this.levels.length === 0 && this.hasElement
    );
  }

  private next(byte: number, at: number): void {
    switch (this.state) {
      case 'text':
        if (byte === LESS) {
          this.state = 'open';
          this.tagStart = at;
        } else {
          this.inText(byte, at);
        }
        return;
      case 'open':
        this.open(byte);
        return;
      case 'markup':
        this.inMarkup(byte);
        return;
      case 'comment':
        if (byte === GREATER && this.last === 0x2d && this.beforeLast === 0x2d) {
          if (this.markup.length > MAX_COMMENT || mentionsPlace(this.markup)) {
            this.note(this.tagStart + 4, Math.max(this.tagStart + 4, at - 2));
          }
          this.state = 'text';
        } else if (this.markup.length <= MAX_COMMENT) {
          this.markup += String.fromCharCode(byte);
        }
        return;
      case 'cdata':
        if (byte === GREATER && this.last === 0x5d && this.beforeLast === 0x5d) {
          this.state = 'text';
        } else {
          this.text.next(byte, true);
        }
        return;
      case 'instruction':
        if (byte === GREATER && this.last === QUESTION) {
          this.state = 'text';
        }
        return;
      case 'start-name':
        if (isSpace(byte) || byte === SLASH || byte === GREATER) {
          this.tag = this.name;
          this.state = 'in-tag';
          this.inTag(byte, at);
        } else {
          this.addToName(byte);
        }
        return;
      case 'end-name':
        if (byte === GREATER) {
          this.endTag(at + 1);
        } else if (!isSpace(byte)) {
          this.addToName(byte);
        }
        return;
      case 'in-tag':
        this.inTag(byte, at);
        return;
      case 'empty-tag':
        if (byte === GREATER) {
          this.startTag(at + 1, true);
        } else {
          this.isMalformed = true;
        }
        return;
      case 'attribute-name':
        if (byte === EQUALS || isSpace(byte)) {
          this.attribute = this.name;
          this.state = byte === EQUALS ? 'before-value' : 'before-equals';
        } else if (byte === LESS || byte === GREATER) {
          this.isMalformed = true;
        } else {
          this.addToName(byte);
        }
        return;
      case 'before-equals':
        if (byte === EQUALS) {
          this.state = 'before-value';
        } else if (!isSpace(byte)) {
          this.isMalformed = true;
        }
        return;
      case 'before-value':
        if (QUOTES.includes(byte)) {
          this.quote = byte;
          this.valueStart = at + 1;
          this.value.reset();
          this.state = 'value';
        } else if (!isSpace(byte)) {
          this.isMalformed = true;
        }
        return;
      case 'value':
        if (byte === this.quote) {
          this.endAttribute(at);
        } else if (byte === LESS) {
          this.isMalformed = true;
        } else {
          this.value.next(byte, false);
        }
        return;
      default:
        this.isMalformed = true;
    }
  }

  private open(byte: number): void {
    this.steps += 1;
    this.markup = '';
    this.name = '';
    if (byte === BANG) {
      this.state = 'markup';
    } else if (byte === QUESTION) {
      this.state = 'instruction';
    } else {
      // Comments, sections and instructions are inside a text. Tags end it.
      this.endText(this.tagStart);
      if (byte === SLASH) {
        this.state = 'end-name';
      } else if (isSpace(byte) || byte === GREATER || byte === LESS) {
        this.isMalformed = true;
      } else {
        this.state = 'start-name';
        this.addToName(byte);
      }
    }
  }

  /** Behind `<!`. A document type may define entities. */
  private inMarkup(byte: number): void {
    this.markup += String.fromCharCode(byte);
    if (this.markup === '--') {
      this.state = 'comment';
      this.markup = '';
    } else if (this.markup === '[CDATA[') {
      this.state = 'cdata';
      this.startText(this.tagStart);
    } else if (!'--'.startsWith(this.markup) && !'[CDATA['.startsWith(this.markup)) {
      this.isMalformed = true;
    }
  }

  private inText(byte: number, at: number): void {
    if (!isSpace(byte)) {
      this.startText(at);
    }
    this.text.next(byte, false);
  }

  private startText(at: number): void {
    if (this.textStart < 0) {
      this.textStart = at;
    }
  }

  private endText(at: number): void {
    if (this.textStart >= 0 && this.text.isUnwanted(this.levels[this.levels.length - 1] ?? '')) {
      this.note(this.textStart, at);
    }
    this.textStart = -1;
    this.text.reset();
  }

  private inTag(byte: number, at: number): void {
    if (byte === GREATER) {
      this.startTag(at + 1, false);
    } else if (byte === SLASH) {
      this.state = 'empty-tag';
    } else if (byte === LESS || byte === EQUALS) {
      this.isMalformed = true;
    } else if (!isSpace(byte)) {
      this.name = '';
      this.addToName(byte);
      this.attributeStart = at;
      this.state = 'attribute-name';
      this.steps += 1;
    }
  }

  /** @param at  the place of the closing quote */
  private endAttribute(at: number): void {
    const isNamespace = this.attribute === 'xmlns' || this.attribute.startsWith('xmlns:');
    if (!isNamespace && isPlaceProperty(this.attribute)) {
      this.note(this.attributeStart, at + 1);
    } else if (!isNamespace && this.value.isUnwanted(this.attribute)) {
      this.note(this.valueStart, at);
    }
    this.state = 'in-tag';
  }

  private startTag(end: number, isEmpty: boolean): void {
    this.hasElement = true;
    const isPlace = this.cut === null && isPlaceProperty(this.tag);
    if (isEmpty) {
      if (isPlace) {
        this.note(this.tagStart, end);
      }
    } else {
      this.levels.push(this.tag);
      if (isPlace) {
        this.cut = { start: this.tagStart, depth: this.levels.length };
      }
      this.isMalformed ||= this.levels.length > MAX_LEVELS;
    }
    this.state = 'text';
  }

  private endTag(end: number): void {
    const { cut } = this;
    if (this.levels.pop() !== this.name) {
      this.isMalformed = true;
    }
    if (cut && this.levels.length < cut.depth) {
      this.cut = null;
      this.note(cut.start, end);
    }
    this.state = 'text';
  }

  /** Notes what is to be removed. Inside a removed property that happens anyway. */
  private note(from: number, to: number): void {
    if (this.cut === null && to > from) {
      this.places.push({ at: from, length: to - from });
    }
  }

  private addToName(byte: number): void {
    this.name += String.fromCharCode(byte);
    this.isMalformed ||= this.name.length > MAX_NAME;
  }
}

/** Looks for coordinates in a value, also where characters are written as references. */
class ValueMatcher {
  private static readonly WORD = 'geo:';
  private matched = 0;
  private isCoordinate = false;
  private entity: string | null = null;
  private start = '';

  reset(): void {
    this.matched = 0;
    this.isCoordinate = false;
    this.entity = null;
    this.start = '';
  }

  isUnwanted(name: string): boolean {
    return this.isCoordinate || (this.start === JPEG_IN_BASE64 && name !== THUMBNAIL);
  }

  /** @param isLiteral  whether there are no references */
  next(byte: number, isLiteral: boolean): void {
    if (this.entity !== null) {
      if (byte === SEMICOLON) {
        this.character(decodeReference(this.entity));
        this.entity = null;
      } else if (this.entity.length < 16) {
        this.entity += String.fromCharCode(byte);
      }
    } else if (byte === AMPERSAND && !isLiteral) {
      this.entity = '';
    } else {
      this.character(byte);
    }
  }

  private character(code: number): void {
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

/** The character of `&#103;`, `&#x67;` or a name; a space where it is none. */
function decodeReference(text: string): number {
  const names: Readonly<Record<string, number>> = { amp: 38, lt: 60, gt: 62, quot: 34, apos: 39 };
  if (text.startsWith('#')) {
    const code = /^#x/i.test(text) ? Number.parseInt(text.slice(2), 16) : Number(text.slice(1));
    return Number.isInteger(code) ? code : SPACE;
  }
  return names[text] ?? SPACE;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
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
