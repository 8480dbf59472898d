import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Accounts as AccountsClass } from '../../../service/identity/accounts/accounts.js';
import type * as Crypto from 'node:crypto';

/** The parameters of a hash: costs and salt length. */
const asked: object[] = [];
const actual = await import('node:crypto');
const counting = (
  password: Crypto.BinaryLike,
  salt: Crypto.BinaryLike,
  length: number,
  options: Crypto.ScryptOptions,
  callback: (error: Error | null, key: Buffer) => void,
): void => {
  const { N, r, p } = options;
  asked.push({ N, r, p, length, salt: Buffer.from(salt as Buffer).length });
  actual.scrypt(password, salt, length, options, callback);
};
jest.unstable_mockModule('node:crypto', () => ({ ...actual, scrypt: counting }));
const { Accounts, createAccount } = await import('../../../service/identity/accounts/accounts.js');
const { migrate } = await import('../../../service/kernel/database/migrate.js');
const { openTestDatabase } = await import('../support/database-templates.js');

/**
 * The duration of a failed sign-in must not reveal whether the user exists. Nearly all of it is the hash of
 * the password: so the same hashes are to be made, at the same cost.
 */
describe('a refused sign-in', () => {
  let database: Awaited<ReturnType<typeof openTestDatabase>>;
  let accounts: AccountsClass;

  beforeAll(async () => {
    database = await openTestDatabase();
    await migrate(database);
    await createAccount(database, {
      username: 'known',
      displayName: 'Known Person',
      password: 'the right password',
    });
    accounts = new Accounts(database);
    // The values that are created once, at the very first sign-in.
    await accounts.signIn('nobody', 'x');
  });
  afterAll(() => database.close());
  beforeEach(() => {
    asked.length = 0;
  });

  async function workOf(username: string, password: string): Promise<object[]> {
    asked.length = 0;
    expect(await accounts.signIn(username, password)).toBeUndefined();
    return [...asked];
  }

  it('does the same work for existing and unknown users', async () => {
    const known = await workOf('known', 'a wrong password');
    expect(known).toHaveLength(1);
    expect(await workOf('nobody', 'a wrong password')).toEqual(known);
    expect(await workOf('nobody-else', 'a wrong password')).toEqual(known);
    asked.length = 0;
    expect(await accounts.signIn('known', 'the right password')).toBeDefined();
    expect(asked).toEqual(known);
  });
});
