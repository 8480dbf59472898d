import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { errors } from 'oidc-provider';
import type { Adapter } from 'oidc-provider';
import type { Database } from '../../service/database/database.js';
import { migrate } from '../../service/database/migrate.js';
import { purgeExpired } from '../../service/database/upkeep.js';
import { createAdapterFactory } from '../../service/oauth/adapter.js';
import { openTestDatabase } from './kept-databases.js';

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

  it('finds sessions by uid and device codes by user code, expired ones for another hour', async () => {
    await adapter('Session').upsert('session', { jti: 'session', uid: 'the-uid' }, 1000);
    const code = { jti: 'code', userCode: 'BCDFGHJK', inFlight: true };
    await adapter('DeviceCode').upsert('code', code, 1000);

    expect(await adapter('Session').findByUid('the-uid')).toMatchObject({ uid: 'the-uid' });
    clock += 1001_000;
    await purgeExpired(database, new Date(clock));
    expect(await adapter('DeviceCode').findByUserCode('BCDFGHJK')).toEqual({
      jti: expect.stringMatching(/^sha256:/),
      userCode: 'BCDFGHJK',
    });
    clock += 3600_000;
    await purgeExpired(database, new Date(clock));
    expect(await adapter('DeviceCode').findByUserCode('BCDFGHJK')).toBeUndefined();
  });

  it('goes on with a device code that was found by its user code', async () => {
    const grant = { jti: 'g', accountId: 'a' };
    await adapter('Grant').upsert('g', grant, 1000);
    const payload = {
      jti: 'device-code',
      userCode: 'CDFGHJKL',
      params: { client_id: 'c', x: 'y' },
    };
    await adapter('DeviceCode').upsert('device-code', payload, 1000);
    const found = await adapter('DeviceCode').findByUserCode('CDFGHJKL');
    const id = found?.jti ?? '';

    await adapter('DeviceCode').upsert(id, { ...found, accountId: 'a', grantId: 'g' }, 1000);

    const decided = { jti: 'device-code', accountId: 'a', params: { client_id: 'c' } };
    expect(await adapter('DeviceCode').find('device-code')).toMatchObject(decided);
    // An interaction remembers the code by this id.
    expect(await adapter('DeviceCode').find(id)).toMatchObject({ jti: id, accountId: 'a' });
    await adapter('DeviceCode').consume(id);
    expect(await adapter('DeviceCode').find('device-code')).toHaveProperty('consumed');
    await adapter('DeviceCode').destroy(id);
    expect(await adapter('DeviceCode').find('device-code')).toBeUndefined();
  });

  it('keeps what was stored before ids were hashed', async () => {
    const older = await openTestDatabase();
    try {
      await migrate(older);
      await older.query(`DELETE FROM schema_migrations WHERE name = '0003_hashed_codes.sql'`);
      await older.query(
        `INSERT INTO oidc_records (kind, id, payload, user_code, session_uid) VALUES
          ('DeviceCode', 'old-code', '{"jti": "old-code", "userCode": "BCDF"}', 'BCDF', NULL),
          ('Session', 'old-session', '{"jti": "old-session", "accountId": "a"}', NULL, 'uid')`,
      );

      await migrate(older);

      const [codes, sessions] = ['DeviceCode', 'Session'].map(
        createAdapterFactory(older, () => new Date(clock)),
      );
      expect(await codes?.find('old-code')).toMatchObject({ jti: 'old-code', userCode: 'BCDF' });
      expect(await sessions?.find('old-session')).toMatchObject({ accountId: 'a' });
      expect(JSON.stringify(await older.query('SELECT * FROM oidc_records'))).not.toContain('old-');
    } finally {
      await older.close();
    }
  });
});
