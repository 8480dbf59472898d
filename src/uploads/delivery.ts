/** What is known of a photo that has arrived. */
export interface Delivery {
  /** Whether the service has proved that it holds the bytes that were queued: its digest of them equals ours. */
  readonly checked: boolean;
  /** The service's SHA-256 of what it holds, in lower-case hex; null when it sends none. */
  readonly sha256: string | null;
  /** The page that shows the photo, on the service's own origin; null when the service names none. */
  readonly pageUrl: string | null;
}
