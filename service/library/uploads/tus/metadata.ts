import { MISLEADING } from '../../../kernel/misleading-characters.js';
import type { Destination } from '../upload.js';

/** The values read from `Upload-Metadata` (tus 1.0.0, creation extension). */
export interface UploadMetadata {
  /** The file's name, for display only: it never becomes part of a path. Cleaned of misleading characters. */
  readonly name: string;
  /** Its media type as the client gave it, cleaned like the name. */
  readonly type: string;
  /** The client's own id for this upload, which makes its creation repeatable. */
  readonly clientUploadId: string | undefined;
  readonly destination: Destination;
}

/** Longest name of a file, in UTF-16 code units. */
export const MAX_NAME_LENGTH = 255;

/** The identity of a document, see {@link Destination.document}. */
export const DOCUMENT = /^[ -~]{1,200}$/;

/** The value of `version_by`, see {@link Destination.byDocument}. */
export const BY_DOCUMENT = 'document';

/** The id of an upload or a project. */
export const ID = /^[\w-]{1,64}$/;

/** Longest `Upload-Metadata` header, in bytes. All of it is kept, because `HEAD` has to give it back. */
const MAX_HEADER_LENGTH = 4096;

/**
 * Reads the pairs `filename`, `filetype`, `client_upload_id`, `project`, `document`, `version_by` and `replaces`.
 * @returns the values, or one sentence about the problem.
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
  const destination = {
    projectId: pairs['project'] ?? undefined,
    document: pairs['document'] ?? undefined,
    replaces: pairs['replaces'] ?? undefined,
    ...(pairs['version_by'] === BY_DOCUMENT && { byDocument: true }),
  };
  if (!DOCUMENT.test(destination.document ?? '-')) {
    return { problem: 'document must be 1 to 200 printable ASCII characters' };
  }
  if (!ID.test(destination.replaces ?? '-')) {
    return { problem: 'replaces must be the id of an upload, or none' };
  }
  if ((pairs['version_by'] ?? BY_DOCUMENT) !== BY_DOCUMENT) {
    return { problem: `version_by must be ${BY_DOCUMENT}, or left out` };
  }
  return {
    destination,
    name: listedName(name),
    type: type === '' ? 'application/octet-stream' : clean(type),
    clientUploadId,
  };
}

/** The name under which a file of this name is listed. */
export function listedName(name: string): string {
  return name === '' ? 'untitled' : clean(name);
}

/**
 * `Upload-Metadata` as tus writes it. Spaces around a comma and empty elements are left out: an HTTP header that is a list
 * may have them, and has them where two header lines were joined
 * ([RFC 9110 §5.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.1)).
 */
export function plainMetadata(header: string): string {
  const elements = header.split(',');
  const isPlain = elements.every((element) => /^[^ \t]+( [^ \t]*)?$/.test(element));
  const plain = elements.map((element) => element.trim().replace(/[ \t]+/g, ' '));
  return isPlain ? header : plain.filter((element) => element !== '').join(',');
}

/** The problem with the length of an `Upload-Metadata` header, in one sentence, or nothing. */
export function metadataProblem(header: string | undefined): string | undefined {
  return (header ?? '').length > MAX_HEADER_LENGTH
    ? `Upload-Metadata must not be longer than ${MAX_HEADER_LENGTH} bytes`
    : undefined;
}

/**
 * A photo is not refused for its name: the plugin sends the name that the host reports. Each misleading character
 * becomes U+FFFD, so that users see that there was one; `HEAD` gives the name back unchanged.
 */
function clean(text: string): string {
  return text.replace(MISLEADING, '\ufffd');
}
