/**
 * A photo in the list, and what the list amounts to: plain data, and how it is counted.
 * @packageDocumentation
 */
import type { PhotoRecord } from './photo-record.js';

/** A photo in the list, as the panel shows it. */
export interface UploadItem {
  readonly record: PhotoRecord;
  readonly phase: 'waiting' | 'uploading' | 'uploaded' | 'failed';
  /** Bytes handed to the network; may fall when something has to be sent again. */
  readonly sentBytes: number;
  /** Bytes the service has confirmed; falls when it no longer knows the upload. */
  readonly confirmedBytes: number;
}

/** What the list amounts to. A new object for every change. */
export interface UploadSummary {
  readonly waiting: number;
  readonly uploading: number;
  /** Photos that arrived since the plugin was started, those no longer in sight included. */
  readonly uploaded: number;
  readonly failed: number;
  /** Bytes of all photos counted above, and how many of them have been sent. */
  readonly totalBytes: number;
  readonly sentBytes: number;
}

/** Of a list without photos. */
export const EMPTY_SUMMARY: UploadSummary = {
  waiting: 0,
  uploading: 0,
  uploaded: 0,
  failed: 0,
  totalBytes: 0,
  sentBytes: 0,
};

/** A photo of which nothing has been sent in this run. */
export function notSent(record: PhotoRecord): UploadItem {
  const phase = record.failure === null ? 'waiting' : 'failed';
  return { record, phase, sentBytes: 0, confirmedBytes: 0 };
}

/** A summary with photos counted in, or out. */
export function added(
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
