import type { IncomingMessage } from 'node:http';
import { invalid, type ApiError } from '../../../kernel/http/api-error.js';
import { mediaTypeIn } from '../../../kernel/http/request/media-type.js';
import { TUS_VERSION } from '../../../kernel/http/tus-headers.js';
import { readReprDigest, type ExpectedDigests } from '../digests.js';
import { metadataProblem, plainMetadata } from './metadata.js';

/** The only media type that a PATCH may have. */
export const BYTES = 'application/offset+octet-stream';

/** The headers of an upload request that the tus server does not handle itself. */
export interface TusHeaders {
  /** The digests that the client announces for the whole upload. */
  readonly expected: ExpectedDigests | undefined;
  /** Length of the body in bytes; undefined when the client does not announce it. */
  readonly contentLength: number | undefined;
  /** `Upload-Metadata`, see {@link plainMetadata}; undefined if it is empty. */
  readonly metadataHeader: string | undefined;
  /** Whether `Upload-Metadata` names a project. */
  readonly namesProject: boolean;
}

/** The refusal of a request in another version of tus; undefined when it is in our version, or names none. */
export function otherVersion(request: IncomingMessage): ApiError | undefined {
  const version = request.headers['tus-resumable'];
  return version === undefined || version === TUS_VERSION
    ? undefined
    : {
        status: 412,
        error: 'precondition_failed',
        description: `Tus-Resumable must be ${TUS_VERSION}`,
        headers: { 'Tus-Version': TUS_VERSION },
      };
}

/** Reads the headers of a request about an upload; or returns an error. */
export function readTusHeaders(request: IncomingMessage, method: string): TusHeaders | ApiError {
  const { headers } = request;
  if (method === 'PATCH' && mediaTypeIn(headers['content-type']) !== BYTES) {
    return {
      status: 415,
      error: 'unsupported_media_type',
      description: `the Content-Type of a PATCH must be ${BYTES}`,
    };
  }
  if (method === 'PATCH' && headers['upload-offset'] === undefined) {
    return invalid('Upload-Offset is missing');
  }
  const given = headers['upload-metadata']?.toString();
  const problem = metadataProblem(given);
  if (problem !== undefined) {
    return invalid(problem);
  }
  const metadataHeader = plainMetadata(given ?? '');
  const digest = readReprDigest(headers['repr-digest']?.toString());
  if ('problem' in digest) {
    return invalid(digest.problem);
  }
  const length = headers['content-length'];
  return {
    expected: digest.expected,
    contentLength:
      length === undefined && headers['transfer-encoding'] !== undefined
        ? undefined
        : Number(length ?? 0),
    metadataHeader: metadataHeader === '' ? undefined : metadataHeader,
    namesProject: metadataHeader.split(',').some((pair) => /^project( |$)/.test(pair)),
  };
}

/** Whether a PATCH with bytes from `offset` on may bring the last byte of an upload of `size` bytes. */
export function mayComplete({ contentLength }: TusHeaders, offset: number, size: number): boolean {
  return contentLength === undefined || offset + contentLength >= size;
}
