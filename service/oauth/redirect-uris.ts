/** Addresses of one's own machine that a redirect may name without https. */
const LOOPBACK_HOSTS = new Set(['127.0.0.1', '[::1]']);

/**
 * A name or an IPv4 address that a source expression of Content-Security-Policy can name. The URL
 * standard lets much more pass for a host, `*`, `;` and quotes among it.
 */
const PLAIN_HOST = /^(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/;

/**
 * What is wrong with a redirect URI for an app on the person's own machine (RFC 8252 §7.3), or
 * nothing. Only the loopback IP addresses: `localhost` may be made to lead elsewhere (§8.3). The port
 * of the registered address does not matter, any port of the same address and path is taken.
 */
export function loopbackRedirectProblem(uri: string): string | undefined {
  const url = parse(uri);
  if (url === undefined) return `${uri} is not a web address`;
  if (url.protocol !== 'http:' || !LOOPBACK_HOSTS.has(url.hostname)) {
    return `${uri} must look like http://127.0.0.1/callback or http://[::1]/callback`;
  }
  return commonProblem(uri, url);
}

/**
 * What is wrong with a redirect URI for an app on a server, or nothing: https, or http on one's own
 * machine while the app is being made. It is compared character by character (RFC 9700 §2.1).
 */
export function webRedirectProblem(uri: string): string | undefined {
  const url = parse(uri);
  if (url === undefined) return `${uri} is not a web address`;
  const local = LOOPBACK_HOSTS.has(url.hostname) || url.hostname === 'localhost';
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)) {
    return `${uri} must begin with https://`;
  }
  return commonProblem(uri, url);
}

/** Those of an app's redirect URIs that are sound; stored ones may be older than a rule. */
export function soundRedirectUris(uris: readonly string[], confidential: boolean): string[] {
  const problem = confidential ? webRedirectProblem : loopbackRedirectProblem;
  return uris.filter((uri) => problem(uri) === undefined);
}

/**
 * The source expression of Content-Security-Policy that lets a form lead to this redirect URI, or
 * nothing when there is no safe one. Browsers check every redirect after a form against `form-action`.
 */
export function formActionSource(uri: string): string | undefined {
  const url = parse(uri);
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  // The grammar has no IPv6 addresses. Only the one of one's own machine is ever registered.
  if (url.hostname === '[::1]') return url.protocol;
  return PLAIN_HOST.test(url.hostname) ? url.origin : undefined;
}

/** The host of a redirect URI as people should read it, with its port unless it is the usual one. */
export function redirectHost(uri: string): string | undefined {
  const url = parse(uri);
  if (url === undefined) return undefined;
  return LOOPBACK_HOSTS.has(url.hostname) ? `this computer (${url.host})` : url.host;
}

function commonProblem(uri: string, url: URL): string | undefined {
  if (url.username !== '' || url.password !== '') return `${uri} must not hold a password`;
  if (uri.includes('#')) return `${uri} must not have a fragment`;
  // A character that a browser would read in another way than a comparison does.
  if (!/^[\x21-\x7e]+$/.test(uri) || uri.includes('\\') || uri.includes('*')) {
    return `${uri} holds a character that is not allowed`;
  }
  if (url.hostname !== '[::1]' && !PLAIN_HOST.test(url.hostname)) {
    return `${uri} must name its host with letters, digits, dashes and dots`;
  }
  return undefined;
}

function parse(uri: string): URL | undefined {
  return URL.canParse(uri) ? new URL(uri) : undefined;
}
