import { CwError } from '../../base/errors.js';
import { isJsonObject } from '../../base/json.js';
import { randomId, type RandomBytes } from '../../base/random-id.js';
import { SerialRunner } from '../../base/serial.js';
import { supersededError } from '../../base/superseded.js';
import type { RecordStore } from '../host.js';
import { dataSubfolder, isDiskFull } from './data-folder.js';
import { isUxpFile, type UxpFile, type UxpFolder, type UxpModule } from './modules.js';

/**
 * Durable records as a journal in the plugin's data folder: every change is one appended line, so a
 * change costs the same at any number of records, and a crash can at worst cut the last line short,
 * which reading then ignores. A journal that has grown long is written anew.
 *
 * Journals are numbered, and the highest owns the records: whoever loads them makes a journal with the
 * next number first, and only then reads the newest complete one and copies it. A copy of the plugin
 * that still runs looks after each of its own lines whether such a journal has appeared. If not, its
 * line was there before the other began to read; if so, it may have come too late, and CW-704 says
 * so. Thus nothing that was reported as kept is lost between two copies.
 */
const FOLDER = 'records';
const NAME = /^journal-(\d+)(?:-([0-9a-f]+))?\.jsonl$/;
/** A journal is written anew when it has this many lines and three for each of its records. */
const REWRITE_AFTER_LINES = 1000;

/** A journal's place among others. The tag tells two apart that were made at the same moment. */
interface JournalName {
  readonly number: number;
  readonly tag: string;
}

interface JournalFile {
  readonly name: JournalName;
  readonly file: UxpFile;
}

interface JournalContent {
  readonly records: ReadonlyMap<string, string>;
  readonly lines: number;
  readonly complete: boolean;
  /** Whether the last line was cut short, so that the next line must begin on a new one. */
  readonly torn: boolean;
}

/** The journal that changes are appended to. */
interface OpenJournal {
  readonly file: UxpFile;
  /** Journals that come after this belong to another copy of the plugin. */
  readonly name: JournalName;
  readonly keys: Set<string>;
  lines: number;
  torn: boolean;
  /** How many lines it may have until writing it anew is tried. */
  mostLines: number;
}

interface Opened {
  readonly journal: OpenJournal;
  readonly records: ReadonlyMap<string, string>;
}

export function createUxpRecords(
  storage: UxpModule['storage'],
  randomBytes: RandomBytes,
): RecordStore {
  const serial = new SerialRunner();
  const { utf8 } = storage.formats;
  let current: OpenJournal | null = null;

  const recordsFolder = (): Promise<UxpFolder> => dataSubfolder(storage.localFileSystem, FOLDER);

  const isSuperseded = async ({ name }: OpenJournal): Promise<boolean> => {
    const [newest] = await listJournals(await recordsFolder());
    return newest !== undefined && compareNames(newest.name, name) > 0;
  };

  /** @param value  of a single key; null removes all of them */
  const append = async (keys: readonly string[], value: string | null): Promise<void> => {
    try {
      current ??= (await takeOver(null)).journal;
      await appendLines(current, keys, value);
    } catch (error) {
      if (error instanceof CwError) throw error;
      if (current && (await isSuperseded(current).catch(() => false))) throw supersededError();
      throw writeError(error);
    }
    if (current.lines >= current.mostLines) current = await rewritten(current);
  };

  const appendLines = async (
    journal: OpenJournal,
    keys: readonly string[],
    value: string | null,
  ): Promise<void> => {
    // What a failed write left must neither be continued nor come to count: `#` spoils it.
    let text = journal.torn ? '#\n' : '';
    for (const key of keys)
      text += `${JSON.stringify(value === null ? { remove: key } : { put: key, value })}\n`;
    journal.torn = true;
    await journal.file.write(text, { format: utf8, append: true });
    journal.torn = false;
    journal.lines += keys.length;
    for (const key of keys) {
      if (value === null) journal.keys.delete(key);
      else journal.keys.add(key);
    }
    if (await isSuperseded(journal)) throw supersededError();
  };

  /** The journal written anew; if that fails it stays as it is, and is tried again when it is twice as long. */
  const rewritten = async (journal: OpenJournal): Promise<OpenJournal> => {
    try {
      return (await takeOver(journal)).journal;
    } catch {
      journal.mostLines = 2 * journal.lines;
      return journal;
    }
  };

  /**
   * Makes this copy of the plugin the one that keeps the records.
   * @param from  the journal kept so far, when this copy has one: then no other copy is pushed aside
   */
  const takeOver = async (from: OpenJournal | null): Promise<Opened> => {
    const folder = await recordsFolder();
    const [newest] = await listJournals(folder);
    if (newest && from && compareNames(newest.name, from.name) > 0) throw supersededError();
    const name: JournalName = {
      number: (newest?.name.number ?? 0) + 1,
      tag: randomId(randomBytes).slice(0, 8),
    };
    const own = await folder.createFile(fileNameOf(name), { overwrite: true });
    // Before reading: from here on other copies know that their lines may come too late.
    let trouble: unknown = await failureOf(own.write('\n', { format: utf8 }));
    const older = (await listJournals(folder)).filter(
      (other) => compareNames(other.name, name) < 0,
    );
    let base: { readonly file: UxpFile; readonly content: JournalContent } | null;
    try {
      base = await newestComplete(older, utf8);
    } catch (error) {
      await failureOf(own.delete());
      throw error;
    }
    const records = base?.content.records ?? new Map<string, string>();
    trouble ??= await failureOf(own.write(journalText(records), { format: utf8 }));
    if (trouble !== null) {
      // No room, perhaps. What is not complete never counts; the one there was goes on serving.
      await failureOf(own.delete());
      if (!base) throw writeError(trouble);
      const { lines, torn } = base.content;
      const journal = openJournal(base.file, name, records, lines, torn);
      journal.mostLines = Math.max(journal.mostLines, 2 * lines);
      return { journal, records };
    }
    const journal = openJournal(own, name, records, records.size + 1, false);
    if (await isSuperseded(journal)) throw supersededError();
    // One that cannot be removed now is removed at a later start.
    for (const { file } of older) await failureOf(file.delete());
    return { journal, records };
  };

  return {
    load: () =>
      serial.run(async () => {
        try {
          const { journal, records } = await takeOver(null);
          current = journal;
          return records;
        } catch (error) {
          if (error instanceof CwError) throw error;
          throw new CwError('CW-702', 'the upload list cannot be read', { cause: error });
        }
      }),
    put: (key, value) => serial.run(() => append([key], value)),
    remove: (...keys) => serial.run(() => append(keys, null)),
    isOurs: async () => {
      try {
        return current === null || !(await isSuperseded(current));
      } catch (error) {
        throw new CwError('CW-702', 'the upload list cannot be read', { cause: error });
      }
    },
  };
}

