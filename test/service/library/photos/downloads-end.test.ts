import { beforeAll, describe, expect, it } from '@jest/globals';
import { request, type IncomingMessage } from 'node:http';
import { markAsSearched } from '../../support/searched-photos.js';
import {
  addUser,
  addWorkspace,
  createToken,
  elementText,
  openSettings,
} from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';

/** More than the buffers to a stalled client hold. */
const SIZE = 24 * 1024 * 1024;

/** How long after a change a download must have ended, in milliseconds: the service checks every second here. */
const SOON_MS = 2500;

interface Download {
  readonly address: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: string;
}

describe('a download that is under way', () => {
  let workspaceId: string;
  let owner: TestUser;
  let partner: TestUser;
  let member: TestUser;
  let removed: TestUser;
  const isWhole = new Map<string, boolean>();

  /** Adds a project with a large photo, and a small one that is older. */
  const addProject = async (project: string, by: TestUser): Promise<void> => {
    const { database, stored } = service;
    await database.query(
      'INSERT INTO projects (id, workspace_id, name, created_at) VALUES ($1, $2, $1, now())',
      [project, workspaceId],
    );
    await database.transaction(async (transaction) => {
      await transaction.query(
        `INSERT INTO uploads (id, account_id, workspace_id, client_id, size, name, type, metadata, created_at,
                            finished_at, sha256, project_id)
       SELECT $1 || '-' || n, $2, $3, 'creative-workspace-plugin', CASE n WHEN 2 THEN $4::integer ELSE 9 END,
              n || '.jpg', '', '{}', now(), timestamptz '2026-01-01' + n * interval '1 second',
              repeat('a', 64), $1
         FROM generate_series(1, 2) AS n`,
        [project, by.accountId, workspaceId, SIZE],
      );
      // Nobody needs their thumbnails.
      await markAsSearched(transaction);
    });
    await stored.add(`${project}-1`, new Uint8Array(9));
    await stored.add(`${project}-2`, new Uint8Array(1));
    await stored.resize(`${project}-2`, SIZE);
  };
  const share = async (user: TestUser, query: string): Promise<string> => {
    const browser = await openSettings(service, user, `/shares/new?${query}`);
    return elementText(await browser.submit('Create link'), 'secret');
  };
  const zipOfLink = async (user: TestUser, project: string): Promise<Download> => ({
    address: `${await share(user, `project=${project}`)}/zip`,
  });
  const fileOfLink = async (user: TestUser, project: string): Promise<Download> => ({
    address: `${await share(user, `project=${project}`)}/file?photo=${project}-2`,
  });
  const ofUser = async (user: TestUser, path: string): Promise<Download> => {
    const { sessionCookie } = await openSettings(service, user, '/photos');
    return { address: service.baseUrl + path, headers: { cookie: sessionCookie } };
  };
  const zipOfList = (user: TestUser, project: string): Promise<Download> =>
    ofUser(user, `/photos/zip?workspace=${workspaceId}&project=${project}`);
  const zipOfChosen = async (user: TestUser, project: string): Promise<Download> => {
    const browser = await openSettings(service, user, `/photos?project=${project}`);
    const photos = [2, 1].map((n) => ['photo', `${project}-${n}`]);
    const form = new URLSearchParams([['csrf', browser.csrf], ...photos]).toString();
    const headers = { cookie: browser.sessionCookie };
    return { address: `${service.baseUrl}/photos/zip`, headers, form };
  };
  const fileOf = (user: TestUser, project: string): Promise<Download> =>
    ofUser(user, `/photos/${project}-2/file`);
  const fileByToken = async (user: TestUser, project: string): Promise<Download> => {
    const token = await createToken(service, user, 'uploads:content');
    return {
      address: `${service.baseUrl}/api/v1/uploads/${project}-2/content`,
      headers: { authorization: `Bearer ${token}` },
    };
  };

  /** The downloads, and whether they are to come whole. */
  const DOWNLOADS: readonly (readonly [string, boolean, () => Promise<Download>])[] = [
    ['goes on: a ZIP by a link', true, () => zipOfLink(owner, 'kept')],
    ['goes on: a file by a link', true, () => fileOfLink(owner, 'kept')],
    ['goes on: a ZIP of a list', true, () => zipOfList(owner, 'kept')],
    ['goes on: a ZIP of chosen photos', true, () => zipOfChosen(owner, 'kept')],
    ['goes on: a file', true, () => fileOf(owner, 'kept')],
    ['goes on: a file, by a program', true, () => fileByToken(owner, 'kept')],
    [
      'goes on for its owner, who may restore it, when a photo is trashed',
      true,
      () => fileOf(owner, 'trashed'),
    ],
    [
      'goes on for a member who reads their own photos when viewing is closed',
      true,
      () => zipOfList(member, 'own'),
    ],
    ['goes on when a photo is trashed that was sent', true, () => zipOfLink(owner, 'sent')],
    ['ends when the link is revoked: a ZIP', false, () => zipOfLink(owner, 'revoked')],
    ['ends when the link is revoked: a file', false, () => fileOfLink(owner, 'revoked')],
    ['ends when the time of the link is over: a ZIP', false, () => zipOfLink(owner, 'expired')],
    ['ends when the project is archived: a ZIP', false, () => zipOfLink(owner, 'archived')],
    ['ends when the photo is trashed: a ZIP by a link', false, () => zipOfLink(owner, 'trashed')],
    ['ends when the photo is trashed: a file by a link', false, () => fileOfLink(owner, 'trashed')],
    [
      'ends when the photo is trashed: a file, by a program',
      false,
      () => fileByToken(owner, 'trashed'),
    ],
    ['ends when a photo is trashed that comes later', false, () => zipOfLink(owner, 'later')],
    ['ends when the person is removed: a ZIP of a list', false, () => zipOfList(removed, 'kept')],
    [
      'ends when the person is removed: a ZIP of chosen photos',
      false,
      () => zipOfChosen(removed, 'kept'),
    ],
    ['ends when the person is removed: a file', false, () => fileOf(removed, 'kept')],
    [
      'ends when the person is removed: a file, by a program',
      false,
      () => fileByToken(removed, 'by-removed'),
    ],
    [
      'ends when the person is removed: a ZIP by their link',
      false,
      () => zipOfLink(removed, 'kept'),
    ],
    [
      'ends when the person is removed: a file by their link',
      false,
      () => fileOfLink(removed, 'kept'),
    ],
    [
      'ends when the person is no owner any more: a ZIP of a list',
      false,
      () => zipOfList(partner, 'kept'),
    ],
    [
      'ends when the person is no owner any more: a ZIP by their link',
      false,
      () => zipOfLink(partner, 'kept'),
    ],
    ['ends when viewing is closed: a ZIP of a list', false, () => zipOfList(member, 'kept')],
    ['ends when viewing is closed: a file', false, () => fileOf(member, 'kept')],
    ['ends when viewing is closed: a ZIP by a link', false, () => zipOfLink(member, 'kept')],
  ];

  /** Begins to read, and rests. */
  async function begin({ address, headers = {}, form }: Download): Promise<IncomingMessage> {
    const method = form === undefined ? 'GET' : 'POST';
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return new Promise((resolve, reject) => {
      const all = { ...headers, ...(form !== undefined && type) };
      request(address, { agent: false, headers: all, method }, resolve)
        .on('error', reject)
        .end(form);
    });
  }

  const change = async (): Promise<void> => {
    const { database } = service;
    await database.query(`DELETE FROM shares WHERE project_id = 'revoked'`);
    await database.query(`UPDATE shares SET expires_at = now() WHERE project_id = 'expired'`);
    await database.query(`UPDATE projects SET archived_at = now() WHERE id = 'archived'`);
    await database.query(`UPDATE uploads SET trashed_at = now()
                           WHERE id IN ('trashed-2', 'later-1', 'sent-1')`);
    await database.query('DELETE FROM workspace_members WHERE account_id = $1', [
      removed.accountId,
    ]);
    await database.query(`UPDATE workspace_members SET role = 'member' WHERE account_id = $1`, [
      partner.accountId,
    ]);
    await database.query('UPDATE workspaces SET members_see_all = false');
  };

  const service = useService({ uploads: { recheckSeconds: 1 } });
  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    partner = await addUser(service, { [workspaceId]: 'owner' });
    removed = await addUser(service, { [workspaceId]: 'owner' });
    member = await addUser(service, { [workspaceId]: 'member' });
    await service.database.query('UPDATE workspaces SET members_see_all = true');
    for (const project of ['kept', 'revoked', 'expired', 'archived', 'trashed', 'later', 'sent'])
      await addProject(project, owner);
    await addProject('own', member);
    await addProject('by-removed', removed);
    // A small photo that is newer, so that it comes first.
    await service.database.query(
      `UPDATE uploads SET finished_at = finished_at + interval '1 minute' WHERE id = 'sent-1'`,
    );

    const begun = [];
    for (const [title, , make] of DOWNLOADS) {
      const response = await begin(await make());
      // On a busy machine one may end before the others are read.
      const ended = new Promise((resolve) =>
        response.once('error', resolve).once('close', resolve),
      );
      begun.push({ title, response, ended, status: response.statusCode });
    }
    expect(begun.filter(({ status }) => status !== 200)).toEqual([]);
    await change();
    await new Promise((resolve) => setTimeout(resolve, SOON_MS));
    for (const { title, response, ended } of begun) {
      response.resume();
      await ended;
      isWhole.set(title, response.complete);
    }
  });

  it.each(DOWNLOADS.map(([title, whole]) => [title, whole] as const))('%s', (title, whole) => {
    expect(isWhole.get(title)).toBe(whole);
  });

  it('logs no failure', () => {
    expect(service.logLines.filter(({ event }) => event === 'server_error')).toEqual([]);
  });
});
