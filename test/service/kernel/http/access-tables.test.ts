import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  Accounts,
  createAccount,
  createAccountWithWorkspace,
  createWorkspace,
  removeMember,
  setMember,
  setPassword,
} from '../../../../service/identity/accounts/accounts.js';
import { revokeAccess } from '../../../../service/identity/access/revoke-access.js';
import { hashPassword } from '../../../../service/kernel/password-hash.js';
import { PersonalTokens } from '../../../../service/identity/accounts/personal-access-tokens.js';
import { withAmbientTransactions } from '../../../../service/kernel/database/ambient-transaction.js';
import type { Database } from '../../../../service/kernel/database/database.js';
import { ConnectedApps } from '../../../../service/oauth/tokens/connected-apps.js';
import { endGrantsOfClient } from '../../../../service/identity/access/grants.js';
import { CHEAP, openMigratedDatabase } from '../../support/database-templates.js';

const NOW = new Date('2026-01-15T12:00:00Z');
const after = (ms: number): Date => new Date(NOW.getTime() + ms);

let database: Database;
let anna: string;
let ben: string;
let workspaceId: string;

beforeAll(async () => {
  database = withAmbientTransactions(await openMigratedDatabase());
});
afterAll(() => database.close());
beforeEach(async () => {
  for (const table of ['oidc_records', 'accounts', 'workspaces'])
    await database.query(`DELETE FROM ${table}`);
  const hash = await hashPassword('the password', CHEAP);
  const user = async (username: string): Promise<string> => {
    await database.query(
      'INSERT INTO accounts (id, username, display_name, password_hash) VALUES ($1, $1, $1, $2)',
      [username, hash],
    );
    return username;
  };
  [anna, ben] = [await user('anna'), await user('ben')];
  workspaceId = await createWorkspace(database, 'Studio');
  for (const one of [anna, ben]) await setMember(database, workspaceId, one, 'member');
});

