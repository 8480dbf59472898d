/** What the service reads from `Upload-Metadata` (tus 1.0.0, creation extension). */
export interface UploadMetadata {
  /** The file's name, for people only: it never becomes part of a path. */
  readonly name: string;
  /** Its media type as the client says. */
  readonly type: string;
  /** The client's own id for this upload, which makes its creation repeatable. */
  readonly clientUploadId: string | undefined;
}

const MAX_NAME_LENGTH = 255;

/**
 * Reads the pairs `filename`, `filetype` and `client_upload_id`.
 * @returns the values, or one sentence about what is wrong.
 */
export function readMetadata(
  pairs: Readonly<Record<string, string | null>>,
): UploadMetadata | { readonly problem: string } {
  const values = Object.values(pairs);
  // PostgreSQL text cannot hold this character, and no honest name has it.
  if (values.some((value) => value?.includes('\0'))) {
    return { problem: 'Upload-Metadata must not contain NUL characters' };
  }
  const name = pairs['filename'] ?? '';
  const type = pairs['filetype'] ?? '';
  const clientUploadId = pairs['client_upload_id'] ?? undefined;
  if (name.length > MAX_NAME_LENGTH || type.length > MAX_NAME_LENGTH) {
    return {
      problem: `filename and filetype must not be longer than ${MAX_NAME_LENGTH} characters`,
    };
  }
  if (clientUploadId !== undefined && !/^[A-Za-z0-9_-]{16,64}$/.test(clientUploadId)) {
    return { problem: 'client_upload_id must be 16 to 64 letters, digits, dashes or underscores' };
  }
  return {
    name: name === '' ? 'untitled' : name,
    type: type === '' ? 'application/octet-stream' : type,
    clientUploadId,
  };
}
