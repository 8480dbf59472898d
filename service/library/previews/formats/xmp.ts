import sax, { type QualifiedTag } from 'sax';
import type { ByteReader } from '../../../../packages/image-metadata/index.js';

/** The prefixes under which properties are looked up, by namespace. A prefix without a namespace is used as it is. */
const PREFIXES: Readonly<Record<string, string>> = {
  'http://purl.org/dc/elements/1.1/': 'dc',
  'http://ns.adobe.com/xap/1.0/': 'xmp',
  'http://ns.adobe.com/photoshop/1.0/': 'photoshop',
  'http://ns.camerabits.com/photomechanic/1.0/': 'photomechanic',
  'http://ns.adobe.com/tiff/1.0/': 'tiff',
  'http://ns.adobe.com/exif/1.0/': 'exif',
  'http://cipa.jp/exif/1.0/': 'exifEX',
  'http://ns.adobe.com/exif/1.0/aux/': 'aux',
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#': 'rdf',
};

const MAX_BYTES = 4 * 1024 * 1024;
/** How much is parsed at once. An attribute or a text that is longer than the parser's buffer ends the reading. */
const PIECE_CHARACTERS = 32 * 1024;
const MAX_DEPTH = 64;
const MAX_VALUE_CHARACTERS = 8192;
const MAX_VALUES = 256;

/** The values of the simple properties and lists of an XMP packet, by prefix and name: `dc:title`. */
export type XmpProperties = ReadonlyMap<string, readonly string[]>;

/**
 * Reads an [XMP](https://www.iso.org/standard/75163.html) packet as far as it is well-formed. Structures inside properties
 * are left out. Of a text in several languages the default comes first.
 */
export async function readXmp(reader: ByteReader): Promise<XmpProperties> {
  const bytes = await reader.read(0, Math.min(reader.size, MAX_BYTES));
  const properties = new Map<string, string[]>();
  return bytes ? parse(decoded(bytes), properties) : properties;
}

/** The text of a packet: UTF-8, or UTF-16 if it begins as that does. */
function decoded(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  if (['feff', '003c'].includes(start)) {
    return new TextDecoder('utf-16be').decode(bytes);
  }
  return new TextDecoder(['fffe', '3c00'].includes(start) ? 'utf-16le' : 'utf-8').decode(bytes);
}

function parse(text: string, properties: Map<string, string[]>): XmpProperties {
  const parser = sax.parser(true, { xmlns: true });
  /** The names of the open elements. */
  const open: string[] = [];
  const state = { value: '', isDefault: false, hasFailed: false };
  const add = (name: string, one: string, isFirst = false): void => {
    const values = properties.get(name) ?? [];
    if (values.length < MAX_VALUES && one.trim() !== '') {
      values[isFirst ? 'unshift' : 'push'](one.slice(0, MAX_VALUE_CHARACTERS));
      properties.set(name, values);
    }
  };
  /** The property that the innermost element is, or is an item of. */
  const property = (): string | undefined => {
    const [name, container, list, item] = open.slice(open.lastIndexOf('rdf:Description') + 1);
    if (container === undefined) {
      return name;
    }
    return list === 'rdf:li' && item === undefined ? name : undefined;
  };
  parser.onerror = (error) => {
    // A prefix without a namespace is no reason to stop.
    state.hasFailed ||= !error.message.startsWith('Unbound namespace prefix');
    parser.resume();
  };
  parser.onopentag = (tag) => {
    const { attributes } = tag as QualifiedTag;
    open.push(nameOf(tag as QualifiedTag));
    state.value = '';
    state.isDefault = Object.values(attributes).some(
      (one) => one.name === 'xml:lang' && one.value === 'x-default',
    );
    if (open.at(-1) === 'rdf:Description') {
      for (const attribute of Object.values(attributes)) {
        add(nameOf(attribute), attribute.value);
      }
    }
    state.hasFailed ||= open.length > MAX_DEPTH;
  };
  const onText = (more: string): void => {
    if (state.value.length < MAX_VALUE_CHARACTERS) {
      state.value += more;
    }
  };
  parser.ontext = onText;
  parser.oncdata = onText;
  parser.onclosetag = () => {
    const name = property();
    if (name !== undefined && name !== 'rdf:RDF' && open.includes('rdf:Description')) {
      add(name, state.value, state.isDefault);
    }
    open.pop();
    state.value = '';
  };
  for (let at = 0; at < text.length && !state.hasFailed; at += PIECE_CHARACTERS) {
    parser.write(text.slice(at, at + PIECE_CHARACTERS));
  }
  return properties;
}

function nameOf({ uri, local, prefix }: { uri: string; local: string; prefix: string }): string {
  return `${PREFIXES[uri] ?? prefix}:${local}`;
}
