import { bytesOfLatin1, latin1, uint16 } from '../byte-source.js';
import { decodeUtf8, encodeUtf8 } from '../../utf8/index.js';
import { XmpReader, type XmpAttribute, type XmpHandler } from '../xmp.js';

/** The namespaces of the properties that are looked up, by the prefixes that name them here. */
export const XMP_NAMESPACE = {
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  dc: 'http://purl.org/dc/elements/1.1/',
  xmp: 'http://ns.adobe.com/xap/1.0/',
  xmpMM: 'http://ns.adobe.com/xap/1.0/mm/',
  photoshop: 'http://ns.adobe.com/photoshop/1.0/',
  photomechanic: 'http://ns.camerabits.com/photomechanic/1.0/',
  tiff: 'http://ns.adobe.com/tiff/1.0/',
  exif: 'http://ns.adobe.com/exif/1.0/',
  exifEX: 'http://cipa.jp/exif/1.0/',
  aux: 'http://ns.adobe.com/exif/1.0/aux/',
  Iptc4xmpCore: 'http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/',
} as const;
const PREFIXES = new Map<string, string>(
  Object.entries(XMP_NAMESPACE).map(([prefix, namespace]) => [namespace, prefix]),
);

const MAX_VALUE_CHARACTERS = 8192;
/** How many values each property has. */
const MAX_VALUES = 256;
/** With more places of the wanted properties a packet counts as malformed. */
const MAX_PLACES = 1024;

/** A place in a packet, in bytes. */
interface Place {
  readonly from: number;
  readonly to: number;
}

/** A property with its name. */
interface PropertyPlace extends Place {
  readonly name: string;
  /** Its value as it is written, between quotes or tags; null for an element with anything else than a text. */
  readonly content: Place | null;
  /** The name of an element without content, as it is written: `<xmp:Label/>`. */
  readonly emptyTag: string | null;
}

/** The first description of the document itself. */
interface DescriptionPlace {
  /** Where an attribute can be added: behind the name of its element. */
  readonly at: number;
  /** The prefix of the namespace of `xmp` there; null where it has none. */
  readonly xmpPrefix: string | null;
  /** The other prefixes that are in use there. */
  readonly taken: readonly string[];
}

/** What was found in a packet. */
export interface XmpProperties<Name extends string> {
  /** The values of simple properties and lists. Of a text in several languages the default comes first. */
  readonly values: ReadonlyMap<Name, readonly string[]>;
  /** The properties with their names, in order. */
  readonly places: readonly PropertyPlace[];
  readonly description: DescriptionPlace | null;
  /** Where the first `rdf:RDF` ends; null where there is none. */
  readonly endOfRdf: number | null;
  /** The value of `rdf:about`, as it is written. */
  readonly about: Place | null;
  readonly isWellFormed: boolean;
}

/**
 * Reads an [XMP](https://www.iso.org/standard/75163.html) packet as far as it is well-formed. Structures inside properties
 * are left out, and the descriptions of other documents.
 * @param names  the properties that are read, such as `dc:title`. A prefix without a namespace is used as it is.
 */
export function readXmp<Name extends string>(
  packet: Uint8Array,
  names: readonly Name[],
): XmpProperties<Name> {
  const found = new PropertyFinder(names);
  const reader = new XmpReader(found);
  reader.read(inUtf8(packet), 0);
  const isWellFormed = reader.end();
  const { values, places, description, endOfRdf, about } = found;
  return {
    values,
    places: places.sort((one, other) => one.from - other.from),
    description,
    endOfRdf,
    about,
    isWellFormed: isWellFormed && places.length <= MAX_PLACES,
  };
}

/** A packet in UTF-16, which begins with a mark or `<`, in UTF-8. */
function inUtf8(packet: Uint8Array): Uint8Array {
  const start = packet.length < 2 ? 0 : uint16(packet);
  const isLittle = start === 0xfffe || start === 0x3c00;
  if (!isLittle && start !== 0xfeff && start !== 0x003c) {
    return packet;
  }
  let text = '';
  for (let at = 0; at + 2 <= packet.length; at += 2) {
    text += String.fromCharCode(uint16(packet, at, isLittle));
  }
  return encodeUtf8(text);
}

interface Element {
  readonly name: string;
  readonly from: number;
  /** Where its content begins. */
  readonly inner: number;
  /** Its name as it is written, if it is empty and has no attributes. */
  readonly emptyTag: string | null;
  /** The prefixes that it declares. */
  readonly prefixes: readonly string[];
  /** Whether it is a description of the document itself. */
  readonly isOwn: boolean;
  readonly isDefault: boolean;
  hasElements: boolean;
}

class PropertyFinder<Name extends string> implements XmpHandler {
  readonly values = new Map<Name, string[]>();
  readonly places: PropertyPlace[] = [];
  description: DescriptionPlace | null = null;
  endOfRdf: number | null = null;
  about: Place | null = null;
  private readonly elements: Element[] = [];
  /** How many elements are around a description, and it. */
  private own = 0;
  private readonly namespaces = new Map<string, string[]>();
  private attributes: (XmpAttribute & { readonly value: string })[] = [];
  private prefixes: string[] = [];
  private value = '';
  private lastText = '';

  constructor(private readonly names: readonly Name[]) {}

