import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PERSONAL_CLIENT } from '../../../../service/oauth/tokens/bearer.js';
import { PersonalTokens } from '../../../../service/identity/accounts/personal-access-tokens.js';
import type { Scope } from '../../../../service/identity/scopes.js';
import { addUser, type TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { addSharedPhotos, shareAs } from '../../delivery/shares/sharing.js';

describe('the data API of feedback', () => {
  const now = Date.parse('2026-11-28T12:00:00Z');
  let workspaceId: string;
  let member: TestUser;
  let harbour: string;
  let night: string;
  let project: string;
  let shareId: string;
  let token: string;

  const service = useService({ now: () => new Date(now) });
  beforeAll(async () => {
    ({ workspaceId, member, harbour, night, project } = await addSharedPhotos(service));
    await shareAs(service, member, { photo: harbour });
    const [share] = await service.database.query<{ id: string }>('SELECT id FROM shares');
    shareId = share?.id ?? '';
    token = await makeToken(member, ['uploads:read', 'feedback:write']);
    const documented = 'UPDATE uploads SET document = $2 WHERE id = $1';
    await service.database.query(documented, [night, 'xmp.did:7#page-2#image/jpeg']);
  });
  beforeEach(async () => {
    await service.database.query('DELETE FROM share_answers');
    await service.database.query(`DELETE FROM audit_events WHERE action LIKE 'feedback%'`);
    await service.database.query(
      `INSERT INTO share_answers (id, share_id, photo_id, kind, value, guest_id, guest_name, upload_id, version, sha256, comment, created_at)
       SELECT id, CASE photo WHEN $1 THEN $3 END, photo, kind, value, 'guest', 'Mia', photo, 1, '', text,
              $4::timestamptz + seconds * interval '1 second'
         FROM (VALUES ('a', $1, 'stars', 4, NULL, 0), ('b', $1, 'comment', NULL, 'Too dark', 1),
                      ('c', $1, 'approval', NULL, NULL, 1), ('d', $2, 'comment', NULL, 'Fine', 2))
           AS given (id, photo, kind, value, text, seconds)`,
      [harbour, night, shareId, new Date(now)],
    );
  });

  const makeToken = async (user: TestUser, scopes: readonly Scope[]): Promise<string> => {
    const tokens = new PersonalTokens(service.database, () => new Date(now));
    return (
      (await tokens.create(user.accountId, { workspaceId, name: 'Script', scopes, days: 7 })) ?? ''
    );
  };
  const ask = async (
    method: string,
    path: string,
    { as = token, body }: { as?: string; body?: unknown } = {},
  ): Promise<{ status: number; body: Record<string, unknown> }> => {
    const address = path.startsWith('/api') ? path : `/api/v1/feedback${path}`;
    const answer = await fetch(service.baseUrl + address, {
      method,
      headers: {
        authorization: `Bearer ${as}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
    };
  };
  const idsOf = ({ feedback }: Record<string, unknown>): unknown[] =>
    (feedback as { id: string }[]).map(({ id }) => id);

  it('lists feedback by pages, each once', async () => {
    const ids: unknown[] = [];
    for (let path: unknown = '?limit=1'; typeof path === 'string';) {
      const { status, body } = await ask('GET', path);
      expect(status).toBe(200);
      ids.push(...idsOf(body));
      path = body['next'];
    }
    expect(ids).toEqual(['a', 'b', 'c', 'd']);
  });

  it('ends a page of long comments before two megabytes, and has the others on the next', async () => {
    await service.database.query(
      `INSERT INTO share_answers (id, share_id, photo_id, kind, guest_id, guest_name, upload_id, version, sha256, comment, created_at)
       SELECT 'long-' || n, $1, $2, 'comment', 'guest', 'Mia', $2, 1, '', repeat('影', 2000), $3::timestamptz + n * interval '1 minute'
         FROM generate_series(1, 400) AS n`,
      [shareId, harbour, new Date(now)],
    );
    const ids: unknown[] = [];
    const lengths: number[] = [];
    for (let path: unknown = ''; typeof path === 'string';) {
      const { body } = await ask('GET', path);
      ids.push(...idsOf(body));
      lengths.push(Buffer.byteLength(JSON.stringify(body)));
      path = body['next'];
    }
    expect(new Set(ids).size).toBe(404);
    expect(ids).toHaveLength(404);
    expect(lengths).toHaveLength(3);
    expect(Math.max(...lengths)).toBeLessThan(2 * 1024 * 1024);
  });

  it('has the version that the guest saw, and what its app noted about the document', async () => {
    const change = 'UPDATE uploads SET metadata = metadata || $2::jsonb WHERE id = $1';
    await service.database.query(change, [night, '{"source":"{\\"in\\":\\"0\\"}"}']);
    await service.database.query(`UPDATE share_answers SET upload_id = 'gone' WHERE id = 'b'`);
    const { body } = await ask('GET', '?kind=comment');
    expect(body['feedback']).toMatchObject([
      { id: 'b', upload: harbour },
      { id: 'd', upload: night, source: '{"in":"0"}' },
    ]);
    expect((body['feedback'] as object[])[0]).not.toHaveProperty('source');
  });

  it('has the next page of a document, not of everything', async () => {
    await service.database.query(
      `INSERT INTO share_answers (id, share_id, photo_id, kind, guest_id, guest_name, upload_id, version, sha256, comment, created_at)
       SELECT 'e', NULL, $1, 'comment', 'guest', 'Mia', $1, 1, '', 'Lighter', $2::timestamptz + interval '9 seconds'
        UNION ALL
       SELECT 'between', NULL, $3, 'comment', 'guest', 'Mia', $3, 1, '', 'Other', $2::timestamptz + interval '5 seconds'`,
      [night, new Date(now), harbour],
    );
    const { body } = await ask('GET', '?limit=1&document=xmp.did:7');
    expect(idsOf(body)).toEqual(['d']);
    expect(idsOf((await ask('GET', String(body['next']))).body)).toEqual(['e']);
  });

  it.each([
    ['kind=comment', ['b', 'd']],
    ['since=2026-11-28T12:00:01Z', ['b', 'c', 'd']],
    ['since=2026-11-28T13:00:02%2B01:00', ['d']],
    ['link={link}', ['a', 'b', 'c']],
    ['project={project}', ['d']],
    ['upload={upload}&kind=stars', ['a']],
    ['document=xmp.did:7&kind=comment', ['d']],
    ['document=xmp.did:8', []],
    ['link=other', []],
  ])('limits the list by %s', async (query, ids) => {
    const filled = query
      .replace('{link}', shareId)
      .replace('{project}', project)
      .replace('{upload}', harbour);
    expect(idsOf((await ask('GET', `?${filled}`)).body)).toEqual(ids);
    const { body } = await ask('GET', `?limit=1&${filled}`);
    const { next } = body;
    const second = typeof next === 'string' ? idsOf((await ask('GET', next)).body) : [];
    expect(second).toEqual(ids.slice(1, 2));
  });

  it.each([
    'limit=0',
    'limit=1001',
    'after=x',
    'since=yesterday',
    'kind=like',
    'more=1',
    'limit=1&limit=2',
  ])('refuses a list with %s', async (query) => {
    expect(await ask('GET', `?${query}`)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
  });

  it('has names of files, and the documents of the user only', async () => {
    const query = '?document=xmp.did:7';
    expect((await ask('GET', query)).body).toMatchObject({ feedback: [{ name: 'Night.jpg' }] });
    const owner = await addUser(service, { [workspaceId]: 'owner' });
    const as = await makeToken(owner, ['workspace:read']);
    expect((await ask('GET', query, { as })).body).toEqual({ feedback: [] });
    expect(idsOf((await ask('GET', '', { as })).body)).toContain('d');
  });

  it('returns one, replies to a comment, and marks it as done', async () => {
    expect(await ask('GET', '/a')).toMatchObject({
      status: 200,
      body: { kind: 'stars', stars: 4, link: shareId, photo: harbour, guest: { name: 'Mia' } },
    });
    expect(await ask('POST', '/b/reply', { body: { text: ' Of course ' } })).toMatchObject({
      status: 200,
      body: { reply: { text: 'Of course' }, done: false },
    });
    // A client that missed the answer repeats it.
    await ask('POST', '/b/reply', { body: { text: 'Of course' } });
    await ask('POST', '/b/done');
    expect((await ask('POST', '/b/done')).body).toMatchObject({ done: true });
    expect((await ask('POST', '/b/reopen')).body).toMatchObject({ done: false });
    expect((await ask('DELETE', '/b')).status).toBe(204);
    expect((await ask('GET', '/b')).status).toBe(404);
    const events = await service.database.query<{ action: string; by: string }>(
      `SELECT action, about ->> 'by' AS by FROM audit_events WHERE action LIKE 'feedback%' ORDER BY id`,
    );
    expect(events.map(({ action }) => action)).toEqual([
      'feedback_comment_replied',
      'feedback_comment_done',
      'feedback_comment_reopened',
      'feedback_comment_deleted',
    ]);
  });

  it.each([
    ['POST', '/b/reply', { text: '  ' }, 400],
    ['POST', '/b/reply', {}, 400],
    ['POST', '/a/done', undefined, 422],
    ['DELETE', '/c', undefined, 422],
    ['DELETE', '/unknown', undefined, 404],
  ] as const)('refuses %s %s with %j', async (method, path, body, status) => {
    expect((await ask(method, path, { body })).status).toBe(status);
  });

  it('needs its scope, and shows members what they see', async () => {
    const reading = await makeToken(member, ['uploads:read']);
    expect((await ask('POST', '/b/done', { as: reading })).status).toBe(403);
    const sending = await makeToken(member, ['feedback:write']);
    expect((await ask('GET', '', { as: sending })).status).toBe(403);
    // With uploads:write alone, only what the same app sent.
    const app = await makeToken(member, ['uploads:write']);
    expect(idsOf((await ask('GET', '', { as: app })).body)).toEqual([]);
    expect((await ask('GET', '/b', { as: app })).status).toBe(404);
    const sent = 'UPDATE uploads SET client_id = $2 WHERE id = $1';
    await service.database.query(sent, [harbour, PERSONAL_CLIENT]);
    expect(idsOf((await ask('GET', '', { as: app })).body)).toContain('b');
    expect((await ask('GET', '/b', { as: app })).status).toBe(200);
    expect((await ask('POST', '/b/done', { as: app })).status).toBe(403);
    const colleague = await addUser(service, { [workspaceId]: 'member' });
    const scopes: readonly Scope[] = ['uploads:read', 'workspace:read', 'feedback:write'];
    const other = await makeToken(colleague, scopes);
    expect(idsOf((await ask('GET', '', { as: other })).body)).toEqual([]);
    await service.database.query('UPDATE workspaces SET members_see_all = true WHERE id = $1', [
      workspaceId,
    ]);
    expect(idsOf((await ask('GET', '', { as: other })).body)).toEqual(['a', 'b', 'c', 'd']);
    expect((await ask('DELETE', '/b', { as: other })).status).toBe(404);
    const own = await makeToken(colleague, ['uploads:read']);
    expect(idsOf((await ask('GET', '', { as: own })).body)).toEqual([]);
    await service.database.query('UPDATE workspaces SET members_see_all = false WHERE id = $1', [
      workspaceId,
    ]);
  });
});
