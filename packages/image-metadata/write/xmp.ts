import { decodeUtf8, encodeUtf8 } from '../../utf8/index.js';
import { concat, indexOfBytes } from '../byte-source.js';
import { readXmp, XMP_NAMESPACE } from '../read/xmp-properties.js';
import { isSpace, isWide } from '../xmp.js';
import { writesTexts, type MetadataTexts } from './changes.js';
import { UnwritableError } from './pieces.js';

/** Less white space than this is no padding. */
const MIN_PADDING = 100;
const END_OF_PACKET = encodeUtf8('<?xpacket end=');

/**
 * Rewrites an XMP packet.
 * @param packet  null where the file has none; one is made if texts are written
 * @returns null for no packet
 * @throws {UnwritableError} for a packet that is not understood
 */
export function editXmp(packet: Uint8Array | null, texts: MetadataTexts): Uint8Array | null {
  const isWritten = writesTexts(texts);
  if (packet === null) {
    return isWritten ? encodeUtf8(newPacket(texts)) : null;
  }
  const { places, endOfRdf, about, isWellFormed } = readXmp(packet, namesOf(texts));
  if (!isWellFormed || isWide(packet) || decodeUtf8(packet) === null) {
    throw new UnwritableError('the XMP packet is not understood');
  }
  const edits = places.map(({ from, to }) => ({ from, to, by: new Uint8Array(0) }));
  if (isWritten) {
    if (endOfRdf === null) {
      throw new UnwritableError('the XMP packet has no rdf:RDF');
    }
    const quoted = about && decodeUtf8(packet.subarray(about.from, about.to));
    const by = encodeUtf8(description(texts, quoted ?? '""'));
    edits.push({ from: endOfRdf, to: endOfRdf, by });
  }
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { from, to, by } of edits.sort((one, other) => one.from - other.from)) {
    parts.push(packet.subarray(at, from), by);
    at = to;
  }
  return withoutPadding(concat(...parts, packet.subarray(at)));
}

/** The properties that the texts replace. */
function namesOf({ creator, copyright, contact }: MetadataTexts): readonly string[] {
  return [
    creator && 'dc:creator',
    copyright && 'dc:rights',
    contact && 'Iptc4xmpCore:CreatorContactInfo',
  ].filter((name) => name !== '');
}

function newPacket(changes: MetadataTexts): string {
  return (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>' +
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="${XMP_NAMESPACE.rdf}">` +
    `${description(changes, '""')}</rdf:RDF></x:xmpmeta><?xpacket end="w"?>`
  );
}

/** @param about  the quoted value of `rdf:about`, which all descriptions of a packet have in common */
function description({ creator, copyright, contact }: MetadataTexts, about: string): string {
  const properties = [
    creator && `<dc:creator><rdf:Seq><rdf:li>${escape(creator)}</rdf:li></rdf:Seq></dc:creator>`,
    copyright &&
      `<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">${escape(copyright)}</rdf:li></rdf:Alt></dc:rights>`,
    contact && contactInfo(contact),
  ].join('');
  return (
    `<rdf:Description rdf:about=${about} xmlns:rdf="${XMP_NAMESPACE.rdf}" xmlns:dc="${XMP_NAMESPACE.dc}" ` +
    `xmlns:Iptc4xmpCore="${XMP_NAMESPACE.Iptc4xmpCore}">${properties}</rdf:Description>`
  );
}

/** The contact as the field of IPTC's structure that it fits. */
function contactInfo(contact: string): string {
  const field = /^[^\s@]+@\S+$/.test(contact)
    ? 'CiEmailWork'
    : /^(https?:\/\/|www\.)\S+$/i.test(contact)
      ? 'CiUrlWork'
      : /^\+?[\d\s()/.-]{5,}$/.test(contact)
        ? 'CiTelWork'
        : 'CiAdrExtadr';
  return (
    '<Iptc4xmpCore:CreatorContactInfo rdf:parseType="Resource">' +
    `<Iptc4xmpCore:${field}>${escape(contact)}</Iptc4xmpCore:${field}>` +
    '</Iptc4xmpCore:CreatorContactInfo>'
  );
}

/** Text for an element. Characters that XML does not allow become spaces. */
export function escape(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- these are the characters that XML forbids
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ' ')
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
  );
}

/** Packets have some kilobytes of white space for later changes. */
function withoutPadding(packet: Uint8Array): Uint8Array {
  const end = indexOfBytes(packet, END_OF_PACKET);
  let content = end;
  while (content > 0 && isSpace(packet[content - 1] ?? 0)) {
    content -= 1;
  }
  return end - content < MIN_PADDING
    ? packet
    : concat(packet.subarray(0, content), Uint8Array.of(0x0a), packet.subarray(end));
}
