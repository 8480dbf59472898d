import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { setMember, type Role } from '../../../service/identity/accounts/accounts.js';
import { PersonalTokens } from '../../../service/identity/accounts/personal-access-tokens.js';
import type { Database } from '../../../service/kernel/database/database.js';
import { openPostgresDatabase } from '../../../service/kernel/database/postgres.js';
import { TestBrowser, type Page } from '../support/browser-client.js';
import { poll, startDevice } from '../support/oauth-client.js';
import {
  addUser,
  addWorkspace,
  elementText,
  openSettings,
  send,
  type TestUser,
} from '../support/users.js';
import { newUserForm } from '../identity/pages/inviting.js';
import { startServiceProcess, type ServiceProcess } from '../support/service-process.js';
import { jpeg } from '../support/tus-client.js';
import { dropDatabase, makeDatabaseUrl } from './databases.js';
import { formsOf } from './forms.js';
import { startProxy, type RoundRobinProxy } from './proxy.js';

const SERVER = process.env['TEST_DATABASE_URL'];

/**
 * Writers of these tables wait for this lock. So a test stops a request in the middle of its
 * transaction, and does something at the other process at the same time.
 */
const STOP = `
  CREATE FUNCTION stop_here() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(1);
    RETURN NEW;
  END $$;
  CREATE TRIGGER stop_here BEFORE INSERT ON consents FOR EACH ROW EXECUTE FUNCTION stop_here();
  CREATE TRIGGER stop_here BEFORE INSERT ON personal_access_tokens FOR EACH ROW EXECUTE FUNCTION stop_here();
  CREATE TRIGGER stop_here BEFORE INSERT ON shares FOR EACH ROW EXECUTE FUNCTION stop_here();
`;

