import { beforeAll, describe, expect, it } from '@jest/globals';
import { setMembersSeeAll } from '../../../../service/identity/accounts/accounts.js';
import {
  addUser,
  addWorkspace,
  connectAs,
  createToken,
  openSettings,
  send,
} from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { authorization, photo } from '../../support/tus-client.js';

interface Upload {
  readonly id: string;
  readonly name: string;
  readonly project: { readonly id: string; readonly name: string } | null;
  readonly sent_by: { readonly username: string };
}

describe('the data API that changes and filters', () => {
  let workspaceId: string;
  let owner: TestUser;
  let member: TestUser;
  let mine: string;
  let theirs: string;

  const service = useService();
  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    member = await addUser(service, { [workspaceId]: 'member' });
    mine = await send(service, await connectAs(service, member), 'Harbour.jpg', photo(10));
    theirs = await send(service, await connectAs(service, owner), 'Night.jpg', photo(10, 2));
  });

  const ask = async (
    token: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: unknown; headers: Headers }> => {
    const answer = await fetch(`${service.baseUrl}/api/v1${path}`, {
      method,
      headers: {
        ...authorization(token),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const { status, headers } = answer;
    return { status, headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  const statusOf = async (...of: Parameters<typeof ask>): Promise<number> =>
    (await ask(...of)).status;
  const list = async (token: string, query = ''): Promise<readonly Upload[]> =>
    ((await ask(token, 'GET', `/uploads${query}`)).body as { uploads: Upload[] }).uploads;
  const names = async (token: string, query = ''): Promise<string[]> =>
    (await list(token, query)).map(({ name }) => name);

  it('deletes and restores own uploads with the scope for changes', async () => {
    const token = await createToken(service, member, 'uploads:delete');
    const reader = await createToken(service, member, 'uploads:read');
    for (const change of ['trash', 'restore']) {
      expect(await statusOf(reader, 'POST', `/uploads/${mine}/${change}`)).toBe(403);
      expect(await statusOf('svc_pat_x', 'POST', `/uploads/${mine}/${change}`)).toBe(401);
      expect(await statusOf(token, 'POST', `/uploads/nothing/${change}`)).toBe(404);
    }
    expect(await statusOf(token, 'GET', '/uploads')).toBe(403);
    expect(await statusOf(token, 'POST', `/uploads/${mine}/trash`)).toBe(204);
    expect(await statusOf(token, 'POST', `/uploads/${mine}/trash`)).toBe(204);
    expect(await names(reader)).toEqual([]);
    const page = await openSettings(service, member, '/photos/trash');
    expect(page.page.text).toContain('Harbour.jpg');
    expect(await statusOf(token, 'POST', `/uploads/${mine}/restore`)).toBe(204);
    expect(await names(reader)).toEqual(['Harbour.jpg']);
  });

  it('changes no upload of a colleague, even for an owner', async () => {
    const token = await createToken(service, owner, 'uploads:delete');
    const mover = await createToken(service, owner, 'projects:write');
    expect(await statusOf(token, 'POST', `/uploads/${mine}/trash`)).toBe(404);
    expect(await statusOf(mover, 'POST', `/uploads/${mine}/project`, { project: null })).toBe(404);
    const elsewhere = await addWorkspace(service, 'South Studio');
    const both = await addUser(service, { [elsewhere]: 'owner' });
    const id = await send(service, await connectAs(service, both), 'South.jpg', photo(10));
    await service.database.query('UPDATE uploads SET account_id = $1 WHERE id = $2', [
      member.accountId,
      id,
    ]);
    // It belongs to the user, but to another workspace than the token.
    const own = await createToken(service, member, 'uploads:delete');
    expect(await statusOf(own, 'POST', `/uploads/${id}/trash`)).toBe(404);
  });

  it('lists all visible photos with workspace:read, otherwise only own uploads', async () => {
    const wide = await createToken(service, member, 'workspace:read');
    const read = await createToken(service, owner, 'uploads:read');
    const content = await createToken(service, owner, 'uploads:content');
    const ways = async (token: string, id: string): Promise<number[]> => [
      await statusOf(token, 'GET', `/uploads/${id}`),
      (
        await fetch(`${service.baseUrl}/api/v1/uploads/${id}/content`, {
          headers: authorization(token),
        })
      ).status,
    ];
    expect(await names(wide)).toEqual(['Harbour.jpg']);
    expect(await ways(wide, theirs)).toEqual([404, 404]);
    expect(await ways(wide, mine)).toEqual([200, 200]);
    await setMembersSeeAll(service.database, workspaceId, true);
    expect(await names(wide)).toEqual(expect.arrayContaining(['Harbour.jpg', 'Night.jpg']));
    expect(await ways(wide, theirs)).toEqual([200, 200]);
    // The other scopes mean what people have agreed to.
    expect(await names(read)).toEqual(['Night.jpg']);
    expect(await ways(read, mine)).toEqual([404, 403]);
    expect(await ways(content, mine)).toEqual([403, 404]);
    expect(await names(wide, `?user=${owner.username}`)).toEqual(['Night.jpg']);
    expect(await names(read, `?user=${member.username}`)).toEqual([]);
    await setMembersSeeAll(service.database, workspaceId, false);
    expect(await names(wide)).toEqual(['Harbour.jpg']);
  });

  it('creates, renames and archives projects, moves uploads, and lists by project', async () => {
    const token = await createToken(service, member, 'projects:write');
    const reader = await createToken(service, member, 'uploads:read');
    const made = await ask(token, 'POST', '/projects', { name: ' Autumn ' });
    expect(made).toMatchObject({ status: 201, body: { name: 'Autumn', archived: false } });
    const { id } = made.body as { id: string };
    expect(await statusOf(token, 'POST', '/projects', { name: 'AUTUMN' })).toBe(409);
    for (const body of [{}, { name: 1 }, { name: '' }, [], 'x', { name: 'a\u0000' }])
      expect([body, await statusOf(token, 'POST', '/projects', body)]).toEqual([body, 400]);
    const plain = await fetch(`${service.baseUrl}/api/v1/projects`, {
      method: 'POST',
      headers: authorization(token),
      body: '{"name":"x"}',
    });
    expect(plain.status).toBe(415);

    const moved = await ask(token, 'POST', `/uploads/${mine}/project`, { project: id });
    expect(moved).toMatchObject({ status: 200, body: { project: { id, name: 'Autumn' } } });
    expect(await names(reader, `?project=${id}`)).toEqual(['Harbour.jpg']);
    expect(await names(reader, '?project=none')).toEqual([]);

    // The path is below that of the uploads, where the method may be in a header (tus 1.0.0).
    const override = (project: string | null): Promise<Response> =>
      fetch(`${service.baseUrl}/api/v1/uploads/${mine}/project`, {
        method: 'PUT',
        headers: {
          ...authorization(token),
          'content-type': 'application/json',
          'x-http-method-override': 'POST',
        },
        body: JSON.stringify({ project }),
      });
    expect((await override(null)).status).toBe(200);
    expect(await names(reader, `?project=${id}`)).toEqual([]);
    expect((await override(id)).status).toBe(200);
    expect(await names(reader, `?project=${id}`)).toEqual(['Harbour.jpg']);

    const renamed = await ask(token, 'PATCH', `/projects/${id}`, { name: 'Autumn 2026' });
    expect(renamed).toMatchObject({ status: 200, body: { id, name: 'Autumn 2026' } });
    const archived = await ask(token, 'PATCH', `/projects/${id}`, { archived: true });
    expect(archived.body).toMatchObject({ archived: true });
    await ask(token, 'POST', `/uploads/${mine}/project`, { project: null });
    expect(await statusOf(token, 'POST', `/uploads/${mine}/project`, { project: id })).toBe(400);
    expect((await ask(token, 'GET', '/projects')).body).toMatchObject({
      projects: [{ id, name: 'Autumn 2026', archived: true }],
    });

    // Another project takes the name first.
    const second = await ask(token, 'POST', '/projects', { name: 'autumn 2026' });
    const taken = { status: 409, body: { error: 'name_taken' } };
    expect(await ask(token, 'PATCH', `/projects/${id}`, { archived: false })).toMatchObject(taken);
    const { id: secondId } = second.body as { id: string };
    const third = await ask(token, 'POST', '/projects', { name: 'Third' });
    const { id: thirdId } = third.body as { id: string };
    const clash = { name: 'AUTUMN 2026' };
    expect(await ask(token, 'PATCH', `/projects/${thirdId}`, clash)).toMatchObject(taken);
    await ask(token, 'PATCH', `/projects/${secondId}`, { name: 'Second' });

    const colleague = await addUser(service, { [workspaceId]: 'member' });
    const other = await createToken(service, colleague, 'projects:write');
    expect(await statusOf(other, 'PATCH', `/projects/${id}`, { name: 'Stolen' })).toBe(403);
    const chair = await createToken(service, owner, 'projects:write');
    expect(await statusOf(chair, 'PATCH', `/projects/${id}`, { archived: false })).toBe(200);
    const elsewhere = await addWorkspace(service, 'West Studio');
    const outsider = await addUser(service, { [elsewhere]: 'owner' });
    const foreign = await createToken(service, outsider, 'projects:write');
    expect(await statusOf(foreign, 'PATCH', `/projects/${id}`, { name: 'x' })).toBe(404);
    expect((await ask(foreign, 'GET', '/projects')).body).toEqual({ projects: [] });
    for (const scope of ['uploads:read', 'uploads:content', 'uploads:write', 'uploads:delete'])
      expect(await statusOf(await createToken(service, member, scope), 'GET', '/projects')).toBe(
        403,
      );
  });

  it('lists projects with the number of visible photos, the newest first', async () => {
    const studio = await addWorkspace(service, 'East Studio');
    const chair = await addUser(service, { [studio]: 'owner' });
    const colleague = await addUser(service, { [studio]: 'member' });
    const token = await createToken(service, chair, 'projects:write');
    const make = async (name: string): Promise<string> =>
      ((await ask(token, 'POST', '/projects', { name })).body as { id: string }).id;
    const [older, newer] = [await make('Older'), await make('Newer')];
    await service.database.query(
      `UPDATE projects SET created_at = CASE id WHEN $1 THEN timestamptz '2020-01-01Z' ELSE '2020-01-02Z' END
        WHERE workspace_id = $2`,
      [older, studio],
    );
    const add = async (user: TestUser, arrived: string, trashed = false): Promise<void> => {
      const sent = await send(
        service,
        await connectAs(service, user),
        `${arrived.slice(0, 10)}.jpg`,
        photo(10),
      );
      await service.database.query(
        `UPDATE uploads SET project_id = $2, finished_at = $3, trashed_at = CASE WHEN $4 THEN now() END
          WHERE id = $1`,
        [sent, older, new Date(arrived), trashed],
      );
    };
    const listed = async (user: TestUser): Promise<unknown> => {
      const answer = await ask(
        await createToken(service, user, 'workspace:read'),
        'GET',
        '/projects',
      );
      return (answer.body as { projects: Record<string, unknown>[] }).projects.map(
        ({ id, photos, updated }) => [id, photos, updated],
      );
    };
    const empty = [newer, 0, '2020-01-02T00:00:00.000Z'];
    expect(await listed(chair)).toEqual([empty, [older, 0, '2020-01-01T00:00:00.000Z']]);

    await add(colleague, '2020-02-01T00:00:00Z');
    await add(chair, '2020-03-01T00:00:00Z');
    await add(chair, '2020-04-01T00:00:00Z', true);

    expect(await listed(chair)).toEqual([[older, 2, '2020-03-01T00:00:00.000Z'], empty]);
    expect(await listed(colleague)).toEqual([[older, 1, '2020-02-01T00:00:00.000Z'], empty]);
    // An earlier version is not a separate photo.
    await service.database.query('UPDATE uploads SET is_current = false WHERE account_id = $1', [
      colleague.accountId,
    ]);
    expect(await listed(colleague)).toEqual([empty, [older, 0, '2020-01-01T00:00:00.000Z']]);
  });

  it('searches by name and day, page by page', async () => {
    const user = await addUser(service, { [workspaceId]: 'member' });
    const reader = await createToken(service, user, 'uploads:read');
    const token = await connectAs(service, user);
    for (const name of ['Filter 1.jpg', 'filter 2.jpg', 'FILTER 3.jpg'])
      await send(service, token, name, photo(10));
    const day = new Date().toISOString().slice(0, 10);
    const first = await ask(reader, 'GET', `/uploads?name=filter&day=${day}&limit=2`);
    const { uploads, next } = first.body as { uploads: Upload[]; next: string };
    expect(uploads.map(({ name }) => name)).toEqual(['Filter 1.jpg', 'filter 2.jpg']);
    expect(await names(reader, next.replace(/^[^?]*/, ''))).toEqual(['FILTER 3.jpg']);
    expect(await names(reader, '?name=filter&day=2020-02-29')).toEqual([]);
    for (const query of ['day=2026-02-30', 'day=x', 'name=a&name=b', 'color=red'])
      expect([query, await statusOf(reader, 'GET', `/uploads?${query}`)]).toEqual([query, 400]);
  });
});
