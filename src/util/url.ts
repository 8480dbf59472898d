/**
 * Just enough of URLs to be safe: the host documents no URL class. Deliberately stricter than the URL
 * Standard: what a browser might read in more than one way (backslashes, user names, control
 * characters, invalid ports, unusual spellings of IP addresses, `..` in a path) is no URL here.
 * @packageDocumentation
 */

export interface HttpUrl {
  /** Scheme, host and, unless it is the scheme's own, port: `https://service.example:8443`. */
  readonly origin: string;
  readonly scheme: 'http' | 'https';
  /** Lower-case, without port. */
  readonly host: string;
  /** Path, query and fragment; begins with `/`. */
  readonly rest: string;
  /** The whole address in this normal form. */
  readonly href: string;
}

const PATTERN =
  /^(https?):\/\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[::1\])(?::([0-9]{1,5}))?([/?#][!-[\]-~]*)?$/i;
/** The one spelling of an IPv4 address; browsers read others too (127.1, 0x7f000001, 127.0.0.010). */
const IPV4 = /^((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.|$)){4}$/;
/** `.` and `..` in a path, plain or encoded: a browser resolves them, and opens another path than the text shows. */
const DOT_SEGMENT = /^[^?#]*\/(\.|%2e){1,2}([/?#]|$)/i;

/** Reads an absolute http or https address; null when it is not plainly one. */
export function parseHttpUrl(text: string): HttpUrl | null {
  const match = PATTERN.exec(text);
  if (!match) {
    return null;
  }
  const scheme = match[1]?.toLowerCase() === 'https' ? 'https' : 'http';
  const host = (match[2] ?? '').toLowerCase();
  const port = match[3] === undefined ? null : Number(match[3]);
  if (host.includes('..') || (port !== null && (port < 1 || port > 65535))) {
    return null;
  }
  if (/(^|\.)(\d+|0x[0-9a-f]*)$/.test(host) && !IPV4.test(host)) {
    return null;
  }
  const standardPort = scheme === 'https' ? 443 : 80;
  const origin = `${scheme}://${host}${port === null || port === standardPort ? '' : `:${port}`}`;
  const tail = match[4] ?? '/';
  const rest = tail.startsWith('/') ? tail : `/${tail}`;
  if (DOT_SEGMENT.test(rest)) {
    return null;
  }
  return { origin, scheme, host, rest, href: origin + rest };
}

/**
 * Reads an address that a service wrote about itself. Two forms besides an absolute address on its origin are taken:
 * a path, and plain http to the same host, as services write it that do not know of the TLS in front of them.
 * @param text  an absolute address, or a path that begins with `/`
 * @returns the address on the origin of `service`; null when it is elsewhere or no address
 */
export function ownAddress(text: string, service: HttpUrl): HttpUrl | null {
  const url = parseHttpUrl(/^\/(?!\/)/.test(text) ? service.origin + text : text);
  if (!url || url.origin === service.origin) {
    return url;
  }
  const overTls = parseHttpUrl(url.href.replace(/^http:/, 'https:'));
  const isBehindTls =
    service.scheme === 'https' &&
    (url.origin === `http://${service.host}` || overTls?.origin === service.origin);
  return isBehindTls ? { ...service, rest: url.rest, href: service.origin + url.rest } : null;
}

/**
 * Whether the host is this computer itself ([RFC 8252 §8.3](https://www.rfc-editor.org/rfc/rfc8252#section-8.3)), the
 * only place plain http may go.
 */
export function isLoopback(url: HttpUrl): boolean {
  return url.host === 'localhost' || url.host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(url.host);
}

/** Whether secrets may be sent to this address: https, or http to this computer. */
export function isSecure(url: HttpUrl): boolean {
  return url.scheme === 'https' || isLoopback(url);
}

/**
 * The address with a parameter added to its query. An address that already has the parameter is given back unchanged.
 * @param href  an address in the form that {@link parseHttpUrl} gives
 * @param value  letters, digits, dashes and underscores only: it is not encoded
 */
export function withParameter(href: string, name: string, value: string): string {
  const [, address = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(href) ?? [];
  if (new RegExp(`[?&]${name}=`).test(query)) {
    return href;
  }
  const join = query === '' ? '?' : /^\?$|&$/.test(query) ? '' : '&';
  return `${address}${query}${join}${name}=${value}${fragment}`;
}

/** Whether an address is on this origin. */
export function isOnOrigin(address: string, { origin }: HttpUrl): boolean {
  return parseHttpUrl(address)?.origin === origin;
}
