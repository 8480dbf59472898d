/**
 * Whether a host can only be this machine: an address of 127.0.0.0/8, `::1`, `localhost` or a name that ends in
 * `.localhost` ([RFC 6761 §6.3](https://www.rfc-editor.org/rfc/rfc6761#section-6.3)).
 * @param host as in a URL, or as an address to listen on.
 */
export function isLoopback(host: string): boolean {
  return /^(?:(?:[a-z0-9_-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/i.test(host);
}

/** Names of this machine that are used interchangeably. */
const NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether a browser asked for this machine by another name than that in `origin`. Cookies and what a page stores in a
 * browser belong to one name.
 * @param authority the host, with or without a port, that the browser asked for.
 */
export function isAlias(origin: string, authority: string): boolean {
  const asked = hostIn(authority);
  const { hostname } = new URL(origin);
  return NAMES.has(asked) && NAMES.has(hostname) && asked !== hostname;
}

/**
 * Whether a request is for another host than the server's. Such requests come from DNS rebinding, where the name of an
 * attacker's page resolves to this server, and from names that somebody points at it. The response is 421
 * ([RFC 9110 §15.5.20](https://www.rfc-editor.org/rfc/rfc9110#section-15.5.20)).
 * @param host the public name of the server.
 * @param authority the requested host, with or without a port; undefined when the request has none, which no browser
 *   sends. A name of this machine is never another host: some proxies on this machine send it.
 */
export function isForOtherHost(host: string, authority: string | undefined): boolean {
  if (authority === undefined) {
    return false;
  }
  const asked = hostIn(authority).replace(/\.$/, '');
  return !isLoopback(asked) && (isLoopback(host) || asked !== host.toLowerCase());
}

/** The host of an authority, without the port, in lower case. */
export function hostIn(authority: string): string {
  return authority.replace(/:\d*$/, '').toLowerCase();
}
