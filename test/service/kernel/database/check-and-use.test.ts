import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { setMember } from '../../../../service/identity/accounts/accounts.js';
import { Invitations } from '../../../../service/identity/invitations/invitations.js';
import { Members } from '../../../../service/identity/access/members.js';
import { hashPassword } from '../../../../service/kernel/password-hash.js';
import { PersonalTokens } from '../../../../service/identity/accounts/personal-access-tokens.js';
import { runCommand } from '../../../../service/app/admin-commands.js';
import type { Database } from '../../../../service/kernel/database/database.js';
import { BearerCheck, type Principal } from '../../../../service/oauth/tokens/bearer.js';
import { TestBrowser, approveDevice } from '../../support/browser-client.js';
import { listUploads, poll, refresh, startDevice, tokensOf } from '../../support/oauth-client.js';
import { CHEAP, openReadyDatabase } from '../../support/database-templates.js';
import {
  addUser,
  addWorkspace,
  connectAs,
  openSettings,
  send,
  type TestUser,
} from '../../support/users.js';
import { startTestService, type TestService } from '../../support/running-service.js';
import { shareAs } from '../../delivery/shares/sharing.js';
import { photo } from '../../support/tus-client.js';

const HOUR_MS = 3_600_000;

/** A database in which something happens just before a statement, or before a transaction, once. */
interface Interrupted {
  readonly database: Database;
  /** @param when a part of the statement; 'transaction' for the beginning of a transaction */
  before(when: string, happens: () => Promise<unknown>): void;
  /** Whether all that was to happen has happened. */
  isOver(): boolean;
}

function interrupt(database: Database): Interrupted {
  let next: { readonly when: string; readonly happens: () => Promise<unknown> } | undefined;
  const reach = async (matches: (when: string) => boolean): Promise<void> => {
    const now = next;
    if (now !== undefined && matches(now.when)) {
      next = undefined;
      await now.happens();
    }
  };
  return {
    database: {
      ...database,
      query: async (sql, params) => {
        await reach((when) => sql.includes(when));
        return database.query(sql, params);
      },
      transaction: async (work) => {
        await reach((when) => when === 'transaction');
        return database.transaction(work);
      },
    },
    before: (when, happens) => {
      next = { when, happens };
    },
    isOver: () => next === undefined,
  };
}

