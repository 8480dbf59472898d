import type { PlacedFile, PlacedIdentity } from '../../host/placed-files.js';
import type { FileStatus, FileVersion, StatusAnswer } from './file-status.js';

/** A file of the workspace that is placed in the document. */
export interface PlacedRow {
  /** Of the link. */
  readonly key: string;
  /** Name of the file that is placed. */
  readonly name: string;
  /** Recognised by its bytes where the document has none; null where they are those of no version. */
  readonly identity: PlacedIdentity | null;
  /** The placed version; null where it is not known. */
  readonly placed: FileVersion | null;
  /** `foreign` for a file of another service, `unchecked` without an answer. */
  readonly status: FileStatus | { readonly kind: 'foreign' | 'unchecked' };
  /** Whether the file is missing on this computer, or was changed there after it was placed. */
  readonly local: 'present' | 'missing' | 'changed';
}

/** A version that is put in the place of what a link shows. */
export interface FileUpdate {
  /** Of the link. */
  readonly key: string;
  /** Name of the file that is placed. */
  readonly name: string;
  readonly version: FileVersion;
  readonly size: PlacedIdentity['size'];
}

/** What the service said about the files of a document. */
export interface Answers {
  readonly to: (identity: PlacedIdentity) => StatusAnswer | null;
  /** About a file without an identity; null for one that was not recognised. */
  readonly about: (file: PlacedFile) => StatusAnswer | null;
}

/** The rows of the links to files of a service, those with something to do first. */
export function rowsOf(
  files: readonly PlacedFile[],
  origin: string,
  answers: Answers,
): readonly PlacedRow[] {
  const rows = files.flatMap((file): readonly PlacedRow[] => {
    const { key, name, identity, state } = file;
    const local = localOf(state);
    if (!identity) {
      const found = answers.about(file);
      return found ? [{ key, name, local, ...found, identity: identityOf(found, origin) }] : [];
    }
    if (identity.origin !== origin) {
      return [{ key, name, identity, local, placed: null, status: { kind: 'foreign' } }];
    }
    const answer = answers.to(identity);
    const status = answer?.status ?? { kind: 'unchecked' as const };
    return [{ key, name, identity, local, status, placed: answer?.placed ?? null }];
  });
  // Array.sort keeps the order of the app within a rank.
  return [...rows].sort((one, other) => rankOf(one) - rankOf(other));
}

export function localOf(state: PlacedFile['state']): PlacedRow['local'] {
  return state === 'missing' || state === 'changed' ? state : 'present';
}

function identityOf({ placed }: StatusAnswer, origin: string): PlacedIdentity | null {
  return placed && { origin, uploadId: placed.id, sha256: placed.sha256, size: 'original' };
}

/** The order of the list. */
function rankOf({ local, status }: PlacedRow): number {
  const order = 'newer-approved newer other gone unknown unchecked foreign current'.split(' ');
  return status.kind === 'current' && local !== 'present' ? 1.5 : order.indexOf(status.kind);
}

export function isNewer({ status }: PlacedRow): boolean {
  return status.kind === 'newer' || status.kind === 'newer-approved';
}

/** The current version in the place of an older or a missing one; null for rows that have it. */
export function updateOf(row: PlacedRow): FileUpdate | null {
  const { key, name, identity, status, local } = row;
  return 'current' in status && (status.kind !== 'current' || local === 'missing')
    ? { key, name, version: status.current, size: identity?.size ?? 'original' }
    : null;
}

/** What is changed with all others: not what only a person can compare, such as changes on this computer. */
export function updatesOf(
  rows: readonly PlacedRow[],
  onlyApproved: boolean,
): readonly FileUpdate[] {
  return rows
    .filter(
      ({ status, local }) =>
        status.kind !== 'other' &&
        local !== 'changed' &&
        (!onlyApproved || status.kind === 'newer-approved'),
    )
    .flatMap((row) => updateOf(row) ?? []);
}

/** The original of the placed version in the place of its web size; null for rows in original size. */
export function originalOf({ key, name, identity, placed }: PlacedRow): FileUpdate | null {
  return identity?.size === 'web' && placed
    ? { key, name, version: placed, size: 'original' }
    : null;
}
