/**
 * The rules of `requiredPermissions.network.domains` (manifest v5 page; wildcards: changelog of UXP 7.4; IP addresses:
 * README.md, "Rules of the simulated host beyond the data").
 */

/**
 * Whether a host, as it is written in an address, is an IP address: IPv6, or what the URL Standard reads as IPv4, which is any
 * host whose last label is a number (127.0.0.1, 127.1, 0x7f.1, 2130706433).
 */
export function isIpLiteral(host: string): boolean {
  return host.includes(':') || /(^|\.)(\d+|0x[\da-f]*)\.?$/i.test(host);
}

/** Why an entry of `domains` is refused, or undefined when it is fine. */
export function domainProblem(domain: string): string | undefined {
  const match = /^(https?|wss?):\/\/([^/?#\s@]+)\/?$/i.exec(domain);
  if (match === null) return 'an entry is a scheme (https, http, wss, ws) and a host, nothing more';
  const host = hostOf(match[2] ?? '');
  if (isIpLiteral(host)) {
    return 'newer hosts drop an IP address from the list, and every request to it fails: name the host, as in localhost';
  }
  const labels = host.split('.');
  const last = labels[labels.length - 1] ?? '';
  if (
    host.includes('*') &&
    (labels.length < 3 || last.includes('*') || labels[labels.length - 2] === '*')
  ) {
    return 'a wildcard at the top level is refused since UXP 7.4';
  }
  return undefined;
}

/** Whether an entry of `domains` is one that hosts drop without a word: its host is an IP address. */
export function isDropped(domain: string): boolean {
  const [, rest = ''] = domain.split('://');
  return isIpLiteral(hostOf(rest.replace(/[/?#].*$/, '')));
}

/**
 * Whether the manifest lets the plugin talk to `url`: scheme, host and port must match an entry. An entry without a port
 * means the port of its scheme only; in practice hosts let it pass for any port.
 */
export function isDomainAllowed(url: URL, domains: readonly string[] | 'all'): boolean {
  if (domains === 'all') return true;
  return domains.some((domain) => {
    if (domainProblem(domain) !== undefined) return false;
    const [scheme = '', rest = ''] = domain.toLowerCase().split('://');
    if (`${scheme}:` !== url.protocol) return false;
    const [pattern, port] = splitPort(rest.replace(/\/$/, ''));
    if (port !== '' ? port !== effectivePort(url) : url.port !== '') return false;
    const expression = pattern
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^.]+(?:\\.[^.]+)*');
    return new RegExp(`^${expression}$`).test(url.hostname.toLowerCase());
  });
}

function hostOf(authority: string): string {
  return splitPort(authority)[0];
}

function splitPort(host: string): [string, string] {
  const match = /^(.*):(\d+)$/.exec(host);
  return match === null ? [host, ''] : [match[1] ?? '', match[2] ?? ''];
}

function effectivePort(url: URL): string {
  if (url.port !== '') return url.port;
  return url.protocol === 'https:' || url.protocol === 'wss:' ? '443' : '80';
}
