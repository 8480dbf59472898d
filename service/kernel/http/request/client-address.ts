import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Returns the client address of a request for rate limits: an IPv4 address, or the first four groups of an IPv6 address
 * (`2001:db8:0:7`). One customer usually has a whole /64 network.
 */
export type ClientAddress = (request: IncomingMessage) => string;

/**
 * Finds the address of a client behind our own proxies. Each of them adds one entry to the end of `X-Forwarded-For`
 * (several such headers are one list, [RFC 9110 §5.3](https://www.rfc-editor.org/rfc/rfc9110#section-5.3)). Earlier
 * entries are the client's own claims and are ignored.
 *
 * The address of the connection counts when there are fewer entries than proxies: then the request did not come through
 * all of them, and every entry may be a claim. It also counts when the entry is no address (`unknown`,
 * [RFC 7239 §6](https://www.rfc-editor.org/rfc/rfc7239#section-6)).
 * @param trustedProxies how many proxies are ours; with 0 the header is ignored.
 */
export function clientAddress(trustedProxies: number): ClientAddress {
  return (request) => {
    const direct = request.socket.remoteAddress ?? '';
    const entry = trustedProxies === 0 ? undefined : forwardedFor(request).at(-trustedProxies);
    return network(entry ?? '') ?? network(direct) ?? direct;
  };
}

/**
 * The wider networks of an address, the smallest first: /24 for IPv4, /56 and /48 for IPv6. One customer or company may
 * have a whole one. Other users may be in them as well, so requests must not be refused because of a wider network
 * alone.
 * @param address as returned by {@link ClientAddress}.
 * @returns an empty list if it is not an address.
 */
export function widerNetworks(address: string): string[] {
  if (isIPv4(address)) {
    return [`${address.replace(/\.\d+$/, '')}.0/24`];
  }
  const groups = address.split(':');
  if (groups.length !== 4) {
    return [];
  }
  const last = parseInt(groups[3] ?? '0', 16) & 0xff00;
  const site = groups.slice(0, 3).join(':');
  return [`${site}:${last.toString(16)}/56`, `${site}/48`];
}

/** The widest network that an address belongs to. Requests from one network wait for each other, not for others. */
export function widestNetwork(address: string): string {
  return widerNetworks(address).at(-1) ?? address;
}

/** How the networks of two clients relate; `unknown` when one has an IPv4 address and the other an IPv6 address. */
export type NetworkRelation = 'same' | 'different' | 'unknown';

/** Compares two addresses, as {@link ClientAddress} gives them. */
export function networkRelation(one: string, other: string): NetworkRelation {
  if (one === '' || other === '') {
    return 'unknown';
  }
  if (one === other || (isLoopbackNetwork(one) && isLoopbackNetwork(other))) {
    return 'same';
  }
  return isIPv4(one) === isIPv4(other) ? 'different' : 'unknown';
}

/** An address, as {@link ClientAddress} gives it, in its usual form. */
export function displayAddress(address: string): string {
  return isIPv4(address) ? address : `${ipaddr.parse(`${address}::`).toString()}/64`;
}

function isLoopbackNetwork(address: string): boolean {
  return address.startsWith('127.') || address === '0:0:0:0';
}

function forwardedFor(request: IncomingMessage): string[] {
  const header = request.headers['x-forwarded-for'] ?? '';
  const list = typeof header === 'string' ? header : header.join(',');
  return list.split(',').map((entry) => entry.trim());
}

/** The address in an entry, as {@link ClientAddress} gives it: without quotes, port, brackets and zone. */
function network(entry: string): string | undefined {
  // Most often it is plain IPv4, or IPv4 mapped into IPv6, as a dual-stack socket reports it
  // ([RFC 4291 §2.5.5.2](https://www.rfc-editor.org/rfc/rfc4291#section-2.5.5.2)).
  const plain = entry.startsWith('::ffff:') ? entry.slice('::ffff:'.length) : entry;
  if (isIPv4(plain)) {
    return plain;
  }
  const unquoted = entry.replace(/^"(.*)"$/, '$1');
  const inBrackets = /^\[([^\]]*)\](?::\w*)?$/.exec(unquoted)?.[1];
  const host = inBrackets ?? unquoted.replace(/^(\d+\.\d+\.\d+\.\d+):\w*$/, '$1');
  const [text = ''] = host.split('%', 1);
  // Node checks it without exceptions; the library would throw two for each IPv6 request.
  if (isIP(text) === 0) {
    return undefined;
  }
  // `process` gives the IPv4 address also when it is mapped into IPv6 in another spelling.
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4) {
    return address.toString();
  }
  return address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}
