import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createWorkspace, setMember } from '../../../../service/identity/accounts/accounts.js';
import { Invitations } from '../../../../service/identity/invitations/invitations.js';
import { Members } from '../../../../service/identity/access/members.js';
import { PasswordChanges } from '../../../../service/identity/passwords/password-changes.js';
import { PersonalTokens } from '../../../../service/identity/accounts/personal-access-tokens.js';
import type { Database } from '../../../../service/kernel/database/database.js';
import { endBrowserSessionsOf } from '../../../../service/identity/session/browser-session.js';
import { ConnectedApps } from '../../../../service/oauth/tokens/connected-apps.js';
import { WorkspaceClients } from '../../../../service/oauth/clients/workspace-clients.js';
import { trashBegins } from '../../../../service/library/photos/data/photo.js';
import { PhotoChanges } from '../../../../service/library/photos/data/photo-changes.js';
import { EPOCH } from '../../../../service/library/photos/data/photo-row.js';
import { PhotoTable } from '../../../../service/library/photos/data/photo-table.js';
import { FeedbackTable } from '../../../../service/library/feedback/feedback-table.js';
import { LogoTable } from '../../../../service/delivery/logos/logo-table.js';
import { ProjectTable } from '../../../../service/library/projects/project-table.js';
import { CsrfTokens } from '../../../../service/identity/csrf/csrf.js';
import type { OpenShare } from '../../../../service/delivery/shares/share.js';
import { ShareTable } from '../../../../service/delivery/shares/share-table.js';
import { ThumbnailTable } from '../../../../service/library/previews/thumbnail-table.js';
import { openMigratedDatabase } from '../../support/database-templates.js';

const BEGIN = Date.parse('2026-11-22T12:00:00Z');
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

let database: Database;
let clock = BEGIN;
let workspaceId: string;
const now = (): Date => new Date(clock);

beforeAll(async () => {
  database = await openMigratedDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  clock = BEGIN;
  for (const table of ['oidc_records', 'uploads', 'shares', 'workspaces', 'accounts'])
    await database.query(`DELETE FROM ${table}`);
  workspaceId = await createWorkspace(database, 'Studio');
  for (const [id, role] of [
    ['anna', 'owner'],
    ['ben', 'owner'],
    ['cleo', 'member'],
  ] as const) {
    await database.query(
      `INSERT INTO accounts (id, username, display_name, password_hash) VALUES ($1, $1, $1, 'old hash')`,
      [id],
    );
    await setMember(database, workspaceId, id, role);
  }
  await database.query(
    `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at,
                          finished_at, sha256)
     VALUES ('photo', 'cleo', $1, 10, 'photo', '', '{}', $2, $2, repeat('a', 64))`,
    [workspaceId, now()],
  );
});

const photos = (): PhotoTable => new PhotoTable(database);
const remove = (): Promise<unknown> =>
  new PhotoChanges(database, now).apply(
    { kind: 'removed', until: now() },
    { workspaceId, accountId: undefined },
    'anna',
    [['photo']],
  );
const projects = (): ProjectTable => new ProjectTable(database, now);
const shares = (): ShareTable => new ShareTable(database, new CsrfTokens('a test'), now);
const invitations = (): Invitations => new Invitations(database, now);
const members = (): Members => new Members(database);
const passwords = (): PasswordChanges =>
  new PasswordChanges(database, now, () => Promise.resolve());

async function archive(isArchived: boolean): Promise<void> {
  const [project] = await projects().of(workspaceId);
  if (project !== undefined) await projects().change(project, { isArchived });
}

async function signIn(id: string, accountId: string): Promise<void> {
  await database.query(
    `INSERT INTO oidc_records (kind, id, payload, session_uid, expires_at)
     VALUES ('Session', $1, $2, $1, $3)`,
    [id, JSON.stringify({ accountId }), new Date(BEGIN + 30 * DAY_MS)],
  );
}

