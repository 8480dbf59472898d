/**
 * One HTTP exchange as plain data, so that everything above the transport can be tested without a network.
 * @packageDocumentation
 */

import type { CancelSignal } from '../util/cancel.js';

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** UXP sends an ArrayBuffer; a browser sends a Blob, streamed without reading it into memory. */
export type BinaryBody = ArrayBuffer | Blob;

/** The bytes of a body, in memory. @throws {unknown} what the host throws when it cannot read them */
export async function bytesOf(body: BinaryBody): Promise<ArrayBuffer> {
  return 'arrayBuffer' in body ? await body.arrayBuffer() : body;
}

export interface HttpRequest {
  readonly method: HttpMethod;
  /** Absolute address on the service's own origin. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | BinaryBody;
  /** Called with the number of body bytes handed to the network so far. */
  readonly onUploadProgress?: (sentBytes: number) => void;
  /** Set where longer answers than usual are expected. Bytes or UTF-16 code units. */
  readonly maxResponseLength?: number;
  /** Whether the answer is wanted as `bytes`. Its `text` is empty then, unless the status is an error. */
  readonly isBinary?: true;
}

export interface HttpResponse {
  readonly status: number;
  /** A header's value by its name in any case; null when the answer has none. */
  header(name: string): string | null;
  readonly text: string;
  /** Set for a request with `isBinary`. */
  readonly bytes?: ArrayBuffer;
}

/**
 * Sends one request and gives its answer, whatever its status.
 * @throws {CwError} CW-301 no connection, CW-302 nothing moved for too long or the answer took too long,
 *   CW-304 foreign origin or a page too large for an answer, CW-305 JSON too large for an answer
 * @throws {CancelledError} when `signal` fires first
 */
export type SendHttp = (request: HttpRequest, signal?: CancelSignal) => Promise<HttpResponse>;

/** The members of XMLHttpRequest that the transport uses; all but `onprogress` are documented for UXP. */
export interface Xhr {
  open(method: string, url: string, isAsync: boolean): void;
  setRequestHeader(name: string, value: string): void;
  send(body?: string | BinaryBody | null): void;
  abort(): void;
  getResponseHeader(name: string): string | null;
  withCredentials: boolean;
  /** Is set after `open`. `responseText` must not be read when it is `arraybuffer`. */
  responseType: '' | 'arraybuffer';
  /** By `responseType`. Null in a host that could not make it. */
  readonly response: unknown;
  readonly status: number;
  /** Exposed from UXP 9.0 on. */
  readonly readyState: number | undefined;
  /** While loading, the text received so far, in hosts that show it. */
  readonly responseText: string;
  readonly responseURL: string;
  readonly upload: { onprogress: ((event: { readonly loaded: number }) => void) | null };
  /** Progress of the answer. A host without this event never calls it. */
  onprogress: ((event: { readonly loaded: number }) => void) | null;
  onreadystatechange: (() => void) | null;
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
}
