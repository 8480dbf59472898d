/** No request is made shorter than this. Bytes. */
const LEAST_BYTES = 64 * 1024;

/**
 * How many bytes one request may bring. A proxy on the way may take shorter bodies than the service does (nginx takes
 * 1 MiB unless told otherwise). What was found out about one photo holds for all photos of this run.
 */
export class ChunkLimit {
  private most = Infinity;

  /** @returns `bytes`, or as many as one request may bring */
  fit(bytes: number): number {
    return Math.min(bytes, this.most);
  }

  /**
   * Halves the limit after a request that was too long. Several requests of the same length halve it once.
   * @param bytes  what the request brought
   * @returns whether a shorter request may get through
   */
  lowerBelow(bytes: number): boolean {
    if (bytes <= LEAST_BYTES) {
      return false;
    }
    this.most = Math.min(this.most, Math.max(LEAST_BYTES, Math.floor(bytes / 2)));
    return true;
  }
}
