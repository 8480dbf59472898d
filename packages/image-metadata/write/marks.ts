import { decodeUtf8, encodeUtf8 } from '../../utf8/index.js';
import { concat } from '../byte-source.js';
import { readXmp, XMP_NAMESPACE, type XmpProperties } from '../read/xmp-properties.js';
import { isWide } from '../xmp.js';
import { UnwritableError } from './pieces.js';
import { escape } from './xmp.js';

/** The choice among photos, as `xmp:Rating` and `xmp:Label`. */
export interface XmpMarks {
  /** -1 for a rejected photo, 0 to 5 stars; null to leave it. */
  readonly rating: number | null;
  /** Null to leave it. */
  readonly label: string | null;
}

type Property = 'Rating' | 'Label';

const NAMES = ['xmp:Rating', 'xmp:Label'] as const;
const HEAD = '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>\n';

/** The marks in a packet, as far as it is well-formed; null for one that it does not have. */
export function readMarks(packet: Uint8Array): XmpMarks {
  const { values } = readXmp(packet, NAMES);
  const text = values.get('xmp:Rating')?.[0]?.trim() ?? '';
  return {
    rating: /^[+-]?\d+(\.\d*)?$/.test(text) ? Number(text) : null,
    label: values.get('xmp:Label')?.[0] ?? null,
  };
}

/**
 * Writes marks into an XMP packet. Every other byte stays. Where a property occurs several times, each of them changes.
 * @param packet  null for none: a new one has the marks only
 * @returns `packet` itself where it has the marks already
 * @throws {UnwritableError} for a packet that is not understood
 */
export function markXmp(packet: Uint8Array | null, { rating, label }: XmpMarks): Uint8Array {
  const values = new Map<Property, string>([
    ...(rating === null ? [] : [['Rating', String(rating)] as const]),
    ...(label === null ? [] : [['Label', quoted(label)] as const]),
  ]);
  if (packet === null) {
    return encodeUtf8(
      `${HEAD}<x:xmpmeta xmlns:x="adobe:ns:meta/">\n <rdf:RDF xmlns:rdf="${XMP_NAMESPACE.rdf}">\n` +
        `  ${description('xmp', values)}\n </rdf:RDF>\n</x:xmpmeta>\n<?xpacket end="w"?>`,
    );
  }
  const found = readXmp(packet, NAMES);
  if (!found.isWellFormed || isWide(packet) || decodeUtf8(packet) === null) {
    throw new UnwritableError('the XMP packet is not understood');
  }
  const edits: { readonly from: number; readonly to: number; readonly by: string }[] = [];
  const missing = new Map(values);
  for (const { name, content, emptyTag, to } of found.places) {
    const property = name === 'xmp:Rating' ? 'Rating' : 'Label';
    const value = values.get(property);
    missing.delete(property);
    if (value === undefined) {
      continue;
    }
    if (content) {
      edits.push({ ...content, by: value });
    } else if (emptyTag !== null) {
      edits.push({ from: to - '/>'.length, to, by: `>${value}</${emptyTag}>` });
    } else {
      throw new UnwritableError(`${name} is not a text in the XMP packet`);
    }
  }
  if (missing.size > 0) {
    edits.push(insertion(found, missing));
  }
  return edited(packet, edits);
}

/** New properties are attributes of the first description, or have one to themselves. @throws {UnwritableError} */
function insertion(
  { description: first, endOfRdf }: XmpProperties<string>,
  values: ReadonlyMap<Property, string>,
): { readonly from: number; readonly to: number; readonly by: string } {
  if (first) {
    const prefix = first.xmpPrefix ?? freePrefix(first.taken);
    const declaration = first.xmpPrefix === null ? ` ${declared(prefix)}` : '';
    return { from: first.at, to: first.at, by: declaration + attributes(prefix, values) };
  }
  if (endOfRdf === null) {
    throw new UnwritableError('the XMP packet has no rdf:RDF');
  }
  return { from: endOfRdf, to: endOfRdf, by: description('xmp', values) };
}

function freePrefix(taken: readonly string[]): string {
  let prefix = 'xmp';
  for (let number = 1; taken.includes(prefix); number += 1) {
    prefix = `xmp${number}`;
  }
  return prefix;
}

function description(prefix: string, values: ReadonlyMap<Property, string>): string {
  return (
    `<rdf:Description rdf:about="" xmlns:rdf="${XMP_NAMESPACE.rdf}" ${declared(prefix)}` +
    `${attributes(prefix, values)}/>`
  );
}

function declared(prefix: string): string {
  return `xmlns:${prefix}="${XMP_NAMESPACE.xmp}"`;
}

function attributes(prefix: string, values: ReadonlyMap<Property, string>): string {
  return [...values].map(([property, value]) => ` ${prefix}:${property}="${value}"`).join('');
}

/** Text for an attribute or an element. */
function quoted(text: string): string {
  return escape(text).replace(/"/g, '&quot;').replace(/'/g, '&apos;');
}

function edited(
  packet: Uint8Array,
  edits: readonly { readonly from: number; readonly to: number; readonly by: string }[],
): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { from, to, by } of [...edits].sort((one, other) => one.from - other.from)) {
    parts.push(packet.subarray(at, from), encodeUtf8(by));
    at = to;
  }
  const result = concat(...parts, packet.subarray(at));
  const isSame =
    result.length === packet.length && result.every((byte, index) => byte === packet[index]);
  return isSame ? packet : result;
}
