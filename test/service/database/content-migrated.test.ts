import { afterEach, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { hashPassword } from '../../../service/accounts/password.js';
import type { Database } from '../../../service/database/database.js';
import { sha256 as hashed } from '../../../service/hash.js';
import { makeEarlier, upgrade } from '../earlier-database.js';
import { CHEAP, openTestDatabase } from '../kept-databases.js';
import { listUploads } from '../client.js';
import { connectAs, openSettings, send } from '../people.js';
import { invite, openLink } from '../people/inviting.js';
import { startTestService, type TestService } from '../running.js';
import { shareAs, statusAt } from '../shares/sharing.js';
import { photo, sha256 } from '../tus.js';

const MIGRATIONS = new URL('../../../service/database/migrations/', import.meta.url);
const SIGN_IN = { username: 'anna', password: 'the password of anna' };
const TOKENS = { member: 'svc_pat_of-a-member', former: 'svc_pat_of-somebody-who-left' };
const INVITATION = `svc_inv_${'x'.repeat(43)}`;
const BYTES = photo(10);
/** Each upload counts this much beside its own bytes. */
const ROW_BYTES = 16_384;

/** The content that every version since the first whole service can hold. */
async function fill(database: Database, last: string): Promise<void> {
  const hash = await hashPassword(SIGN_IN.password, CHEAP);
  for (const [id, name] of [
    ['north', 'North Studio'],
    ['south', 'South Studio'],
  ] as const)
    await database.query('INSERT INTO workspaces (id, name) VALUES ($1, $2)', [id, name]);
  for (const id of ['anna', 'ben', 'cleo'])
    await database.query(
      'INSERT INTO accounts (id, username, display_name, password_hash) VALUES ($1, $1, $1, $2)',
      [id, hash],
    );
  await database.query(
    `INSERT INTO workspace_members (workspace_id, account_id, role)
     VALUES ('north', 'anna', 'owner'), ('north', 'ben', 'member'), ('south', 'ben', 'owner')`,
  );
  for (const [id, account, name, finished] of [
    ['old-1', 'anna', 'Harbour.jpg', true],
    ['old-2', 'anna', 'Harbour.jpg', true],
    ['bens', 'ben', 'Night.jpg', true],
    ['begun', 'anna', 'Begun.jpg', false],
  ] as const)
    await database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at,
                            active_at, finished_at, sha256)
       VALUES ($1, $2, 'north', $3, $4, 'image/jpeg', '{}', now(), now(), $5, $6)`,
      [
        id,
        account,
        BYTES.length,
        name,
        finished ? new Date(Date.now() - (id === 'old-1' ? 60_000 : 30_000)) : null,
        finished ? sha256(BYTES) : null,
      ],
    );
  // Since then a token cannot be there without a membership.
  const accounts = last < '0016' ? (['ben', 'cleo'] as const) : (['ben'] as const);
  for (const account of accounts)
    await database.query(
      `INSERT INTO personal_access_tokens
         (id, token_sha256, account_id, workspace_id, name, scope, created_at, expires_at)
       VALUES ($1, $2, $1, 'north', 'Script', 'uploads:read', now(), now() + interval '7 days')`,
      [account, hashed(account === 'ben' ? TOKENS.member : TOKENS.former)],
    );
  await database.query(
    `INSERT INTO oidc_records (kind, id, payload, expires_at)
     VALUES ('DeviceCode', 'a code', '{"userCode": "x"}', now() + interval '1 hour')`,
  );
  await database.query(
    `INSERT INTO device_polls (device_code_sha256, polled_at) VALUES ('a code', now() - interval '2 hours')`,
  );
  if (last >= '0015') await database.query('UPDATE device_polls SET first_polled_at = polled_at');
}

/** What came with projects, links and invitations. */
async function fillLater(database: Database): Promise<void> {
  await database.query(
    `INSERT INTO projects (id, workspace_id, name, created_by, created_at, archived_at)
     VALUES ('spring', 'north', 'Spring', 'anna', now(), NULL), ('1999', 'north', '1999', 'anna', now(), now())`,
  );
  await database.query(`UPDATE uploads SET project_id = 'spring' WHERE id = 'old-2'`);
  await database.query(
    `UPDATE uploads SET trashed_at = now(), trashed_by = 'ben' WHERE id = 'bens'`,
  );
  for (const [id, upload, project] of [
    ['of-photo', 'old-1', null],
    ['of-project', null, 'spring'],
    ['of-archive', null, '1999'],
  ] as const)
    await database.query(
      `INSERT INTO shares (id, token_sha256, workspace_id, created_by, upload_id, project_id, created_at, expires_at)
       VALUES ($1, $2, 'north', 'anna', $3, $4, now(), now() + interval '7 days')`,
      [id, hashed(id), upload, project],
    );
  await database.query(
    `INSERT INTO invitations (id, token_sha256, workspace_id, role, invited_by, created_at, expires_at)
     VALUES ('open', $1, 'south', 'member', 'ben', now(), now() + interval '7 days')`,
    [hashed(INVITATION)],
  );
}

/** What {@link fillLater} has made works as it did; afterwards the photo in the trash is back. */
async function expectLater(running: TestService): Promise<void> {
  for (const [token, status] of [
    ['of-photo', 200],
    ['of-project', 200],
    ['of-archive', 404],
  ] as const)
    expect([token, await statusAt(running, `/s/${token}`)]).toEqual([token, status]);
  const trash = await openSettings(running, SIGN_IN, '/photos/trash?workspace=north');
  expect(trash.page.text).toContain('Put there by ben.');
  expect((await trash.submit('Restore')).text).toContain('out of the trash again');
  const link = await openLink(running, `/invite?token=${INVITATION}`, {
    ...SIGN_IN,
    accountId: 'anna',
  });
  expect((await link.submit('Join')).text).toContain('You have joined the workspace');
  await running.database.query(
    `DELETE FROM workspace_members WHERE workspace_id = 'south' AND account_id = 'anna'`,
  );
}

describe('a database that an earlier version has filled', () => {
  let service: TestService | undefined;
  afterEach(async () => {
    await service?.close();
    service = undefined;
  });

  /** Starts the service on a database that was at this migration when it was filled. */
  const startAfter = async (last: string): Promise<TestService> => {
    const database = await openTestDatabase();
    const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort();
    const before = names.filter((name) => name <= `${last}_~`);
    expect(before.at(-1)).toMatch(new RegExp(`^${last}_`));
    await makeEarlier(database, before);
    await fill(database, last);
    if (last >= '0012') await fillLater(database);
    await upgrade(database);
    service = await startTestService({ database });
    for (const id of ['old-1', 'old-2', 'bens']) await service.stored.replace(id, BYTES);
    return service;
  };

  // Before all that reads or rewrites what is there, and with ever more of it there.
  it.each(['0002', '0008', '0012', '0017'])(
    'at %s has all of it, and every feature since then works with it',
    async (last) => {
      const running = await startAfter(last);
      const { database } = running;

      // Its room is counted.
      const usage = await database.query<{ workspace_id: string; bytes: number | string }>(
        'SELECT workspace_id, bytes FROM workspace_usage WHERE bytes > 0',
      );
      expect(usage.map((row) => [row.workspace_id, Number(row.bytes)])).toEqual([
        ['north', 4 * (BYTES.length + ROW_BYTES)],
      ]);
      // Tokens of members go on; those of people who have left do not, also when they come back.
      expect((await listUploads(running.baseUrl, TOKENS.member)).status).toBe(200);
      await database.query(
        `INSERT INTO workspace_members (workspace_id, account_id, role) VALUES ('north', 'cleo', 'member')`,
      );
      expect((await listUploads(running.baseUrl, TOKENS.former)).status).toBe(401);
      // Each photo that has arrived is looked at, and nothing else.
      const looked = await database.query('SELECT upload_id FROM thumbnails ORDER BY upload_id');
      expect(looked).toEqual(['bens', 'old-1', 'old-2'].map((id) => ({ upload_id: id })));

      if (last >= '0012') {
        await expectLater(running);
        await database.query("UPDATE uploads SET project_id = NULL WHERE id = 'old-2'");
      }

      // Versions, the trash, projects and links.
      const browser = await openSettings(running, SIGN_IN, '/photos?workspace=north');
      expect(browser.page.text).toMatch(/Harbour\.jpg.*Night\.jpg|Night\.jpg.*Harbour\.jpg/);
      expect((await browser.open('/photos/old-1')).text).toMatch(/version/i);
      const trashed = await browser.submit('Move to trash');
      expect(trashed.text).toContain('The photo is in the trash.');
      expect((await browser.submit('Undo')).text).toContain('out of the trash again');
      await browser.open('/projects?workspace=north');
      const made = await browser.submit('Create project', { name: 'Autumn' });
      const project = new URL(made.url).pathname.split('/').at(-1) ?? '';
      await browser.open('/photos/bens');
      expect((await browser.submit('Move to project', { project })).text).toContain('Moved.');
      const person = { ...SIGN_IN, accountId: 'anna' };
      expect(await statusAt(running, await shareAs(running, person, { project }))).toBe(200);
      // People.
      const link = await openLink(running, await invite(running, person, 'north'));
      const joined = await link.submit('Create account and join', {
        username: 'dora',
        display_name: 'Dora',
        new_password: 'heron lamp quarter',
        new_password_again: 'heron lamp quarter',
      });
      expect(joined.text).toContain('You have joined the workspace');
      // The plugin.
      const token = await connectAs(running, SIGN_IN);
      await send(running, token, 'Harbour.jpg', BYTES);
      const { body } = await listUploads(running.baseUrl, token);
      expect(body['uploads']).toHaveLength(3);
      const known = await fetch(`${running.baseUrl}/api/v1/uploads/known`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ files: [{ name: 'Harbour.jpg', size: BYTES.length }] }),
      });
      expect(known.status).toBe(200);
      // What is over goes; nothing else does.
      await running.purge();
      expect(await database.query('SELECT 1 FROM device_polls')).toEqual([]);
      const left = await database.query<{ id: string }>('SELECT id FROM uploads');
      expect(left.map(({ id }) => id)).toEqual(
        expect.arrayContaining(['old-1', 'old-2', 'bens', 'begun']),
      );
    },
  );
});