describe('changes between a check and its use', () => {
  let database: Database;
  let interrupted: Interrupted;
  let service: TestService;
  let workspaceId: string;
  let owner: TestUser;
  let user: TestUser;
  let ahead = 0;
  const now = (): Date => new Date(Date.now() + ahead);

  beforeAll(async () => {
    database = await openReadyDatabase();
    interrupted = interrupt(database);
    service = await startTestService({ database: interrupted.database, now });
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    ahead = 0;
    workspaceId = await addWorkspace({ database }, 'North Studio');
    owner = await addUser({ database }, { [workspaceId]: 'owner' });
    user = await addUser({ database }, { [workspaceId]: 'member' });
  });
  afterEach(() => expect(interrupted.isOver()).toBe(true));

  const setRole = (who: TestUser, role: 'owner' | 'member'): Promise<void> =>
    setMember(database, workspaceId, who.accountId, role);
  const isAlive = async (token: string): Promise<boolean> =>
    (await listUploads(service.baseUrl, token)).status === 200;

  describe('an invitation after its lookup', () => {
    const invitations = (): Invitations => new Invitations(interrupted.database, now);

    it.each<[string, (id: string) => Promise<unknown>, string]>([
      ['nothing happens', () => Promise.resolve(), 'joined'],
      // As a version before did it, which ended no invitations.
      ['its maker is a member by now', () => setRole(owner, 'member'), 'gone'],
      [
        'its maker has left',
        () =>
          database.query('DELETE FROM workspace_members WHERE account_id = $1', [owner.accountId]),
        'gone',
      ],
      ['it is revoked', (id) => new Invitations(database, now).revoke(workspaceId, id), 'gone'],
      [
        'its time is over',
        async () => {
          ahead = 8 * 24 * HOUR_MS;
          await Promise.resolve();
        },
        'gone',
      ],
    ])('is refused if it ended before the join: %s', async (_what, happens, expected) => {
      const made = await invitations().create({
        workspaceId,
        role: 'owner',
        invitedBy: owner.accountId,
      });
      if (typeof made === 'string') throw new Error(made);
      const guest = await addUser({ database }, {});
      interrupted.before('transaction', () => happens(made.id));

      expect(await invitations().join(made.token, guest.accountId)).toBe(expected);

      const rows = await database.query(
        'SELECT role FROM workspace_members WHERE account_id = $1',
        [guest.accountId],
      );
      expect(rows).toEqual(expected === 'joined' ? [{ role: 'owner' }] : []);
    });

    it('is not created for a former owner', async () => {
      interrupted.before('transaction', () => setRole(owner, 'member'));
      const made = invitations().create({
        workspaceId,
        role: 'owner',
        invitedBy: owner.accountId,
      });
      expect(await made).toBe('no owner');
    });
  });

  it('checks the role of the acting user at the time of the change', async () => {
    await setRole(user, 'owner');
    const members = new Members(interrupted.database);
    const about = { workspaceId, by: owner.accountId, accountId: user.accountId };
    for (const change of [
      () => members.setRole(about, 'member'),
      () => members.remove(about),
      () => members.setRole({ ...about, accountId: owner.accountId }, 'owner'),
    ]) {
      await setRole(owner, 'owner');
      interrupted.before('transaction', () => setRole(owner, 'member'));
      expect(await change()).toBeDefined();
      expect(
        await database.query(
          'SELECT account_id, role FROM workspace_members WHERE workspace_id = $1 ORDER BY role',
          [workspaceId],
        ),
      ).toEqual([
        { account_id: owner.accountId, role: 'member' },
        { account_id: user.accountId, role: 'owner' },
      ]);
    }
  });

  describe('an operator command', () => {
    /** Runs a command; `late` happens while it waits for requests in progress. */
    const admin = (command: string, late: () => Promise<unknown>): Promise<string> =>
      runCommand(
        {
          database,
          storage: () => {
            throw new Error('no uploads here');
          },
          settle: async () => {
            await late();
          },
          baseUrl: service.baseUrl,
        },
        command,
        [user.username],
      );
    const isSignedIn = async (browser: TestBrowser): Promise<boolean> =>
      (await browser.open('/settings/account')).text.includes('Sign out');
    const makeToken = (): Promise<string | undefined> =>
      new PersonalTokens(database, now).create(user.accountId, {
        name: 'x',
        workspaceId,
        scopes: ['uploads:read'],
        days: 7,
      });

    it('end-sessions also ends consents, sign-ins and tokens in progress', async () => {
      const early = {
        browser: await openSettings(service, user),
        token: await connectAs(service, user),
      };
      const late: { browser: TestBrowser; token: string }[] = [];
      let personal: string | undefined;

      await admin('end-sessions', async () => {
        // The existing sessions have ended already.
        expect([await isSignedIn(early.browser), await isAlive(early.token)]).toEqual([
          false,
          false,
        ]);
        late.push({
          browser: await openSettings(service, user),
          token: await connectAs(service, user),
        });
        personal = await makeToken();
      });

      expect(late).toHaveLength(1);
      for (const { browser, token } of late)
        expect([await isSignedIn(browser), await isAlive(token)]).toEqual([false, false]);
      expect([typeof personal, await isAlive(personal ?? '')]).toEqual(['string', false]);
      expect((await openSettings(service, user)).page.text).toContain('Sign out');
    });

    it('end-sessions also ends an open consent page', async () => {
      const browser = new TestBrowser(service.baseUrl);
      const { userCode, deviceCode } = await startDevice(service.baseUrl);
      await browser.open(`/oauth/device?user_code=${userCode}`);
      await browser.submit('Continue');
      const { username, password } = user;
      await browser.submit('Sign in', { username, password });

      await admin('end-sessions', () => Promise.resolve());

      const answer = await browser.submit('Allow');
      expect(answer.text).not.toContain('You are connected');
      expect((await poll(service.baseUrl, deviceCode)).body).toMatchObject({
        error: 'authorization_pending',
      });
      // The code itself is still good for who signs in again.
      await approveDevice(service.baseUrl, userCode, user);
      ahead = 60_000;
      expect((await poll(service.baseUrl, deviceCode)).status).toBe(200);
    });

    it('reset-password ends sign-ins with the old password, and no app', async () => {
      const token = await connectAs(service, user);
      const late: TestBrowser[] = [];
      const hash = await hashPassword(user.password, CHEAP);

      await admin('reset-password', async () => {
        // The old password was checked just before the change, and becomes a session now.
        const [row] = await database.query<{ password_hash: string }>(
          'SELECT password_hash FROM accounts WHERE id = $1',
          [user.accountId],
        );
        const set = 'UPDATE accounts SET password_hash = $2 WHERE id = $1';
        await database.query(set, [user.accountId, hash]);
        late.push(await openSettings(service, user));
        await database.query(set, [user.accountId, row?.password_hash ?? '']);
      });

      expect(late).toHaveLength(1);
      for (const browser of late) expect(await isSignedIn(browser)).toBe(false);
      expect(await isAlive(token)).toBe(true);
    });
  });

  it.each([
    ['is the one that counts when the old one is given too late', true],
    ['is set when nobody else sets one', false],
  ])('a new password %s', async (_what, isReset) => {
    const browser = await openSettings(service, user, '/settings/account');
    const theirs = await hashPassword('heron lamp quarter', CHEAP);
    // The old password has just been found right, so that the attempt is given back.
    if (isReset)
      interrupted.before('UPDATE attempts SET count', () =>
        database.query('UPDATE accounts SET password_hash = $2 WHERE id = $1', [
          user.accountId,
          theirs,
        ]),
      );
    const page = await browser.submit('Change password', {
      password: user.password,
      new_password: 'four violet otters',
      new_password_again: 'four violet otters',
    });
    expect(page.status).toBe(isReset ? 401 : 200);
    const right = isReset ? 'heron lamp quarter' : 'four violet otters';
    const { username } = user;
    expect((await openSettings(service, { username, password: right })).page.text).toContain(
      'Sign out',
    );
  });

  it('refuses an access token that is revoked during its first use', async () => {
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    await approveDevice(service.baseUrl, userCode, user);
    const first = tokensOf(await poll(service.baseUrl, deviceCode));
    const more = { refresh_attempt: randomBytes(32).toString('base64url') };
    const second = tokensOf(await refresh(service.baseUrl, first.refreshToken, more));
    let third: string | undefined;
    // It was found good; then its refresh is repeated, and only after that its use is noted.
    interrupted.before('SET successor_used_at = COALESCE', async () => {
      third = tokensOf(await refresh(service.baseUrl, first.refreshToken, more)).accessToken;
    });

    expect(await isAlive(second.accessToken)).toBe(false);

    expect(third).toMatch(/^svc_at_/);
    expect(await isAlive(third ?? '')).toBe(true);
  });

  it('logs the revocation of a link once', async () => {
    const id = await send(service, await connectAs(service, user), 'x.jpg', photo(10));
    const revoked = (): unknown[] =>
      service.logLines.filter(
        ({ action, by }) => action === 'link_revoked' && by === user.accountId,
      );
    for (const isFaster of [false, true]) {
      await shareAs(service, user, { photo: id });
      const [link] = await database.query<{ id: string }>(
        'SELECT id FROM shares WHERE created_by = $1 AND revoked_at IS NULL',
        [user.accountId],
      );
      const browser = await openSettings(service, user, `/shares/${link?.id ?? ''}/revoke`);
      if (isFaster)
        interrupted.before('transaction', () =>
          database.query('UPDATE shares SET revoked_at = $2 WHERE id = $1', [
            link?.id ?? '',
            now(),
          ]),
        );
      await browser.submit('Revoke');
      expect(revoked()).toHaveLength(1);
    }
  });

  describe('a long request', () => {
    const bearer = (): BearerCheck =>
      new BearerCheck(database, new PersonalTokens(database, now), '', '', now);
    const grantOf = async (): Promise<Principal> => {
      await connectAs(service, user);
      const [row] = await database.query<{ grant_id: string }>(
        'SELECT grant_id FROM consents WHERE account_id = $1',
        [user.accountId],
      );
      return callerBy({ kind: 'grant', id: row?.grant_id ?? '' });
    };
    const tokenOf = async (): Promise<Principal> => {
      const tokens = new PersonalTokens(database, now);
      const entry = { name: 'x', workspaceId, scopes: ['uploads:read'], days: 7 } as const;
      await tokens.create(user.accountId, entry);
      const [token] = await tokens.of(user);
      return callerBy({ kind: 'personal', id: token?.id ?? '' });
    };
    const callerBy = (permission: Principal['permission']): Principal => ({
      accountId: user.accountId,
      workspaceId,
      clientId: 'app',
      scopes: new Set(),
      permission,
    });
    const endMembership = (): Promise<unknown> =>
      database.query('DELETE FROM workspace_members WHERE account_id = $1', [user.accountId]);

    it.each<[string, () => Promise<Principal>, (caller: Principal) => Promise<unknown>, boolean]>([
      ['by a grant goes on', grantOf, () => Promise.resolve(), true],
      ['by a token goes on', tokenOf, () => Promise.resolve(), true],
      ['by a grant ends with the membership', grantOf, endMembership, false],
      ['by a token ends with the membership', tokenOf, endMembership, false],
      [
        'by a grant ends with the grant, though the consent is left',
        grantOf,
        ({ permission }) =>
          database.query(`DELETE FROM oidc_records WHERE kind = 'Grant' AND id = $1`, [
            permission.id,
          ]),
        false,
      ],
      [
        'by a token ends with the token',
        tokenOf,
        ({ permission }) => new PersonalTokens(database, now).revoke(user, permission.id),
        false,
      ],
    ])('%s', async (_what, begin, happens, goesOn) => {
      const caller = await begin();
      expect(await bearer().isStillAuthorized(caller)).toBe(true);
      await happens(caller);
      expect(await bearer().isStillAuthorized(caller)).toBe(goesOn);
      expect(await bearer().isStillAuthorized({ ...caller, accountId: owner.accountId })).toBe(
        false,
      );
      expect(await bearer().isStillAuthorized({ ...caller, workspaceId: 'elsewhere' })).toBe(false);
    });
  });
});
