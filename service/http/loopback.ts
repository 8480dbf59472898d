/**
 * Whether a host, as it stands in a URL or as an address to listen on, is this machine and can be no
 * other: an address of 127.0.0.0/8, `::1`, `localhost` and what ends in `.localhost` (RFC 6761 §6.3).
 */
export function isLoopback(host: string): boolean {
  return /^(?:(?:[a-z0-9_-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/i.test(host);
}