function writeError(cause: unknown): CwError {
  return isDiskFull(cause)
    ? new CwError('CW-703', 'no space left for the upload list', { cause })
    : new CwError('CW-702', 'the upload list cannot be written', { cause });
}

/** What `work` rejects with; null when it does not. */
async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return null;
  } catch (error) {
    return error ?? new Error('it failed without saying why');
  }
}

function openJournal(
  file: UxpFile,
  name: JournalName,
  records: ReadonlyMap<string, string>,
  lines: number,
  torn: boolean,
): OpenJournal {
  const keys = new Set(records.keys());
  return { file, name, keys, lines, torn, mostLines: REWRITE_AFTER_LINES + 3 * keys.size };
}

function fileNameOf({ number, tag }: JournalName): string {
  return `journal-${number}-${tag}.jsonl`;
}

/** Negative when `a` comes before `b`. */
function compareNames(a: JournalName, b: JournalName): number {
  if (a.number !== b.number) return a.number - b.number;
  return a.tag === b.tag ? 0 : a.tag < b.tag ? -1 : 1;
}

/** Journals of the folder, the newest first. */
async function listJournals(folder: UxpFolder): Promise<JournalFile[]> {
  const journals: JournalFile[] = [];
  for (const entry of await folder.getEntries()) {
    const match = NAME.exec(entry.name);
    if (match && isUxpFile(entry))
      journals.push({ name: { number: Number(match[1]), tag: match[2] ?? '' }, file: entry });
  }
  return journals.sort((a, b) => compareNames(b.name, a.name));
}

/** @throws what the host throws when a journal cannot be read: an older one must not stand in for it */
async function newestComplete(
  journals: readonly JournalFile[],
  format: symbol,
): Promise<{ readonly file: UxpFile; readonly content: JournalContent } | null> {
  for (const { file } of journals) {
    const text = await file.read({ format });
    const content = parseJournal(typeof text === 'string' ? text : '');
    if (content.complete) return { file, content };
  }
  return null;
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
    if (!isJsonObject(entry)) continue;
    const { put, remove, value } = entry;
    if (typeof put === 'string' && typeof value === 'string') records.set(put, value);
    else if (typeof remove === 'string') records.delete(remove);
    else if (entry['complete'] === true) complete = true;
  }
  return { records, lines: lines.length, complete, torn: last !== '' };
}

/** A whole journal of these records. Its last line says that it is one. */
function journalText(records: ReadonlyMap<string, string>): string {
  const lines = [...records].map(([put, value]) => JSON.stringify({ put, value }));
  lines.push(JSON.stringify({ complete: true }), '');
  return lines.join('\n');
}
