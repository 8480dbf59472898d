import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createAccount, createWorkspace } from '../../../../service/identity/accounts/accounts.js';
import type { Database } from '../../../../service/kernel/database/database.js';
import { PhotoTable } from '../../../../service/library/photos/data/photo-table.js';
import type { Destination } from '../../../../service/library/uploads/upload.js';
import { UploadRepository } from '../../../../service/library/uploads/repository/upload-repository.js';
import { ProjectTable } from '../../../../service/library/projects/project-table.js';
import type { Principal } from '../../../../service/oauth/tokens/bearer.js';
import { openMigratedDatabase } from '../../support/database-templates.js';

const LIMITS = { workspaceBytes: 1e9, unfinishedUploads: 1000 };

/** The upload of a test. Projects and replaced uploads have names of the test. */
interface Sent {
  readonly name?: string;
  readonly document?: string;
  readonly project?: 'spring' | 'autumn';
  readonly replaces?: string;
  readonly byDocument?: boolean;
  readonly by?: 'colleague';
  readonly to?: 'other workspace';
}

interface Row {
  readonly photo_id: string;
  readonly is_current: boolean;
  readonly project_id: string | null;
}

/**
 * What was uploaded, one after another. The last one becomes a version of the photo of the upload that is named here, or a
 * new photo, and is in this project then.
 */
type Case = [
  string,
  Readonly<Record<string, Sent>>,
  string | undefined,
  'spring' | 'autumn' | undefined,
];

