import { beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { Invitations } from '../../../../service/identity/invitations/invitations.js';
import { PasswordChanges } from '../../../../service/identity/passwords/password-changes.js';
import { PersonalTokens } from '../../../../service/identity/accounts/personal-access-tokens.js';
import type { Scope } from '../../../../service/identity/scopes.js';
import { checkOptions } from '../../../../service/app/config/options.js';
import { approveDevice, TestBrowser } from '../../support/browser-client.js';
import {
  listUploads,
  poll,
  refresh,
  startDevice,
  tokensOf,
  type Tokens,
} from '../../support/oauth-client.js';
import { exchangeCode, makePkce, obtainCode } from '../../support/code-flow.js';
import {
  addUser,
  addWorkspace,
  connectAs,
  openSettings,
  send,
  type TestUser,
} from '../../support/users.js';
import { openLink } from '../../identity/pages/inviting.js';
import { useService } from '../../support/use-service.js';
import { shareAs, statusAt } from '../../delivery/shares/sharing.js';
import { create, locationOf, offsetOf, patch, photo } from '../../support/tus-client.js';

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;
const DAY_MS = 24 * HOUR_MS;

const { lifetimes } = checkOptions({ dataDir: 'x' });

describe('cleanup during other work', () => {
  let workspaceId: string;
  let user: TestUser;
  let owner: TestUser;
  /** How far the clock of the service is ahead, in milliseconds. The library for OAuth has its own clock. */
  let ahead = 0;
  const now = (): Date => new Date(Date.now() + ahead);

  const service = useService({ now });
  beforeEach(async () => {
    ahead = 0;
    await service.database.query('DELETE FROM attempts');
    workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    user = await addUser(service, { [workspaceId]: 'member' });
  });

  /** All chores at once, so much later. */
  const housekeep = async (laterMs: number): Promise<void> => {
    ahead = laterMs;
    await service.purge();
  };
  const connect = async (): Promise<Tokens> => {
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    await approveDevice(service.baseUrl, userCode, user);
    return tokensOf(await poll(service.baseUrl, deviceCode));
  };
  const personalToken = async (scope: Scope, days = 30): Promise<string> => {
    const entry = { name: 'x', workspaceId, scopes: [scope], days };
    const token = await new PersonalTokens(service.database, now).create(user.accountId, entry);
    return token ?? 'none was made';
  };
  const isSignedIn = async (browser: TestBrowser): Promise<boolean> =>
    (await browser.open('/settings/account')).text.includes('Sign out');
  const beginUpload = async (token: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
    const creation = { length: bytes.length, metadata: { filename: 'x.jpg' } };
    return locationOf(service.baseUrl, await create(service.baseUrl, token, creation));
  };

  interface Flow {
    readonly what: string;
    /** How long after each step the chores run: just before something of it would have expired, in milliseconds. */
    readonly laterMs: number;
    /** Does it step by step; each is followed by the housekeeping. */
    readonly steps: () => AsyncGenerator<void>;
  }

  const FLOWS: readonly Flow[] = [
    {
      what: 'a device is connected: code, sign-in, consent, tokens',
      laterMs: (lifetimes.deviceCodeSeconds - 60) * SECOND_MS,
      steps: async function* () {
        const { deviceCode, userCode } = await startDevice(service.baseUrl);
        yield;
        const browser = new TestBrowser(service.baseUrl);
        await browser.open(`/oauth/device?user_code=${userCode}`);
        yield;
        await browser.submit('Continue');
        yield;
        const { username, password } = user;
        await browser.submit('Sign in', { username, password });
        yield;
        expect((await browser.submit('Allow')).text).toContain('You are connected');
        yield;
        const { accessToken } = tokensOf(await poll(service.baseUrl, deviceCode));
        yield;
        expect((await listUploads(service.baseUrl, accessToken)).status).toBe(200);
      },
    },
    {
      what: 'an app in the browser is connected: code, then tokens',
      laterMs: 30 * SECOND_MS,
      steps: async function* () {
        const pkce = makePkce();
        const code = await obtainCode(service.baseUrl, user, pkce);
        yield;
        const answer = await exchangeCode(service.baseUrl, code, pkce.verifier);
        expect(answer.status).toBe(200);
      },
    },
    {
      what: 'a session is refreshed, and its answer lost',
      laterMs: (lifetimes.refreshTokenSeconds - 60) * SECOND_MS,
      steps: async function* () {
        const first = await connect();
        yield;
        const more = { refresh_attempt: randomBytes(32).toString('base64url') };
        await refresh(service.baseUrl, first.refreshToken, more);
        yield;
        const second = tokensOf(await refresh(service.baseUrl, first.refreshToken, more));
        yield;
        expect((await refresh(service.baseUrl, second.refreshToken)).status).toBe(200);
        yield;
        // A used token is still known as such: it ends the session.
        expect((await refresh(service.baseUrl, second.refreshToken)).status).toBe(400);
        const { page } = await openSettings(service, user, '/settings/apps');
        expect(page.forms.some(({ fields }) => 'grant_id' in fields)).toBe(false);
      },
    },
    {
      what: 'a browser is signed in, and a form of it is open',
      laterMs: HOUR_MS,
      steps: async function* () {
        const browser = await openSettings(service, user, '/settings/account');
        yield;
        const page = await browser.submit('Save changes', { display_name: 'Another name' });
        expect(page.text).toContain('Changes saved');
        expect(await isSignedIn(browser)).toBe(true);
      },
    },
    {
      what: 'an upload goes on every day, longer than one may be left alone',
      laterMs: DAY_MS,
      steps: async function* () {
        const accessToken = await personalToken('uploads:write');
        const days = Math.ceil((lifetimes.unfinishedUploadSeconds * SECOND_MS) / DAY_MS) + 2;
        const bytes = photo(days);
        const url = await beginUpload(accessToken, bytes);
        // The housekeeping after this step is the one of the first day.
        for (let day = 0; day < days; day += 1) {
          await housekeep(day * DAY_MS);
          expect(await offsetOf(url, accessToken)).toBe(day);
          await patch(url, accessToken, day, bytes.subarray(day, day + 1));
        }
        yield;
        const [row] = await service.database.query<{ finished_at: Date | null }>(
          'SELECT finished_at FROM uploads WHERE id = $1',
          [url.split('/').at(-1) ?? ''],
        );
        expect(row?.finished_at).not.toBeNull();
        expect(row).toBeDefined();
      },
    },
    {
      what: 'an upload rests for as long as it may',
      laterMs: lifetimes.unfinishedUploadSeconds * SECOND_MS - 60 * SECOND_MS,
      steps: async function* () {
        const accessToken = await personalToken('uploads:write');
        const bytes = photo(10);
        const url = await beginUpload(accessToken, bytes);
        await patch(url, accessToken, 0, bytes.subarray(0, 4));
        yield;
        expect(await offsetOf(url, accessToken)).toBe(4);
        expect((await patch(url, accessToken, 4, bytes.subarray(4))).status).toBe(204);
      },
    },
    {
      what: 'a photo is in the trash',
      laterMs: 30 * DAY_MS - 60 * SECOND_MS,
      steps: async function* () {
        const id = await send(service, await connectAs(service, user), 'x.jpg', photo(10));
        // Its time in the trash counts, not its age.
        await service.database.query('UPDATE uploads SET finished_at = $2 WHERE id = $1', [
          id,
          new Date(Date.now() - 40 * DAY_MS),
        ]);
        await (await openSettings(service, user, `/photos/${id}`)).submit('Move to trash');
        yield;
        const browser = await openSettings(service, user, `/photos/${id}`);
        expect((await browser.submit('Restore')).text).toContain('1 file restored');
        yield;
        expect(await service.stored.ids()).toContain(id);
      },
    },
    {
      what: 'an invitation is open, and its page',
      laterMs: 7 * DAY_MS - 60 * SECOND_MS,
      steps: async function* () {
        const made = await new Invitations(service.database, now).create({
          workspaceId,
          role: 'member',
          invitedBy: owner.accountId,
        });
        if (typeof made === 'string') throw new Error(made);
        yield;
        const guest = await addUser(service, {});
        const browser = await openLink(service, `/invite?token=${made.token}`, guest);
        yield;
        expect((await browser.submit('Join')).text).toContain('You have joined');
      },
    },
    {
      what: 'a link to choose a new password is open',
      laterMs: HOUR_MS - 60 * SECOND_MS,
      steps: async function* () {
        const changes = new PasswordChanges(service.database, now, () => Promise.resolve());
        const token = await changes.makeReset(user.accountId);
        yield;
        const browser = await openLink(service, `/new-password?token=${token}`);
        yield;
        const page = await browser.submit('Save and sign in', {
          new_password: 'heron lamp quarter',
          new_password_again: 'heron lamp quarter',
        });
        expect(page.text).toContain('Password changed');
      },
    },
    {
      what: 'a link shows a photo',
      laterMs: 30 * DAY_MS - 60 * SECOND_MS,
      steps: async function* () {
        const id = await send(service, await connectAs(service, user), 'x.jpg', photo(10));
        const path = await shareAs(service, user, { photo: id });
        yield;
        expect(await statusAt(service, path)).toBe(200);
      },
    },
    {
      what: 'a personal access token is in use',
      laterMs: 7 * DAY_MS - 60 * SECOND_MS,
      steps: async function* () {
        const token = await personalToken('uploads:read', 7);
        yield;
        expect((await listUploads(service.baseUrl, token)).status).toBe(200);
      },
    },
    {
      what: 'somebody guesses a password',
      laterMs: 14 * 60 * SECOND_MS,
      steps: async function* () {
        const browser = new TestBrowser(service.baseUrl);
        await browser.open('/settings/account');
        const guess = async (): Promise<number> =>
          (await browser.submit('Sign in', { username: user.username, password: 'wrong' })).status;
        for (let turn = 0; turn < 10; turn += 1) expect(await guess()).toBe(401);
        yield;
        expect(await guess()).toBe(429);
      },
    },
    {
      what: 'a device polls too fast',
      laterMs: 0,
      steps: async function* () {
        const { deviceCode } = await startDevice(service.baseUrl);
        await poll(service.baseUrl, deviceCode);
        yield;
        expect((await poll(service.baseUrl, deviceCode)).body).toEqual(
          expect.objectContaining({ error: 'slow_down' }),
        );
      },
    },
  ];

  it.each(FLOWS)('does not affect $what', async ({ laterMs, steps }) => {
    let done = 0;
    const flow = steps();
    while ((await flow.next()).done !== true) {
      done += 1;
      await housekeep(laterMs);
    }
    expect(done).toBeGreaterThan(0);
  });

  it('keeps an expired device code for one more hour', async () => {
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    await service.database.query(
      `UPDATE oidc_records SET payload = payload || '{"exp": 1}' WHERE user_code = $1`,
      [userCode.replace(/\W/g, '')],
    );
    const lifeMs = lifetimes.deviceCodeSeconds * SECOND_MS;
    await housekeep(lifeMs + HOUR_MS - 60 * SECOND_MS);
    expect((await poll(service.baseUrl, deviceCode)).body).toMatchObject({
      error: 'expired_token',
    });
    await housekeep(lifeMs + HOUR_MS + 60 * SECOND_MS);
    expect((await poll(service.baseUrl, deviceCode)).body).toMatchObject({
      error: 'invalid_grant',
    });
  });

  it('keeps an old consent while its grant exists', async () => {
    const { accessToken } = await connect();
    await service.database.query('UPDATE consents SET created_at = $1', [new Date(0)]);
    await housekeep(0);
    expect((await listUploads(service.baseUrl, accessToken)).status).toBe(200);
  });

  it('keeps a held upload lock, also one that was not renewed for an hour', async () => {
    const holds = [
      ['held', now()],
      ['silent', new Date(Date.now() - HOUR_MS)],
      ['dead', new Date(Date.now() - 25 * HOUR_MS)],
    ] as const;
    for (const [id, until] of holds)
      await service.database.query(
        'INSERT INTO upload_locks (upload_id, holder, expires_at) VALUES ($1, $1, $2)',
        [id, until],
      );
    await housekeep(0);
    expect(await service.database.query('SELECT holder FROM upload_locks ORDER BY holder')).toEqual(
      [{ holder: 'held' }, { holder: 'silent' }],
    );
  });
});
