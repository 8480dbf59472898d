import { describe, expect, it } from '@jest/globals';
import { isLoopback, isSecure, parseHttpUrl, withParameter } from '../../src/util/url.js';
import fc from '../support/properties.js';
import { testRuns } from '../support/seeded-random.js';

function parsed(text: string): NonNullable<ReturnType<typeof parseHttpUrl>> {
  const url = parseHttpUrl(text);
  if (!url) throw new Error(`${text} was refused`);
  return url;
}

describe('parseHttpUrl', () => {
  it.each([
    ['https://service.example', 'https://service.example', '/'],
    ['HTTPS://Service.EXAMPLE/Path', 'https://service.example', '/Path'],
    ['https://service.example:443/a', 'https://service.example', '/a'],
    ['http://service.example:80/a', 'http://service.example', '/a'],
    ['https://service.example:80/a', 'https://service.example:80', '/a'],
    ['https://service.example:8443/a?b=c#d', 'https://service.example:8443', '/a?b=c#d'],
    ['https://service.example?b=c', 'https://service.example', '/?b=c'],
    ['http://127.0.0.1:8780/api', 'http://127.0.0.1:8780', '/api'],
    ['http://[::1]:8780/api', 'http://[::1]:8780', '/api'],
    ['http://localhost/', 'http://localhost', '/'],
  ])('reads %s', (text, origin, rest) => {
    expect(parsed(text)).toMatchObject({ origin, rest, href: origin + rest });
  });

  it.each([
    ['nothing', ''],
    ['a relative address', '/oauth/device'],
    ['an address without a scheme', '//service.example/'],
    ['another scheme', 'ftp://service.example/'],
    ['a script', 'javascript:alert(1)//https://service.example/'],
    ['a file', 'file:///etc/passwd'],
    ['one slash', 'https:/service.example/'],
    ['three slashes', 'https:///service.example/'],
    ['a user name that looks like the service', 'https://service.example@evil.example/'],
    ['a user name and password', 'https://service.example:443@evil.example/'],
    ['an encoded user name', 'https://service.example%40evil.example/'],
    ['a backslash instead of a slash', 'https://evil.example\\.service.example/'],
    ['a backslash in the path', 'https://service.example/\\evil.example'],
    ['backslashes after the scheme', 'https:\\\\service.example/'],
    ['a line break in the host', 'https://service.example\n.evil.example/'],
    ['a line break at the end', 'https://service.example/\n'],
    ['a tab in the path', 'https://service.example/\tx'],
    ['a NUL', 'https://service.example/\0'],
    ['a space before', ' https://service.example/'],
    ['a space inside', 'https://service.example/a b'],
    ['a letter that looks like another', 'https://s\u0435rvice.example/'],
    ['a full-width dot', 'https://service\uff0eexample/'],
    ['an ideographic full stop', 'https://service\u3002example/'],
    ['a soft hyphen', 'https://ser\u00advice.example/'],
    ['a non-ASCII path', 'https://service.example/\u00e9'],
    ['an encoded host', 'https://service%2eexample/'],
    ['two dots in a row', 'https://service..example/'],
    ['a dot before', 'https://.service.example/'],
    ['a dot at the end', 'https://service.example./'],
    ['an underscore', 'https://service_x.example/'],
    ['no host', 'https://:443/'],
    ['an empty port', 'https://service.example:/'],
    ['port 0', 'https://service.example:0/'],
    ['a port too large', 'https://service.example:65536/'],
    ['a port that is no number', 'https://service.example:443x/'],
    ['a signed port', 'https://service.example:+443/'],
    ['a short form of an IPv4 address', 'http://127.1/'],
    ['an IPv4 address as one number', 'http://2130706433/'],
    ['a hexadecimal IPv4 address', 'http://0x7f000001/'],
    ['an IPv4 address with octal parts', 'http://127.0.0.010/'],
    ['an IPv4 address with a part too large', 'http://127.0.0.256/'],
    ['an IPv4 address of five parts', 'http://127.0.0.0.1/'],
    ['a host that ends in a number', 'https://service.example.1/'],
    ['IPv6 that is none', 'http://[:::]/'],
    ['IPv6 in another spelling', 'http://[0:0::1]/'],
    ['IPv6 with an IPv4 address in it', 'http://[::ffff:127.0.0.1]/'],
    ['a way up in the path', 'https://service.example/api/v1/uploads/../../oauth/token'],
    ['a way up at the end', 'https://service.example/api/..'],
    ['an encoded way up', 'https://service.example/api/%2e%2E/x'],
    ['a half encoded way up', 'https://service.example/api/.%2e/x'],
    ['a way nowhere', 'https://service.example/./x'],
  ])('refuses %s', (_name, text) => {
    expect(parseHttpUrl(text)).toBeNull();
  });

  it('takes dots in a path, a query or a fragment that lead nowhere', () => {
    for (const rest of ['/a..b', '/.well-known/x', '/...', '/a?b=/../c', '/a#/../c'])
      expect(parsed(`https://service.example${rest}`).rest).toBe(rest);
  });

  const piece = fc.constantFrom(
    ...[
      'http',
      'https',
      ':',
      '://',
      '//',
      '/',
      '\\',
      '@',
      '.',
      '..',
      '%2e',
      '?',
      '#',
      '[',
      ']',
      '::1',
      '-',
    ],
    ...[
      'service',
      'example',
      'EVIL',
      'xn--e1afmkfd',
      'localhost',
      '127',
      '0',
      '1',
      '01',
      '0x7f',
      '255',
      '256',
    ],
    ...[
      '443',
      '80',
      '8780',
      '65536',
      ' ',
      '\t',
      '\n',
      '\0',
      '"',
      '<',
      "'",
      '{',
      '|',
      '^',
      '`',
      '\u0435',
      '\uff0e',
    ],
  );
  /** Addresses made of what addresses are made of, in likely and unlikely orders. */
  const address = fc.oneof(
    fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join('')),
    fc
      .tuple(fc.constantFrom('http://', 'https://', 'HTTPS://'), fc.array(piece, { maxLength: 10 }))
      .map(([scheme, pieces]) => scheme + pieces.join('')),
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
  );

  it('reads whatever it takes exactly as the URL Standard does', () => {
    let taken = 0;
    fc.assert(
      fc.property(address, (text) => {
        const ours = parseHttpUrl(text);
        if (!ours) return;
        taken += 1;
        if (!URL.canParse(text)) {
          // Only Unicode's tables tell good punycode from bad; with bad one nothing can be reached.
          expect(ours.host).toContain('xn--');
          return;
        }
        const standard = new URL(text);
        expect(ours.origin).toBe(standard.origin);
        expect(ours.host).toBe(standard.hostname);
        expect(`${ours.scheme}:`).toBe(standard.protocol);
        expect(standard.username + standard.password).toBe('');
        // The standard escapes some characters that are written here as they came.
        expect(new URL(ours.href).href).toBe(standard.href);
        expect(parseHttpUrl(ours.href)).toEqual(ours);
      }),
      { numRuns: testRuns(2000) },
    );
    expect(taken).toBeGreaterThan(500);
  });
});

