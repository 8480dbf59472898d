import { createHash } from 'node:crypto';
import { types } from 'node:util';
import { parseDictionary, ParseError, serializeDictionary } from 'structured-headers';
import { crc32c } from './crc32c.js';

/** The known digests of a file, in lower-case hex. Uploads finished by earlier versions have no CRC-32C. */
export interface Digests {
  readonly sha256: string;
  readonly crc32c: string | undefined;
}

/** Both digests of a file. */
export interface AllDigests extends Digests {
  readonly crc32c: string;
}

/** The digests of a whole file and its first bytes. */
export interface FileContent extends AllDigests {
  /** Its first {@link HEAD_BYTES}, or all of a shorter one. */
  readonly head: Uint8Array;
}

/** How many bytes at the beginning of a file identify its type. */
export const HEAD_BYTES = 64;

/** The digests that a client announces for its file, in lower-case hex. It may give one, both or none. */
export type ExpectedDigests = Partial<Readonly<Record<keyof Digests, string | undefined>>>;

/**
 * The algorithms, by their keys in the registry of
 * [RFC 9530 §5](https://www.rfc-editor.org/rfc/rfc9530#section-5), and how many bytes their digests have.
 */
const ALGORITHMS = [
  { key: 'sha-256', member: 'sha256', length: 32 },
  { key: 'crc32c', member: 'crc32c', length: 4 },
] as const;

/**
 * Reads everything once and computes the digests. A piece is no longer used when the next one is requested, so its
 * memory may be reused.
 * @param pieces  each a Uint8Array; typed `unknown` because Node types the chunks of its streams as `any`
 */
export async function readThrough(pieces: AsyncIterable<unknown>): Promise<FileContent> {
  const hash = createHash('sha256');
  let crc = 0;
  let head = new Uint8Array();
  for await (const piece of pieces) {
    const bytes = piece as Uint8Array;
    hash.update(bytes);
    crc = crc32c(bytes, crc);
    if (head.length < HEAD_BYTES) {
      head = Buffer.concat([head, bytes.subarray(0, HEAD_BYTES - head.length)]);
    }
  }
  return { sha256: hash.digest('hex'), crc32c: crc.toString(16).padStart(8, '0'), head };
}

/** `Repr-Digest` of a finished upload ([RFC 9530 §3](https://www.rfc-editor.org/rfc/rfc9530#section-3)). */
export function writeReprDigest(digests: ExpectedDigests): string {
  const members = ALGORITHMS.flatMap(({ key, member }) => {
    const hex = digests[member];
    return hex === undefined ? [] : [[key, Buffer.from(hex, 'hex')] as const];
  });
  return serializeDictionary(Object.fromEntries(members));
}

/**
 * Reads `Repr-Digest` of a request. Unknown algorithms are ignored.
 * @returns the expected digests, undefined if none is of a known algorithm; or one sentence about the problem.
 */
export function readReprDigest(
  header: string | undefined,
): { readonly expected: ExpectedDigests | undefined } | { readonly problem: string } {
  if (header === undefined) {
    return { expected: undefined };
  }
  const members = membersOf(header);
  if (members === undefined) {
    return { problem: 'Repr-Digest is not a dictionary of structured fields' };
  }
  const expected: Partial<Record<keyof Digests, string>> = {};
  for (const { key, member, length } of ALGORITHMS) {
    const value = members.get(key)?.[0];
    if (value === undefined) {
      continue;
    }
    if (!types.isArrayBuffer(value) || value.byteLength !== length) {
      return { problem: `${key} in Repr-Digest must be a byte sequence of ${length} bytes` };
    }
    expected[member] = Buffer.from(value).toString('hex');
  }
  return { expected: Object.keys(expected).length > 0 ? expected : undefined };
}

function membersOf(header: string): ReturnType<typeof parseDictionary> | undefined {
  try {
    return parseDictionary(header);
  } catch (error) {
    if (error instanceof ParseError) {
      return undefined;
    }
    throw error;
  }
}
