/**
 * Digests of representations ([RFC 9530 §3](https://www.rfc-editor.org/rfc/rfc9530#section-3)).
 * @packageDocumentation
 */
import { fromUint8Array, toUint8Array } from 'js-base64';

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
/** A member of the header's dictionary: a name, bytes in base64, and parameters, which are ignored. */
const DIGEST = /^\s*([a-z][a-z0-9-]*)=:([A-Za-z0-9+/]+={0,2}):(?:;.*)?$/;

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

/** A header that is short enough to be read; else null. */
export function shortHeader(headerOf: HeaderOf, name: string): string | null {
  const value = headerOf(name);
  return value !== null && value.length <= MAX_HEADER_LENGTH ? value : null;
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
