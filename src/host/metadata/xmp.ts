import { decodeUtf8, encodeUtf8 } from '../../util/utf8.js';
import { unchangeable } from './bytes.js';
import { writesTexts, type CopyTexts } from './changes.js';

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const DC = 'http://purl.org/dc/elements/1.1/';
const IPTC_CORE = 'http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/';

/** Less white space than this is no padding. */
const MIN_PADDING = 100;

/** Elements inside each other. Real packets have about twenty. */
const MAX_LEVELS = 500;

const NAME = /[^\s=<>"'/?!]+/y;
const ATTRIBUTE = /\s+([^\s=<>"'/]+)\s*=\s*("[^"<]*"|'[^'<]*')/y;

interface Cut {
  readonly from: number;
  readonly to: number;
}

interface Level {
  readonly name: string;
  /** Namespaces by their prefixes. */
  readonly namespaces: Readonly<Record<string, string>>;
  /** Place of the element's first character. */
  readonly start: number;
  readonly isCut: boolean;
  readonly isRdf: boolean;
  readonly isDescription: boolean;
}

/**
 * Rewrites an XMP packet.
 * @param packet  null where the file has none; one is made if texts are written
 * @returns null for no packet
 * @throws {CwError} CW-810 for a packet that is not understood
 */
export function editXmp(
  packet: Uint8Array | null,
  changes: CopyTexts,
): Uint8Array<ArrayBuffer> | null {
  if (packet === null) {
    return writesTexts(changes) ? encodeUtf8(newPacket(changes)) : null;
  }
  const text = decodeUtf8(packet);
  if (text === null) {
    throw unchangeable('the XMP packet is not UTF-8');
  }
  return encodeUtf8(withoutPadding(editText(text, changes)));
}

function editText(text: string, changes: CopyTexts): string {
  const { cuts, endOfRdf, about } = read(
    text,
    (namespace, name, isOwn) => isOwn && isReplaced(namespace, name, changes),
  );
  const addition = writesTexts(changes) ? description(changes, about) : '';
  if (addition !== '' && endOfRdf === null) {
    throw unchangeable('the XMP packet has no rdf:RDF');
  }
  let result = '';
  let at = 0;
  for (const cut of cuts) {
    result += text.slice(at, cut.from);
    at = cut.to;
    if (cut.from === cut.to) {
      result += addition;
    }
  }
  return result + text.slice(at);
}

function isReplaced(namespace: string, name: string, changes: CopyTexts): boolean {
  return (
    (changes.creator !== '' && namespace === DC && name === 'creator') ||
    (changes.copyright !== '' && namespace === DC && name === 'rights') ||
    (changes.contact !== '' && namespace === IPTC_CORE && name === 'CreatorContactInfo')
  );
}

/**
 * Reads a packet from its start to its end.
 * @param isUnwanted  decides about a property by its namespace and name, and whether it is the document's own
 * @returns the places of all unwanted properties, with an empty one at the end of `rdf:RDF`, in order
 */
function read(
  text: string,
  isUnwanted: (namespace: string, name: string, isOwn: boolean) => boolean,
): { readonly cuts: readonly Cut[]; readonly endOfRdf: number | null; readonly about: string } {
  const cuts: Cut[] = [];
  const levels: Level[] = [];
  let endOfRdf: number | null = null;
  let about: string | null = null;
  let at = text.indexOf('<');
  while (at >= 0) {
    const skipped = endOfOther(text, at);
    if (skipped !== null) {
      at = text.indexOf('<', skipped);
      continue;
    }
    if (text.startsWith('</', at)) {
      const end = text.indexOf('>', at);
      const level = levels.pop();
      if (end < 0 || level?.name !== text.slice(at + 2, end).trimEnd()) {
        throw unchangeable('the XMP packet is not well-formed');
      }
      if (level.isRdf && endOfRdf === null) {
        endOfRdf = at;
        cuts.push({ from: at, to: at });
      }
      if (level.isCut && !levels.some(({ isCut }) => isCut)) {
        cuts.push({ from: level.start, to: end + 1 });
      }
      at = text.indexOf('<', end);
      continue;
    }
    const parent = levels[levels.length - 1];
    const tag = readTag(text, at, parent?.namespaces ?? {});
    const isInCut = levels.some(({ isCut }) => isCut);
    const [namespace, name] = tag.nameOf(tag.name, true);
    const isRdf = namespace === RDF && name === 'RDF' && endOfRdf === null && !isInCut;
    const isDescription = parent?.isRdf === true && namespace === RDF && name === 'Description';
    const isCut = !isRdf && isUnwanted(namespace, name, parent?.isDescription === true);
    for (const attribute of isCut || isInCut ? [] : tag.attributes) {
      const [own, local] = tag.nameOf(attribute.name, false);
      if (isDescription && local === 'about' && (own === RDF || own === '')) {
        about ??= attribute.value;
      } else if (own !== 'xmlns' && isUnwanted(own, local, isDescription)) {
        cuts.push({ from: attribute.from, to: attribute.to });
      }
    }
    if (!tag.isEmpty) {
      levels.push({
        name: tag.name,
        namespaces: tag.namespaces,
        start: at,
        isCut,
        isRdf,
        isDescription,
      });
    } else if (isCut && !isInCut) {
      cuts.push({ from: at, to: tag.end });
    }
    if (levels.length > MAX_LEVELS) {
      throw unchangeable('the XMP packet has too many levels');
    }
    at = text.indexOf('<', tag.end);
  }
  if (levels.length > 0) {
    throw unchangeable('the XMP packet ends early');
  }
  cuts.sort((one, other) => one.from - other.from || one.to - other.to);
  return { cuts, endOfRdf, about: about ?? '""' };
}

/** The end of a comment, an instruction or a CDATA section that starts here; null for a tag. */
function endOfOther(text: string, at: number): number | null {
  const kinds: readonly (readonly [string, string])[] = [
    ['<?', '?>'],
    ['<!--', '-->'],
    ['<![CDATA[', ']]>'],
  ];
  const kind = kinds.find(([start]) => text.startsWith(start, at));
  if (kind) {
    const end = text.indexOf(kind[1], at + kind[0].length);
    if (end < 0) {
      throw unchangeable('the XMP packet ends early');
    }
    return end + kind[1].length;
  }
  if (text.startsWith('<!', at)) {
    throw unchangeable('the XMP packet has a document type');
  }
  return null;
}

interface Tag {
  readonly name: string;
  readonly end: number;
  readonly isEmpty: boolean;
  readonly attributes: readonly (Cut & { readonly name: string; readonly value: string })[];
  readonly namespaces: Readonly<Record<string, string>>;
  /** Namespace and local name. */
  nameOf(name: string, isElement: boolean): readonly [string, string];
}

function readTag(text: string, at: number, outer: Readonly<Record<string, string>>): Tag {
  NAME.lastIndex = at + 1;
  const name = NAME.exec(text)?.[0];
  if (name === undefined) {
    throw unchangeable('the XMP packet is not well-formed');
  }
  const attributes: (Cut & { readonly name: string; readonly value: string })[] = [];
  const own: Record<string, string> = {};
  let end = at + 1 + name.length;
  for (;;) {
    ATTRIBUTE.lastIndex = end;
    const [all, attribute = '', value = ''] = ATTRIBUTE.exec(text) ?? [];
    if (all === undefined) {
      break;
    }
    attributes.push({ name: attribute, value, from: end, to: end + all.length });
    end += all.length;
    if (attribute === 'xmlns' || attribute.startsWith('xmlns:')) {
      own[attribute.slice(6)] = value.slice(1, -1);
    }
  }
  const [close] = /^\s*\/?>/.exec(text.slice(end, end + 1_000)) ?? [];
  if (close === undefined) {
    throw unchangeable('the XMP packet is not well-formed');
  }
  const namespaces = Object.keys(own).length > 0 ? { ...outer, ...own } : outer;
  return {
    name,
    end: end + close.length,
    isEmpty: close.includes('/'),
    attributes,
    namespaces,
    nameOf(qualified, isElement) {
      const colon = qualified.indexOf(':');
      const prefix = colon < 0 ? '' : qualified.slice(0, colon);
      if (prefix === 'xmlns' || qualified === 'xmlns') {
        return ['xmlns', qualified];
      }
      const isKnown = Object.prototype.hasOwnProperty.call(namespaces, prefix);
      const known = isKnown ? namespaces[prefix] : undefined;
      return [prefix === '' && !isElement ? '' : (known ?? ''), qualified.slice(colon + 1)];
    },
  };
}

function newPacket(changes: CopyTexts): string {
  return (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>' +
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="${RDF}">` +
    `${description(changes, '""')}</rdf:RDF></x:xmpmeta><?xpacket end="w"?>`
  );
}

/** @param about  the quoted value of `rdf:about`, which all descriptions of a packet have in common */
function description({ creator, copyright, contact }: CopyTexts, about: string): string {
  const properties = [
    creator && `<dc:creator><rdf:Seq><rdf:li>${escape(creator)}</rdf:li></rdf:Seq></dc:creator>`,
    copyright &&
      `<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">${escape(copyright)}</rdf:li></rdf:Alt></dc:rights>`,
    contact && contactInfo(contact),
  ].join('');
  return (
    `<rdf:Description rdf:about=${about} xmlns:rdf="${RDF}" xmlns:dc="${DC}" ` +
    `xmlns:Iptc4xmpCore="${IPTC_CORE}">${properties}</rdf:Description>`
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
function escape(text: string): string {
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
function withoutPadding(text: string): string {
  const end = text.lastIndexOf('<?xpacket end=');
  if (end < 0) {
    return text;
  }
  const content = text.slice(0, end).trimEnd();
  return end - content.length < MIN_PADDING ? text : `${content}\n${text.slice(end)}`;
}
