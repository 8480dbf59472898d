/** One upload as the database knows it. The bytes received so far are counted from its file. */
export interface StoredUpload {
  readonly id: string;
  readonly accountId: string;
  readonly workspaceId: string;
  /** The app that created it, as the caller's token names it. */
  readonly clientId: string;
  /** Length of the whole file in bytes. */
  readonly size: number;
  readonly name: string;
  readonly type: string;
  /** The `Upload-Metadata` pairs as the client sent them; a key alone has the value null. */
  readonly metadata: Record<string, string | null>;
  readonly createdAt: Date;
  readonly finishedAt: Date | undefined;
  readonly sha256: string | undefined;
  readonly clientUploadId: string | undefined;
}

/** One upload in a list. */
export type ListedUpload = Pick<
  StoredUpload,
  'id' | 'name' | 'size' | 'type' | 'sha256' | 'createdAt' | 'clientUploadId'
>;

/** What is known of an upload when it is created. */
export type NewUpload = Omit<StoredUpload, 'finishedAt' | 'sha256'>;
