import { expect, it } from '@jest/globals';
import type { Account } from '../../src/account/current-account.js';
import { ownerKey, ownerOf, sessionKey } from '../../src/account/owner.js';

const ANNA: Account = {
  name: 'Anna Keller',
  username: 'anna',
  workspace: { id: 'w1', name: 'Studio' },
  scopes: null,
};

it.each([
  [true, { ...ANNA, name: 'A. Keller' }],
  [false, { ...ANNA, username: 'ben' }],
  [false, { ...ANNA, workspace: { id: 'w2', name: 'Studio' } }],
])('the same account has the same key: %s', (expected, other) => {
  expect(ownerKey(other) === ownerKey(ANNA)).toBe(expected);
  expect(ownerKey(other)).toMatch(/^[0-9a-f]{32}$/);
});

it('the session is the owner if the service does not report the account', () => {
  expect(ownerOf(null, 's1')).toEqual({ keys: [sessionKey('s1')], workspace: null });
  expect(ownerOf(ANNA, 's1')).toEqual({
    keys: [ownerKey(ANNA), sessionKey('s1')],
    workspace: 'Studio',
  });
  expect(sessionKey('s2')).not.toBe(sessionKey('s1'));
});
