import fs from 'node:fs';

/** The environment of a recorded process: the journal file and the recorded folder. */
export const JOURNAL_VARIABLE = 'POWER_LOSS_JOURNAL';
export const FOLDER_VARIABLE = 'POWER_LOSS_FOLDER';

/**
 * One thing that was done below the watched folder, in the order of completion. Paths are relative to it; `handle` is a
 * file or folder that was opened.
 */
export type Operation =
  | {
      readonly kind: 'open';
      readonly handle: string;
      readonly path: string;
      /** It was made by this. */
      readonly created: boolean;
      /** This removes its content. */
      readonly emptied: boolean;
    }
  /** The bytes are next to the operation. */
  | { readonly kind: 'write'; readonly handle: string; readonly at: number }
  | { readonly kind: 'resize'; readonly handle: string; readonly size: number }
  | { readonly kind: 'resize path'; readonly path: string; readonly size: number }
  /** A flush covers all operations before its start, and is effective from its end. */
  | { readonly kind: 'flush begins'; readonly handle: string; readonly flush: string }
  | { readonly kind: 'flush ends'; readonly flush: string }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'move'; readonly from: string; readonly to: string }
  /** Of a file or an empty folder. */
  | { readonly kind: 'remove'; readonly path: string };

/** An operation in the journal. */
export interface Entry {
  readonly operation: Operation;
  readonly bytes: Buffer;
  /** The size of the journal after it. */
  readonly end: number;
}

const LENGTHS = 8;
const NOTHING = Buffer.alloc(0);

/** One entry as bytes, to be appended to a journal by one write. */
export function encode(operation: Operation, bytes: Uint8Array = NOTHING): Buffer {
  const head = Buffer.from(JSON.stringify(operation));
  const lengths = Buffer.alloc(LENGTHS);
  lengths.writeUInt32LE(head.length, 0);
  lengths.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([lengths, head, bytes]);
}

/** All whole entries of a journal. */
export function readJournal(file: string): Entry[] {
  const journal = fs.readFileSync(file);
  const entries: Entry[] = [];
  for (let at = 0; at + LENGTHS <= journal.length;) {
    const head = at + LENGTHS;
    const bytes = head + journal.readUInt32LE(at);
    const end = bytes + journal.readUInt32LE(at + 4);
    if (end > journal.length) break;
    const operation = JSON.parse(journal.toString('utf8', head, bytes)) as Operation;
    entries.push({ operation, bytes: journal.subarray(bytes, end), end });
    at = end;
  }
  return entries;
}