/** All that the database holds of what these tests change. */
async function state(): Promise<string> {
  const tables = [
    'SELECT id, trashed_at, trashed_by, project_id FROM uploads ORDER BY id',
    'SELECT id, name, archived_at, created_at FROM projects ORDER BY id',
    'SELECT id, created_at, expires_at, opened_at, revoked_at FROM shares ORDER BY id',
    'SELECT id, role, invited_by, created_at, expires_at FROM invitations ORDER BY id',
    'SELECT account_id, role FROM workspace_members ORDER BY account_id',
    'SELECT account_id, token_sha256, expires_at FROM password_resets ORDER BY account_id',
    'SELECT id, password_hash FROM accounts ORDER BY id',
    'SELECT kind, id, payload, consumed_at FROM oidc_records ORDER BY kind, id',
    'SELECT id, expires_at FROM personal_access_tokens ORDER BY id',
    'SELECT client_id, secret_created_at, created_at FROM oauth_clients ORDER BY client_id',
    'SELECT upload_id, state, attempts, lease_until, picture_bytes FROM thumbnails ORDER BY upload_id',
    'SELECT workspace_id, bytes FROM workspace_usage ORDER BY workspace_id',
    'SELECT version FROM workspace_logos ORDER BY workspace_id',
    'SELECT id, guest_name FROM share_answers ORDER BY id',
  ];
  const rows = [];
  for (const sql of tables) rows.push(await database.query(sql));
  return JSON.stringify(rows, undefined, 1);
}

interface Change {
  readonly name: string;
  /** The required state. */
  readonly prepare?: () => Promise<unknown>;
  readonly make: () => Promise<unknown>;
  /** Whether the first call finds the final state already. */
  readonly isNothing?: true;
  /** The result of the second call, if any. */
  readonly again?: unknown;
  /** How long after the first time the second one comes, in milliseconds. */
  readonly afterMs?: number;
}

let ids: Readonly<Record<string, string>> = {};
const id = (name: string): string => ids[name] ?? 'nothing';
const keep = async (name: string, made: Promise<unknown>): Promise<void> => {
  const result = (await made) as { readonly id: string; readonly token?: string };
  ids = { ...ids, [name]: result.id, ...(result.token && { [`${name} token`]: result.token }) };
};
const share = (): Promise<void> =>
  keep(
    'share',
    shares().create({
      workspaceId,
      creatorId: 'cleo',
      target: { kind: 'photos', ids: ['photo'] },
      days: 7,
      passwordHash: undefined,
    }),
  );
const findLink = async (): Promise<OpenShare | undefined> =>
  (await shares().find(id('share'))) ?? (await shares().findEnded(id('share')));
const revoke = async (): Promise<boolean> => {
  const found = await findLink();
  return found !== undefined && shares().revoke(found);
};
const open = async (): Promise<unknown> => {
  const found = await shares().find(id('share'));
  return found && shares().markOpened(found);
};
const invite = (): Promise<void> =>
  keep('invitation', invitations().create({ workspaceId, role: 'member', invitedBy: 'ben' }));
const makeUser = (name: string): Promise<unknown> =>
  database.query(
    `INSERT INTO accounts (id, username, display_name, password_hash) VALUES ($1, $1, $1, 'x')`,
    [name],
  );
const about = (accountId: string, by = 'anna') => ({ workspaceId, by, accountId });

