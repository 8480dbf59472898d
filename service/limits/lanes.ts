/**
 * A queue with one line for each requester. The lines take turns; within a line, items leave in the order of their
 * arrival.
 */
export class Lanes<T> {
  /** The lines by requester, in the order of their turns. No line is empty. */
  private readonly lines = new Map<string, T[]>();

  /** How many items wait in all lines. */
  get size(): number {
    return [...this.lines.values()].reduce((sum, { length }) => sum + length, 0);
  }

  get isEmpty(): boolean {
    return this.lines.size === 0;
  }

  /** Adds an item to the end of the line of `who`. */
  add(who: string, item: T): void {
    const line = this.lines.get(who);
    if (line === undefined) {
      this.lines.set(who, [item]);
    } else {
      line.push(item);
    }
  }

  /** Takes out the first item of the line whose turn it is; undefined when nothing waits. */
  next(): T | undefined {
    const [first] = this.lines;
    if (first === undefined) {
      return undefined;
    }
    const [who, line] = first;
    const item = line.shift();
    // The line takes its next turn after all others.
    this.lines.delete(who);
    if (line.length > 0) {
      this.lines.set(who, line);
    }
    return item;
  }

  /** Takes out an item that is to wait no longer. */
  remove(who: string, item: T): void {
    const left = this.of(who).filter((one) => one !== item);
    if (left.length > 0) {
      this.lines.set(who, left);
    } else {
      this.lines.delete(who);
    }
  }

  /** Takes out all items. */
  clear(): T[] {
    const all = [...this.lines.values()].flat();
    this.lines.clear();
    return all;
  }

  /** The items in the line of `who`, first come first. */
  of(who: string): readonly T[] {
    return this.lines.get(who) ?? [];
  }
}
