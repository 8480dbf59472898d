import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { errors } from 'oidc-provider';
import type { Adapter } from 'oidc-provider';
import type { Database } from '../../../service/kernel/database/database.js';
import { expiringRows } from '../../../service/app/modules.js';
import { purgeExpired } from '../../../service/kernel/database/cleanup.js';
import { createAdapterFactory } from '../../../service/oauth/provider/adapter.js';
import {
  ACCESS_TOKEN_PREFIX,
  formatRefreshToken,
} from '../../../service/oauth/tokens/token-format.js';
import { openMigratedDatabase } from '../support/database-templates.js';

const refreshOf = (grantId: string): string => formatRefreshToken(`rt-${grantId}`, grantId, 'key');
const accessOf = (grantId: string): string => `${ACCESS_TOKEN_PREFIX}at-${grantId}`;

describe('the storage of oidc-provider', () => {
  let database: Database;
  let adapter: (kind: string) => Adapter;
  let clock = Date.now();

  beforeAll(async () => {
    database = await openMigratedDatabase();
    adapter = createAdapterFactory(database, () => new Date(clock), 'key');
  });
  afterAll(() => database.close());

  const store = async (grantId: string): Promise<void> => {
    await adapter('Grant').upsert(grantId, { jti: grantId }, 1000);
    await adapter('RefreshToken').upsert(
      refreshOf(grantId),
      { jti: refreshOf(grantId), grantId },
      1000,
    );
    await adapter('AccessToken').upsert(
      accessOf(grantId),
      { jti: accessOf(grantId), grantId },
      1000,
    );
  };

  it('accepts one of several concurrent uses and ends the grant', async () => {
    await store('raced');

    const uses = await Promise.allSettled(
      Array.from({ length: 6 }, () => adapter('RefreshToken').consume(refreshOf('raced'))),
    );

    expect(uses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const use of uses) {
      if (use.status === 'rejected') expect(use.reason).toBeInstanceOf(errors.InvalidGrant);
    }
    expect(await adapter('Grant').find('raced')).toBeUndefined();
    expect(await adapter('AccessToken').find(accessOf('raced'))).toBeUndefined();
  });

  it('keeps a token used after it is written again', async () => {
    await store('used');
    await adapter('RefreshToken').consume(refreshOf('used'));
    await adapter('RefreshToken').upsert(refreshOf('used'), { grantId: 'used' }, 1000);

    expect(await adapter('RefreshToken').find(refreshOf('used'))).toMatchObject({
      jti: refreshOf('used'),
      consumed: expect.any(Number),
    });
    expect(await adapter('Grant').find('used')).toBeDefined();
  });

  it('stores a device code whose user code another request has just written', async () => {
    const insert = `INSERT INTO oidc_records (kind, id, payload, user_code) VALUES ('Test', $1, '{}', 'TAKEN')`;
    await database.query(insert, ['one']);
    let failure = await database.query(insert, ['other']).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error : undefined),
    );
    const raced = createAdapterFactory(
      {
        ...database,
        query: (...statement: Parameters<Database['query']>) => {
          const error = failure;
          failure = undefined;
          return error === undefined ? database.query(...statement) : Promise.reject(error);
        },
      },
      () => new Date(clock),
      'key',
    );
    await raced('DeviceCode').upsert('raced-code', { jti: 'raced-code', userCode: 'FREE' }, 1000);
    expect(await adapter('DeviceCode').findByUserCode('FREE')).toBeDefined();

    const save = raced('DeviceCode').upsert('other-code', { userCode: 'TAKEN' }, 1000);
    await expect(save).rejects.toMatchObject({ code: '23505' });
  });

  it('does not restore an ended session by a concurrent write', async () => {
    const sessions = adapter('Session');
    await sessions.upsert('signed-out', { jti: 'signed-out', uid: 'u1', accountId: 'a' }, 1000);
    await sessions.destroy('signed-out');

    await sessions.upsert('signed-out', { jti: 'signed-out', uid: 'u1', accountId: 'a' }, 1000);
    // The next sign-in in that browser keeps its `uid`.
    await sessions.upsert('signed-in', { jti: 'signed-in', uid: 'u1', accountId: 'b' }, 1000);

    expect(await sessions.find('signed-out')).toBeUndefined();
    expect(await sessions.findByUid('u1')).toMatchObject({ accountId: 'b' });
  });

  it('ends an interaction once; a concurrent write does not restore it', async () => {
    const interactions = adapter('Interaction');
    const payload = {
      jti: 'page',
      returnTo: 'https://service.example/oauth/auth/page',
      params: {},
    };
    await interactions.upsert('page', payload, 1000);
    expect(await interactions.find('page')).toMatchObject({ returnTo: payload.returnTo });

    await interactions.destroy('page');

    await expect(interactions.destroy('page')).rejects.toBeInstanceOf(errors.SessionNotFound);
    await interactions.upsert('page', { ...payload, result: { login: { accountId: 'a' } } }, 1000);
    expect(await interactions.find('page')).toBeUndefined();
    expect(
      await database.query(`SELECT payload -> 'result' AS result FROM oidc_records
                             WHERE kind = 'Interaction' AND consumed_at IS NOT NULL`),
    ).toEqual([{ result: null }]);
    // Events of an ended session are not required.
    await adapter('Session').destroy('never there');
  });

  it.each([
    ['denied', { error: 'access_denied' }],
    ['allowed', { accountId: 'a', grantId: 'g' }],
  ])('keeps the decision over a device code that was %s first', async (_what, decision) => {
    const codes = adapter('DeviceCode');
    const code = { jti: 'twice', params: {} };
    await codes.upsert('twice', code, 1000);
    await codes.upsert('twice', { ...code, ...decision }, 1000);

    for (const later of [{ accountId: 'b', grantId: 'h' }, { error: 'access_denied' }])
      await expect(codes.upsert('twice', { ...code, ...later }, 1000)).rejects.toMatchObject({
        error_description: 'the code was already used',
      });

    expect(await codes.find('twice')).toEqual({ ...code, ...decision });
    await codes.destroy('twice');
  });

  it('does not end a device code after a page error', async () => {
    const codes = adapter('DeviceCode');
    await codes.upsert('retried', { jti: 'retried', params: {} }, 1000);

    await codes.upsert('retried', { jti: 'retried', params: {}, error: 'server_error' }, 1000);

    expect(await codes.find('retried')).not.toHaveProperty('error');
    await codes.upsert('retried', { jti: 'retried', params: {}, accountId: 'a' }, 1000);
    expect(await codes.find('retried')).toMatchObject({ accountId: 'a' });
  });

  it('stores no token in usable form', async () => {
    await store('hidden');

    const rows = await database.query('SELECT * FROM oidc_records WHERE grant_id = $1', ['hidden']);

    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toMatch(/(at|rt)-hidden/);
  });

  it('ends the whole grant when one of its tokens is revoked', async () => {
    await store('one');
    await store('two');

    await adapter('AccessToken').revokeByGrantId('one');

    expect(await adapter('AccessToken').find(accessOf('one'))).toBeUndefined();
    expect(await adapter('RefreshToken').find(refreshOf('one'))).toBeUndefined();
    expect(await adapter('Grant').find('one')).toBeUndefined();
    expect(await adapter('AccessToken').find(accessOf('two'))).toBeDefined();
  });

  it('deletes all tokens of a destroyed grant', async () => {
    await store('ended');

    await adapter('Grant').destroy('ended');

    expect(await adapter('RefreshToken').find(refreshOf('ended'))).toBeUndefined();
    expect(await adapter('AccessToken').find(accessOf('ended'))).toBeUndefined();
  });

  it('finds sessions by uid and device codes by user code, expired ones for another hour', async () => {
    await adapter('Session').upsert('session', { jti: 'session', uid: 'the-uid' }, 1000);
    const code = { jti: 'code', userCode: 'BCDFGHJK', inFlight: true };
    await adapter('DeviceCode').upsert('code', code, 1000);

    expect(await adapter('Session').findByUid('the-uid')).toMatchObject({ uid: 'the-uid' });
    clock += 1001_000;
    await purgeExpired(database, new Date(clock), expiringRows());
    expect(await adapter('DeviceCode').findByUserCode('BCDFGHJK')).toEqual({
      jti: expect.stringMatching(/^sha256:/),
      userCode: 'BCDFGHJK',
    });
    clock += 3600_000;
    await purgeExpired(database, new Date(clock), expiringRows());
    expect(await adapter('DeviceCode').findByUserCode('BCDFGHJK')).toBeUndefined();
  });

  it('updates a device code that was found by its user code', async () => {
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
});
