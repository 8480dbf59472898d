import {
  markXmp,
  planPacket,
  readMarks,
  type Piece,
} from '../../../packages/image-metadata/index.js';
import type { FileStat, FolderTree } from '../../host/folders.js';
import type { Language } from '../../ui/i18n/language.js';
import type { Clock } from '../../util/clock.js';
import type { Wanted } from './client-selects.js';
import { openContent, type FileContent } from './file-content.js';
import { ChangedError, unanswered } from './file-failures.js';
import { planMarks } from './label-words.js';
import type { Target } from './local-photos.js';
import { bytesOf, changedPieces, digestOf, inMemory, reversed } from './rewriting.js';
import type { UndoLog } from './undo-log.js';

export interface MarkingOptions {
  readonly tree: FolderTree;
  /** Opens the folder again, for Undo. */
  readonly token: string;
  readonly undoLog: UndoLog;
  readonly clock: Clock;
  /** Of the app, whose words for labels are written. */
  readonly language: Language;
  /** Whether ratings and labels of the photographer are replaced. */
  readonly isReplacing: boolean;
  /** Whether files are changed; else it only shows what would change. */
  readonly isWriting: boolean;
}

/** What came of a file, or would come. */
export interface Marked {
  readonly isChanged: boolean;
  /** Whether something of the photographer stays although clients answered otherwise. */
  readonly isKept: boolean;
}

/** A new content of a file, in pieces of the present one. */
interface Change {
  readonly source: FileContent;
  readonly pieces: readonly Piece[];
  /** As it was before it was read; null for a file to be made. */
  readonly stat: FileStat | null;
}

/** One run that writes ratings and labels into files of a folder, or shows what it would write. */
export class Marking {
  /** Whether the undo log is about this run. A run that changes nothing leaves the log of the run before. */
  private isLogged = false;

  constructor(private readonly options: MarkingOptions) {}

  /** @throws {CwError} CW-602, CW-702 to CW-704, CW-811 @throws {UnwritableError} @throws {ChangedError} */
  async mark(target: Target, wanted: Wanted): Promise<Marked> {
    const { tree } = this.options;
    const stat = target.exists ? await tree.stat(target.path) : null;
    const content = await openContent(tree, target.path);
    try {
      // Either is null, too, when the app does not answer: that is no empty file.
      if ((content !== null) !== target.exists || (stat !== null) !== target.exists) {
        throw new ChangedError();
      }
      const { pieces, isKept } = await this.plan(target, content, wanted);
      if (pieces !== null && this.options.isWriting) {
        const source = content ?? inMemory(new Uint8Array(0));
        await this.write(target, { source, pieces, stat });
      }
      return { isChanged: pieces !== null, isKept };
    } finally {
      await content?.close();
    }
  }

  /** The new content in pieces of the present one; null where nothing changes. */
  private async plan(
    { kind, isFull }: Target,
    content: FileContent | null,
    wanted: Wanted,
  ): Promise<{ readonly pieces: readonly Piece[] | null; readonly isKept: boolean }> {
    const { isReplacing } = this.options;
    // darktable and digiKam, whose sidecars these are, know the English words only.
    const language = isFull ? 'en' : this.options.language;
    let isKept = false;
    const edited = (packet: Uint8Array | null): Uint8Array | null => {
      const present = packet ? readMarks(packet) : { rating: null, label: null };
      const plan = planMarks(present, wanted, { isReplacing, language });
      const { rating, label } = plan.marks;
      ({ isKept } = plan);
      return rating === null && label === null ? packet : markXmp(packet, plan.marks);
    };
    const pieces =
      content && kind === 'embedded'
        ? await planPacket(content, edited)
        : changedPieces(content && (await content.read(0, content.size)), edited);
    return { pieces, isKept };
  }

  /** Stores how the change is undone, then makes it. */
  private async write({ path, exists }: Target, { source, pieces, stat }: Change): Promise<void> {
    const { tree, token, undoLog, clock } = this.options;
    if (!this.isLogged) {
      await undoLog.begin(token);
      this.isLogged = true;
    }
    const former = exists ? await digestOf(source, clock) : '';
    const sha256 = await digestOf(source, clock, pieces);
    const stored = await reversed(source, pieces);
    const key = undoLog.nextKey();
    const entry = { path, hadFile: exists, sha256, former, isUnsure: false };
    await undoLog.put(key, entry, stored);
    let outcome: Awaited<ReturnType<FolderTree['replace']>>;
    try {
      outcome = await tree.replace(path, stat, bytesOf(source, pieces));
    } catch (error) {
      await undoLog.remove(key);
      throw error;
    }
    if (outcome === 'changed') {
      await undoLog.remove(key);
      throw new ChangedError();
    }
    if (outcome === 'unknown') {
      // The file may have changed, or change later: the log keeps what it was, also when another run begins.
      await undoLog.put(key, { ...entry, isUnsure: true }, stored);
      throw unanswered();
    }
  }
}
