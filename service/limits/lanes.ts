/** What waits, in one line for each who asked. The lines take turns. */
export class Lanes<T> {
  /** In the order of their turns. No line is empty. */
  private readonly lines = new Map<string, T[]>();

  get size(): number {
    return [...this.lines.values()].reduce((sum, { length }) => sum + length, 0);
  }

  get isEmpty(): boolean {
    return this.lines.size === 0;
  }

  add(who: string, item: T): void {
    const line = this.lines.get(who);
    if (line === undefined) {
      this.lines.set(who, [item]);
    } else {
      line.push(item);
    }
  }

  /** Takes out the first of the line whose turn it is. */
  next(): T | undefined {
    const [first] = this.lines;
    if (first === undefined) {
      return undefined;
    }
    const [who, line] = first;
    const item = line.shift();
    // To the end of the turns.
    this.lines.delete(who);
    if (line.length > 0) {
      this.lines.set(who, line);
    }
    return item;
  }

  /** Takes out one that does not wait any longer. */
  remove(who: string, item: T): void {
    const left = this.of(who).filter((one) => one !== item);
    if (left.length > 0) {
      this.lines.set(who, left);
    } else {
      this.lines.delete(who);
    }
  }

  /** Takes out everything. */
  clear(): T[] {
    const all = [...this.lines.values()].flat();
    this.lines.clear();
    return all;
  }

  of(who: string): readonly T[] {
    return this.lines.get(who) ?? [];
  }
}