/** One row of what oidc-provider stores. */
async function store(
  kind: string,
  id: string,
  {
    payload = {},
    grantId = null,
    expiresAt = after(1000),
    consumedAt = null,
  }: {
    readonly payload?: Readonly<Record<string, unknown>>;
    readonly grantId?: string | null;
    readonly expiresAt?: Date;
    readonly consumedAt?: Date | null;
  } = {},
): Promise<void> {
  await database.query(
    `INSERT INTO oidc_records (kind, id, payload, grant_id, expires_at, consumed_at)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [kind, id, JSON.stringify(payload), grantId, expiresAt, consumedAt],
  );
}

async function allow(
  grantId: string,
  accountId: string,
  { clientId = 'app', createdAt = NOW, expiresAt = after(1000) } = {},
): Promise<void> {
  await store('Grant', grantId, { expiresAt });
  await database.query(
    `INSERT INTO consents (grant_id, account_id, workspace_id, client_id, scope, created_at)
     VALUES ($1, $2, $3, $4, 'uploads:write', $5)`,
    [grantId, accountId, workspaceId, clientId, createdAt],
  );
}

const remaining = async (): Promise<string[]> => {
  const rows = await database.query<{ id: string }>(
    'SELECT id FROM oidc_records WHERE consumed_at IS NULL ORDER BY id',
  );
  return rows.map(({ id }) => id);
};

describe('connected apps', () => {
  const connections = (): ConnectedApps =>
    new ConnectedApps(
      database,
      () => NOW,
      () => Promise.resolve(),
    );
  const idsOf = async (accountId: string): Promise<string[]> =>
    (await connections().of({ accountId })).map(({ grantId }) => grantId);

  it('lists connections with a usable token, newest first', async () => {
    await allow('older', anna, { createdAt: after(-1000) });
    await store('AccessToken', 'a1', { grantId: 'older' });
    await allow('newer', anna);
    await store('RefreshToken', 'r2', { grantId: 'newer' });
    await allow('of ben', ben);
    await store('RefreshToken', 'r3', { grantId: 'of ben' });

    expect(await idsOf(anna)).toEqual(['newer', 'older']);
    expect(await idsOf(ben)).toEqual(['of ben']);
    const [connection] = await connections().of({ accountId: ben });
    expect(connection).toMatchObject({ clientId: 'app', workspaceName: 'Studio', createdAt: NOW });
    expect(connection?.lastUsedAt).toBeUndefined();
  });

  it('does not list connections without a usable token', async () => {
    await allow('without tokens', anna);
    await allow('over', anna, { expiresAt: NOW });
    await store('RefreshToken', 'r1', { grantId: 'over' });
    await allow('tokens over', anna);
    await store('RefreshToken', 'r2', { grantId: 'tokens over', expiresAt: NOW });
    await allow('used up', anna);
    await store('DeviceCode', 'd3', { grantId: 'used up', consumedAt: NOW });

    expect(await idsOf(anna)).toEqual([]);
  });

  it('only its user can end a connection, with all its tokens', async () => {
    for (const [grantId, user] of [
      ['g1', anna],
      ['g2', anna],
      ['g3', ben],
    ] as const) {
      await allow(grantId, user);
      await store('AccessToken', `${grantId} access`, { grantId });
    }

    const by = { audit: () => Promise.resolve(), response: undefined };
    const end = (user: string, grantId: string): Promise<void> =>
      connections().end({ accountId: user }, { grantId, client: undefined }, by);
    await end(ben, 'g1');
    expect(await remaining()).toHaveLength(6);
    await end(anna, 'g1');

    expect(await remaining()).toEqual(['g2', 'g2 access', 'g3', 'g3 access']);
    expect(await database.query('SELECT grant_id FROM consents ORDER BY grant_id')).toEqual([
      { grant_id: 'g2' },
      { grant_id: 'g3' },
    ]);
  });

  it('ends all connections of a deleted app', async () => {
    await allow('g1', anna, { clientId: 'gone' });
    await allow('g2', ben, { clientId: 'gone' });
    await allow('g3', ben, { clientId: 'stays' });

    await database.transaction((transaction) => endGrantsOfClient(transaction, 'gone'));

    expect(await remaining()).toEqual(['g3']);
  });
});

describe('the access of a user', () => {
  it('ends for sessions, sign-ins, apps and tokens of this user only', async () => {
    for (const [name, user] of [
      ['anna', anna],
      ['ben', ben],
    ] as const) {
      const interaction = (what: string, payload: object): Promise<void> =>
        store('Interaction', `${name} ${what}`, { payload: { ...payload } });
      await store('Session', `${name} session`, { payload: { accountId: user } });
      await interaction('consent', { session: { accountId: user } });
      await interaction('signing in', { result: { login: { accountId: user } } });
      await interaction('signed in', { lastSubmission: { login: { accountId: user } } });
      await allow(`${name} grant`, user);
      await store('RefreshToken', `${name} token`, { grantId: `${name} grant` });
      await new PersonalTokens(database, () => NOW).create(user, {
        workspaceId,
        name: 'Script',
        scopes: ['uploads:read'],
        days: 7,
      });
    }
    await store('Interaction', 'nobody', { payload: {} });
    const all = await remaining();

    const ended = await database.transaction((transaction) => revokeAccess(transaction, anna));

    expect(ended).toEqual({ browserSessions: 1, connectedApps: 1, personalTokens: 1 });
    expect(await remaining()).toEqual(all.filter((id) => !id.startsWith('anna')));
    expect(await database.query('SELECT account_id FROM personal_access_tokens')).toEqual([
      { account_id: ben },
    ]);
    // The interaction holds nothing of the sign-in any more, and the request has the reason of its end.
    const rows = await database.query<{ id: string; payload: Record<string, unknown> }>(
      'SELECT id, payload FROM oidc_records WHERE consumed_at IS NOT NULL ORDER BY id',
    );
    expect(rows.map(({ id }) => id)).toEqual([
      'anna consent',
      'anna session',
      'anna signed in',
      'anna signing in',
    ]);
    for (const { id, payload } of rows)
      if (id === 'anna session') expect(payload).toEqual({});
      else expect(payload['result']).toEqual({ endedForThem: true });
  });
});

describe('a personal access token', () => {
  let clock = NOW;
  const tokens = (): PersonalTokens => new PersonalTokens(database, () => clock);
  const make = async (name: string): Promise<string> =>
    (await tokens().create(anna, entry(name))) ?? 'none was made';
  const entry = (name: string, days = 7) =>
    ({ workspaceId, name, scopes: ['uploads:read', 'uploads:write'], days }) as const;

  beforeEach(() => {
    clock = NOW;
  });

  it('is accepted until it expires', async () => {
    const token = await make('Script');
    expect(token).toMatch(/^svc_pat_[\w-]{43}$/);
    clock = after(7 * 24 * 3600_000 - 1);
    expect(await tokens().ownerOf(token)).toMatchObject({
      accountId: anna,
      workspaceId,
      scope: 'uploads:read uploads:write',
      lastUsedAt: undefined,
    });
    expect(await tokens().of({ accountId: anna })).toHaveLength(1);
    clock = after(7 * 24 * 3600_000);
    expect(await tokens().ownerOf(token)).toBeUndefined();
    expect(await tokens().of({ accountId: anna })).toEqual([]);
  });

  it('is listed for its owner, who alone can revoke it', async () => {
    const first = await make('First');
    clock = after(1);
    await make('Second');
    const [second, other, ...more] = await tokens().of({ accountId: anna });
    const id = other?.id ?? '';
    expect(second).toMatchObject({ name: 'Second', workspaceName: 'Studio', createdAt: clock });
    expect(more).toEqual([]);

    await tokens().revoke({ accountId: ben }, id);
    expect(await tokens().ownerOf(first)).toBeDefined();
    await tokens().markUsed(id);
    expect(await tokens().ownerOf(first)).toMatchObject({ lastUsedAt: clock });
    await tokens().revoke({ accountId: anna }, id);
    expect(await tokens().ownerOf(first)).toBeUndefined();
    expect((await tokens().of({ accountId: anna })).map(({ name }) => name)).toEqual(['Second']);
  });

  it('is accepted only while its owner is a member of its workspace', async () => {
    const other = await createWorkspace(database, 'Other');
    await setMember(database, other, anna, 'owner');
    const token = await make('Script');
    await removeMember(database, workspaceId, anna);
    expect(await tokens().ownerOf(token)).toBeUndefined();
    // A former member cannot create one either.
    expect(await tokens().create(anna, entry('Late'))).toBeUndefined();
    expect(await new Accounts(database).workspacesOf(anna)).toMatchObject([{ id: other }]);
    expect(await new Accounts(database).workspacesOf(ben)).toMatchObject([{ id: workspaceId }]);
  });
});

describe('an account', () => {
  const accounts = (): Accounts => new Accounts(database);

  it('is opened by its password in every spelling of the username', async () => {
    await createAccountWithWorkspace(database, {
      username: 'Cleo',
      displayName: 'Cleo C.',
      password: 'first password',
      workspace: 'Own',
    });
    const cleo = await accounts().signIn('  CLEO ', 'first password');
    expect(cleo).toEqual({
      id: expect.any(String),
      username: 'cleo',
      displayName: 'Cleo C.',
      passwordHash: expect.any(String),
    });
    expect(await accounts().signIn('cleo', 'wrong')).toBeUndefined();
    expect(await accounts().signIn('nobody', 'first password')).toBeUndefined();
    expect(await accounts().workspacesOf(cleo?.id ?? '')).toMatchObject([
      { name: 'Own', role: 'owner' },
    ]);

    await setPassword(database, cleo?.id ?? '', 'second password');
    expect(await accounts().signIn('cleo', 'first password')).toBeUndefined();
    expect(await accounts().signIn('cleo', 'second password')).toBeDefined();
    expect(await accounts().signIn('anna', 'second password')).toBeUndefined();
  });

  it('is not opened when it is removed during the password check', async () => {
    await createAccount(database, { username: 'dora', displayName: 'Dora', password: 'a secret' });
    const removing = Object.create(database, {
      query: {
        value: async (...given: Parameters<Database['query']>): Promise<object[]> => {
          const rows = await database.query(...given);
          await database.query(`DELETE FROM accounts WHERE username = 'dora'`);
          return rows;
        },
      },
    }) as Database;
    expect(await new Accounts(removing).signIn('dora', 'a secret')).toBeUndefined();
    expect(await accounts().passwordHash('nobody')).toBeUndefined();
  });

  it('is not opened by a wrong password in any spelling', async () => {
    await database.query('UPDATE accounts SET password_hash = $1 WHERE id = $2', [
      await hashPassword('caf\u00e9', CHEAP),
      anna,
    ]);
    const refusing = new Accounts(database, 'caf\u00e9');
    for (const password of ['caf\u00e9', 'cafe\u0301'])
      expect(await refusing.signIn('anna', password)).toBeUndefined();
    expect(await refusing.signIn('ben', 'the password')).toBeDefined();
  });

  it('has one role in a workspace, the last one assigned', async () => {
    await setMember(database, workspaceId, anna, 'owner');
    expect(await accounts().workspacesOf(anna)).toMatchObject([{ role: 'owner' }]);
    expect(await accounts().workspacesOf(ben)).toMatchObject([{ role: 'member' }]);
    await setMember(database, workspaceId, anna, 'member');
    expect(await accounts().workspacesOf(anna)).toMatchObject([{ role: 'member' }]);
  });
});