const CASES: Case[] = [
  ['no photo before it', { one: {} }, undefined, undefined],
  ['the same name', { first: {}, one: {} }, 'first', undefined],
  ['another name', { first: {}, one: { name: 'One.jpg' } }, undefined, undefined],
  ['no name', { first: { name: 'untitled' }, one: { name: 'untitled' } }, undefined, undefined],
  [
    'the newest of the name',
    { older: {}, newer: { replaces: 'none' }, one: {} },
    'newer',
    undefined,
  ],
  [
    'a colleague’s photo of the name',
    { first: { by: 'colleague' }, one: {} },
    undefined,
    undefined,
  ],
  [
    'a photo of the name in another workspace',
    { first: { to: 'other workspace' }, one: {} },
    undefined,
    undefined,
  ],
  [
    'the same name in a project and no project given',
    { first: { project: 'spring' }, one: {} },
    'first',
    'spring',
  ],
  [
    'the same name in the given project',
    { first: { project: 'spring' }, one: { project: 'spring' } },
    'first',
    'spring',
  ],
  [
    'the same name in another project than the given one',
    { first: { project: 'autumn' }, other: { replaces: 'none' }, one: { project: 'spring' } },
    undefined,
    'spring',
  ],
  [
    'an older photo of the name in the given project',
    { first: { project: 'spring' }, newer: { replaces: 'none' }, one: { project: 'spring' } },
    'first',
    'spring',
  ],
  [
    'the same document and name',
    { first: { document: 'xmp.did:1' }, one: { document: 'xmp.did:1' } },
    'first',
    undefined,
  ],
  [
    'the same document under another name, as crops of one original have it',
    { first: { document: 'xmp.did:1' }, one: { document: 'xmp.did:1', name: 'two.jpg' } },
    undefined,
    undefined,
  ],
  [
    'the same document under another name, exported from the open document',
    {
      first: { document: 'xmp.did:1' },
      one: { document: 'xmp.did:1', name: 'two.jpg', byDocument: true },
    },
    'first',
    undefined,
  ],
  [
    'the older photo of the name, of two of one document',
    {
      first: { document: 'a' },
      crop: { document: 'a', name: 'two.jpg' },
      one: { document: 'a' },
    },
    'first',
    undefined,
  ],
  [
    'the same document and name but for the ending and the case',
    { first: { document: 'a', name: 'Ärmel.JPEG' }, one: { document: 'a', name: 'ärmel.jpg' } },
    'first',
    undefined,
  ],
  [
    'the same document and a name that is decomposed',
    {
      first: { document: 'a', name: 'Küste.jpg' },
      one: { document: 'a', name: 'Ku\u0308ste.jpg' },
    },
    'first',
    undefined,
  ],
  [
    'the same document and a name that is decomposed and has another ending',
    {
      first: { document: 'a', name: 'Küste.JPEG' },
      one: { document: 'a', name: 'Ku\u0308ste.jpg' },
    },
    'first',
    undefined,
  ],
  [
    'the same name, decomposed',
    { first: { name: 'Ku\u0308ste.jpg' }, one: { name: 'Küste.jpg' } },
    'first',
    undefined,
  ],
  [
    'a number behind the name',
    { first: { document: 'a' }, one: { document: 'a', name: 'one (2).jpg' } },
    undefined,
    undefined,
  ],
  [
    'the same document in another project, which the photo moves to',
    {
      first: { document: 'xmp.did:1', project: 'autumn' },
      one: { document: 'xmp.did:1', project: 'spring' },
    },
    'first',
    'spring',
  ],
  [
    'the document of an earlier version',
    {
      first: { document: 'a' },
      second: { replaces: 'first', document: 'b' },
      one: { document: 'a' },
    },
    'first',
    undefined,
  ],
  [
    'the document of one photo and the name of another without a document',
    {
      first: { document: 'a', name: 'two.jpg' },
      second: {},
      one: { document: 'a' },
    },
    'second',
    undefined,
  ],
  [
    'the same name with another document',
    { first: { document: 'a' }, one: { document: 'b' } },
    undefined,
    undefined,
  ],
  [
    'the same name, the photo without a document',
    { first: {}, one: { document: 'b' } },
    'first',
    undefined,
  ],
  [
    'the same name, the file without a document',
    { first: { document: 'a' }, one: {} },
    'first',
    undefined,
  ],
  [
    'a colleague’s document',
    { first: { document: 'a', by: 'colleague' }, one: { document: 'a' } },
    undefined,
    undefined,
  ],
  [
    'replaces: none, though the document is the same',
    { first: { document: 'a' }, one: { document: 'a', replaces: 'none' } },
    undefined,
    undefined,
  ],
  [
    'the id of an upload',
    { first: { project: 'spring' }, one: { name: 'two.jpg', replaces: 'first' } },
    'first',
    'spring',
  ],
  [
    'the id of an earlier version',
    { first: {}, second: {}, one: { name: 'two.jpg', replaces: 'first' } },
    'first',
    undefined,
  ],
  ['the id of no upload', { first: {}, one: { replaces: 'no-such-upload' } }, undefined, undefined],
  [
    'the id of a colleague’s photo',
    { first: { by: 'colleague' }, one: { replaces: 'first' } },
    undefined,
    undefined,
  ],
  [
    'the id of a photo in another workspace',
    { first: { to: 'other workspace' }, one: { replaces: 'first' } },
    undefined,
    undefined,
  ],
];

