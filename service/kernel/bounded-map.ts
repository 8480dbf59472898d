/** A map of limited size. Beyond `most` values, those that were set longest ago are removed. */
export class BoundedMap<V> {
  private readonly values = new Map<string, V>();

  constructor(private readonly most: number) {}

  /** The value of this name; undefined when it was never set, or has been removed. */
  get(name: string): V | undefined {
    return this.values.get(name);
  }

  set(name: string, value: V): void {
    this.values.delete(name);
    this.values.set(name, value);
    const [longestAgo] = this.values.keys();
    if (this.values.size > this.most && longestAgo !== undefined) {
      this.values.delete(longestAgo);
    }
  }

  delete(name: string): void {
    this.values.delete(name);
  }
}