  character(code: number, isReference: boolean): void {
    if (this.value.length < 4 * MAX_VALUE_CHARACTERS) {
      this.value +=
        isReference && code > 0x7f
          ? latin1(encodeUtf8(String.fromCodePoint(code)))
          : String.fromCharCode(code);
    }
  }

  text(): void {
    this.lastText = this.takeValue();
  }

  attribute(attribute: XmpAttribute): void {
    this.attributes.push({ ...attribute, value: this.takeValue() });
  }

  namespace(prefix: string): void {
    const outer = this.namespaces.get(prefix) ?? [];
    outer.push(this.takeValue());
    this.namespaces.set(prefix, outer);
    this.prefixes.push(prefix);
  }

  startTag(name: string, from: number, to: number, isEmpty: boolean): void {
    const { attributes, prefixes } = this;
    this.attributes = [];
    this.prefixes = [];
    this.lastText = '';
    const parent = this.elements[this.elements.length - 1];
    if (parent) {
      parent.hasElements = true;
    }
    const element: Element = {
      name: this.nameOf(name),
      from,
      inner: to,
      emptyTag: isEmpty && attributes.length === 0 ? name : null,
      prefixes,
      isOwn: parent?.name === 'rdf:RDF' && this.nameOf(name) === 'rdf:Description',
      isDefault: attributes.some((one) => one.name === 'xml:lang' && one.value === 'x-default'),
      hasElements: false,
    };
    this.elements.push(element);
    if (element.isOwn && this.own === 0) {
      this.own = this.elements.length;
      this.description ??= { at: from + 1 + name.length, ...this.prefixesInUse() };
      for (const one of attributes) {
        this.readAttribute(one);
      }
    }
    if (isEmpty) {
      this.endTag(to, to);
    }
  }

  endTag(to: number, from: number): void {
    const [property, container, list, item] =
      this.own > 0 ? this.elements.slice(this.own, this.own + 4) : [];
    const element = this.elements.pop();
    const value = this.lastText;
    if (element === undefined) {
      return;
    }
    if (property && !container) {
      this.add(property.name, value, false);
      const isText = !property.hasElements && from < to;
      this.note({
        name: property.name,
        from: property.from,
        to,
        content: isText ? { from: property.inner, to: from } : null,
        emptyTag: property.emptyTag,
      });
    } else if (property && list?.name === 'rdf:li' && !item) {
      this.add(property.name, value, list.isDefault);
    } else if (element.name === 'rdf:RDF') {
      this.endOfRdf ??= from < to ? from : null;
    }
    if (this.elements.length < this.own) {
      this.own = 0;
    }
    for (const prefix of element.prefixes) {
      this.namespaces.get(prefix)?.pop();
    }
  }

  private readAttribute({ name, at, valueAt, end, value }: XmpAttribute & { value: string }): void {
    const known = name.includes(':') ? this.nameOf(name) : `rdf:${name}`;
    if (known === 'rdf:about') {
      this.about ??= { from: valueAt - 1, to: end };
    } else if (name.includes(':')) {
      this.add(known, value, false);
      const content = { from: valueAt, to: end - 1 };
      this.note({ name: known, from: at, to: end, content, emptyTag: null });
    }
  }

  private add(name: string, value: string, isFirst: boolean): void {
    const wanted = this.names.find((one) => one === name);
    const values = wanted && (this.values.get(wanted) ?? []);
    if (values && values.length < MAX_VALUES && value.trim() !== '') {
      values[isFirst ? 'unshift' : 'push'](decoded(value));
      this.values.set(wanted, values);
    }
  }

  private note(place: PropertyPlace): void {
    if (this.places.length <= MAX_PLACES && this.names.some((one) => one === place.name)) {
      this.places.push(place);
    }
  }

  private prefixesInUse(): Pick<DescriptionPlace, 'xmpPrefix' | 'taken'> {
    const used = [...this.namespaces].flatMap(([prefix, namespaces]) => {
      const namespace = namespaces[namespaces.length - 1];
      return namespace === undefined || prefix === '' ? [] : [{ prefix, namespace }];
    });
    return {
      xmpPrefix: used.find(({ namespace }) => namespace === XMP_NAMESPACE.xmp)?.prefix ?? null,
      taken: used.map(({ prefix }) => prefix),
    };
  }

  private takeValue(): string {
    const { value } = this;
    this.value = '';
    return value;
  }

  /** A name with the prefix of {@link XMP_NAMESPACE}, or with its namespace if that has none there. */
  private nameOf(name: string): string {
    const colon = name.indexOf(':');
    const prefix = name.slice(0, Math.max(0, colon));
    const namespaces = this.namespaces.get(prefix);
    const namespace = namespaces?.[namespaces.length - 1];
    return namespace === undefined
      ? name
      : `${PREFIXES.get(namespace) ?? namespace}:${name.slice(colon + 1)}`;
  }
}

/** The text of bytes. It may have been cut within a character. */
function decoded(value: string): string {
  const bytes = value.replace(/[\u00c2-\u00f4][\u0080-\u00bf]{0,2}$/, (cut) =>
    decodeUtf8(bytesOfLatin1(cut)) === null ? '' : cut,
  );
  return (decodeUtf8(bytesOfLatin1(bytes)) ?? bytes).slice(0, MAX_VALUE_CHARACTERS);
}
