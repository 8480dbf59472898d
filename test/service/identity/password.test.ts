import { describe, expect, it } from '@jest/globals';
import {
  hashPassword,
  isSamePassword,
  verifyPassword,
} from '../../../service/kernel/password-hash.js';

const CHEAP = { N: 16, r: 1, p: 1 };
/** The same letter, composed and not. */
const [COMPOSED, DECOMPOSED] = ['caf\u00e9 m\u00fcnchen', 'cafe\u0301 mu\u0308nchen'];

describe('a password', () => {
  it('matches its own hash only', async () => {
    const hash = await hashPassword('the right one', CHEAP);
    expect(await verifyPassword('the right one', hash)).toBe(true);
    expect(await verifyPassword('the wrong one', hash)).toBe(false);
    expect(await verifyPassword('the right one ', hash)).toBe(false);
    expect(await verifyPassword('', hash)).toBe(false);
  });

  it('is hashed with a random salt and the cost in the hash', async () => {
    const [one, other] = [await hashPassword('x', CHEAP), await hashPassword('x', CHEAP)];
    expect(one).toMatch(/^scrypt\$16\$1\$1\$[\w-]{22}\$[\w-]{43}$/);
    expect(other).not.toBe(one);
    expect(await verifyPassword('x', await hashPassword('x', { N: 32, r: 2, p: 2 }))).toBe(true);
  });

  it('has the intended hashing cost', async () => {
    const hash = await hashPassword('x');
    expect(hash).toMatch(/^scrypt\$32768\$8\$1\$/);
    expect(await verifyPassword('x', hash)).toBe(true);
  });

  it('matches in every Unicode composition', async () => {
    expect(await verifyPassword(DECOMPOSED, await hashPassword(COMPOSED, CHEAP))).toBe(true);
    expect(isSamePassword(DECOMPOSED, COMPOSED)).toBe(true);
    expect(isSamePassword('a', 'b')).toBe(false);
    expect(isSamePassword('a', 'A')).toBe(false);
  });

  it.each([
    '',
    'plain',
    'bcrypt$16$1$1$AAAA$AAAA',
    'scrypt$16$1$1$AAAA',
    'xscrypt$16$1$1$AAAA$AAAA',
    'scrypt$16$1$1$AAAA$AAAA$',
    'scrypt$16$1$1$$AAAA',
    'scrypt$x$1$1$AAAA$AAAA',
  ])('is not compared with the malformed hash %j', async (hash) => {
    await expect(verifyPassword('x', hash)).rejects.toThrow('unknown form');
  });
});
