import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

/** Tells from which address a request comes, for limits. */
export type ClientAddress = (request: IncomingMessage) => string;

/**
 * Finds the address behind `trustedProxies` proxies of ours, each of which adds one entry to
 * `X-Forwarded-For`; what stands before those entries is the client's own claim and is ignored. An
 * IPv6 address counts with its /64 network, since one person has a whole one.
 */
export function clientAddress(trustedProxies: number): ClientAddress {
  return (request) => {
    const direct = request.socket.remoteAddress ?? '';
    const header = request.headers['x-forwarded-for'];
    const entries = (typeof header === 'string' ? header : '')
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
    const address =
      trustedProxies === 0 ? direct : (entries.at(-trustedProxies) ?? entries[0] ?? direct);
    return network(address.replace(/^::ffff:(?=\d+\.)/, ''));
  };
}

function network(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const after = (tail ?? '').split(':').filter((group) => group !== '');
  const missing = tail === undefined ? 0 : 8 - groups.length - after.length;
  return [...groups, ...Array<string>(Math.max(missing, 0)).fill('0'), ...after]
    .slice(0, 4)
    .join(':');
}
