import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { errors } from 'oidc-provider';
import type { Adapter } from 'oidc-provider';
import type { Database } from '../../service/database/database.js';
import { migrate } from '../../service/database/migrate.js';
import { purgeExpired } from '../../service/database/purge.js';
import { createAdapterFactory } from '../../service/oauth/adapter.js';
import { openTestDatabase } from './running.js';

describe('the storage of oidc-provider', () => {
  let database: Database;
  let adapter: (kind: string) => Adapter;
  let clock = Date.now();

  beforeAll(async () => {
    database = await openTestDatabase();
    await migrate(database);
    adapter = createAdapterFactory(database, () => new Date(clock));
  });
  afterAll(() => database.close());

  const store = async (grantId: string): Promise<void> => {
    await adapter('Grant').upsert(grantId, { jti: grantId }, 1000);
    await adapter('RefreshToken').upsert(`rt-${grantId}`, { jti: `rt-${grantId}`, grantId }, 1000);
    await adapter('AccessToken').upsert(`at-${grantId}`, { jti: `at-${grantId}`, grantId }, 1000);
  };

  it('lets one of many simultaneous uses win, and ends the grant for the others', async () => {
    await store('raced');

    const uses = await Promise.allSettled(
      Array.from({ length: 6 }, () => adapter('RefreshToken').consume('rt-raced')),
    );

    expect(uses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const use of uses) {
      if (use.status === 'rejected') expect(use.reason).toBeInstanceOf(errors.InvalidGrant);
    }
    expect(await adapter('Grant').find('raced')).toBeUndefined();
    expect(await adapter('AccessToken').find('at-raced')).toBeUndefined();
  });

  it('remembers that a token was used, also after it is written again', async () => {
    await store('used');
    await adapter('RefreshToken').consume('rt-used');
    await adapter('RefreshToken').upsert('rt-used', { grantId: 'used' }, 1000);

    expect(await adapter('RefreshToken').find('rt-used')).toMatchObject({
      jti: 'rt-used',
      consumed: expect.any(Number),
    });
    expect(await adapter('Grant').find('used')).toBeDefined();
  });

  it('does not revive a session that has ended when a request under way writes it back', async () => {
    const sessions = adapter('Session');
    await sessions.upsert('signed-out', { jti: 'signed-out', uid: 'u1', accountId: 'a' }, 1000);
    await sessions.destroy('signed-out');

    await sessions.upsert('signed-out', { jti: 'signed-out', uid: 'u1', accountId: 'a' }, 1000);
    // The next sign-in in that browser keeps its `uid`.
    await sessions.upsert('signed-in', { jti: 'signed-in', uid: 'u1', accountId: 'b' }, 1000);

    expect(await sessions.find('signed-out')).toBeUndefined();
    expect(await sessions.findByUid('u1')).toMatchObject({ accountId: 'b' });
  });

  it('does not hold a token in a form that could be used', async () => {
    await store('hidden');

    const rows = await database.query('SELECT * FROM oidc_records WHERE grant_id = $1', ['hidden']);

    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toMatch(/(at|rt)-hidden/);
  });

  it('revokes the tokens of one grant and of one kind only', async () => {
    await store('one');
    await store('two');

    await adapter('AccessToken').revokeByGrantId('one');

    expect(await adapter('AccessToken').find('at-one')).toBeUndefined();
    expect(await adapter('RefreshToken').find('rt-one')).toBeDefined();
    expect(await adapter('AccessToken').find('at-two')).toBeDefined();
  });

  it('ends everything that came from a grant when the grant is destroyed', async () => {
    await store('ended');

    await adapter('Grant').destroy('ended');

    expect(await adapter('RefreshToken').find('rt-ended')).toBeUndefined();
    expect(await adapter('AccessToken').find('at-ended')).toBeUndefined();
  });

  it('finds sessions by uid and device codes by user code, expired ones for another day', async () => {
    await adapter('Session').upsert('session', { jti: 'session', uid: 'the-uid' }, 1000);
    const code = { jti: 'code', userCode: 'BCDFGHJK', inFlight: true };
    await adapter('DeviceCode').upsert('code', code, 1000);

    expect(await adapter('Session').findByUid('the-uid')).toMatchObject({ jti: 'session' });
    clock += 1001_000;
    await purgeExpired(database, new Date(clock));
    expect(await adapter('DeviceCode').findByUserCode('BCDFGHJK')).toEqual({
      jti: 'code',
      userCode: 'BCDFGHJK',
    });
    clock += 24 * 3600_000;
    await purgeExpired(database, new Date(clock));
    expect(await adapter('DeviceCode').findByUserCode('BCDFGHJK')).toBeUndefined();
  });
});
