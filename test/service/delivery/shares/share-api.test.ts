import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MAX_SHARES } from '../../../../service/delivery/shares/share.js';
import { addUser, addWorkspace, connectAs, createToken, send } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { authorization, jpeg } from '../../support/tus-client.js';
import { TestBrowser } from '../../support/browser-client.js';
import { useService } from '../../support/use-service.js';
import { addSharedPhotos, shareAs, statusAt } from './sharing.js';

const DAY_MS = 24 * 3_600_000;

/** What a new link has until it is changed or opened. */
const NEW_LINK = {
  ...{ title: null, message: null, cover: null, downloads: 'original' },
  ...{ shows_location: false, watermark: false, takes_feedback: true },
  ...{ max_favourites: null, max_downloads: null },
  ...{ views: 0, download_count: 0, opened: null, suspended: null, decision: null },
};

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

describe('the data API of links', () => {
  const now = Date.parse('2026-11-22T12:00:00Z');
  let workspaceId: string;
  let owner: TestUser;
  let member: TestUser;
  let harbour: string;
  let night: string;
  let project: string;
  let token: string;

  const service = useService({ now: () => new Date(now) });
  beforeAll(async () => {
    ({ workspaceId, owner, member, harbour, night, project } = await addSharedPhotos(service));
    token = await makeToken(member);
  });

  beforeEach(() => service.database.query('DELETE FROM shares'));

  const makeToken = (of: TestUser, scope = 'shares:write'): Promise<string> =>
    createToken(service, of, scope);
  const ask = async (method: string, path = '', body?: unknown, as = token): Promise<Answer> => {
    const answer = await fetch(`${service.baseUrl}/api/v1/shares${path}`, {
      method,
      headers: { ...authorization(as), 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Answer['body']) };
  };
  const listed = async (query = '', as = token): Promise<Record<string, unknown>[]> =>
    (await ask('GET', query, undefined, as)).body['shares'] as Record<string, unknown>[];
  const pathOf = (share: Record<string, unknown>): string => new URL(String(share['url'])).pathname;

  it('creates a link to chosen photos, to a project and with a password, and lists them again', async () => {
    const photos = await ask('POST', '', { uploads: [night, harbour, night], days: 7 });
    expect(photos).toEqual({
      status: 201,
      body: {
        ...NEW_LINK,
        id: expect.any(String),
        url: expect.stringMatching(new RegExp(`^${service.baseUrl}/s/[\\w-]{43}$`)),
        name: expect.any(String),
        photos: 2,
        project: null,
        has_password: false,
        created: new Date(now).toISOString(),
        expires: new Date(now + 7 * DAY_MS).toISOString(),
      },
    });
    const ofProject = await ask('POST', '', { project, password: 'harbour at night' });
    expect(ofProject).toEqual({
      status: 201,
      body: {
        ...NEW_LINK,
        id: expect.any(String),
        url: expect.stringMatching(new RegExp(`^${service.baseUrl}/s/[\\w-]{43}$`)),
        name: 'Küste',
        photos: 1,
        project: { id: project, name: 'Küste' },
        has_password: true,
        created: new Date(now).toISOString(),
        expires: new Date(now + 30 * DAY_MS).toISOString(),
      },
    });

    expect(new Set(await listed())).toEqual(new Set([photos.body, ofProject.body]));
    expect(await listed(`?project=${project}`)).toEqual([ofProject.body]);
    expect(await listed(`?upload=${harbour}`)).toEqual([photos.body]);
    expect(await listed('?upload=nothing')).toEqual([]);
    expect((await ask('GET', `?upload=${harbour}&project=${project}`)).status).toBe(400);

    const guest = new TestBrowser(service.baseUrl);
    await guest.open(pathOf(photos.body));
    expect(guest.page.text).toContain('2 files');
    await guest.open(pathOf(ofProject.body));
    await guest.submit('Continue', { password: 'harbour at night' });
    expect(guest.page.text).toContain('Night.jpg');
  });

  it('changes a link, shows it and restores it after its revocation', async () => {
    const { body } = await ask('POST', '', { uploads: [harbour] });
    const path = `/${String(body['id'])}`;
    const wanted = { title: 'For Anna', message: 'Have fun!', cover: harbour, downloads: 'web' };
    const changed = { ...body, ...wanted, shows_location: true };

    const answer = await ask('PATCH', path, { ...wanted, shows_location: true });

    expect(answer).toEqual({ status: 200, body: changed });
    expect((await ask('PATCH', path, { shows_location: 'yes' })).status).toBe(400);
    expect(await ask('PATCH', path, {})).toEqual({ status: 200, body: changed });
    await ask('DELETE', path);
    expect((await ask('GET', path)).status).toBe(404);
    expect(await ask('POST', `${path}/restore`)).toEqual({ status: 200, body: changed });
    expect(await ask('GET', path)).toEqual({ status: 200, body: changed });
  });

  it('offers no originals with a watermark', async () => {
    const { body } = await ask('POST', '', { uploads: [harbour], watermark: true });
    expect(body).toMatchObject({ watermark: true, downloads: 'web' });
    const path = `/${String(body['id'])}`;
    const refused = await ask('PATCH', path, { downloads: 'original' });
    expect([refused.status, refused.body['error']]).toEqual([400, 'invalid_request']);
    const without = { watermark: false, downloads: 'original' };
    expect((await ask('PATCH', path, without)).body).toMatchObject(without);
    expect((await ask('PATCH', path, { watermark: true })).body).toMatchObject({
      downloads: 'web',
    });
  });

  it('revokes a link, with a line in the log as for the page', async () => {
    const { body } = await ask('POST', '', { uploads: [harbour, night] });
    const before = service.logLines.length;

    expect((await ask('DELETE', `/${String(body['id'])}`)).status).toBe(204);

    expect(await statusAt(service, pathOf(body))).toBe(404);
    expect(service.logLines.slice(before)).toContainEqual(
      expect.objectContaining({
        action: 'link_revoked',
        by: member.accountId,
        link: body['id'],
        photos: 2,
      }),
    );
    expect((await ask('DELETE', `/${String(body['id'])}`)).status).toBe(404);
  });

  // @threat L3
  it('neither shows nor revokes a colleague’s link, even for an owner', async () => {
    const { body } = await ask('POST', '', { uploads: [harbour] });
    const chair = await makeToken(owner);

    expect(await listed('', chair)).toEqual([]);
    expect((await ask('DELETE', `/${String(body['id'])}`, undefined, chair)).status).toBe(404);

    expect(await statusAt(service, pathOf(body))).toBe(200);
  });

  it('lists the links that were created on the page', async () => {
    const path = await shareAs(service, owner, { photo: harbour });

    expect((await listed('', await makeToken(owner))).map(pathOf)).toContain(path);
  });

  it('refuses what the user may not share, and creates nothing', async () => {
    const secret = await send(service, await connectAs(service, owner), 'S.jpg', jpeg(20));
    const trashed = await send(service, await connectAs(service, member), 'T.jpg', jpeg(20));
    await service.database.query('UPDATE uploads SET trashed_at = now() WHERE id = $1', [trashed]);
    const south = await addWorkspace(service, 'South Studio');
    const both = await addUser(service, { [south]: 'owner' });
    const elsewhere = await send(service, await connectAs(service, both), 'E.jpg', jpeg(20));

    for (const [body, status, error] of [
      [{ uploads: [harbour, secret] }, 422, 'unknown_upload'],
      [{ uploads: [harbour, trashed] }, 422, 'unknown_upload'],
      [{ uploads: [elsewhere] }, 422, 'unknown_upload'],
      [{ uploads: ['nothing', "}'"] }, 422, 'unknown_upload'],
      [{ project: 'nothing' }, 422, 'unknown_project'],
      [{ uploads: [] }, 400, 'invalid_request'],
      [{ uploads: Array.from({ length: 1001 }, () => harbour) }, 400, 'invalid_request'],
      [{ uploads: [harbour], project }, 400, 'invalid_request'],
      [{}, 400, 'invalid_request'],
      [{ project, days: 365 }, 400, 'invalid_request'],
      [{ project, days: '7' }, 400, 'invalid_request'],
      [{ project, password: 'short' }, 400, 'invalid_request'],
    ] as const) {
      expect([body, await ask('POST', '', body)]).toMatchObject([
        body,
        { status, body: { error } },
      ]);
    }

    expect(await service.database.query('SELECT id FROM shares')).toEqual([]);
  });

  it('takes a thousand photos', async () => {
    const ids = Array.from({ length: 1000 }, (_, n) => `${'0'.repeat(28)}-${n + 1000}-x`);
    await service.database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at, sha256)
       SELECT id, $1, $2, 10, 'DSC.jpg', '', '{}', now(), now(), repeat('a', 64)
         FROM jsonb_array_elements_text($3::jsonb) AS id`,
      [member.accountId, workspaceId, JSON.stringify(ids)],
    );

    expect(await ask('POST', '', { uploads: ids })).toMatchObject({
      status: 201,
      body: { photos: 1000 },
    });

    await service.database.query('DELETE FROM uploads WHERE id = ANY ($1::text[])', [
      `{${ids.join(',')}}`,
    ]);
  });

  it('needs the scope shares:write', async () => {
    for (const scope of ['workspace:read', 'projects:write', 'uploads:write']) {
      const other = await makeToken(member, scope);
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['POST', '', { project }],
        ['DELETE', '/x', undefined],
      ] as const)
        expect([scope, (await ask(method, path, body, other)).status]).toEqual([scope, 403]);
    }
    expect((await ask('GET', '', undefined, 'svc_pat_x')).status).toBe(401);
  });

  it('has the limits of the page: links of a workspace, and passwords at the same time', async () => {
    const results = await Promise.all(
      Array.from({ length: 15 }, () => ask('POST', '', { project, password: 'harbour at night' })),
    );
    const statuses = results.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([201, 503]));
    await service.database.query(
      `INSERT INTO shares (id, token_sha256, workspace_id, created_by, project_id, created_at, expires_at)
       SELECT 'full-' || n, 'full-' || n, $1, $2, $3, $4, $5 FROM generate_series(1, ${MAX_SHARES}) AS n`,
      [workspaceId, member.accountId, project, new Date(now), new Date(now + DAY_MS)],
    );

    expect(await ask('POST', '', { project })).toMatchObject({
      status: 409,
      body: { error: 'too_many_links' },
    });
  });
});