const CHANGES: readonly Change[] = [
  { name: 'a photo put into the trash', make: () => photos().trash('photo', 'anna', now()) },
  {
    name: 'a photo taken out of the trash',
    prepare: () => photos().trash('photo', 'anna', now()),
    make: () => photos().restore('photo', trashBegins(now())),
    again: true,
  },
  {
    name: 'a photo deleted permanently',
    prepare: () => photos().trash('photo', 'anna', now()),
    make: () => remove(),
  },
  {
    name: 'a removal for good of a photo that is not in the trash',
    isNothing: true,
    make: () => remove(),
  },
  {
    name: 'a project moved to the archive',
    prepare: () => projects().create(workspaceId, 'Autumn', 'anna'),
    make: () => archive(true),
  },
  {
    name: 'a project brought back',
    prepare: async () => {
      await projects().create(workspaceId, 'Autumn', 'anna');
      await archive(true);
    },
    make: () => archive(false),
  },
  {
    name: 'a photo moved into a project',
    prepare: () => keep('project', projects().create(workspaceId, 'Autumn', 'anna')),
    make: () => projects().move(workspaceId, ['photo'], id('project')),
    again: ['photo'],
  },
  {
    name: 'a link opened, the second time within a minute',
    prepare: share,
    make: open,
    afterMs: MINUTE_MS,
    again: false,
  },
  {
    name: 'a link revoked',
    prepare: share,
    make: revoke,
    again: false,
  },
  {
    name: 'a link restored',
    prepare: async () => {
      await share();
      await revoke();
    },
    make: async () => {
      const found = await findLink();
      return found !== undefined && shares().restore(found);
    },
    again: false,
  },
  {
    name: 'another name of a guest',
    prepare: async () => {
      await share();
      await new FeedbackTable(database, now).add(
        {
          ...{ shareId: id('share'), photoId: 'photo', uploadId: 'photo', kind: 'approval' },
          guest: { id: 'guest', name: 'Ida' },
        },
        () => Promise.resolve(),
      );
    },
    make: () =>
      new FeedbackTable(database, now).renameGuest(id('share'), { id: 'guest', name: 'Ina' }),
  },
  {
    name: 'a logo removed',
    prepare: () =>
      new LogoTable(database).set(workspaceId, { picture: Buffer.alloc(9), width: 3, height: 1 }),
    make: () => new LogoTable(database).remove(workspaceId),
  },
  {
    name: 'an invitation revoked',
    prepare: invite,
    make: () => invitations().revoke(workspaceId, id('invitation')),
    again: false,
  },
  {
    name: 'an invitation accepted',
    prepare: async () => {
      await invite();
      await makeUser('dora');
    },
    make: () => invitations().join(id('invitation token'), 'dora'),
    again: 'gone',
  },
  {
    name: 'an invitation accepted by an owner, who stays one',
    isNothing: true,
    prepare: invite,
    make: () => invitations().join(id('invitation token'), 'anna'),
    again: 'member already',
  },
  {
    name: 'the role of an owner with invitations',
    isNothing: true,
    prepare: invite,
    make: () => members().setRole(about('ben'), 'owner'),
  },
  {
    name: 'the role of a member',
    prepare: invite,
    make: () => members().setRole(about('ben'), 'member'),
  },
  {
    name: 'a password changed with the old one',
    make: () =>
      passwords().change(
        'anna',
        { from: 'old hash', to: `hash of ${clock}` },
        { browsers: false, apps: false },
      ),
    again: false,
  },
  {
    name: 'a password chosen by a link',
    prepare: async () => {
      ids = { reset: await passwords().makeReset('anna') };
    },
    make: () => passwords().reset(id('reset'), `hash of ${clock}`, { browsers: true, apps: false }),
    afterMs: MINUTE_MS,
    again: false,
  },
  {
    name: 'the end of all sessions',
    prepare: async () => {
      await signIn('session of anna', 'anna');
      await signIn('session of ben', 'ben');
    },
    make: () => database.transaction((transaction) => endBrowserSessionsOf(transaction, 'anna')),
    again: 0,
  },
  {
    name: 'a personal access token revoked',
    prepare: async () => {
      const entry = { workspaceId, name: 'x', scopes: ['uploads:read'], days: 7 } as const;
      const tokens = new PersonalTokens(database, now);
      await tokens.create('anna', entry);
      await tokens.create('anna', entry);
      await keep(
        'token',
        new PersonalTokens(database, now).of({ accountId: 'anna' }).then(([token]) => token),
      );
    },
    make: () => new PersonalTokens(database, now).revoke({ accountId: 'anna' }, id('token')),
  },
  {
    name: 'an app disconnected',
    prepare: async () => {
      for (const grant of ['one', 'other']) {
        await database.query(
          `INSERT INTO oidc_records (kind, id, payload) VALUES ('Grant', $1, '{}')`,
          [grant],
        );
        await database.query(
          `INSERT INTO consents (grant_id, account_id, workspace_id, client_id, scope, created_at)
           VALUES ($1, 'anna', $2, 'app', '', $3)`,
          [grant, workspaceId, now()],
        );
      }
    },
    make: () =>
      new ConnectedApps(database, now, () => Promise.resolve()).end(
        { accountId: 'anna' },
        { grantId: 'one', client: undefined },
        { audit: () => Promise.resolve(), response: undefined },
      ),
  },
  {
    name: 'an app of the workspace deleted',
    prepare: async () => {
      const entry = { name: 'x', redirectUris: ['http://127.0.0.1/x'], scopes: [] };
      const made = await new WorkspaceClients(database, now).create(workspaceId, false, entry, () =>
        Promise.resolve(),
      );
      ids = { app: made.clientId };
    },
    make: () => new WorkspaceClients(database, now).remove(id('app'), () => Promise.resolve()),
  },
  {
    name: 'the claim of a thumbnail',
    make: () => new ThumbnailTable(database).claim('photo', now(), new Date(clock + 2 * MINUTE_MS)),
    afterMs: MINUTE_MS,
    again: undefined,
  },
  {
    name: 'pictures that are kept',
    make: () =>
      new ThumbnailTable(database).recordPictures('photo', {
        ...{ thumbnail: Buffer.alloc(9), preview: Buffer.alloc(99), width: 3, height: 2 },
      }),
  },
  {
    name: 'a failure to make pictures',
    make: () => new ThumbnailTable(database).recordFailure('photo'),
  },
  {
    name: 'a lost preview',
    prepare: async () => {
      const pictures = { thumbnail: Buffer.alloc(9), preview: Buffer.alloc(99) };
      await new ThumbnailTable(database).recordPictures('photo', {
        ...{ ...pictures, width: 3, height: 2 },
      });
    },
    make: () => new ThumbnailTable(database).forgetPreview('photo'),
  },
];

