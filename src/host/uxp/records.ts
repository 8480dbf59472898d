import { CwError } from '../../base/errors.js';
import { isJsonObject } from '../../base/json.js';
import { SerialRunner } from '../../base/serial.js';
import type { RecordStore } from '../host.js';
import { dataSubfolder, isDiskFull } from './data-folder.js';
import { isUxpFile, type UxpFile, type UxpFolder, type UxpModule } from './modules.js';

/**
 * Durable records as a journal in the plugin's data folder: every change is one appended line, so a
 * change costs the same at any number of records, and a crash can at worst cut the last line short,
 * which reading then ignores. Journals are numbered; loading rewrites a long one into the next number
 * and removes the old only when the new one ends with its `complete` line.
 */
const FOLDER = 'records';
const NAME = /^journal-(\d+)\.jsonl$/;
/** A journal with more lines than this, most of them outdated, is rewritten when loaded. */
const REWRITE_AFTER_LINES = 1000;

interface JournalContent {
  readonly records: Map<string, string>;
  readonly lines: number;
  readonly complete: boolean;
  /** Whether the last line was cut short, so that the next line must begin on a new one. */
  readonly torn: boolean;
}

/** The journal that changes are appended to. */
interface OpenJournal {
  readonly file: UxpFile;
  /** Whether the file may end in the middle of a line. */
  torn: boolean;
}

export function createUxpRecords(storage: UxpModule['storage']): RecordStore {
  const serial = new SerialRunner();
  let current: OpenJournal | null = null;

  const append = async (line: string): Promise<void> => {
    try {
      current ??= (await openJournal()).journal;
      const text = current.torn ? `\n${line}\n` : `${line}\n`;
      // A write that fails may have written part of the line: the next one must not continue it.
      current.torn = true;
      await current.file.write(text, { format: storage.formats.utf8, append: true });
      current.torn = false;
    } catch (error) {
      if (error instanceof CwError) throw error;
      throw isDiskFull(error)
        ? new CwError('CW-703', 'no space left for the upload list', { cause: error })
        : new CwError('CW-702', 'the upload list cannot be written', { cause: error });
    }
  };

  const openJournal = async (): Promise<{
    journal: OpenJournal;
    records: ReadonlyMap<string, string>;
  }> => {
    const folder = await dataSubfolder(storage.localFileSystem, FOLDER);
    const { utf8 } = storage.formats;
    const journals = await listJournals(folder);
    for (const { number, file } of journals) {
      const content = parseJournal(await readText(file, utf8));
      if (!content.complete) continue;
      const { records, torn } = content;
      if (torn || content.lines > REWRITE_AFTER_LINES + 2 * records.size) {
        try {
          const rewritten = await writeJournal(folder, number + 1, records, utf8);
          await removeOthers(folder, rewritten.name);
          return { journal: { file: rewritten, torn: false }, records };
        } catch {
          // No room, perhaps: this one goes on serving, and nothing newer may stand beside it.
          await removeNewer(folder, number);
        }
      }
      await removeOthers(folder, file.name);
      return { journal: { file, torn }, records };
    }
    const next = (journals[0]?.number ?? 0) + 1;
    const records = new Map<string, string>();
    const file = await writeJournal(folder, next, records, utf8);
    return { journal: { file, torn: false }, records };
  };

  return {
    load: () =>
      serial.run(async () => {
        try {
          const opened = await openJournal();
          current = opened.journal;
          return opened.records;
        } catch (error) {
          throw new CwError('CW-702', 'the upload list cannot be read', { cause: error });
        }
      }),
    put: (key, value) => serial.run(() => append(JSON.stringify({ put: key, value }))),
    remove: (key) => serial.run(() => append(JSON.stringify({ remove: key }))),
  };
}

/** Journals of the folder, the newest first. */
async function listJournals(folder: UxpFolder): Promise<{ number: number; file: UxpFile }[]> {
  const journals: { number: number; file: UxpFile }[] = [];
  for (const entry of await folder.getEntries()) {
    const match = NAME.exec(entry.name);
    if (match && isUxpFile(entry)) journals.push({ number: Number(match[1]), file: entry });
  }
  return journals.sort((a, b) => b.number - a.number);
}

async function readText(file: UxpFile, format: symbol): Promise<string> {
  const text = await file.read({ format });
  return typeof text === 'string' ? text : '';
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
      continue; // a line that a crash cut short and a later start continued
    }
    if (!isJsonObject(entry)) continue;
    const { put, remove, value } = entry;
    if (typeof put === 'string' && typeof value === 'string') records.set(put, value);
    else if (typeof remove === 'string') records.delete(remove);
    else if (entry['complete'] === true) complete = true;
  }
  return { records, lines: lines.length, complete, torn: last !== '' };
}

async function writeJournal(
  folder: UxpFolder,
  number: number,
  records: ReadonlyMap<string, string>,
  format: symbol,
): Promise<UxpFile> {
  const file = await folder.createFile(`journal-${number}.jsonl`, { overwrite: true });
  const lines = [...records].map(([put, value]) => JSON.stringify({ put, value }));
  lines.push(JSON.stringify({ complete: true }), '');
  await file.write(lines.join('\n'), { format });
  return file;
}

/** @throws when one of them stays */
async function removeNewer(folder: UxpFolder, than: number): Promise<void> {
  for (const { number, file } of await listJournals(folder)) {
    if (number > than) await file.delete();
  }
}

async function removeOthers(folder: UxpFolder, keep: string): Promise<void> {
  for (const { file } of await listJournals(folder)) {
    if (file.name === keep) continue;
    // A journal that cannot be removed now is removed at a later start; the newest complete one counts.
    await file.delete().catch(() => undefined);
  }
}
