import { describe, expect, it } from '@jest/globals';
import {
  readPageUrl,
  readPhotoVersion,
} from '../../../../src/features/uploads/tus/response-headers.js';
import { readReprDigest, writeReprDigest } from '../../../../src/api/repr-digest.js';
import { crc32c, crc32cDigest } from '../../../support/crc32c.js';

const ENDPOINT = 'https://service.example/api/v1/uploads';
const SHA = Buffer.alloc(32, 7);

function digestOf(header: string | null): ReturnType<typeof readReprDigest> {
  return readReprDigest((name) => (name === 'Repr-Digest' ? header : null));
}

function pageOf(header: string | null): string | null {
  return readPageUrl((name) => (name === 'Link' ? header : null), ENDPOINT);
}

describe('Photo-Version', () => {
  const versionOf = (header: string | null): object =>
    readPhotoVersion((name) => (name === 'Photo-Version' ? header : null));

  it('has the number of the version and the name of the one before', () => {
    expect(versionOf('2; of=%"K%c3%bcste %22%25.jpg"')).toEqual({
      version: { number: 2, of: 'K\u00fcste "%.jpg' },
    });
    // It is shown, so it has no character that changes how the text around it looks.
    expect(versionOf('3;of=%"%e2%80%aea.jpg"')).toEqual({ version: { number: 3, of: 'a.jpg' } });
  });

  it.each([null, '', '1; of=%"a.jpg"', '2', 'of=%"a"', '2; of=%"%ff"', '2; of=%""', '-2; of=%"a"'])(
    'is ignored where it is %j',
    (header) => {
      expect(versionOf(header)).toEqual({});
    },
  );
});

describe('Repr-Digest', () => {
  it.each([0, 1, 0x7fffffff, 0x80000000, 0xe3069283, 0xffffffff])(
    'parses the written value of %d',
    (value) => {
      expect(digestOf(writeReprDigest(value)).crc32c).toBe(value);
    },
  );

  it('has the standard check value of CRC-32C', () => {
    const bytes = Buffer.from('123456789');
    expect(crc32c(bytes)).toBe(0xe3069283);
    expect(writeReprDigest(0xe3069283)).toBe(crc32cDigest(bytes));
    expect(writeReprDigest(0xe3069283)).toBe('crc32c=:4waSgw==:');
  });

  it.each([
    `sha-256=:${SHA.toString('base64')}:, crc32c=:4waSgw==:`,
    `crc32c=:4waSgw==:,sha-256=:${SHA.toString('base64')}:`,
    `crc32c=:4waSgw==:;a=1 , unixsum=:AQ==:, sha-256=:${SHA.toString('base64')}:`,
  ])('is parsed in any order: %s', (header) => {
    expect(digestOf(header)).toEqual({ crc32c: 0xe3069283, sha256: SHA.toString('hex') });
  });

  it.each([
    null,
    '',
    'crc32c=4waSgw==',
    'crc32c=:4waSg:',
    'crc32c=:4waSgwA=:',
    'crc32c=:4waSgw==:a',
    'crc32c=::',
    'crc32c=:!!!!!!==:',
    'xcrc32c=:4waSgw==:',
    'sha-256=:AQ==:',
    `sha-512=:${SHA.toString('base64')}:`,
    `${'x'.repeat(4_000)}, crc32c=:4waSgw==:`,
  ])('is ignored when malformed: %s', (header) => {
    expect(digestOf(header)).toEqual({ crc32c: null, sha256: null });
  });
});

describe('Link', () => {
  const PAGE = 'https://service.example/photos/7';

  it.each([
    [`<${PAGE}>; rel="alternate"; type="text/html"`, PAGE],
    [`</photos/7>;type=text/html;rel=alternate`, PAGE],
    [
      `<https://service.example/a,b>; rel="self", <${PAGE}>; type="text/html"; rel="next Alternate"`,
      PAGE,
    ],
    [
      `<${PAGE}.json>; rel="alternate"; type="application/json", <${PAGE}>; rel="alternate"; type="text/html"`,
      PAGE,
    ],
    [`<${PAGE}> ; rel = "alternate" ; type = text/html`, PAGE],
    [`<${PAGE}>;\trel\t=\talternate\t;\ttype\t=\t"text/html"`, PAGE],
    [`<${PAGE}>; title*=UTF-8''Photo; rel="alternate"; type="text/html"`, PAGE],
    [`<${PAGE}>; title="a; b, <c> = d"; rel="alternate"; type="text/html"`, PAGE],
    [`<${PAGE}>; title=""; rel="alternate"; type="text/html"`, PAGE],
  ])('returns the page: %s', (header, page) => {
    expect(pageOf(header)).toBe(page);
  });

  it.each([
    null,
    '',
    PAGE,
    `<${PAGE}>`,
    `<${PAGE}>; rel="alternate"`,
    `<${PAGE}>; rel="self"; type="text/html"`,
    `<${PAGE}>; rel="self"; title="<${PAGE}>; rel=alternate; type=text/html"`,
    `<${PAGE}">; rel="alternate"; type="text/html"`,
    '<https://evil.example/photos/7>; rel="alternate"; type="text/html"',
    '<//evil.example/photos/7>; rel="alternate"; type="text/html"',
    '<http://service.example/photos/7>; rel="alternate"; type="text/html"',
    '<https://service.example@evil.example/>; rel="alternate"; type="text/html"',
    '<javascript:alert(1)>; rel="alternate"; type="text/html"',
    '<photos/7>; rel="alternate"; type="text/html"',
    '</a/../../7>; rel="alternate"; type="text/html"',
    `</${'x'.repeat(2_000)}>; rel="alternate"; type="text/html"`,
    `<${PAGE}>; rel="alternate"; type="text/html"${' '.repeat(4_000)}`,
  ])('returns no page for another service: %s', (header) => {
    expect(pageOf(header)).toBeNull();
  });
});
