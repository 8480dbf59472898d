import type { ByteSource } from './byte-source.js';

/** How much may be read of one file: a hostile one may lead a reader to and fro. */
export interface ReadLimits {
  readonly reads: number;
  readonly bytes: number;
  /** Visited structures. */
  readonly steps: number;
}

/** Headers and directories lie close together, so that much is read at once. In bytes. */
export const WINDOW_BYTES = 64 * 1024;
const MAX_WINDOWS = 8;

/** The only reader of a file's bytes: it counts all reads, and keeps the last short ones. */
export class WindowedSource {
  private readonly windows: { readonly at: number; readonly bytes: Uint8Array }[] = [];
  private reads = 0;
  private bytes = 0;
  private steps = 0;

  constructor(
    private readonly source: ByteSource,
    private readonly limits: ReadLimits,
    private readonly windowBytes = WINDOW_BYTES,
  ) {}

  get size(): number {
    return this.source.size;
  }

  /** Counts visited structures. @returns whether they are within the limits */
  step(count = 1): boolean {
    this.steps += count;
    return this.isWithinSteps();
  }

  isWithinSteps(): boolean {
    return this.steps <= this.limits.steps;
  }

  /** Bytes that are inside the file; fewer where it has become shorter, null beyond the limits. */
  async read(at: number, length: number): Promise<Uint8Array | null> {
    const known = this.windows.find(
      (window) => at >= window.at && at + length <= window.at + window.bytes.length,
    );
    if (known) {
      return known.bytes.subarray(at - known.at, at - known.at + length);
    }
    const wanted = Math.max(length, Math.min(this.windowBytes, this.size - at));
    const bytes = await this.readOnce(at, wanted);
    if (bytes && wanted <= this.windowBytes) {
      this.windows.unshift({ at, bytes });
      this.windows.splice(MAX_WINDOWS);
    }
    return bytes?.subarray(0, length) ?? null;
  }

  /** As {@link read}, without keeping them. */
  async readOnce(at: number, length: number): Promise<Uint8Array | null> {
    if (length === 0) {
      return new Uint8Array(0);
    }
    if (this.reads + 1 > this.limits.reads || this.bytes + length > this.limits.bytes) {
      return null;
    }
    this.reads += 1;
    this.bytes += length;
    return this.source.read(at, at + length);
  }
}
