import type { SpoolReader } from '../../../host/host.js';
import { bytesOf } from '../../../host/http.js';

/** Headers and directories lie close together, so that much is read at once. Bytes. */
const WINDOW_BYTES = 32 * 1024;
const MOST_WINDOWS = 4;

/** How much is read of one file: a hostile one may lead a parser to and fro. */
const MOST_READS = 64;
const MOST_BYTES = 4 * 1024 * 1024;

/** The windows of one file, shared by all its parts. */
class Windows {
  private readonly kept: { readonly at: number; readonly bytes: Uint8Array<ArrayBuffer> }[] = [];
  private readsLeft = MOST_READS;
  private bytesLeft = MOST_BYTES;

  constructor(
    private readonly reader: SpoolReader,
    private readonly size: number,
  ) {}

  async read(at: number, length: number): Promise<Uint8Array<ArrayBuffer> | null> {
    const known = this.kept.find(
      (window) => at >= window.at && at + length <= window.at + window.bytes.length,
    );
    if (known) {
      return known.bytes.subarray(at - known.at, at - known.at + length);
    }
    if (length === 0) {
      return new Uint8Array();
    }
    const wanted = Math.max(length, Math.min(WINDOW_BYTES, this.size - at));
    if (this.readsLeft < 1 || this.bytesLeft < wanted) {
      return null;
    }
    this.readsLeft -= 1;
    this.bytesLeft -= wanted;
    const bytes = new Uint8Array(await bytesOf(await this.reader.read(at, at + wanted)));
    if (bytes.length < length) {
      return null;
    }
    if (wanted <= WINDOW_BYTES) {
      this.kept.unshift({ at, bytes });
      this.kept.splice(MOST_WINDOWS);
    }
    return bytes.subarray(0, length);
  }
}

/** Slices of a file, or of a part of it. Nothing in the file is trusted: each range is checked. */
export class FileSlices {
  private constructor(
    private readonly windows: Windows,
    private readonly base: number,
    /** Bytes. */
    readonly size: number,
  ) {}

  static of(reader: SpoolReader, size: number): FileSlices {
    return new FileSlices(new Windows(reader, size), 0, size);
  }

  /**
   * Null when the range is not within the file, or too much was read of it.
   * @throws {CwError} CW-607, CW-702
   */
  async bytes(at: number, length: number): Promise<Uint8Array<ArrayBuffer> | null> {
    return this.contains(at, length) ? this.windows.read(this.base + at, length) : null;
  }

  /** As {@link bytes}, to read numbers. */
  async view(at: number, length: number): Promise<DataView | null> {
    const bytes = await this.bytes(at, length);
    return bytes && new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** As {@link bytes}, as Latin-1 text. */
  async text(at: number, length: number): Promise<string | null> {
    const bytes = await this.bytes(at, length);
    if (!bytes) {
      return null;
    }
    let text = '';
    for (let start = 0; start < bytes.length; start += 8192) {
      text += String.fromCharCode(...bytes.subarray(start, start + 8192));
    }
    return text;
  }

  /** A part of the file as a file; null when the range is not within it. */
  part(at: number, length = this.size - at): FileSlices | null {
    return this.contains(at, length) ? new FileSlices(this.windows, this.base + at, length) : null;
  }

  private contains(at: number, length: number): boolean {
    return at >= 0 && length >= 0 && at + length <= this.size;
  }
}
