/**
 * Which XMP property is a document's identity, for files and for open documents alike: `xmpMM:DocumentID`, which stays
 * when a document is saved and which "Save As" renews; where it is missing, `xmpMM:OriginalDocumentID`. The Description
 * of the document itself counts, not those of its ingredients.
 * https://developer.adobe.com/xmp/docs/XMPNamespaces/xmpMM/
 * @packageDocumentation
 */

/** Characters of a packet that are searched. Histories and ancestors, which may take megabytes, come behind. */
export const XMP_CHARACTERS = 256 * 1024;

/** The namespace of the properties, which is named `xmpMM` in packets. */
export const XMP_MEDIA_MANAGEMENT = 'http://ns.adobe.com/xap/1.0/mm/';

/** The properties that may be the identity, the best first. */
const IDENTITIES = ['DocumentID', 'OriginalDocumentID'] as const;

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
export function documentIdOf(xmp: string): string | null {
  const own = ownProperties(xmp);
  return identityIn((name) => propertyOf(own, name));
}

/** `xmpMM:InstanceID`, which every save renews; null when there is none. */
export function instanceIdOf(xmp: string): string | null {
  return propertyOf(ownProperties(xmp), 'InstanceID');
}

/** A packet without the full packets of a document's parts, which `xmpMM:Pantry` holds. */
function ownProperties(xmp: string): string {
  const text = xmp.slice(0, XMP_CHARACTERS);
  const start = text.indexOf('<xmpMM:Pantry');
  if (start < 0) {
    return text;
  }
  const end = text.lastIndexOf('</xmpMM:Pantry>');
  return text.slice(0, start) + (end > start ? text.slice(end) : '');
}

/** A property written as an attribute or as an element. Old packets name the prefix `xapMM`. */
function propertyOf(xmp: string, name: string): string | null {
  // All lengths are bounded, so that no packet takes long.
  const pattern = new RegExp(
    `x[am]pMM:${name}(?:\\s{0,9}=\\s{0,9}["']|(?:\\s[^<>]{0,200})?>\\s{0,99})([!#-%(-;=?-~]{1,200})\\s{0,99}["'<]`,
  );
  return pattern.exec(xmp)?.[1] ?? null;
}
