import contentDisposition from 'content-disposition';
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import parseRange from 'range-parser';
import type { RequestContext } from '../../../kernel/http/request/request-context.js';
import { sendStatus } from '../../../kernel/http/responses.js';
import { writeReprDigest, type ByteRange, type UploadStorage } from '../../uploads/index.js';
import type { Patch } from '../../../../packages/image-metadata/patches.js';
import { UNKNOWN_TYPE, mediaTypeOf, toSentLocation } from '../../previews/index.js';
import type { Photo } from '../data/photo.js';
import { patchedStream } from './without-location.js';

/** A file to send. */
export type StoredFile = Pick<Photo, 'id' | 'name' | 'size' | 'sha256'> & {
  /** What to replace in it. */
  readonly patches?: readonly Patch[];
  /** Whether the reader may get the stored bytes from the storage. Default false. */
  readonly isDirect?: boolean;
  /** The media type of a film that a player shows. Without it, browsers save the file. */
  readonly playedAs?: string;
};

/**
 * Sends a stored file. It comes from a stranger, and its origin may be that of the sign-in. So it is sent
 * to be saved (`attachment`), unless it is a film for a player. Its type is read from its bytes, and if a browser
 * shows it as a page, it is in a sandbox where nothing runs and nothing is loaded.
 *
 * Supports `Range` with one range, `If-Range` and `If-None-Match`
 * ([RFC 9110 §13 and §14](https://www.rfc-editor.org/rfc/rfc9110#section-13)). The client may disconnect.
 */
export async function sendFile(
  store: Pick<UploadStorage, 'readRange' | 'directUrl'>,
  file: StoredFile,
  { request, response, method }: Pick<RequestContext, 'request' | 'response' | 'method'>,
): Promise<void> {
  const tag = tagOf(file);
  if (isKnown(request.headers['if-none-match'], tag)) {
    setTaggedHeaders(response, tag);
    sendStatus(response, 304);
    return;
  }
  const isHead = method === 'HEAD';
  // A signed address is for GET only. The storage answers ranges itself.
  if (file.isDirect === true && (file.patches ?? []).length === 0 && !isHead && file.size > 0) {
    const as = { kind: 'file', disposition: disposition(file.name) } as const;
    const url = await store.directUrl(file.id, as);
    if (url !== undefined) {
      redirectToStorage(response, url, 'no-store');
      return;
    }
  }
  const range = isHead ? undefined : rangeOf(request, file.size, tag);
  if (range === 'unsatisfiable') {
    setTaggedHeaders(response, tag);
    response.setHeader('Content-Range', `bytes */${file.size}`);
    response.setHeader('Content-Length', '0');
    sendStatus(response, 416);
    return;
  }
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  const mediaType = file.playedAs ?? (await mediaTypeOf(store, file)) ?? UNKNOWN_TYPE;
  const hasBytes = !isHead && file.size > 0;
  const bytes = hasBytes ? await store.readRange(file.id, { start, end }) : undefined;
  // Not before the bytes are there: an error page must not have the headers of the file.
  setTaggedHeaders(response, tag);
  if ((file.patches ?? []).length === 0) {
    // Also with a part: a client that resumes compares the whole.
    response.setHeader('Repr-Digest', writeReprDigest({ sha256: file.sha256 }));
  }
  response.setHeader('Content-Type', mediaType);
  response.setHeader(
    'Content-Disposition',
    file.playedAs === undefined ? disposition(file.name) : 'inline',
  );
  response.setHeader('Content-Length', String(end - start + 1));
  if (range !== undefined) {
    response.statusCode = 206;
    response.setHeader('Content-Range', `bytes ${start}-${end}/${file.size}`);
  }
  if (bytes === undefined) {
    response.end();
  } else if (file.patches === undefined || file.patches.length === 0) {
    await pipeline(bytes, response);
  } else {
    const changed = patchedStream(bytes, start, file.patches);
    await pipeline(Readable.from(changed, { objectMode: false }), response);
  }
}

/** Redirects to an address that {@link UploadStorage.directUrl} has made. */
export function redirectToStorage(response: ServerResponse, url: string, keep: string): void {
  setFileHeaders(response);
  response.setHeader('Location', url);
  response.setHeader('Cache-Control', keep);
  response.setHeader('Content-Length', '0');
  sendStatus(response, 302);
}

/** The `ETag`: the SHA-256 of the stored file, or another value when other bytes are sent. */
function tagOf({ sha256, patches = [] }: StoredFile): string {
  if (patches.length === 0) {
    return `"${sha256}"`;
  }
  const sent = JSON.stringify(toSentLocation({ kind: 'searched', hasLocation: true, patches }));
  return `"${createHash('sha256').update(sha256).update(sent).digest('hex')}"`;
}

/**
 * The `Content-Disposition` that makes browsers save a file under this name
 * ([RFC 6266](https://www.rfc-editor.org/rfc/rfc6266)). Characters beyond ASCII are encoded in the one form that all
 * programs read alike ([RFC 8187](https://www.rfc-editor.org/rfc/rfc8187)).
 */
export function disposition(name: string): string {
  return contentDisposition(name, { fallback: name.replace(/[^\x20-\x7e]/gu, '_') });
}

function setTaggedHeaders(response: ServerResponse, tag: string): void {
  setFileHeaders(response);
  response.setHeader('Accept-Ranges', 'bytes');
  response.setHeader('ETag', tag);
}

/** Sets the headers of a file instead of those of a page, so that a browser never treats the file as a page. */
export function setFileHeaders(response: ServerResponse): void {
  response.setHeader('Cache-Control', 'private, no-cache');
  response.setHeader('Content-Security-Policy', "sandbox; default-src 'none'");
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('X-Frame-Options', 'DENY');
  response.setHeader('Referrer-Policy', 'no-referrer');
  if (!response.hasHeader('Cross-Origin-Resource-Policy')) {
    response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  }
}

/**
 * Whether `If-None-Match` matches the file that the client has; see
 * [RFC 9110 §13.1.2](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2).
 */
export function isKnown(header: string | undefined, tag: string): boolean {
  const opaque = (one: string): string => one.trim().replace(/^W\//, '');
  return (header ?? '').split(',').map(opaque).includes(opaque(tag)) || header?.trim() === '*';
}

/** The single requested range; undefined for the whole file. */
function rangeOf(
  request: IncomingMessage,
  size: number,
  tag: string,
): ByteRange | 'unsatisfiable' | undefined {
  const { range } = request.headers;
  const condition = request.headers['if-range'];
  if (range === undefined || (condition !== undefined && condition !== tag)) {
    return undefined;
  }
  const ranges = parseRange(size, range);
  if (ranges === -1) {
    return 'unsatisfiable';
  }
  // Several ranges at once, and ranges that cannot be read, are ignored.
  return typeof ranges === 'object' && ranges.type === 'bytes' && ranges.length === 1
    ? ranges[0]
    : undefined;
}