describe('isLoopback and isSecure', () => {
  it.each([
    ['http://localhost:1/', true, true],
    ['http://127.0.0.1/', true, true],
    ['http://127.255.255.254/', true, true],
    ['http://[::1]/', true, true],
    ['https://service.example/', false, true],
    ['http://service.example/', false, false],
    ['http://localhost.evil.example/', false, false],
    ['http://127.0.0.1.evil.example/', false, false],
    ['http://evil-localhost/', false, false],
    ['http://128.0.0.1/', false, false],
    ['http://10.0.0.1/', false, false],
  ])('%s: loopback %s, secure %s', (text, loopback, secure) => {
    expect(isLoopback(parsed(text))).toBe(loopback);
    expect(isSecure(parsed(text))).toBe(secure);
  });
});

describe('withParameter', () => {
  it.each([
    ['https://service.example/', 'https://service.example/?ui_locales=de'],
    ['https://service.example/?', 'https://service.example/?ui_locales=de'],
    ['https://service.example/a?b=c', 'https://service.example/a?b=c&ui_locales=de'],
    ['https://service.example/a?b=c&', 'https://service.example/a?b=c&ui_locales=de'],
    ['https://service.example/a?b=c%26&&d', 'https://service.example/a?b=c%26&&d&ui_locales=de'],
    ['https://service.example/a#b', 'https://service.example/a?ui_locales=de#b'],
    ['https://service.example/a#b?c=d', 'https://service.example/a?ui_locales=de#b?c=d'],
    ['https://service.example/a?b=?#c', 'https://service.example/a?b=?&ui_locales=de#c'],
    [
      'https://service.example/a?my_ui_locales=c',
      'https://service.example/a?my_ui_locales=c&ui_locales=de',
    ],
  ])('adds to %s', (address, whole) => {
    expect(withParameter(address, 'ui_locales', 'de')).toBe(whole);
  });

  it.each([
    'https://service.example/?ui_locales=fr',
    'https://service.example/a?b=c&ui_locales=#d',
  ])('leaves %s as it is', (address) => {
    expect(withParameter(address, 'ui_locales', 'de')).toBe(address);
  });

  it('changes nothing else of an address, by the URL Standard', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (text) => {
        const href = parseHttpUrl(text)?.href;
        fc.pre(href !== undefined);
        const before = new URL(href);
        const after = new URL(withParameter(href, 'ui_locales', 'pt-BR'));
        expect(after.searchParams.getAll('ui_locales')).toEqual(['pt-BR']);
        expect([after.origin, after.pathname, after.hash]).toEqual([
          before.origin,
          before.pathname,
          before.hash,
        ]);
        expect(after.search.slice(1).startsWith(before.search.slice(1))).toBe(true);
      }),
    );
  });
});
