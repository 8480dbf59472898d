import type { PlacedFile, PlacedIdentity } from '../../host/host.js';
import type { FileStatus, StatusAnswer } from './file-status.js';

/** A file of the workspace that is placed in the document. */
export interface PlacedRow {
  /** Of the link. */
  readonly key: string;
  /** Name of the file that is placed. */
  readonly name: string;
  readonly identity: PlacedIdentity;
  /** The number of the placed version; null where it is not known. */
  readonly version: number | null;
  /** `foreign` for a file of another service, `unchecked` without an answer. */
  readonly status: FileStatus | { readonly kind: 'foreign' | 'unchecked' };
  /** Whether the file is missing on this computer, or was changed there after it was placed. */
  readonly local: 'present' | 'missing' | 'changed';
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
      return [{ key, name, identity, local, version: null, status: { kind: 'foreign' } }];
    }
    const answer = answerTo(identity);
    const status = answer?.status ?? { kind: 'unchecked' as const };
    return [{ key, name, identity, local, status, version: answer?.placedVersion ?? null }];
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
