import { latin1, uint16, uint32, type ByteSource } from './byte-source.js';
import type { Slice } from './slice.js';
import { WindowedSource, type ReadLimits } from './windowed-source.js';

const NO_LIMITS: ReadLimits = { reads: Infinity, bytes: Infinity, steps: Infinity };

/** Reads pieces of a file at any place, within limits. Nothing in the file is trusted: each range is checked. */
export class ByteReader implements Slice<ByteReader> {
  private constructor(
    private readonly source: WindowedSource,
    /** Where it begins in the file. */
    readonly start: number,
    /** In bytes. */
    readonly size: number,
  ) {}

  /** @param windowBytes  how much is read at once where headers are close together */
  static over(source: ByteSource, limits: ReadLimits, windowBytes?: number): ByteReader {
    return new ByteReader(new WindowedSource(source, limits, windowBytes), 0, source.size);
  }

  static overBytes(bytes: Uint8Array): ByteReader {
    const read = (start: number, end: number): Promise<Uint8Array> =>
      Promise.resolve(bytes.subarray(start, end));
    return ByteReader.over({ size: bytes.length, read }, NO_LIMITS);
  }

  has(at: number, length: number): boolean {
    return (
      Number.isSafeInteger(at) &&
      Number.isSafeInteger(length) &&
      at >= 0 &&
      length >= 0 &&
      at + length <= this.size
    );
  }

  /** Null when the range is not within the file, or a limit was reached. */
  async read(at: number, length: number): Promise<Uint8Array | null> {
    if (!this.has(at, length) || !this.source.isWithinSteps()) {
      return null;
    }
    const bytes = await this.source.read(this.start + at, length);
    return bytes?.length === length ? bytes : null;
  }

  /** As {@link read}, as Latin-1 text. */
  async text(at: number, length: number): Promise<string | null> {
    const bytes = await this.read(at, length);
    return bytes && latin1(bytes);
  }

  /** The first bytes as Latin-1 text, or all of a shorter file; empty when a limit was reached. */
  async head(length: number): Promise<string> {
    return (await this.text(0, Math.min(length, this.size))) ?? '';
  }

  /** The number at a place; null when it is not within the file. */
  async uint16(at: number, isLittle = false): Promise<number | null> {
    const bytes = await this.read(at, 2);
    return bytes && uint16(bytes, 0, isLittle);
  }

  /** The number at a place; null when it is not within the file. */
  async uint32(at: number, isLittle = false): Promise<number | null> {
    const bytes = await this.read(at, 4);
    return bytes && uint32(bytes, 0, isLittle);
  }

  /** A part of the file as a file; null when the range is not within it. */
  part(at: number, length = this.size - at): ByteReader | null {
    return this.has(at, length) ? new ByteReader(this.source, this.start + at, length) : null;
  }

  step(): void {
    this.source.step();
  }
}
