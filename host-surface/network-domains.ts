/** The rules of `requiredPermissions.network.domains` (manifest v5 page; wildcards: changelog of UXP 7.4). */

/** Why an entry of `domains` is refused, or undefined when it is fine. */
export function domainProblem(domain: string): string | undefined {
  const match = /^(https?|wss?):\/\/([^/?#\s@]+)\/?$/i.exec(domain);
  if (match === null) return 'an entry is a scheme (https, http, wss, ws) and a host, nothing more';
  const host = (match[2] ?? '').replace(/:\d+$/, '');
  const labels = host.split('.');
  const last = labels[labels.length - 1] ?? '';
  const isAddress = /^[\d.]+$/.test(host) || host === 'localhost';
  if (
    !isAddress &&
    host.includes('*') &&
    (labels.length < 3 || last.includes('*') || labels[labels.length - 2] === '*')
  ) {
    return 'a wildcard at the top level is refused since UXP 7.4';
  }
  return undefined;
}

/** Whether the manifest lets the plugin talk to `url`: scheme, host and port must match an entry. */
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

function splitPort(host: string): [string, string] {
  const match = /^(.*):(\d+)$/.exec(host);
  return match === null ? [host, ''] : [match[1] ?? '', match[2] ?? ''];
}

function effectivePort(url: URL): string {
  if (url.port !== '') return url.port;
  return url.protocol === 'https:' || url.protocol === 'wss:' ? '443' : '80';
}
