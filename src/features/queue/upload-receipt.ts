/** Which version of a photo an upload is. */
export interface PhotoVersion {
  /** 2 or more. */
  readonly number: number;
  /** The name of the version before it, for users to read. */
  readonly of: string;
}

/** The result of a complete upload. */
export interface UploadReceipt {
  /** Whether the service has proved that it holds the bytes that were queued: its CRC-32C of them equals ours. */
  readonly hasMatchingCrc: boolean;
  /** The service's SHA-256 of the stored file, in lower-case hex; null when it sends none. */
  readonly sha256: string | null;
  /** The page that shows the photo, on the service's own origin; null when the service names none. */
  readonly pageUrl: string | null;
  /** The id that the service gave the upload; null when it cannot be used. */
  readonly uploadId: string | null;
  /** Set when the service made it a new version of a photo. */
  readonly version?: PhotoVersion;
}
