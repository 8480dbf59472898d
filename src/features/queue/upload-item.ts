/**
 * A photo on the list, and the sums over the list: plain data, and how it is counted.
 * @packageDocumentation
 */
import type { PhotoRecord } from './photo-record.js';
import type { PhotoPhase } from './photo-state.js';

/** A photo on the list, as the panel shows it. */
export interface UploadItem {
  readonly record: PhotoRecord;
  readonly phase: PhotoPhase;
  /** Bytes handed to the network; may fall when something has to be sent again. */
  readonly sentBytes: number;
  /** Bytes the service has confirmed; falls when the service has dropped the upload. */
  readonly confirmedBytes: number;
}

/** The sums over the list. A new object for every change. */
export interface UploadSummary {
  readonly waiting: number;
  readonly uploading: number;
  /** Photos uploaded since the start, or since they were last cleared, including those no longer shown. */
  readonly uploaded: number;
  readonly failed: number;
  /** Bytes of all photos counted above, and how many of them have been sent. */
  readonly totalBytes: number;
  readonly sentBytes: number;
}

/** The sums over an empty list. */
export const EMPTY_SUMMARY: UploadSummary = {
  waiting: 0,
  uploading: 0,
  uploaded: 0,
  failed: 0,
  totalBytes: 0,
  sentBytes: 0,
};

/** A summary with photos added (`sign` 1) or removed (`sign` -1). */
export function applyToSummary(
  summary: UploadSummary,
  items: readonly UploadItem[],
  sign: 1 | -1,
): UploadSummary {
  const next = { ...summary };
  for (const { phase, record, sentBytes } of items) {
    next[phase] += sign;
    next.totalBytes += sign * record.size;
    next.sentBytes += sign * sentBytes;
  }
  return next;
}
