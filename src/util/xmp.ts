/**
 * Which XMP property is a document's identity, for files and for open documents alike: `xmpMM:DocumentID`, which stays
 * when a document is saved and which "Save As" renews; where it is missing, `xmpMM:OriginalDocumentID`. The Description
 * of the document itself counts, not those of its ingredients.
 * https://developer.adobe.com/xmp/docs/XMPNamespaces/xmpMM/
 * @packageDocumentation
 */

import { readXmp } from '../../packages/image-metadata/index.js';
import { encodeUtf8 } from '../../packages/utf8/index.js';

/** Characters or bytes of a packet that are read. Histories and ancestors, which may take megabytes, come behind. */
export const XMP_CHARACTERS = 256 * 1024;

/** The namespace of the properties, which is named `xmpMM` in packets. */
export const XMP_MEDIA_MANAGEMENT = 'http://ns.adobe.com/xap/1.0/mm/';

/** The properties that may be the identity, the best first. */
const IDENTITIES = ['DocumentID', 'OriginalDocumentID'] as const;
const NAMES = [...IDENTITIES, 'InstanceID'].flatMap((name) => [`xmpMM:${name}`, `xapMM:${name}`]);

/**
 * The document's identity: up to 200 printable ASCII characters without spaces; null when it has none.
 * @param property  the value of a property of the document
 */
export function identityIn(property: (name: string) => unknown): string | null {
  const values = IDENTITIES.map(property);
  const found = values.find((value) => typeof value === 'string' && /^[!-~]{1,200}$/.test(value));
  return typeof found === 'string' ? found : null;
}

/** The document's identity in an XMP packet, see {@link identityIn}. */
export function documentIdOf(packet: string | Uint8Array): string | null {
  return identityIn(propertiesIn(packet));
}

/** `xmpMM:InstanceID`, which every save renews; null when there is none. */
export function instanceIdOf(packet: string): string | null {
  return propertiesIn(packet)('InstanceID');
}

/** The values of properties without markup. Old packets name the prefix `xapMM`. */
function propertiesIn(packet: string | Uint8Array): (name: string) => string | null {
  const start = packet.slice(0, XMP_CHARACTERS);
  const { values } = readXmp(typeof start === 'string' ? encodeUtf8(start) : start, NAMES);
  return (name) => {
    const [value = ''] = values.get(`xmpMM:${name}`) ?? values.get(`xapMM:${name}`) ?? [];
    return /^[^"&'<>]+$/.test(value) ? value.trim() : null;
  };
}
