import type { Piece } from '../../../packages/image-metadata/index.js';
import type { RecordStore } from '../../host/storage.js';
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
  /** Whether the app did not answer: the change may have been made, or be made later. */
  readonly isUnsure: boolean;
}

const HEAD_KEY = 'selects-undo';
const PREFIX = 'selects-undo-';

/** What the last run has changed, stored before each change. */
export class UndoLog {
  private readonly entries = new Map<string, UndoEntry>();
  /** Opens the folder of the last run; null before one. */
  private folder: string | null = null;
  private lastNumber = 0;

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
        this.lastNumber = Math.max(this.lastNumber, numberOf(key));
      }
    }
  }

  /** The files that can be put back, the last one first. */
  list(): readonly (readonly [key: string, entry: UndoEntry])[] {
    return [...this.entries].sort(([one], [other]) => numberOf(other) - numberOf(one));
  }

  /**
   * Forgets the run before, and begins another one. Changes of which the user does not know whether they were made stay.
   * @throws {CwError} CW-702 to CW-704
   */
  async begin(folder: string): Promise<void> {
    const stays = ({ isUnsure }: UndoEntry): boolean => isUnsure && folder === this.folder;
    const gone = [...this.entries].filter(([, entry]) => !stays(entry)).map(([key]) => key);
    await this.records.put(HEAD_KEY, JSON.stringify({ folder }), ...gone);
    for (const key of gone) {
      this.entries.delete(key);
    }
    this.folder = folder;
  }

  /** The key of a further change. */
  nextKey(): string {
    this.lastNumber += 1;
    return PREFIX + String(this.lastNumber);
  }

  /** Stores how a change is undone: before it is made, or when more is known. @throws {CwError} CW-702 to CW-704 */
  async put(
    key: string,
    entry: Omit<UndoEntry, 'pieces'>,
    pieces: readonly StoredPiece[],
  ): Promise<void> {
    const text = JSON.stringify({ ...entry, pieces });
    await this.records.put(key, text);
    const stored = readEntry(text);
    if (stored) {
      this.entries.set(key, stored);
    }
  }

  /** Forgets a change that was undone, or not made. @throws {CwError} CW-702 to CW-704 */
  async remove(key: string): Promise<void> {
    await this.records.remove(key);
    this.entries.delete(key);
  }
}

function numberOf(key: string): number {
  return Number(key.slice(PREFIX.length));
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
        isUnsure: body['isUnsure'] === true,
      };
}
