/** Where the bytes of a file come from. */
export interface ByteSource {
  /** In bytes. */
  readonly size: number;
  /** Reads `length` bytes from `at` on; the range is within the file. */
  read(at: number, length: number): Promise<Buffer>;
}

/** How much may be read of one file: a hostile one may lead a parser to and fro. */
export interface ReadLimits {
  readonly reads: number;
  readonly bytes: number;
}

/** Directories and headers lie close together, so that much is read at once. In bytes. */
const WINDOW_BYTES = 64 * 1024;
const MAX_WINDOWS = 8;

/** Reads pieces of a file at any place, within limits. Nothing in the file is trusted: each range is checked. */
export class ByteReader {
  private constructor(
    private readonly windows: Windows,
    /** Where it begins in the file. */
    readonly start: number,
    /** In bytes. */
    readonly size: number,
  ) {}

  static over(source: ByteSource, limits: ReadLimits): ByteReader {
    return new ByteReader(new Windows(source, limits), 0, source.size);
  }

  static overBuffer(bytes: Buffer): ByteReader {
    const read = (at: number, length: number): Promise<Buffer> =>
      Promise.resolve(bytes.subarray(at, at + length));
    const limits = { reads: Infinity, bytes: Infinity };
    return ByteReader.over({ size: bytes.length, read }, limits);
  }

  /** @returns undefined when the range is not within the file, or a limit was reached. */
  async read(at: number, length: number): Promise<Buffer | undefined> {
    return this.contains(at, length) ? this.windows.read(this.start + at, length) : undefined;
  }

  /** A part of the file as a file; undefined when the range is not within it. */
  part(at: number, length = this.size - at): ByteReader | undefined {
    return this.contains(at, length)
      ? new ByteReader(this.windows, this.start + at, length)
      : undefined;
  }

  private contains(at: number, length: number): boolean {
    return (
      Number.isSafeInteger(at) &&
      Number.isSafeInteger(length) &&
      at >= 0 &&
      length >= 0 &&
      at + length <= this.size
    );
  }
}

class Windows {
  private readonly kept: { readonly at: number; readonly bytes: Buffer }[] = [];
  private readsLeft: number;
  private bytesLeft: number;

  constructor(
    private readonly source: ByteSource,
    { reads, bytes }: ReadLimits,
  ) {
    this.readsLeft = reads;
    this.bytesLeft = bytes;
  }

  async read(at: number, length: number): Promise<Buffer | undefined> {
    const known = this.kept.find(
      (window) => at >= window.at && at + length <= window.at + window.bytes.length,
    );
    if (known !== undefined) {
      return known.bytes.subarray(at - known.at, at - known.at + length);
    }
    const wanted = Math.max(length, Math.min(WINDOW_BYTES, this.source.size - at));
    if (this.readsLeft < 1 || this.bytesLeft < wanted) {
      return undefined;
    }
    this.readsLeft -= 1;
    this.bytesLeft -= wanted;
    const bytes = await this.source.read(at, wanted);
    if (bytes.length < length) {
      return undefined;
    }
    if (wanted <= WINDOW_BYTES) {
      this.kept.unshift({ at, bytes });
      this.kept.splice(MAX_WINDOWS);
    }
    return bytes.subarray(0, length);
  }
}
