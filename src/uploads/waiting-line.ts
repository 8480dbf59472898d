import { Sequence } from '../base/sequence.js';
import { compareRecords, type PhotoRecord } from './photo-record.js';

export interface WaitingLineOptions {
  /** Whether the service is asked about a photo before its upload begins (known-photos.ts). */
  readonly asksFirst: boolean;
  readonly recordOf: (id: string) => PhotoRecord | null;
}

/**
 * The photos that wait, in the order of their turns: those that may begin, and those of which the service has not said
 * yet whether it holds them already.
 */
export class WaitingLine {
  private readonly ready = new Sequence<string>();
  private readonly unasked = new Sequence<string>();
  /** Photos that need no question in this run: it was answered, or they were under way. */
  private readonly asked = new Set<string>();
  /** When the photos that were interrupted had begun, counted in beginnings. */
  private readonly begun = new Map<string, number>();
  private beginnings = 0;

  constructor(private readonly options: WaitingLineOptions) {}

  /** The photo whose turn it is; null when none may begin. */
  get first(): string | null {
    return this.ready.first;
  }

  /** A photo waits: it comes last. */
  enter(record: PhotoRecord): void {
    this.lineOf(record).insert(record.id);
  }

  /** A photo does not wait any more. */
  leave(id: string): void {
    this.ready.delete(id);
    this.unasked.delete(id);
  }

  /** Its upload begins. */
  begin(id: string): void {
    this.beginnings += 1;
    this.begun.set(id, this.beginnings);
    this.asked.add(id);
  }

  /** Its upload is over. */
  end(id: string): void {
    this.begun.delete(id);
  }

  /** Nothing is left of a photo. */
  forget(id: string): void {
    this.leave(id);
    this.begun.delete(id);
    this.asked.delete(id);
  }

  /**
   * A photo that was interrupted goes to the front again; several keep their order.
   * @returns the photo that it stands before, or null at the end
   */
  putBack(id: string): string | null {
    const own = this.begun.get(id) ?? 0;
    let successor: string | null = null;
    for (const other of this.ready) {
      // Only photos that were interrupted too can come before it: never more than a handful.
      if (other !== id && (this.begun.get(other) ?? Infinity) > own) {
        successor = other;
        break;
      }
    }
    this.ready.insert(id, successor);
    return successor;
  }

  /** A photo that waits goes to the front. @returns the photo that it stands before in sight, or null */
  toFront(record: PhotoRecord): string | null {
    const line = this.lineOf(record);
    const before = this.ready.first ?? this.unasked.first;
    this.begun.delete(record.id);
    line.insert(record.id, line.first);
    return before;
  }

  /** Photos that have entered out of order go to their places: one walk along the line, however many they are. */
  sort(records: readonly PhotoRecord[]): void {
    for (const line of [this.ready, this.unasked]) {
      const own = records.filter((record) => this.lineOf(record) === line);
      for (const { id } of own) {
        line.delete(id);
      }
      const places = placesIn(line, own, this.options.recordOf);
      own.forEach(({ id }, index) => {
        line.insert(id, places[index] ?? null);
      });
    }
  }

  /** The first photos that the service has not been asked about. @param except  left out, by their ids */
  firstUnasked(count: number, except?: ReadonlyMap<string, unknown>): readonly PhotoRecord[] {
    const found: PhotoRecord[] = [];
    for (const id of this.unasked) {
      if (found.length >= count) {
        break;
      }
      const record = this.options.recordOf(id);
      if (record && except?.has(id) !== true) {
        found.push(record);
      }
    }
    return found;
  }

  /** Nothing is to be asked about these any more. Those that wait may begin. @param ids  in the order of their turns */
  release(ids: readonly string[]): void {
    const waiting: PhotoRecord[] = [];
    for (const id of ids) {
      const record = this.options.recordOf(id);
      if (record && this.unasked.has(id)) {
        waiting.push(record);
        this.unasked.delete(id);
        this.asked.add(id);
      }
    }
    this.sort(waiting);
  }

  /** Somebody else may be connected: whatever has not begun is asked about anew. */
  askAgain(): void {
    this.asked.clear();
    const waiting = [...this.ready].flatMap((id) => {
      const record = this.options.recordOf(id);
      return record && !this.begun.has(id) && this.lineOf(record) === this.unasked ? [record] : [];
    });
    for (const id of this.begun.keys()) {
      this.asked.add(id);
    }
    for (const { id } of waiting) {
      this.ready.delete(id);
    }
    this.sort(waiting);
  }

  private lineOf({ id, uploadUrl, sendAgain }: PhotoRecord): Sequence<string> {
    const isDue = uploadUrl === null && sendAgain !== true && !this.asked.has(id);
    return this.options.asksFirst && isDue ? this.unasked : this.ready;
  }
}

/**
 * Where photos belong in an order of others: for each the one that it comes before, or null at the end.
 * @param records  in the order of their turns
 */
export function placesIn(
  order: Iterable<string>,
  records: readonly PhotoRecord[],
  recordOf: (id: string) => PhotoRecord | null,
): readonly (string | null)[] {
  const others = order[Symbol.iterator]();
  let other = others.next();
  return records.map((record) => {
    while (other.done !== true) {
      const known = recordOf(other.value);
      if (known && compareRecords(record, known) < 0) {
        return other.value;
      }
      other = others.next();
    }
    return null;
  });
}
