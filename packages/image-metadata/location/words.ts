/**
 * Names of properties that are about a place, without their prefix, in any namespace: `exif:GPSLatitude`, `geo:lat`,
 * `drone-dji:AbsoluteAltitude`, `photoshop:City`, `Iptc4xmpExt:LocationShown`.
 */
const PROPERTY =
  /gps(?!version)|latitude|longt?itude|altitude|location|coordinates|^(?:lat|lon|long|lng|alt|city|state|country|countrycode|countryname|provincestate|provincename|worldregion)$/i;

/** Words of a text that is about a place. */
const WORDS = [
  'gps',
  'latitude',
  'longitude',
  'location',
  'geotag',
  'geo:',
  'iso6709',
  '$gpgga',
  '$gprmc',
  'coordinates',
];
/** A number as coordinates have it. */
const DECIMAL = /\d\.\d\d\d/g;

/** The list of RDF that titles and captions are in, one for each language: no altitude. */
const ALTERNATIVES = 'Alt';

/** @param name  with or without a prefix */
export function isPlaceProperty(name: string): boolean {
  const colon = name.indexOf(':');
  const prefix = name.slice(0, Math.max(0, colon)).toLowerCase();
  const local = name.slice(colon + 1);
  return (
    prefix === 'geo' || prefix === 'georss' || (local !== ALTERNATIVES && PROPERTY.test(local))
  );
}

/** Whether a text may be about a place. Characters of two bytes have zeros between them. */
export function mentionsPlace(text: string): boolean {
  const lower = text.split('\0').join('').toLowerCase();
  return WORDS.some((word) => lower.includes(word)) || (lower.match(DECIMAL) ?? []).length > 1;
}

/** Whether a keyword is a coordinate: `geo:lat=51.5`, or a URI of [RFC 5870](https://www.rfc-editor.org/rfc/rfc5870). */
export function isPlaceKeyword(text: string): boolean {
  const lower = text.split('\0').join('').toLowerCase();
  for (let at = lower.indexOf('geo:'); at >= 0; at = lower.indexOf('geo:', at + 4)) {
    if (isCoordinateStart(lower.charCodeAt(at + 4))) {
      return true;
    }
  }
  return false;
}

/** @param code  the character behind `geo:` */
export function isCoordinateStart(code: number): boolean {
  // A digit, a sign, or `lat`, `lon`, `long`.
  return (code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2d || (code | 0x20) === 0x6c;
}
