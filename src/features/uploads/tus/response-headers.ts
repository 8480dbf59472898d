/**
 * The headers of a response that describe a complete upload.
 * @packageDocumentation
 */
import type { PhotoVersion } from '../../queue/index.js';
import { fromUint8Array, toUint8Array } from 'js-base64';
import { sanitizeDisplayName } from '../../../util/sanitize-display-name.js';
import { parseHttpUrl } from '../../../util/url.js';

/** The digests of a `Repr-Digest` header; each null when it is absent or cannot be read. */
export interface ReprDigest {
  /** An unsigned 32-bit number. */
  readonly crc32c: number | null;
  /** Lower-case hex. */
  readonly sha256: string | null;
}

/** A header's value by its name; null when the answer has none. */
export type HeaderOf = (name: string) => string | null;

/** Longer headers are not read. UTF-16 code units. */
const MAX_HEADER_LENGTH = 4_000;
/** Longer addresses of pages are ignored. */
const MAX_ADDRESS_LENGTH = 2_000;
/** A member of the header's dictionary: a name, bytes in base64, and parameters, which are ignored. */
const DIGEST = /^\s*([a-z][a-z0-9-]*)=:([A-Za-z0-9+/]+={0,2}):(?:;.*)?$/;
/** A link with its parameters ([RFC 8288 §3](https://www.rfc-editor.org/rfc/rfc8288#section-3)). */
const LINK = /<([^<>"]*)>((?:\s*;\s*[a-z*]+\s*=\s*(?:"[^"]*"|[^\s;,"]+))*)/gi;

/**
 * Reads the digests of a stored upload ([RFC 9530 §3](https://www.rfc-editor.org/rfc/rfc9530#section-3)). A digest
 * of another length is ignored.
 */
export function readReprDigest(headerOf: HeaderOf): ReprDigest {
  const found = new Map<string, string>();
  for (const member of (shortHeader(headerOf, 'Repr-Digest') ?? '').split(',')) {
    const [, name = '', value = ''] = DIGEST.exec(member.trim()) ?? [];
    found.set(name, value);
  }
  const crc32c = hexOf(found.get('crc32c'), 4);
  return {
    crc32c: crc32c === null ? null : parseInt(crc32c, 16),
    sha256: hexOf(found.get('sha-256'), 32),
  };
}

/** The `Repr-Digest` header with a CRC-32C. @param crc32c  an unsigned 32-bit number */
export function writeReprDigest(crc32c: number): string {
  const bytes = [24, 16, 8, 0].map((shift) => (crc32c >>> shift) & 255);
  return `crc32c=:${fromUint8Array(Uint8Array.from(bytes))}:`;
}

/**
 * The page that shows the photo in a browser: the first `Link` with `rel=alternate` and the type `text/html`.
 * @param service  an address of the service: links to other origins are ignored
 * @returns an absolute address on the origin of `service`; null when there is none
 */
export function readPageUrl(headerOf: HeaderOf, service: string): string | null {
  const origin = parseHttpUrl(service)?.origin;
  for (const [, target = '', parameters = ''] of (shortHeader(headerOf, 'Link') ?? '').matchAll(
    LINK,
  )) {
    const relations = parameterOf(parameters, 'rel')?.toLowerCase().split(/\s+/) ?? [];
    if (!relations.includes('alternate') || parameterOf(parameters, 'type') !== 'text/html') {
      continue;
    }
    const page = parseHttpUrl(/^\/(?!\/)/.test(target) ? `${origin ?? ''}${target}` : target);
    if (page?.origin === origin && page && page.href.length <= MAX_ADDRESS_LENGTH) {
      return page.href;
    }
  }
  return null;
}

/** `Photo-Version`: an integer, with a display string ([RFC 9651 §3.3.8](https://www.rfc-editor.org/rfc/rfc9651#section-3.3.8)). */
const VERSION = /^\s*(\d{1,9})\s*;\s*of=%"([^"]*)"\s*$/;
const MAX_NAME_LENGTH = 255;

/** Which version of a photo a complete upload is; nothing for a first one, and for a header that cannot be read. */
export function readPhotoVersion(headerOf: HeaderOf): { readonly version?: PhotoVersion } {
  const [, digits, encoded = ''] = VERSION.exec(shortHeader(headerOf, 'Photo-Version') ?? '') ?? [];
  const number = Number(digits);
  let of: string | null = null;
  try {
    of = sanitizeDisplayName(decodeURIComponent(encoded), MAX_NAME_LENGTH);
  } catch {
    // Not UTF-8.
  }
  return number >= 2 && of !== null ? { version: { number, of } } : {};
}

function shortHeader(headerOf: HeaderOf, name: string): string | null {
  const value = headerOf(name);
  return value !== null && value.length <= MAX_HEADER_LENGTH ? value : null;
}

function parameterOf(parameters: string, name: string): string | null {
  const match = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;,"]+))`, 'i').exec(parameters);
  return match?.[1] ?? match?.[2] ?? null;
}

/** Turns base64 into hex; null unless it encodes exactly this many bytes. */
function hexOf(base64: string | undefined, bytes: number): string | null {
  const length = Math.ceil(bytes / 3) * 4;
  if (base64?.length !== length) {
    return null;
  }
  const read = toUint8Array(base64);
  return read.length === bytes
    ? Array.from(read, (byte) => byte.toString(16).padStart(2, '0')).join('')
    : null;
}
