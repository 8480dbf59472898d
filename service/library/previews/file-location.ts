import {
  array,
  boolean,
  check,
  integer,
  literal,
  maxLength,
  maxValue,
  minValue,
  number,
  object,
  pipe,
  regex,
  string,
  transform,
  union,
  type InferInput,
} from 'valibot';
import {
  MAX_PATCH_BYTES,
  MAX_PATCHES,
  type Patch,
} from '../../../packages/image-metadata/patches.js';

/**
 * The version of the search for locations. Raise it with every change that finds more: what an earlier version found counts
 * as not searched yet.
 */
export const LOCATION_VERSION = 4;

const PLACE = pipe(number(), integer(), minValue(0), maxValue(Number.MAX_SAFE_INTEGER));

/** As base64. */
const BYTES = pipe(
  string(),
  maxLength(Math.ceil(MAX_PATCH_BYTES / 3) * 4),
  transform((text): Uint8Array => Buffer.from(text, 'base64')),
);

const PATCH = pipe(
  object({
    at: PLACE,
    length: pipe(PLACE, minValue(1)),
    /** A byte that is repeated, or as many bytes. */
    by: union([pipe(number(), integer(), minValue(0), maxValue(255)), BYTES]),
  }),
  check(({ length, by }) => typeof by === 'number' || by.length === length),
);

/** Where the location is in a file, as far as it can be found. */
export const FILE_LOCATION = union([
  object({
    kind: literal('searched'),
    hasLocation: boolean(),
    patches: pipe(
      array(PATCH),
      maxLength(MAX_PATCHES),
      check((patches) => bytesOf(patches) <= MAX_PATCH_BYTES),
    ),
  }),
  object({
    kind: literal('unsearchable'),
    /** For operators. */
    reason: pipe(string(), regex(/^[\x20-\x7e]{1,100}$/)),
  }),
]);

/** Where the location is in a file: what to replace to remove it, in the order of the file, or why that is unknown. */
export type FileLocation =
  | {
      readonly kind: 'searched';
      readonly hasLocation: boolean;
      readonly patches: readonly Patch[];
    }
  | { readonly kind: 'unsearchable'; readonly reason: string };

/** The same, as the process sends it and the database keeps it. */
export type SentLocation = Readonly<InferInput<typeof FILE_LOCATION>>;

/** Whether all patches are within a file of this many bytes, one behind the other. */
export function isWithin(location: FileLocation, size: number): boolean {
  let end = 0;
  for (const { at, length } of location.kind === 'searched' ? location.patches : []) {
    if (at < end || at + length > size) {
      return false;
    }
    end = at + length;
  }
  return true;
}

/** The form in which the process sends it and the database keeps it. */
export function toSentLocation(location: FileLocation): SentLocation {
  return location.kind === 'unsearchable'
    ? location
    : {
        ...location,
        patches: location.patches.map(({ by, ...place }) => ({
          ...place,
          by: typeof by === 'number' ? by : Buffer.from(by).toString('base64'),
        })),
      };
}

function bytesOf(patches: readonly { readonly by: number | Uint8Array }[]): number {
  return patches.reduce((sum, { by }) => sum + (typeof by === 'number' ? 0 : by.length), 0);
}
