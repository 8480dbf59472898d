/** What is known of a photo that has arrived. */
export interface Delivery {
  /** The service holds the very bytes that were queued: its digest of them is the same as ours. */
  readonly checked: boolean;
  /** The service's SHA-256 of what it holds, in lower-case hex; null when it tells none. */
  readonly sha256: string | null;
  /** Where a browser shows the photo, on the service's own origin; null when the service names no address. */
  readonly pageUrl: string | null;
}
