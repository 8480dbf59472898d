import type { PlacedFile, PlacedIdentity } from '../../host/host.js';
import type { FileStatus, FileVersion, StatusAnswer } from './file-status.js';

/** A file of the workspace that is placed in the document. */
export interface PlacedRow {
  /** Of the link. */
  readonly key: string;
  /** Name of the file that is placed. */
  readonly name: string;
  readonly identity: PlacedIdentity;
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

/** The rows of the links that were placed from a service, those with something to do first. */
export function rowsOf(
  files: readonly PlacedFile[],
  origin: string,
  answerTo: (identity: PlacedIdentity) => StatusAnswer | null,
): readonly PlacedRow[] {
  const rows = files.flatMap(({ key, name, identity, state }): readonly PlacedRow[] => {
    if (!identity) {
      return [];
    }
    const local = state === 'missing' || state === 'changed' ? state : 'present';
    if (identity.origin !== origin) {
      return [{ key, name, identity, local, placed: null, status: { kind: 'foreign' } }];
    }
    const answer = answerTo(identity);
    const status = answer?.status ?? { kind: 'unchecked' as const };
    return [{ key, name, identity, local, status, placed: answer?.placed ?? null }];
  });
  // Array.sort keeps the order of the app within a rank.
  return [...rows].sort((one, other) => rankOf(one) - rankOf(other));
}

/** The order of the list. */
function rankOf({ local, status }: PlacedRow): number {
  const order = ['newer-approved', 'newer', 'gone', 'unknown', 'unchecked', 'foreign', 'current'];
  return status.kind === 'current' && local !== 'present' ? 1.5 : order.indexOf(status.kind);
}

export function isNewer({ status }: PlacedRow): boolean {
  return status.kind === 'newer' || status.kind === 'newer-approved';
}

/** The current version in the place of an older or a missing one; null for rows that have it. */
export function updateOf(row: PlacedRow): FileUpdate | null {
  const { key, name, identity, status, local } = row;
  return 'current' in status && (isNewer(row) || local === 'missing')
    ? { key, name, version: status.current, size: identity.size }
    : null;
}

/** What is changed with all others: not what the user has changed on this computer. */
export function updatesOf(
  rows: readonly PlacedRow[],
  onlyApproved: boolean,
): readonly FileUpdate[] {
  return rows
    .filter(({ status, local }) =>
      onlyApproved ? status.kind === 'newer-approved' && local !== 'changed' : local !== 'changed',
    )
    .flatMap((row) => updateOf(row) ?? []);
}

/** The original of the placed version in the place of its web size; null for rows in original size. */
export function originalOf({ key, name, identity, placed }: PlacedRow): FileUpdate | null {
  return identity.size === 'web' && placed
    ? { key, name, version: placed, size: 'original' }
    : null;
}
