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

export function createUxpRecords(storage: UxpModule['storage']): RecordStore {
  const serial = new SerialRunner();
  let current: UxpFile | null = null;

  const append = async (line: string): Promise<void> => {
    try {
      current ??= (await openJournal()).file;
      await current.write(`${line}\n`, { format: storage.formats.utf8, append: true });
    } catch (error) {
      if (error instanceof CwError) throw error;
      throw isDiskFull(error)
        ? new CwError('CW-703', 'no space left for the upload list', { cause: error })
        : new CwError('CW-702', 'the upload list cannot be written', { cause: error });
    }
  };

  const openJournal = async (): Promise<{ file: UxpFile; records: Map<string, string> }> => {
    const folder = await dataSubfolder(storage.localFileSystem, FOLDER);
    const journals = await listJournals(folder);
    for (const { number, file } of journals) {
      const content = parseJournal(await readText(file, storage.formats.utf8));
      if (!content.complete) continue;
      const needsRewrite =
        content.torn || content.lines > REWRITE_AFTER_LINES + 2 * content.records.size;
      const kept = needsRewrite
        ? await writeJournal(folder, number + 1, content.records, storage.formats.utf8)
        : file;
      await removeOthers(folder, kept.name);
      return { file: kept, records: content.records };
    }
    const next = (journals[0]?.number ?? 0) + 1;
    const empty = new Map<string, string>();
    return { file: await writeJournal(folder, next, empty, storage.formats.utf8), records: empty };
  };

  return {
    load: () =>
      serial.run(async () => {
        try {
          const opened = await openJournal();
          current = opened.file;
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

async function removeOthers(folder: UxpFolder, keep: string): Promise<void> {
  for (const { file } of await listJournals(folder)) {
    if (file.name === keep) continue;
    // A journal that cannot be removed now is removed at a later start; the newest complete one counts.
    await file.delete().catch(() => undefined);
  }
}
