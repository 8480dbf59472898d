import type { Piece } from './raw-http.js';

/**
 * One request of the fuzzer, as a template: words in double braces, like `{{own.access}}`, stand for
 * what the service under attack gave out (see users-under-attack.ts), so that a request that failed
 * in one run can be sent again in another. `{{big:N}}` means N letters. Texts are Latin-1: one
 * character is one byte on the wire.
 */
export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  /** Parts between the `&` of the query, as they are on the wire. */
  readonly query: readonly string[];
  readonly version: string;
  /** Without `Host`, `Content-Length`, `Transfer-Encoding` and `Connection`, which come by themselves. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Parts between the `&` of a form in the body. */
  readonly form?: readonly string[] | undefined;
  /** A body of another kind. */
  readonly body?: string | undefined;
  /** How the length of the body is sent; a number is a `Content-Length` that may be wrong. */
  readonly framing: 'length' | 'chunked' | 'odd chunks' | 'both' | 'none' | number;
  /** `cut` leaves after a part; `hold` keeps a part of a request open for seconds. */
  readonly delivery: 'whole' | 'slow' | 'cut' | 'hold';
  /** With `cut` and `hold`: which part of the bytes is sent. */
  readonly part: number;
  /** Whether a control request follows on the same connection. */
  readonly followed: boolean;
  /** Sent so many times at once, as by a double click. */
  readonly copies: number;
  /** Whether it breaks the syntax of HTTP, so that a connection closed without an answer is right. */
  readonly broken: boolean;
}

/** How long requests that are held stay open: longer than a control request may take. */
const HOLD_MS = 6500;
const CUT_MS = 150;
/** Longest wait for an answer to a whole request. */
const PATIENCE_MS = 20_000;

/** A request as it goes onto the wire. */
export interface Wire {
  readonly pieces: readonly Piece[];
  readonly methods: readonly string[];
  readonly patienceMs: number;
  /** Whether it is a whole request in the sense of HTTP, to which an answer must come. */
  readonly mustBeAnswered: boolean;
}

/** Puts the values in place of the words in braces; an unknown word becomes empty. */
export function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{([\w.:]+)\}\}/g, (_all, name: string) => {
    const big = /^big:(\d+)$/.exec(name)?.[1];
    return big === undefined ? (values[name] ?? '') : 'a'.repeat(Number(big));
  });
}

/** The bytes of a request. */
export function toWire(request: FuzzRequest, values: Readonly<Record<string, string>>): Wire {
  const { method, delivery, framing } = request;
  const query = request.query.length > 0 ? `?${request.query.join('&')}` : '';
  const body = fillIn(request.form?.join('&') ?? request.body ?? '', values);
  const hasBody = request.form !== undefined || request.body !== undefined;
  const head = [
    `${method} ${request.path}${query} ${request.version}`,
    ...(request.headers.some(([name]) => /^host$/i.test(name)) ? [] : ['Host: {{host}}']),
    ...request.headers.map(([name, value]) => `${name}: ${value}`),
    ...(hasBody ? framingHeaders(framing, body.length) : []),
    request.followed ? 'Connection: keep-alive' : 'Connection: close',
    '',
    '',
  ].join('\r\n');
  const bytes = Buffer.from(
    fillIn(head, values) + (hasBody ? framed(framing, body) : ''),
    'latin1',
  );
  const isWhole = delivery === 'whole' || delivery === 'slow';
  const next = `GET /healthz HTTP/1.1\r\nHost: ${values['host'] ?? ''}\r\nConnection: close\r\n\r\n`;
  const isFollowed = request.followed && isWhole;
  const sent = isWhole ? bytes : bytes.subarray(0, Math.floor(bytes.length * request.part));
  const pieces =
    delivery === 'slow'
      ? [0, 1, 2, 3, 4].map((nth) => ({
          bytes: sent.subarray((sent.length * nth) / 5, (sent.length * (nth + 1)) / 5),
          afterMs: nth === 0 ? 0 : 40,
        }))
      : [{ bytes: sent, afterMs: 0 }];
  const told = typeof framing === 'number' && hasBody ? framing === body.length : true;
  return {
    pieces: [...pieces, ...(isFollowed ? [{ bytes: Buffer.from(next), afterMs: 0 }] : [])],
    methods: isFollowed ? [method, 'GET'] : [method],
    patienceMs: !isWhole
      ? delivery === 'hold'
        ? HOLD_MS
        : CUT_MS
      : told && framing !== 'odd chunks' && framing !== 'both'
        ? PATIENCE_MS
        : CUT_MS,
    mustBeAnswered:
      isWhole &&
      told &&
      framing !== 'odd chunks' &&
      framing !== 'both' &&
      !request.broken &&
      method !== 'CONNECT',
  };
}

function framingHeaders(framing: FuzzRequest['framing'], length: number): string[] {
  if (framing === 'none') return [];
  if (framing === 'length') return [`Content-Length: ${length}`];
  if (typeof framing === 'number') return [`Content-Length: ${framing}`];
  const chunked = 'Transfer-Encoding: chunked';
  return framing === 'both' ? [`Content-Length: ${length}`, chunked] : [chunked];
}

function framed(framing: FuzzRequest['framing'], body: string): string {
  if (framing === 'none') return '';
  if (framing === 'length' || typeof framing === 'number') return body;
  const half = Math.ceil(body.length / 2);
  const parts = [body.slice(0, half), body.slice(half)].filter((part) => part !== '');
  const chunk = (part: string): string => `${part.length.toString(16)}\r\n${part}\r\n`;
  if (framing === 'odd chunks') {
    return `${parts.map((part) => `${(part.length + 1).toString(16)};x="\\\r\n${part}\r\n`).join('')}-1\r\n\r\n`;
  }
  return `${parts.map(chunk).join('')}0\r\n\r\n`;
}
