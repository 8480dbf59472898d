/** The tus requests of a careful client, one function each; for tests. */
import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { ClientRequest } from 'node:http';

const TUS = { 'tus-resumable': '1.0.0' };

export interface Creation {
  readonly length: number;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Bytes to send along (creation-with-upload). */
  readonly body?: Uint8Array<ArrayBuffer>;
}

export function authorization(accessToken: string): { authorization: string } {
  return { authorization: `Bearer ${accessToken}` };
}

function encodeMetadata(metadata: Readonly<Record<string, string>>): string {
  return Object.entries(metadata)
    .map(([key, value]) => `${key} ${Buffer.from(value, 'utf8').toString('base64')}`)
    .join(',');
}

export function create(
  baseUrl: string,
  accessToken: string,
  creation: Creation,
): Promise<Response> {
  const { length, metadata = {}, body } = creation;
  return fetch(`${baseUrl}/api/v1/uploads`, {
    method: 'POST',
    headers: {
      ...TUS,
      ...authorization(accessToken),
      'upload-length': String(length),
      ...(Object.keys(metadata).length > 0 && { 'upload-metadata': encodeMetadata(metadata) }),
      ...(body !== undefined && { 'content-type': 'application/offset+octet-stream' }),
    },
    ...(body !== undefined && { body }),
  });
}

/** The absolute address in a creation's answer. */
export function locationOf(baseUrl: string, response: Response): string {
  const location = response.headers.get('location');
  if (location === null) throw new Error(`status ${response.status} without a Location`);
  return new URL(location, baseUrl).href;
}

export function head(url: string, accessToken: string): Promise<Response> {
  return fetch(url, { method: 'HEAD', headers: { ...TUS, ...authorization(accessToken) } });
}

export async function offsetOf(url: string, accessToken: string): Promise<number> {
  const response = await head(url, accessToken);
  if (response.status !== 200) throw new Error(`HEAD answered ${response.status}`);
  return Number(response.headers.get('upload-offset'));
}

export function patch(
  url: string,
  accessToken: string,
  offset: number,
  body: Uint8Array<ArrayBuffer>,
): Promise<Response> {
  return fetch(url, { method: 'PATCH', headers: patchHeaders(accessToken, offset), body });
}

export function terminate(url: string, accessToken: string): Promise<Response> {
  return fetch(url, { method: 'DELETE', headers: { ...TUS, ...authorization(accessToken) } });
}

/**
 * Begins a PATCH of `length` bytes, sends only `part` of them and leaves the request open.
 * Resolves when the part has been handed to the network.
 */
export async function beginPatch(
  url: string,
  accessToken: string,
  length: number,
  part: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<ClientRequest> {
  const request = httpRequest(url, {
    method: 'PATCH',
    headers: { ...patchHeaders(accessToken, 0), 'content-length': String(length), ...headers },
  });
  // Tests cut the connection or let the service do so; either way this request fails.
  request.on('error', () => undefined);
  request.on('response', (response) => response.resume());
  await new Promise((resolve) => request.write(part, resolve));
  return request;
}

/** Bytes that look like nothing in particular but are the same each time. */
export function photo(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let state = seed;
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

/**
 * A JPEG of so many bytes, 16 at least, without metadata. Unlike {@link photo}, a link that removes locations sends it: it can be searched.
 * Its pixels cannot be decoded.
 */
export function jpeg(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = photo(length, seed).map((byte) => (byte === 0xff ? 0 : byte));
  bytes.set([0xff, 0xd8, 0xff, 0xda, 0, 4, 0, 0]);
  bytes.set([0xff, 0xd9], length - 2);
  return bytes;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function patchHeaders(accessToken: string, offset: number): Record<string, string> {
  return {
    ...TUS,
    ...authorization(accessToken),
    'content-type': 'application/offset+octet-stream',
    'upload-offset': String(offset),
  };
}