describe('a repeated change', () => {
  it.each(CHANGES)('is idempotent: $name', async (change) => {
    await change.prepare?.();
    clock += MINUTE_MS;
    const before = await state();
    await change.make();
    const first = await state();
    // A change of nothing changes nothing the first time, too.
    if (change.isNothing === true) expect(first).toBe(before);
    else expect(first).not.toBe(before);

    clock += change.afterMs ?? DAY_MS;
    const again = await change.make();

    expect(await state()).toBe(first);
    if ('again' in change) expect(again).toEqual(change.again);
  });

  it('has a new time after it was undone: trash, archive', async () => {
    await projects().create(workspaceId, 'Autumn', 'anna');
    await photos().trash('photo', 'anna', now());
    await archive(true);
    clock += 20 * DAY_MS;
    await photos().restore('photo', trashBegins(now()));
    await archive(false);
    expect(await photos().find('photo')).toMatchObject({
      trashedAt: undefined,
      trashedByName: undefined,
    });
    clock += DAY_MS;
    await photos().trash('photo', 'ben', now());
    await archive(true);

    expect(await photos().find('photo')).toMatchObject({
      trashedAt: now(),
      trashedByName: 'ben',
    });
    expect(await projects().of(workspaceId)).toMatchObject([{ archivedAt: now() }]);
    clock += 29 * DAY_MS;
    expect(await photos().expired(trashBegins(now()), undefined, 10)).toEqual([]);
  });

  it('keeps the archive time when the project is renamed', async () => {
    await projects().create(workspaceId, 'Autumn', 'anna');
    await archive(true);
    const archivedAt = now();
    clock += DAY_MS;
    const [project] = await projects().of(workspaceId);
    if (project !== undefined) await projects().change(project, { name: 'Winter' });
    expect(await projects().of(workspaceId)).toMatchObject([{ name: 'Winter', archivedAt }]);
  });

  it('does not bring back a photo that was deleted permanently', async () => {
    await photos().trash('photo', 'anna', now());
    await remove();
    await photos().trash('photo', 'anna', now());
    expect(await photos().restore('photo', trashBegins(now()))).toBe(false);
    expect(await photos().find('photo')).toBeUndefined();
    expect(await photos().expired(new Date(1), undefined, 10)).toEqual([
      { id: 'photo', at: EPOCH },
    ]);
  });

  it('does not extend a link; a new link has its own expiry', async () => {
    await share();
    const first = id('share');
    clock += DAY_MS;
    await share();
    const ends = async (one: string): Promise<number | undefined> =>
      (await shares().find(one))?.expiresAt.getTime();
    expect(await ends(first)).toBe(BEGIN + 7 * DAY_MS);
    expect(await ends(id('share'))).toBe(BEGIN + 8 * DAY_MS);
    // To open it makes it work no longer, and each later minute counts, but the first time only once.
    expect(await open()).toBe(true);
    const opened = now();
    for (const [ms, at] of [
      [MINUTE_MS, opened.getTime()],
      [1, opened.getTime() + MINUTE_MS + 1],
    ] as const) {
      clock += ms;
      expect(await open()).toBe(false);
      expect((await shares().find(id('share')))?.openedAt?.getTime()).toBe(at);
    }
    expect(await ends(id('share'))).toBe(BEGIN + 8 * DAY_MS);
  });

  it('gives each new invitation seven days and each reset link an hour', async () => {
    await invite();
    const reset = await passwords().makeReset('anna');
    clock += MINUTE_MS * 50;
    const second = await passwords().makeReset('anna');
    await invite();
    expect(
      (await invitations().of(workspaceId)).map(({ expiresAt }) => expiresAt.getTime()),
    ).toEqual([clock + 7 * DAY_MS, BEGIN + 7 * DAY_MS]);
    expect(await passwords().findReset(reset)).toBeUndefined();
    clock += MINUTE_MS * 60 - 1;
    expect(await passwords().findReset(second)).toMatchObject({ id: 'anna' });
    clock += 1;
    expect(await passwords().findReset(second)).toBeUndefined();
  });
});
