import { describe, expect, it } from '@jest/globals';
import { readMailAddress } from '../../../../service/kernel/mail/mail-address.js';

describe('an e-mail address', () => {
  it.each([
    ['ada@example.com', 'ada@example.com'],
    [' Ada.L+photos@Studio.Example ', 'Ada.L+photos@studio.example'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ["o'neil@a.co", "o'neil@a.co"],
  ])('is read from %j', (text, address) => {
    expect(readMailAddress(text)).toBe(address);
  });

  it.each([
    ...['', 'ada', '@example.com', 'ada@', 'ada@localhost', 'ada@192.168.1.1', 'ada@[::1]'],
    ...['a@b.example,c@d.example', 'a@b.example c@d.example', 'a@b.example\nBcc: c@d.example'],
    ...['Ada <a@b.example>', '"a"@b.example', 'a;b@c.example', 'a\u0000@b.example', 'ä@b.example'],
    ...['a@b..example', 'a@-b.example', `${'a'.repeat(65)}@b.example`, 'a@b.example>'],
    `a@${'b.'.repeat(130)}example`,
  ])('is not read from %j', (text) => {
    expect(readMailAddress(text)).toBeUndefined();
  });
});