describe('a workspace at two processes on one PostgreSQL (npm run test:all -- postgres)', () => {
  let databaseUrl: string;
  let folder: string;
  let database: Database;
  /** The test's own connection, which holds others up. */
  let holder: Client;
  /** The public URL, which leads to the first process. Most requests choose a process explicitly. */
  let proxy: RoundRobinProxy;
  let processes: ServiceProcess[] = [];
  /** The origins of the two. */
  let one: string;
  let two: string;
  let workspaceId: string;
  let owner: TestUser;

  beforeAll(async () => {
    databaseUrl = await makeDatabaseUrl(SERVER ?? '');
    folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-people-'));
    proxy = await startProxy();
    const start = (): Promise<ServiceProcess> =>
      startServiceProcess({ databaseUrl, dataDir: folder, baseUrl: proxy.baseUrl });
    processes = await Promise.all([start(), start()]);
    proxy.use(processes.slice(0, 1).map(({ port }) => port));
    [one = '', two = ''] = processes.map(({ ownUrl }) => ownUrl);
    database = await openPostgresDatabase(databaseUrl, (error) => {
      throw error;
    });
    await database.transaction((transaction) => transaction.execute(STOP));
    holder = new Client({ connectionString: databaseUrl });
    await holder.connect();
  });
  afterAll(async () => {
    await holder.end();
    await database.close();
    await proxy.close();
    await Promise.all(processes.map((process) => process.stop()));
    await rm(folder, { recursive: true, force: true });
    await dropDatabase(SERVER ?? '', databaseUrl);
  });
  beforeEach(async () => {
    workspaceId = await addWorkspace({ database }, 'North Studio');
    owner = await addUser({ database }, { [workspaceId]: 'owner' });
  });

  /** Resolves when so many requests wait for a lock or have been answered. Background work waits only for a moment. */
  const untilStopped = async (requests: readonly Promise<unknown>[]): Promise<void> => {
    let answered = 0;
    for (const request of requests) {
      const count = (): void => {
        answered += 1;
      };
      request.then(count, count);
    }
    for (;;) {
      const [row] = await database.query<{ waiting: number }>(
        `SELECT count(*)::integer AS waiting FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'
            AND query_start < clock_timestamp() - interval '100 milliseconds'`,
      );
      if ((row?.waiting ?? 0) + answered >= requests.length) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };

  /** Lets requests come as far as the rows of the workspace's members, and then continue at the same moment. */
  const atTheSameMoment = async <T>(...requests: readonly (() => Promise<T>)[]): Promise<T[]> => {
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM workspace_members WHERE workspace_id = $1 FOR UPDATE', [
      workspaceId,
    ]);
    const answers = requests.map((request) => request());
    await untilStopped(answers);
    await holder.query('COMMIT');
    return Promise.all(answers);
  };

  /** Stops `first` in the middle of its transaction (see {@link STOP}), starts `second`, and continues both. */
  const inTheMiddleOf = async <T>(
    first: () => Promise<T>,
    second: () => Promise<T>,
  ): Promise<[T, T]> => {
    await holder.query('SELECT pg_advisory_lock(1)');
    const begun = first();
    await untilStopped([begun]);
    const other = second();
    await untilStopped([begun, other]);
    await holder.query('SELECT pg_advisory_unlock(1)');
    return Promise.all([begun, other]);
  };

  /** Sends a form of this URL as a user who is signed in at this process. */
  const former = async (
    at: string,
    user: TestUser,
    action: string,
  ): Promise<(fields: Record<string, string>) => Promise<number>> => {
    const submit = await formsOf(at, user, { workspace: workspaceId });
    return (fields) => submit(action, fields);
  };

  const rolesOf = async (): Promise<Record<string, Role>> => {
    const rows = await database.query<{ account_id: string; role: Role }>(
      'SELECT account_id, role FROM workspace_members WHERE workspace_id = $1',
      [workspaceId],
    );
    return Object.fromEntries(rows.map((row) => [row.account_id, row.role]));
  };
  const statusOf = async (address: string): Promise<number> => {
    const answer = await fetch(address, { redirect: 'manual' });
    await answer.arrayBuffer();
    return answer.status;
  };
  /** A photo of this user in the workspace. */
  const upload = async (user: TestUser, name = 'Harbour.jpg'): Promise<string> => {
    const token = await new PersonalTokens(database, () => new Date()).create(user.accountId, {
      ...{ name: 'Upload', workspaceId, days: 7 },
      scopes: ['uploads:write'],
    });
    return send({ baseUrl: one }, token ?? '', name, jpeg(300));
  };
  const linkTo = async (
    at: string,
    id: string,
    fields: Record<string, string> = {},
  ): Promise<string> => {
    const browser = await openSettings({ baseUrl: at }, owner, `/shares/new?photo=${id}`);
    const page = await browser.submit('Create link', fields);
    return new URL(elementText(page, 'secret')).pathname;
  };

  describe('a link', () => {
    it('created at one opens at the other, and a revocation ends it at both', async () => {
      const id = await upload(owner);
      const browser = await openSettings({ baseUrl: one }, owner, '/shares');
      for (const [made, revoked] of [
        [one, two],
        [two, one],
      ] as const) {
        const link = await linkTo(made, id);
        for (const at of [one, two]) {
          expect(await statusOf(at + link)).toBe(200);
          expect(await statusOf(`${at}${link}/file?photo=${id}`)).toBe(200);
        }
        const list = browser.copy(revoked);
        const { markup } = await list.open(`/shares?workspace=${workspaceId}`);
        await list.open(/href="(\/shares\/[^"]+\/revoke)"/.exec(markup)?.[1] ?? '');
        await list.submit('Revoke');
        for (const at of [one, two])
          for (const way of ['', `/file?photo=${id}`, `/thumbnail?photo=${id}`, '/zip'])
            expect([way, await statusOf(at + link + way)]).toEqual([way, 404]);
      }
    });

    it('counts wrong passwords of both, and a password entered at one opens it at the other', async () => {
      const id = await upload(owner);
      const password = 'harbour at night';
      const link = await linkTo(one, id, { password });
      const guest = new TestBrowser(one);
      await guest.open(link);
      expect((await guest.submit('Continue', { password })).text).toContain('Harbour.jpg');
      expect((await guest.copy(two).open(link)).text).toContain('Harbour.jpg');

      // Ten are allowed from one address.
      const guessers = [new TestBrowser(one), new TestBrowser(two)];
      for (const guesser of guessers) await guesser.open(link);
      for (let round = 0; round < 5; round += 1)
        for (const guesser of guessers)
          expect((await guesser.submit('Continue', { password: `guess ${round}` })).status).toBe(
            401,
          );
      for (const guesser of guessers)
        expect((await guesser.submit('Continue', { password })).status).toBe(429);
    });

    it('is deleted when its creator is removed at the other process during its creation', async () => {
      const maker = await addUser({ database }, { [workspaceId]: 'member' });
      const id = await upload(maker);
      const make = await former(one, maker, '/shares/new');
      const remove = await former(two, owner, `/settings/people/${maker.accountId}`);

      const [made, removed] = await inTheMiddleOf(
        () => make({ photo: id, days: '30' }),
        () => remove({ action: 'remove', confirm: 'yes' }),
      );

      // The page about the new link is 404 when the link is gone before it is read.
      expect([201, 404]).toContain(made);
      expect(removed).toBe(303);
      await setMember(database, workspaceId, maker.accountId, 'member');
      expect(await database.query('SELECT 1 FROM share_photos WHERE photo_id = $1', [id])).toEqual(
        [],
      );
    });
  });

  describe('an invitation', () => {
    it.each([1, 2, 3])('is used once by concurrent requests at both processes (%s)', async () => {
      const inviting = await openSettings(
        { baseUrl: one },
        owner,
        '/settings/people/invitations/new',
      );
      const made = await inviting.submit('Create link', { workspace: workspaceId, role: 'member' });
      const link = elementText(made, 'link').replace(proxy.baseUrl, '');
      const guests = [one, two].map((at) => new TestBrowser(at));
      for (const guest of guests) await guest.open(link);
      const users = guests.map(() => newUserForm());
      const [here, there] = guests.map(
        (guest, index) => () => guest.submit('Create account and join', users[index]),
      );
      if (here === undefined || there === undefined) throw new Error('two guests are needed');

      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM invitations WHERE workspace_id = $1 FOR UPDATE', [
        workspaceId,
      ]);
      const answers = [here(), there()];
      await untilStopped(answers);
      await holder.query('COMMIT');
      const pages: Page[] = await Promise.all(answers);

      expect(pages.map(({ status }) => status).sort()).toEqual([200, 404]);
      expect(Object.keys(await rolesOf())).toHaveLength(2);
      // The loser has no account, and can use the name with another link.
      const names = users.map(({ username = '' }) => username.toLowerCase());
      const known = await database.query(
        'SELECT 1 FROM accounts WHERE username IN ($1, $2)',
        names,
      );
      expect(known).toHaveLength(1);
    });
  });

  describe('the last owner', () => {
    let partner: TestUser;

    beforeEach(async () => {
      partner = await addUser({ database }, { [workspaceId]: 'owner' });
    });

    const DEGRADE = { action: 'role', role: 'member' };
    const REMOVE = { action: 'remove', confirm: 'yes' };

    it.each([
      ['degrade each other', 'the other', DEGRADE, DEGRADE],
      ['degrade themselves', 'themselves', DEGRADE, DEGRADE],
      ['remove each other', 'the other', REMOVE, REMOVE],
      ['leave', 'themselves', REMOVE, REMOVE],
      ['remove and degrade each other', 'the other', REMOVE, DEGRADE],
    ] as const)(
      'stays when two owners %s at the same moment',
      async (_what, whom, first, second) => {
        const member = ({ accountId }: TestUser): string => `/settings/people/${accountId}`;
        const isOther = whom === 'the other';
        const atOne = await former(one, owner, member(isOther ? partner : owner));
        const atTwo = await former(two, partner, member(isOther ? owner : partner));

        const statuses = await atTheSameMoment(
          () => atOne(first),
          () => atTwo(second),
        );

        expect(statuses.filter((status) => status === 303)).toHaveLength(1);
        expect(Math.max(...statuses)).toBeLessThan(500);
        const owners = Object.values(await rolesOf()).filter((role) => role === 'owner');
        expect(owners).toHaveLength(1);
      },
    );
  });

  describe('a user removed at one process during an authorization at the other', () => {
    it('keeps no app that was allowed at the same time, also after joining again', async () => {
      const user = await addUser({ database }, { [workspaceId]: 'member' });
      const { deviceCode, userCode } = await startDevice(one);
      const browser = new TestBrowser(proxy.baseUrl);
      await browser.open(`/oauth/device?user_code=${userCode}`);
      await browser.submit('Continue');
      const { username, password } = user;
      await browser.submit('Sign in', { username, password });
      const remove = await former(two, owner, `/settings/people/${user.accountId}`);

      const [allowed, removed] = await inTheMiddleOf(
        async () => (await browser.submit('Allow')).status,
        () => remove({ action: 'remove', confirm: 'yes' }),
      );

      // It was a member who allowed it; a moment later all of that ended.
      expect([allowed, removed]).toEqual([200, 303]);
      await setMember(database, workspaceId, user.accountId, 'member');
      expect((await poll(two, deviceCode)).status).toBe(400);
      const left = await database.query(
        `SELECT 'consent' AS what FROM consents WHERE account_id = $1
         UNION ALL SELECT kind FROM oidc_records
          WHERE kind = 'Grant' AND payload ->> 'accountId' = $1`,
        [user.accountId],
      );
      expect(left).toEqual([]);
    });

    it('keeps no personal access token that was created at the same time', async () => {
      const user = await addUser({ database }, { [workspaceId]: 'member' });
      const make = await former(one, user, '/settings/developer/tokens/new');
      const remove = await former(two, owner, `/settings/people/${user.accountId}`);

      const statuses = await inTheMiddleOf(
        () => make({ name: 'Script', scope: 'uploads:read', days: '30' }),
        () => remove({ action: 'remove', confirm: 'yes' }),
      );

      expect(statuses).toEqual([201, 303]);
      await setMember(database, workspaceId, user.accountId, 'member');
      const tokens = await database.query(
        'SELECT 1 FROM personal_access_tokens WHERE account_id = $1',
        [user.accountId],
      );
      expect(tokens).toEqual([]);
    });
  });

  it('a new password signs out the user’s browsers at the other process only', async () => {
    const path = '/settings/account';
    const outsider = await openSettings({ baseUrl: one }, owner, path);
    const user = await addUser({ database }, { [workspaceId]: 'member' });
    const there = await openSettings({ baseUrl: one }, user, path);
    const here = await openSettings({ baseUrl: two }, user, path);
    const fresh = 'four quite different words';
    const changed = await here.submit('Change password', {
      password: user.password,
      new_password: fresh,
      new_password_again: fresh,
      end_browsers: 'yes',
    });
    expect(changed.text).toContain('Password changed');
    for (const at of [one, two]) {
      expect(new URL((await there.copy(at).open(path)).url).pathname).toBe('/settings/sign-in');
      expect((await here.copy(at).open(path)).status).toBe(200);
      expect(new URL((await outsider.copy(at).open(path)).url).pathname).toBe(path);
      // The old password is refused at both.
      const browser = await openSettings({ baseUrl: at }, user, path);
      expect(browser.page.status).toBe(401);
    }
  });

  it('changes of roles, projects, trash and visibility are visible at the other process at once', async () => {
    const member = await addUser({ database }, { [workspaceId]: 'member' });
    const id = await upload(owner, 'Quay.jpg');
    const look = await openSettings({ baseUrl: two }, member, '/photos');
    expect(look.page.text).not.toContain('Quay.jpg');
    const open = await former(one, owner, '/settings/people/visibility');
    expect(await open({ members: 'all', confirm: 'yes' })).toBe(303);
    expect((await look.open('/photos')).text).toContain('Quay.jpg');
    const trash = await former(one, owner, `/photos/${id}`);
    expect(await trash({ action: 'trash' })).toBe(303);
    expect((await look.open('/photos')).text).not.toContain('Quay.jpg');
    expect(await trash({ action: 'restore' })).toBe(303);
    const project = await former(one, owner, '/projects');
    expect(await project({ name: 'Winter' })).toBe(303);
    expect((await look.open('/projects')).text).toContain('Winter');
    const remove = await former(one, owner, `/settings/people/${member.accountId}`);
    expect(await remove({ action: 'remove', confirm: 'yes' })).toBe(303);
    expect((await look.open(`/photos/${id}`)).status).toBe(404);
    expect((await look.open('/projects')).text).not.toContain('Winter');
  });
});
