import { expect, it } from '@jest/globals';
import type { Account } from '../../src/account/current-account.js';
import { ConnectedOwner, ownerKey, ownerOf, sessionKey } from '../../src/account/owner.js';
import type { SessionState } from '../../src/oauth/session/token-store.js';
import { Observable } from '../../src/util/observable.js';

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
  expect(ownerOf(null, 's1')).toEqual({
    session: sessionKey('s1'),
    account: null,
    keys: [sessionKey('s1')],
    workspace: null,
  });
  expect(ownerOf(ANNA, 's1')).toEqual({
    session: sessionKey('s1'),
    account: ownerKey(ANNA),
    keys: [ownerKey(ANNA), sessionKey('s1')],
    workspace: 'Studio',
  });
  expect(sessionKey('s2')).not.toBe(sessionKey('s1'));
});

it('one digest serves all readers until the session or the account changes', () => {
  let digests = 0;
  const counted = (account: Account): Account => ({
    ...account,
    // A digest of the account reads its name once.
    get username() {
      digests += 1;
      return account.username;
    },
  });
  const state = new Observable<SessionState>({ kind: 'loading' });
  const session = { state, id: 's1' };
  const account = new Observable<Account | null>(counted(ANNA));
  const owner = new ConnectedOwner(session, { state: account });
  const seen: (string | undefined)[] = [];
  owner.subscribe((value) => seen.push(value?.account ?? value?.session));
  const read = (): readonly unknown[] => Array.from({ length: 32 }, () => owner.get());
  expect([new Set(read()), digests]).toEqual([new Set([null]), 0]);

  state.set({ kind: 'signed-in', trouble: null });
  expect([new Set(read()).size, digests]).toEqual([1, 1]);
  account.set(counted({ ...ANNA, username: 'ben' }));
  expect([new Set(read()).size, digests]).toEqual([1, 2]);
  session.id = 's2';
  expect([owner.get()?.session, digests]).toEqual([sessionKey('s2'), 3]);
  state.set({ kind: 'signed-out' });
  expect([new Set(read()), digests]).toEqual([new Set([null]), 3]);
  expect(seen).toEqual([ownerKey(ANNA), ownerKey({ ...ANNA, username: 'ben' }), undefined]);
});
