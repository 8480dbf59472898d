/**
 * Whether a host, as it stands in a URL or as an address to listen on, is this machine and can be no other:
 * an address of 127.0.0.0/8, `::1`, `localhost` and what ends in `.localhost`
 * ([RFC 6761 §6.3](https://www.rfc-editor.org/rfc/rfc6761#section-6.3)).
 */
export function isLoopback(host: string): boolean {
  return /^(?:(?:[a-z0-9_-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/i.test(host);
}

/** The names of this machine that people type for one another. */
const NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether `authority`, as a browser asked for it, is this machine under another name than `origin` has. Cookies and what
 * a page keeps in a browser belong to one name.
 */
export function isOtherNameOf(origin: string, authority: string): boolean {
  const asked = authority.replace(/:\d*$/, '').toLowerCase();
  const { hostname } = new URL(origin);
  return NAMES.has(asked) && NAMES.has(hostname) && asked !== hostname;
}
