import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Tells from which address a request comes, for limits: an IPv4 address, or the first four groups of an
 * IPv6 address (`2001:db8:0:7`), since one person has a whole /64 network.
 */
export type ClientAddress = (request: IncomingMessage) => string;

/**
 * Finds the address behind `trustedProxies` proxies of ours, each of which adds one entry to
 * `X-Forwarded-For` (several such headers are one list,
 * [RFC 9110 §5.3](https://www.rfc-editor.org/rfc/rfc9110#section-5.3)). What stands before those entries is
 * the client's own claim and is ignored. When there are fewer entries than proxies, the request did not come
 * through all of them, so that all entries may be claims; then, and when the entry is no address (`unknown`,
 * [RFC 7239 §6](https://www.rfc-editor.org/rfc/rfc7239#section-6)), the address of the connection counts.
 */
export function clientAddress(trustedProxies: number): ClientAddress {
  return (request) => {
    const direct = request.socket.remoteAddress ?? '';
    const entry = trustedProxies === 0 ? undefined : forwardedFor(request).at(-trustedProxies);
    return network(entry ?? '') ?? network(direct) ?? direct;
  };
}

/**
 * The wider networks that an address belongs to, as {@link ClientAddress} gives it: /56 and /48 of
 * IPv6, which is what one customer or one company may have all of, and /24 of IPv4. Others may live
 * there as well, so that nobody must be refused for what comes from them.
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

/** The widest network that an address belongs to: those who ask from there wait for each other, not for others. */
export function widestNetwork(address: string): string {
  return widerNetworks(address).at(-1) ?? address;
}

function forwardedFor(request: IncomingMessage): string[] {
  const header = request.headers['x-forwarded-for'] ?? '';
  const list = typeof header === 'string' ? header : header.join(',');
  return list.split(',').map((entry) => entry.trim());
}

/** An entry without quotes, port, brackets and zone, in its one canonical form; or nothing. */
function network(entry: string): string | undefined {
  // Most often it is in that form already, or as a socket has it that takes IPv6 as well (RFC 4291 §2.5.5.2).
  const plain = entry.startsWith('::ffff:') ? entry.slice('::ffff:'.length) : entry;
  if (isIPv4(plain)) {
    return plain;
  }
  const unquoted = entry.replace(/^"(.*)"$/, '$1');
  const inBrackets = /^\[([^\]]*)\](?::\w*)?$/.exec(unquoted)?.[1];
  const host = inBrackets ?? unquoted.replace(/^(\d+\.\d+\.\d+\.\d+):\w*$/, '$1');
  const text = host.replace(/%.*$/, '');
  // `process` makes the IPv4 address of one that is mapped into IPv6 in another spelling.
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) {
    return undefined;
  }
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4) {
    return address.toString();
  }
  return address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}
