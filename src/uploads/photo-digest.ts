import { buf } from 'crc-32/crc32c.js';
import { throwIfCancelled, type CancelSignal } from '../base/cancel.js';
import { toCwError } from '../base/errors.js';
import type { SpoolReader } from '../host/host.js';
import { bytesOf, type BinaryBody } from '../host/http.js';

/** Bytes that are read at once, where they are read for their digest alone. */
const PIECE_BYTES = 8 * 1024 * 1024;

/**
 * CRC-32C of a photo's copy, from its first byte to its last, computed from the bytes that are read for sending.
 *
 * Each byte counts once, in order. What this run has not sent, because an earlier one did, is read again from the copy.
 * Where the host itself reads what it sends, the copy is read a second time beside it, in small pieces.
 */
export class PhotoDigest {
  private crc = 0;
  /** How many bytes are counted. */
  private counted = 0;
  private reading: Promise<void> | null = null;

  constructor(
    private readonly reader: SpoolReader,
    private readonly size: number,
    private readonly signal: CancelSignal,
  ) {}

  /**
   * Counts bytes that are about to be sent.
   * @param start  where in the photo they begin
   * @throws {CwError} CW-607
   * @throws {CancelledError}
   */
  async count(start: number, body: BinaryBody): Promise<void> {
    if ('size' in body) {
      this.reading ??= this.readUpTo(this.size);
      // Whoever asks for the value is told.
      this.reading.catch(() => undefined);
      return;
    }
    await this.readUpTo(start);
    this.add(new Uint8Array(body).subarray(this.counted - start));
  }

  /**
   * The digest of the whole photo, as a number of 32 bits without a sign.
   * @throws {CwError} CW-607
   * @throws {CancelledError}
   */
  async value(): Promise<number> {
    await (this.reading ?? this.readUpTo(this.size));
    return this.crc >>> 0;
  }

  private async readUpTo(end: number): Promise<void> {
    while (this.counted < end) {
      throwIfCancelled(this.signal);
      const last = Math.min(this.counted + PIECE_BYTES, end);
      let bytes: ArrayBuffer;
      try {
        bytes = await bytesOf(await this.reader.read(this.counted, last));
      } catch (error) {
        throw toCwError(error, 'CW-607', 'the kept copy of a photo cannot be read');
      }
      this.add(new Uint8Array(bytes));
    }
  }

  private add(bytes: Uint8Array): void {
    this.crc = buf(bytes, this.crc);
    this.counted += bytes.length;
  }
}
