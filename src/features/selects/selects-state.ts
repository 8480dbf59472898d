import type { CwError } from '../../util/errors.js';

/** A link whose answers are written into files. */
export interface SelectsLink {
  readonly id: string;
  readonly name: string;
  /** Wall-clock time in milliseconds; null when the service does not report it. */
  readonly expires: number | null;
}

/** Why a file was not changed. `changed`: another program has changed it since. */
export type FailureReason = 'unreadable' | 'refused' | 'full' | 'unknown-xmp' | 'changed';

export interface SelectsFailure {
  readonly name: string;
  readonly reason: FailureReason;
}

/** What came of the last run, or what would come of one. */
export interface SelectsResult {
  readonly kind: 'shown' | 'written' | 'undone';
  /** How many files of the link clients have chosen. */
  readonly total: number;
  /** How many of them are in the folder. */
  readonly found: number;
  readonly changed: readonly string[];
  /** How many files have the marks already, and in how many something of the photographer stays. */
  readonly same: number;
  readonly kept: number;
  readonly missing: readonly string[];
  readonly ambiguous: readonly string[];
  readonly failed: readonly SelectsFailure[];
  /** Why it ended before the last file; null when it did not. */
  readonly stopped: CwError | 'cancelled' | null;
}

export interface SelectsState {
  readonly isOffered: boolean;
  /** Null until one is chosen. */
  readonly link: SelectsLink | null;
  /** The name of the chosen folder; null until one is chosen. */
  readonly folder: string | null;
  readonly isReplacing: boolean;
  /** Whether files that can carry XMP get it, in place of sidecars. */
  readonly isIntoFiles: boolean;
  /** How many steps of the present run are done; null while none runs. */
  readonly steps: number | null;
  readonly result: SelectsResult | null;
  /** How many files Undo can put back. */
  readonly undoable: number;
  readonly error: CwError | null;
  /** Scopes that the session lacks, separated by spaces; empty when it has all. */
  readonly missingScopes: string;
}

/** Nothing is chosen yet. */
export const NO_SELECTS: SelectsState = {
  isOffered: true,
  link: null,
  folder: null,
  isReplacing: false,
  isIntoFiles: false,
  steps: null,
  result: null,
  undoable: 0,
  error: null,
  missingScopes: '',
};
