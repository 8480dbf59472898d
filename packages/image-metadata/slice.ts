/**
 * A file, or a part of one, as the walkers read it. A range that is not inside gives null, or throws: a reader that takes
 * what it can find returns null, and one that has to understand everything throws.
 */
export interface Slice<Self> {
  /** In bytes. */
  readonly size: number;
  has(at: number, length: number): boolean;
  read(at: number, length: number): Promise<Uint8Array | null>;
  part(at: number, length?: number): Self | null;
  /** Counts a visited structure. */
  step(): void;
}
