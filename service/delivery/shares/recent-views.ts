import { createHmac, randomBytes } from 'node:crypto';

/** A guest who opens a link again within this time is not counted again, in milliseconds. */
const AGAIN_MS = 3_600_000;

/** How many guests are remembered. */
const MAX_GUESTS = 20_000;

/**
 * Which guests opened which links within the last hour. It keeps hashes with a key of this process, no addresses. After
 * a restart, or in another process, a guest may be counted again.
 */
export class RecentViews {
  private readonly key = randomBytes(32);
  /** When guests were counted, the earliest first. */
  private readonly counted = new Map<string, number>();

  constructor(private readonly now: () => Date) {}

  /** Whether this view counts, because the guest has not opened the link lately. */
  isNew(shareId: string, address: string, userAgent = ''): boolean {
    const time = this.now().getTime();
    const guest = createHmac('sha256', this.key)
      .update(JSON.stringify([shareId, address, userAgent]))
      .digest('base64');
    const before = this.counted.get(guest);
    if (before !== undefined && time - before < AGAIN_MS) {
      return false;
    }
    this.counted.delete(guest);
    this.counted.set(guest, time);
    const [oldest] = this.counted.keys();
    if (this.counted.size > MAX_GUESTS && oldest !== undefined) {
      this.counted.delete(oldest);
    }
    return true;
  }
}
