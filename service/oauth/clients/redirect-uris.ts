import type { AnswerAddress } from '../pages/consent.js';
import { message, type Message } from '../../kernel/i18n/message.js';

/** Loopback addresses that a redirect URI may have without https. */
const LOOPBACK_HOSTS = new Set(['127.0.0.1', '[::1]']);

/**
 * A name or an IPv4 address that a source expression of Content-Security-Policy can name. The URL standard
 * allows much more in a host, also `*`, `;` and quotes.
 */
const PLAIN_HOST = /^(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/;

/**
 * The problem with a redirect URI of an app on the user's machine
 * ([RFC 8252 §7.3](https://www.rfc-editor.org/rfc/rfc8252#section-7.3)); undefined when it is valid. It must contain a loopback IP
 * address: `localhost` may resolve to another host (§8.3). Its port does not matter, as a request may name any port.
 */
export function loopbackRedirectProblem(uri: string): Message | undefined {
  const url = parse(uri);
  if (url === undefined) {
    return message('uriNoAddress', { uri });
  }
  if (url.protocol !== 'http:' || !LOOPBACK_HOSTS.has(url.hostname)) {
    return message('uriLoopback', {
      uri,
      ipv4: 'http://127.0.0.1/callback',
      ipv6: 'http://[::1]/callback',
    });
  }
  return commonProblem(uri, url);
}

/**
 * The problem with a redirect URI of an app on a server; undefined when it is valid. It must be https, or http on the
 * loopback interface during development. Requests must match it exactly
 * ([RFC 9700 §2.1](https://www.rfc-editor.org/rfc/rfc9700#section-2.1)).
 */
export function webRedirectProblem(uri: string): Message | undefined {
  const url = parse(uri);
  if (url === undefined) {
    return message('uriNoAddress', { uri });
  }
  const local = LOOPBACK_HOSTS.has(url.hostname) || url.hostname === 'localhost';
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)) {
    return message('uriHttps', { uri });
  }
  return commonProblem(uri, url);
}

/** Those of an app's redirect URIs that are sound; stored ones may be older than a rule. */
export function validRedirectUris(uris: readonly string[], confidential: boolean): string[] {
  const problem = confidential ? webRedirectProblem : loopbackRedirectProblem;
  return uris.filter((uri) => problem(uri) === undefined);
}

/**
 * The source expression of Content-Security-Policy that lets a form lead to this redirect URI; undefined
 * where there is no safe one. Browsers check every redirect after a form against `form-action`.
 */
export function formActionSource(uri: string): string | undefined {
  const url = parse(uri);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return undefined;
  }
  // The policy's grammar has no IPv6 addresses. No other than this one can be registered.
  if (url.hostname === '[::1]') {
    return url.protocol;
  }
  return PLAIN_HOST.test(url.hostname) ? url.origin : undefined;
}

/** The host of a redirect URI for display, with its port unless that is the default. */
export function redirectHost(uri: string): AnswerAddress | undefined {
  const url = parse(uri);
  if (url === undefined) {
    return undefined;
  }
  return { host: url.host, isThisComputer: LOOPBACK_HOSTS.has(url.hostname) };
}

function commonProblem(uri: string, url: URL): Message | undefined {
  if (url.username !== '' || url.password !== '') {
    return message('uriPassword', { uri });
  }
  if (uri.includes('#')) {
    return message('uriFragment', { uri });
  }
  // Browsers read some characters in another way than a comparison of texts does.
  if (!/^[\x21-\x7e]+$/.test(uri) || uri.includes('\\') || uri.includes('*')) {
    return message('uriCharacter', { uri });
  }
  if (url.hostname !== '[::1]' && !PLAIN_HOST.test(url.hostname)) {
    return message('uriHost', { uri });
  }
  return undefined;
}

function parse(uri: string): URL | undefined {
  return URL.canParse(uri) ? new URL(uri) : undefined;
}
