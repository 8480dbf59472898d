import crc32c from 'crc-32/crc32c.js';
import { throwIfCancelled, type CancelSignal } from '../../../util/cancel.js';
import { CwError, toCwError } from '../../../util/errors.js';
import type { SpoolReader } from '../../../host/spool.js';
import type { BinaryBody } from '../../../host/http.js';

/** Computes the digest of a photo while it is uploaded. */
export interface Digest {
  /**
   * Counts bytes that are about to be sent.
   * @param start  where in the photo they begin
   */
  update(start: number, body: BinaryBody): void;
  /**
   * CRC-32C of the whole photo, as an unsigned 32-bit number.
   * @throws {CwError} CW-607 when the copy is gone, shorter or unreadable
   * @throws {CancelledError}
   */
  value(): Promise<number>;
  /** Stops reading, when the digest is not needed any more. */
  close(): void;
}

/** A digest that the host computed while it made the copy: comparing with it also checks the copy itself. */
export function precomputedDigest(crc: number): Digest {
  return { update: () => undefined, value: () => Promise.resolve(crc), close: () => undefined };
}

/**
 * CRC-32C of a photo's copy, from its first byte to its last, computed from the bytes that are read for sending.
 *
 * Each byte counts once, in order. Bytes that an earlier run has sent are read from the copy, in parallel to the
 * sending. Where the host itself reads what it sends, the whole copy is read a second time in this way.
 */
export class CrcDigest implements Digest {
  private crc = 0;
  /** How many bytes have been counted. */
  private counted = 0;
  /** The copy is to be read up to here now. */
  private wanted = 0;
  private reading: Promise<void> | null = null;
  /** The copy from `counted` on. */
  private chunks: AsyncIterator<Uint8Array, void> | null = null;

  constructor(
    private readonly reader: SpoolReader,
    private readonly size: number,
    private readonly signal: CancelSignal,
  ) {}

  update(start: number, body: BinaryBody): void {
    if ('size' in body) {
      this.readOn(start + body.size);
    } else if (this.reading === null && start <= this.counted) {
      this.close();
      this.add(new Uint8Array(body).subarray(this.counted - start));
    } else {
      this.readOn(start + body.byteLength);
    }
  }

  async value(): Promise<number> {
    while (this.counted < this.size) {
      this.readOn(this.size);
      await this.reading;
    }
    return this.crc >>> 0;
  }

  close(): void {
    void this.chunks?.return?.();
    this.chunks = null;
  }

  private readOn(end: number): void {
    this.wanted = Math.min(Math.max(this.wanted, end), this.size);
    if (this.reading === null && this.counted < this.wanted) {
      this.reading = this.readWanted();
      // No failure is lost: `value` reads on, meets it and throws it.
      this.reading.catch(() => undefined);
    }
  }

  private async readWanted(): Promise<void> {
    try {
      while (this.counted < this.wanted) {
        throwIfCancelled(this.signal);
        this.chunks ??= this.reader.chunks(this.counted, this.size)[Symbol.asyncIterator]();
        const { done, value } = await this.chunks.next();
        if (done === true) {
          throw new CwError('CW-607', 'the kept copy of a photo is shorter than it was');
        }
        this.add(value);
      }
    } catch (error) {
      this.close();
      throwIfCancelled(this.signal);
      throw toCwError(error, 'CW-607', 'the kept copy of a photo cannot be read');
    } finally {
      this.reading = null;
    }
  }

  private add(bytes: Uint8Array): void {
    this.crc = crc32c.buf(bytes, this.crc);
    this.counted += bytes.length;
  }
}
