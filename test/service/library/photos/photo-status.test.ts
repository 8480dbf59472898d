import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PhotoTable } from '../../../../service/library/photos/data/photo-table.js';
import { authorization, photo, sha256 as digestOf } from '../../support/tus-client.js';
import { addUser, addWorkspace, connectAs, send, type TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';

interface Link {
  readonly state: string;
  readonly by: string | null;
  readonly placed: { readonly id: string; readonly version: number | null } | null;
  readonly current: Readonly<Record<string, unknown>> | null;
}

const bytes = (seed: number): Uint8Array<ArrayBuffer> => photo(300, seed);

describe('the status of placed files', () => {
  const service = useService();
  let workspaceId: string;
  let owner: TestUser;
  let token: string;
  let count = 0;
  /** Three versions of one photo, of which the last one is current, by their ids. */
  let first: string;
  let second: string;
  let third: string;
  let seed: number;

  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    token = await connectAs(service, owner, 'uploads:write uploads:read');
  });
  beforeEach(async () => {
    count += 1;
    seed = count * 10;
    const version = (number: number): Promise<string> =>
      send(service, token, `Cover ${count}.psd`, bytes(seed + number), {
        document: `xmp.did:cover-${count}#image/psd`,
      });
    first = await version(1);
    second = await version(2);
    third = await version(3);
  });

  const ask = (body: unknown, as = token, type = 'application/json'): Promise<Response> =>
    fetch(`${service.baseUrl}/api/v1/photos/status`, {
      method: 'POST',
      headers: { ...authorization(as), 'Content-Type': type },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const status = async (links: readonly object[], as = token): Promise<Link[]> => {
    const answer = await ask({ links }, as);
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { links: Link[] }).links;
  };
  const states = async (links: readonly object[], as = token): Promise<string[]> =>
    (await status(links, as)).map(({ state }) => state);
  const approve = (id: string, version: number): Promise<unknown> =>
    service.database.query(
      `INSERT INTO share_answers (id, photo_id, kind, guest_id, guest_name, upload_id, version, sha256, created_at)
       SELECT 'approved-' || $1, photo_id, 'approval', 'guest', 'Anna', id, $2, sha256, now() FROM uploads WHERE id = $1`,
      [id, version],
    );

  it('is current for the current version, and newer for earlier ones, by id and by digest', async () => {
    const links = [
      { id: first },
      { id: third },
      { sha256: digestOf(bytes(seed + 2)) },
      { sha256: digestOf(bytes(seed + 3)) },
    ];
    const found = await status(links);
    expect(found.map(({ state, by, placed }) => [state, by, placed?.id, placed?.version])).toEqual([
      ['newer', 'id', first, 1],
      ['current', 'id', third, 3],
      ['newer', 'sha256', second, 2],
      ['current', 'sha256', third, 3],
    ]);
    expect(found[0]?.current).toEqual({
      ...{ id: third, photo: first, version: 3, name: `Cover ${count}.psd`, size: 300 },
      ...{ sha256: digestOf(bytes(seed + 3)), type: expect.any(String), media_type: null },
      ...{ width: null, height: null, created: expect.any(String), approval: null },
    });
  });

  it('is newer and approved only when the current bytes are approved', async () => {
    await approve(second, 2);
    expect(await status([{ id: first }])).toMatchObject([
      { state: 'newer', current: { approval: { version: 2, by: 'Anna', is_current: false } } },
    ]);
    await approve(third, 3);
    expect(await status([{ id: first }, { id: third }])).toMatchObject([
      {
        state: 'newer_approved',
        current: { approval: { version: 3, is_current: true, sha256: digestOf(bytes(seed + 3)) } },
      },
      { state: 'current', current: { approval: { version: 3 } } },
    ]);
    await service.database.query(
      `UPDATE share_answers SET withdrawn_at = now() WHERE id = 'approved-' || $1`,
      [third],
    );
    expect(await states([{ id: first }])).toEqual(['newer']);
  });

  it('follows the version that a user has chosen, also an earlier one', async () => {
    await new PhotoTable(service.database).makeCurrent(second);
    expect(await status([{ id: third }, { id: second }])).toMatchObject([
      { state: 'newer', placed: { version: 3 }, current: { id: second, version: 2 } },
      { state: 'current' },
    ]);
  });

  it('is current for a version with the same bytes as the current one', async () => {
    await send(service, token, `Cover ${count}.psd`, bytes(seed + 1), {
      document: `xmp.did:cover-${count}#image/psd`,
    });
    expect(await states([{ id: first }, { id: third }])).toEqual(['current', 'newer']);
  });

  it('recognizes a document with or without its part, unless several photos are of it', async () => {
    const document = `xmp.did:cover-${count}`;
    expect(await status([{ document }, { document: `${document}#image/psd` }])).toMatchObject([
      { state: 'other_bytes', by: 'document', placed: null, current: { id: third } },
      { state: 'other_bytes', by: 'document', placed: null, current: { id: third } },
    ]);
    // The bytes say more than the document.
    expect(
      await status([
        { document, sha256: digestOf(bytes(seed + 1)) },
        { document: 'xmp.did:cover' },
      ]),
    ).toMatchObject([
      { state: 'newer', by: 'sha256', placed: { version: 1 } },
      { state: 'unknown' },
    ]);
    await send(service, token, `Back ${count}.pdf`, bytes(seed + 5), {
      document: `${document}#application/pdf`,
    });
    expect(await states([{ document }, { document: `${document}#image/psd` }])).toEqual([
      'unknown',
      'other_bytes',
    ]);
    const colleague = await addUser(service, { [workspaceId]: 'owner' });
    const all = await connectAs(service, colleague, 'workspace:read');
    expect(await states([{ document: `${document}#image/psd` }], all)).toEqual(['unknown']);
  });

  it('is gone in the trash, with nothing to update to, and leads to the same bytes elsewhere', async () => {
    await new PhotoTable(service.database).trash(first, owner.accountId, new Date());
    const link = { id: second, sha256: digestOf(bytes(seed + 2)) };
    expect(await status([link, { sha256: link.sha256 }])).toMatchObject([
      { state: 'gone', placed: { id: second, version: 2 }, current: null },
      { state: 'gone', placed: { id: second } },
    ]);
    const again = await send(service, token, `Again ${count}.psd`, bytes(seed + 2));
    expect(await status([link])).toMatchObject([{ state: 'current', placed: { id: again } }]);
  });

  it('is one state for what does not exist and for what the user does not see', async () => {
    const links = [{ id: first }, { sha256: digestOf(bytes(seed + 3)) }];
    const unknown = { state: 'unknown', by: null, placed: null, current: null };
    const nothing = await status([
      { id: 'nothing' },
      { sha256: 'f'.repeat(64) },
      {},
      { document: 'x' },
    ]);
    expect(nothing).toEqual([unknown, unknown, unknown, unknown]);
    const other = await addWorkspace(service, 'South Studio');
    const stranger = await addUser(service, { [other]: 'owner' });
    for (const scope of ['uploads:write', 'uploads:read', 'workspace:read'])
      expect(await status(links, await connectAs(service, stranger, scope))).toEqual([
        unknown,
        unknown,
      ]);
    const member = await addUser(service, { [workspaceId]: 'member' });
    expect(await states(links, await connectAs(service, member, 'uploads:read'))).toEqual([
      'unknown',
      'unknown',
    ]);
    expect(await states(links, await connectAs(service, member, 'workspace:read'))).toEqual([
      'unknown',
      'unknown',
    ]);
    await service.database.query('UPDATE workspaces SET members_see_all = true WHERE id = $1', [
      workspaceId,
    ]);
    const seesAll = await states(links, await connectAs(service, member, 'workspace:read'));
    await service.database.query('UPDATE workspaces SET members_see_all = false WHERE id = $1', [
      workspaceId,
    ]);
    expect(seesAll).toEqual(['newer', 'current']);
  });

  it('is gone for those who may restore it, and unknown for colleagues who saw it', async () => {
    const open = await addWorkspace(service, 'Open Studio');
    await service.database.query('UPDATE workspaces SET members_see_all = true WHERE id = $1', [
      open,
    ]);
    const sender = await addUser(service, { [open]: 'member' });
    const colleague = await addUser(service, { [open]: 'member' });
    const chief = await addUser(service, { [open]: 'owner' });
    const id = await send(service, await connectAs(service, sender), 'Open.jpg', bytes(seed + 6));
    const users = await Promise.all(
      [sender, colleague, chief].map((user) => connectAs(service, user, 'workspace:read')),
    );
    const seen = (): Promise<string[][]> => Promise.all(users.map((as) => states([{ id }], as)));
    expect(await seen()).toEqual([['current'], ['current'], ['current']]);
    await new PhotoTable(service.database).trash(id, sender.accountId, new Date());
    expect(await seen()).toEqual([['gone'], ['unknown'], ['gone']]);
  });

  it('leaves the links out while nothing has changed', async () => {
    const links = [{ id: first }, { id: 'nothing' }];
    const before = (await (await ask({ links })).json()) as { revision: string; links: unknown[] };
    expect(before.links).toHaveLength(2);
    const { revision } = before;
    expect(await (await ask({ links, revision })).json()).toEqual({ revision });
    await approve(third, 3);
    const after = (await (await ask({ links, revision })).json()) as { revision: string };
    expect(after).toMatchObject({ links: [{ state: 'newer_approved' }, { state: 'unknown' }] });
    expect(after.revision).not.toBe(revision);
  });

  it.each([
    ['no links', {}, 400],
    ['501 links', { links: Array.from({ length: 501 }, () => ({ id: 'x' })) }, 400],
    ['an id that no upload has', { links: [{ id: "x'; --" }] }, 400],
    ['a long id', { links: [{ id: 'x'.repeat(65) }] }, 400],
    ['a digest in capitals', { links: [{ sha256: 'A'.repeat(64) }] }, 400],
    ['a document beyond ASCII', { links: [{ document: 'ü' }] }, 400],
    ['a long document', { links: [{ document: 'x'.repeat(201) }] }, 400],
    ['a NUL', '{"links": [{"id": "\\u0000"}]}', 400],
    ['a link that is none', { links: ['x'] }, 400],
    ['a long revision', { links: [], revision: 'x'.repeat(65) }, 400],
    ['a large body', `{"links": [], "more": "${'x'.repeat(512 * 1024)}"}`, 413],
  ])('refuses %s', async (_what, body, expected) => {
    expect((await ask(body)).status).toBe(expected);
  });

  it('takes 500 links with the longest values, and refuses another type', async () => {
    const link = { id: 'x'.repeat(64), sha256: 'e'.repeat(64), document: '"'.repeat(200) };
    const found = await states(Array.from({ length: 500 }, () => link));
    expect([found.length, new Set(found)]).toEqual([500, new Set(['unknown'])]);
    expect((await ask({ links: [] }, token, 'text/plain')).status).toBe(415);
    expect((await ask({ links: [] }, 'svc_at_unknown')).status).toBe(401);
  });
});
