/**
 * The journal's files: their names, their order, and how one is written and read.
 * @packageDocumentation
 */
import { CwError } from '../../util/errors.js';
import { isJsonObject } from '../../util/json.js';
import type { StorageRetry } from '../storage-retry.js';
import { listEntries } from './data-folder.js';
import { type FileEntry, type FolderEntry, isFileEntry } from './files.js';

/** The version of the format that this plugin writes and reads. Version 1 is not written out. */
const VERSION = 1;
const NAME = /^journal-(\d+)(?:-([0-9a-f]+))?\.jsonl$/;

/** A journal's place among others. The tag distinguishes two that were made at the same moment with the same number. */
export interface JournalName {
  readonly number: number;
  readonly tag: string;
}

export interface JournalFile {
  readonly name: JournalName;
  readonly file: FileEntry;
}

interface JournalContent {
  readonly records: ReadonlyMap<string, string>;
  readonly lines: number;
  readonly complete: boolean;
  /** Whether the last line was cut short, so that the next line must begin on a new one. */
  readonly torn: boolean;
}

/** The file name of a journal, such as `journal-7-0a1b2c3d.jsonl`. */
export function fileNameOf({ number, tag }: JournalName): string {
  return `journal-${number}-${tag}.jsonl`;
}

/** Negative when `a` comes before `b`. */
export function compareNames(a: JournalName, b: JournalName): number {
  if (a.number !== b.number) {
    return a.number - b.number;
  }
  return a.tag === b.tag ? 0 : a.tag < b.tag ? -1 : 1;
}

/** Journals of the folder, the newest first. @throws {unknown} what the host throws last */
export async function listJournals(
  folder: FolderEntry,
  retry: StorageRetry,
): Promise<JournalFile[]> {
  const journals: JournalFile[] = [];
  for (const entry of await listEntries(folder, retry)) {
    const match = NAME.exec(entry.name);
    const number = Number(match?.[1]);
    // No journal could be numbered after one that is not below the largest safe integer.
    if (match && Number.isSafeInteger(number + 1) && isFileEntry(entry)) {
      journals.push({ name: { number, tag: match[2] ?? '' }, file: entry });
    }
  }
  return journals.sort((a, b) => compareNames(b.name, a.name));
}

export interface ReadJournal extends JournalFile {
  readonly content: JournalContent;
}

/**
 * The newest journal that is complete, with its content. When none is, the newest with any records: it has lost its
 * end. Null when there is neither.
 * @param journals  the newest first
 * @param format  the host's symbol for UTF-8 text
 * @throws {CwError} CW-702 when a newer version of the plugin wrote it
 * @throws {unknown} what the host throws last when a journal cannot be read: an older one must not be used in its place
 */
export async function readNewestJournal(
  journals: readonly JournalFile[],
  format: symbol,
  retry: StorageRetry,
): Promise<ReadJournal | null> {
  let incomplete: ReadJournal | null = null;
  for (const { file, name } of journals) {
    const text = await retry.run(() => file.read({ format }));
    const content = parseJournal(typeof text === 'string' ? text : '');
    if (content.complete) {
      return { file, name, content };
    }
    if (content.records.size > 0) {
      incomplete ??= { file, name, content };
    }
  }
  return incomplete;
}

/** A record as it is written. */
export interface WrittenRecord {
  readonly key: string;
  readonly value: string;
}

/** The lines that a change appends. The written records come before the removals, in case the write is cut short. */
export function changeLines(written: readonly WrittenRecord[], gone: readonly string[]): string {
  const lines = [
    ...written.map(({ key, value }) => ({ put: key, value })),
    ...gone.map((remove) => ({ remove })),
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function parseJournal(text: string): JournalContent {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  const records = new Map<string, string>();
  let complete = false;
  for (const line of lines) {
    let entry: unknown;
    try {
      entry = JSON.parse(line);
    } catch {
      continue; // a line that was cut short
    }
    if (!isJsonObject(entry)) {
      continue;
    }
    const { put, remove, value } = entry;
    if (typeof put === 'string' && typeof value === 'string') {
      records.set(put, value);
    } else if (typeof remove === 'string') {
      records.delete(remove);
    } else if (entry['complete'] === true) {
      complete = true;
      checkVersion(entry['version']);
    }
  }
  return { records, lines: lines.length, complete, torn: last !== '' };
}

function checkVersion(version: unknown): void {
  if (typeof version === 'number' && version > VERSION) {
    throw new CwError('CW-702', 'a newer version of the plugin wrote the upload list');
  }
}

/** The text of a whole journal of these records. Its last line marks it as complete. */
export function journalText(records: ReadonlyMap<string, string>): string {
  const lines = [...records].map(([put, value]) => JSON.stringify({ put, value }));
  lines.push(JSON.stringify({ complete: true }), '');
  return lines.join('\n');
}
