import { Sequence } from '../base/sequence.js';
import { compareRecords, type PhotoRecord } from './photo-record.js';

export interface WaitingLineOptions {
  /** Whether the service is asked about a photo before its upload begins (known-photos.ts). */
  readonly asksFirst: boolean;
  readonly recordOf: (id: string) => PhotoRecord | null;
}

/**
 * The photos that wait, in the order of their turns, in two lines: those that may begin, and those about which the
 * service has not yet said whether it holds them already.
 */
export class WaitingLine {
  private readonly ready = new Sequence<string>();
  private readonly unasked = new Sequence<string>();
  /** Photos that need no question in this run: it was answered, or their upload has begun. */
  private readonly asked = new Set<string>();
  /** The photos whose upload has begun and is not over, with the number of `beginnings` at that time. */
  private readonly begun = new Map<string, number>();
  private beginnings = 0;

  constructor(private readonly options: WaitingLineOptions) {}

  /** The photo whose turn it is; null when none may begin. */
  get first(): string | null {
    return this.ready.first;
  }

  /** Adds a photo at the end. */
  enter(record: PhotoRecord): void {
    this.lineOf(record).insert(record.id);
  }

  /** Takes out a photo that does not wait any more. */
  leave(id: string): void {
    this.ready.delete(id);
    this.unasked.delete(id);
  }

  /** Notes that the photo's upload begins. */
  begin(id: string): void {
    this.beginnings += 1;
    this.begun.set(id, this.beginnings);
    this.asked.add(id);
  }

  /** Notes that the photo's upload is over. */
  end(id: string): void {
    this.begun.delete(id);
  }

  /** Forgets all about a photo. */
  forget(id: string): void {
    this.leave(id);
    this.begun.delete(id);
    this.asked.delete(id);
  }

  /**
   * Puts a photo whose upload was interrupted back to the front; several keep their order.
   * @returns the photo that comes right after it; null when it is the last
   */
  putBack(id: string): string | null {
    const own = this.begun.get(id) ?? 0;
    let successor: string | null = null;
    for (const other of this.ready) {
      // Only other interrupted photos can come before it, never more than a handful: the loop is short.
      if (other !== id && (this.begun.get(other) ?? Infinity) > own) {
        successor = other;
        break;
      }
    }
    this.ready.insert(id, successor);
    return successor;
  }

  /** Puts a waiting photo to the front. @returns the photo that comes right after it in sight, or null */
  toFront(record: PhotoRecord): string | null {
    const line = this.lineOf(record);
    const before = this.ready.first ?? this.unasked.first;
    this.begun.delete(record.id);
    line.insert(record.id, line.first);
    return before;
  }

  /** Moves photos that were added at the end to their places: goes along each line once, however many they are. */
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

  /** The first photos that the service has not been asked about. @param except  photos to leave out, by their ids */
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

  /** Notes that these photos need no question any more: they may begin. @param ids  in the order of their turns */
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

  /** To be called when somebody else may be connected: photos that have not begun are asked about anew. */
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

  /** To be called when another account is connected: no answer holds any more, not even for photos that have begun. */
  forgetAnswers(): void {
    this.begun.clear();
    this.askAgain();
  }

  private lineOf({ id, uploadUrl, sendAgain }: PhotoRecord): Sequence<string> {
    const isDue = uploadUrl === null && sendAgain !== true && !this.asked.has(id);
    return this.options.asksFirst && isDue ? this.unasked : this.ready;
  }
}

/**
 * Where photos belong among others: for each the id of the photo that comes after it, or null at the end.
 * @param order  the ids of the others, in the order of their turns
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
