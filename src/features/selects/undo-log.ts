import type { Piece } from '../../../packages/image-metadata/index.js';
import type { RecordStore } from '../../host/host.js';
import { parseJsonObject, textField } from '../../util/json.js';
import { readPieces, type StoredPiece } from './rewriting.js';

/** How one file becomes what it was. */
export interface UndoEntry {
  readonly path: string;
  /** Whether there was a file. */
  readonly hadFile: boolean;
  /** Of the new content. */
  readonly sha256: string;
  /** The SHA-256 of the former content; empty without one. */
  readonly former: string;
  /** The former content in pieces of the new one. */
  readonly pieces: readonly Piece[];
}

const HEAD_KEY = 'selects-undo';
const PREFIX = 'selects-undo-';

/** What the last run has changed, stored before each change. */
export class UndoLog {
  private readonly entries = new Map<string, UndoEntry>();
  /** Opens the folder of the last run; null before one. */
  private folder: string | null = null;

  constructor(private readonly records: Pick<RecordStore, 'put' | 'remove'>) {}

  get folderToken(): string | null {
    return this.folder;
  }

  restore(records: ReadonlyMap<string, string>): void {
    const head = parseJsonObject(records.get(HEAD_KEY) ?? '');
    this.folder ??= head && textField(head, 'folder');
    for (const [key, text] of records) {
      const entry = key.startsWith(PREFIX) ? readEntry(text) : null;
      if (entry && !this.entries.has(key)) {
        this.entries.set(key, entry);
      }
    }
  }

  /** The files that can be put back, the last one first. */
  list(): readonly (readonly [key: string, entry: UndoEntry])[] {
    const number = ([key]: readonly [string, UndoEntry]): number =>
      Number(key.slice(PREFIX.length));
    return [...this.entries].sort((one, other) => number(other) - number(one));
  }

  /** Forgets the run before, and begins another one. @throws {CwError} CW-702 to CW-704 */
  async begin(folder: string): Promise<void> {
    const keys = [...this.entries.keys()];
    await this.records.put(HEAD_KEY, JSON.stringify({ folder }), ...keys);
    this.entries.clear();
    this.folder = folder;
  }

  /** Stores how a change that comes now is undone. @returns its key @throws {CwError} CW-702 to CW-704 */
  async add(entry: Omit<UndoEntry, 'pieces'>, pieces: readonly StoredPiece[]): Promise<string> {
    const key = `${PREFIX}${this.entries.size + 1}`;
    const text = JSON.stringify({ ...entry, pieces });
    await this.records.put(key, text);
    const stored = readEntry(text);
    if (stored) {
      this.entries.set(key, stored);
    }
    return key;
  }

  /** Forgets a change that was undone, or not made. @throws {CwError} CW-702 to CW-704 */
  async remove(key: string): Promise<void> {
    await this.records.remove(key);
    this.entries.delete(key);
  }
}

function readEntry(text: string): UndoEntry | null {
  const body = parseJsonObject(text) ?? {};
  const path = textField(body, 'path');
  const sha256 = textField(body, 'sha256');
  const pieces = readPieces(body['pieces']);
  return path === null || sha256 === null || pieces === null
    ? null
    : {
        path,
        hadFile: body['hadFile'] === true,
        sha256,
        former: textField(body, 'former') ?? '',
        pieces,
      };
}
