import { describe, expect, it } from '@jest/globals';
import {
  domainProblem,
  isDomainAllowed,
  isDropped,
  isIpLiteral,
} from '../../uxp-api/network-domains.js';

describe('a host that is an IP address', () => {
  it.each([
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '192.168.1.5.',
    '[::1]',
    '::1',
    '[fe80::1]',
  ])('is %s', (host) => {
    expect(isIpLiteral(host)).toBe(true);
  });

  it.each(['localhost', 'a.example', '127.0.0.1.nip.io', '1.2.3.4.example', 'x1', '*.a.example'])(
    'is not %s',
    (host) => {
      expect(isIpLiteral(host)).toBe(false);
    },
  );

  it.each(['http://127.0.0.1:8780', 'https://[::1]', 'wss://[::1]:1/', 'http://10.1'])(
    'makes %s an entry hosts drop',
    (domain) => {
      expect(isDropped(domain)).toBe(true);
      expect(domainProblem(domain)).toContain('IP address');
      expect(isDomainAllowed(new URL(domain), [domain])).toBe(false);
    },
  );
});

describe('an entry of the domain list', () => {
  it.each([
    ['http://localhost:8780', 'http://localhost:8780/oauth/token?x=1', true],
    ['http://localhost:8780', 'http://localhost:8781/', false],
    ['http://localhost:8780', 'https://localhost:8780/', false],
    ['http://localhost:8780', 'http://127.0.0.1:8780/', false],
    ['https://a.example', 'https://a.example:443/', true],
    ['https://a.example', 'https://a.example:8443/', false],
    ['https://a.example:443', 'https://a.example/', true],
    ['https://*.a.example', 'https://b.a.example/', true],
    ['https://*.a.example', 'https://a.example/', false],
  ])('%s and %s: %s', (domain, url, allowed) => {
    expect(isDropped(domain)).toBe(false);
    expect(isDomainAllowed(new URL(url), [domain])).toBe(allowed);
  });
});