describe('an upload that is finished', () => {
  let database: Database;
  let uploads: UploadRepository;
  let photos: PhotoTable;
  let projects: ProjectTable;
  const users = { own: '', colleague: '' };
  const workspaces = { own: '', 'other workspace': '' };
  let minutes = 0;

  beforeAll(async () => {
    database = await openMigratedDatabase();
    uploads = new UploadRepository(database);
    photos = new PhotoTable(database);
    projects = new ProjectTable(database, () => new Date());
    for (const name of ['own', 'colleague'] as const) {
      const user = { username: name, displayName: name, password: `the password of ${name}` };
      users[name] = await createAccount(database, user);
    }
    for (const name of ['own', 'other workspace'] as const) {
      workspaces[name] = await createWorkspace(database, name);
    }
  });
  afterAll(() => database.close());

  /** An upload with all bytes stored. */
  const begin = async (
    { name = 'one.jpg', by, to, ...sent }: Sent,
    ids: ReadonlyMap<string, string>,
    projectIds: Readonly<Record<string, string>>,
  ): Promise<string> => {
    const destination: Destination = {
      projectId: sent.project && projectIds[sent.project],
      document: sent.document,
      replaces: sent.replaces && (ids.get(sent.replaces) ?? sent.replaces),
      byDocument: sent.byDocument ?? false,
    };
    const { record } = await uploads.add(
      {
        id: randomUUID(),
        accountId: users[by ?? 'own'],
        workspaceId: workspaces[to ?? 'own'],
        clientId: 'client',
        clientUploadId: undefined,
        size: 10,
        name,
        type: 'image/jpeg',
        metadata: {},
        createdAt: new Date(),
        destination,
      },
      LIMITS,
    );
    return record.id;
  };
  const finish = async (id: string): Promise<void> => {
    minutes += 1;
    const digests = { sha256: 'a'.repeat(64), crc32c: 'a'.repeat(8) };
    await uploads.finish(id, digests, new Date(Date.UTC(2026, 0, 1, 0, minutes)));
  };
  const rowOf = async (id: string | undefined): Promise<Row> => {
    const [row] = await database.query<Row>(
      'SELECT photo_id, is_current, project_id FROM uploads WHERE id = $1',
      [id ?? ''],
    );
    if (row === undefined) throw new Error(`there is no upload ${String(id)}`);
    return row;
  };
  /** Forgets the photos of other cases. */
  const clear = async (): Promise<Record<'spring' | 'autumn', string>> => {
    await database.query('DELETE FROM uploads');
    await database.query('DELETE FROM projects');
    const make = async (name: string): Promise<string> => {
      const made = await projects.create(workspaces.own, name, users.own);
      return typeof made === 'string' ? made : made.id;
    };
    return { spring: await make('Spring'), autumn: await make('Autumn') };
  };

  const decide = async (...[, sent, expected, project]: Case): Promise<void> => {
    const projectIds = await clear();
    const ids = new Map<string, string>();
    for (const [name, about] of Object.entries(sent)) {
      const id = await begin(about, ids, projectIds);
      ids.set(name, id);
      await finish(id);
    }

    const one = await rowOf(ids.get('one'));
    expect(one).toEqual({
      photo_id: ids.get(expected ?? 'one'),
      is_current: true,
      project_id: project === undefined ? null : projectIds[project],
    });
    const versions = await database.query<Row>(
      'SELECT is_current, project_id FROM uploads WHERE photo_id = $1 AND id <> $2',
      [one.photo_id, ids.get('one') ?? ''],
    );
    for (const version of versions) {
      expect(version).toEqual({ is_current: false, project_id: one.project_id });
    }
    expect(versions.length > 0).toBe(expected !== undefined);
  };
  const makesPhoto = ([, , expected]: Case): boolean => expected === undefined;
  it.each(CASES.filter((one) => !makesPhoto(one)))('makes a new version with %s', decide);
  it.each(CASES.filter(makesPhoto))('makes a new photo with %s', decide);

  it('makes a new photo with the name, document or id of a photo in the trash', async () => {
    const projectIds = await clear();
    const ids = new Map<string, string>();
    const first = await begin({ document: 'a' }, ids, projectIds);
    await finish(first);
    await photos.trash(first, users.own, new Date());
    ids.set('first', first);

    for (const sent of [{}, { document: 'a' }, { replaces: 'first' }]) {
      const id = await begin({ ...sent }, ids, projectIds);
      await finish(id);
      expect((await rowOf(id)).photo_id).toBe(id);
      await photos.trash(id, users.own, new Date());
    }
    expect(await rowOf(first)).toMatchObject({ is_current: true });
  });

  it('is in no project if its project was archived during the upload', async () => {
    const projectIds = await clear();
    const id = await begin({ project: 'spring' }, new Map(), projectIds);
    const spring = await projects.find(projectIds.spring);
    if (spring === undefined) throw new Error('there is no project');
    await projects.change(spring, { isArchived: true });
    await finish(id);
    expect(await rowOf(id)).toEqual({ photo_id: id, is_current: true, project_id: null });
  });

  it.each([
    [
      'archived',
      async (id: string) =>
        database.query('UPDATE projects SET archived_at = now() WHERE id = $1', [id]),
    ],
    [
      'foreign',
      async (id: string) =>
        database.query('UPDATE projects SET workspace_id = $2 WHERE id = $1', [
          id,
          workspaces['other workspace'],
        ]),
    ],
    ['unknown', async (id: string) => database.query('DELETE FROM projects WHERE id = $1', [id])],
  ])('is refused at its creation if its project is %s', async (_what, change) => {
    const projectIds = await clear();
    await change(projectIds.spring);
    await expect(begin({ project: 'spring' }, new Map(), projectIds)).rejects.toMatchObject({
      status_code: 422,
    });
    expect(await database.query('SELECT 1 FROM uploads')).toEqual([]);
  });

  it('is found by a repeated creation although its project was archived since', async () => {
    const projectIds = await clear();
    const upload = {
      ...{ accountId: users.own, workspaceId: workspaces.own, clientId: 'client', size: 10 },
      ...{ name: 'one.jpg', type: 'image/jpeg', metadata: {}, createdAt: new Date() },
      clientUploadId: 'an-id-of-the-client',
      destination: { projectId: projectIds.spring, document: undefined, replaces: undefined },
    };
    const first = await uploads.add({ ...upload, id: randomUUID() }, LIMITS);
    await database.query('UPDATE projects SET archived_at = now()');
    const again = await uploads.add({ ...upload, id: randomUUID() }, LIMITS);
    expect(again).toEqual({ record: first.record, added: false });
  });

  it('finds the photo that it would replace before it is uploaded', async () => {
    const projectIds = await clear();
    const ids = new Map<string, string>();
    for (const [name, sent] of Object.entries({
      first: { document: 'a', project: 'spring' },
      second: { name: 'two.jpg' },
    } satisfies Record<string, Sent>)) {
      ids.set(name, await begin(sent, ids, projectIds));
      await finish(ids.get(name) ?? '');
    }
    const scopes: Principal['scopes'] = new Set(['uploads:write']);
    const caller = {
      accountId: users.own,
      workspaceId: workspaces.own,
      clientId: 'client',
      scopes,
    } as Principal;
    const files = [
      { name: 'three.jpg' },
      { name: 'one.jpeg', document: 'a' },
      { name: 'two.jpg', document: 'b' },
      { name: 'two.jpg', project: projectIds.spring },
      { name: 'one.jpg', document: 'b' },
      { name: 'three.jpg', document: 'a', byDocument: true },
    ];

    const found = await uploads.previous(caller, files);

    expect(found).toMatchObject([
      {
        place: 1,
        id: ids.get('first'),
        sha256: 'a'.repeat(64),
        project: { id: projectIds.spring, name: 'Spring' },
        match: 'document',
      },
      {
        place: 2,
        id: ids.get('second'),
        sha256: 'a'.repeat(64),
        project: null,
        match: 'name',
      },
      { place: 5, id: ids.get('first'), match: 'document' },
    ]);
    const ofAnotherApp = { ...caller, clientId: 'another' };
    expect(await uploads.previous(ofAnotherApp, files)).toEqual([]);
    const reader = { ...ofAnotherApp, scopes: new Set(['uploads:read']) } as Principal;
    expect(await uploads.previous(reader, files)).toHaveLength(3);
    const colleague = { ...reader, accountId: users.colleague };
    expect(await uploads.previous(colleague, files)).toEqual([]);
  });
});
