import { beforeAll, describe, expect, it } from '@jest/globals';
import type { TestBrowser } from '../../support/browser-client.js';
import {
  addUser,
  addWorkspace,
  connectAs,
  openSettings,
  send,
  type TestUser,
} from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { photo, sha256 } from '../../support/tus-client.js';
import { ProjectTable } from '../../../../service/library/projects/project-table.js';

const ENDPOINT = '/photos/uploads';

describe('uploads from a browser', () => {
  let north: string;
  let member: TestUser;
  let browser: TestBrowser;
  let csrf: string;

  const service = useService();
  beforeAll(async () => {
    north = await addWorkspace(service, 'North Studio');
    member = await addUser(service, { [north]: 'member' });
    browser = await openSettings(service, member, '/settings/account');
    csrf = browser.csrf;
  });

  const request = (
    method: string,
    address: string,
    headers: Readonly<Record<string, string>> = {},
    body?: Uint8Array<ArrayBuffer>,
  ): Promise<Response> =>
    fetch(new URL(address, service.baseUrl), {
      method,
      redirect: 'manual',
      headers: {
        cookie: browser.sessionCookie,
        'x-csrf-token': csrf,
        'x-workspace': north,
        'tus-resumable': '1.0.0',
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
  const metadata = (pairs: Readonly<Record<string, string>>): string =>
    Object.entries(pairs)
      .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
      .join(',');
  const create = (
    length: number,
    pairs: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> =>
    request('POST', ENDPOINT, {
      'upload-length': String(length),
      'upload-metadata': metadata(pairs),
      ...headers,
    });
  const patch = (address: string, offset: number, bytes: Uint8Array<ArrayBuffer>) =>
    request(
      'PATCH',
      address,
      { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
      bytes,
    );

  it('are resumed, and appear in the list as sent by a browser', async () => {
    const bytes = photo(1000, 1);
    const created = await create(1000, { filename: 'Harbour.jpg' });
    expect(created.status).toBe(201);
    expect(created.headers.get('access-control-allow-origin')).toBeNull();
    const address = created.headers.get('location') ?? '';
    expect(address).toMatch(/^\/photos\/uploads\/[\w-]+$/);
    expect((await patch(address, 0, bytes.slice(0, 400))).headers.get('upload-offset')).toBe('400');
    const head = await request('HEAD', address);
    expect(head.headers.get('upload-offset')).toBe('400');
    expect((await patch(address, 400, bytes.slice(400))).status).toBe(204);
    const id = address.split('/').at(-1) ?? '';
    const { text } = await browser.open(`/photos/${id}`);
    expect(text).toContain('Harbour.jpg');
    expect(text).toContain('App Browser');
  });

  it('are created once for one id, go into a project, and become versions', async () => {
    const projects = new ProjectTable(service.database, () => new Date());
    const made = await projects.create(north, 'Spring', member.accountId);
    const project = typeof made === 'string' ? made : made.id;
    const pairs = { filename: 'Once.jpg', project, client_upload_id: 'a-key-of-a-browser' };
    const first = await create(10, pairs);
    const again = await create(10, pairs);
    expect([again.status, again.headers.get('location')]).toEqual([
      201,
      first.headers.get('location'),
    ]);
    await patch(first.headers.get('location') ?? '', 0, photo(10, 2));
    const later = await create(12, { filename: 'Once.jpg', project });
    await patch(later.headers.get('location') ?? '', 0, photo(12, 3));
    const rows = await service.database.query(
      `SELECT project_id, is_current, version_of IS NOT NULL AS is_version FROM uploads
        WHERE name = 'Once.jpg' ORDER BY finished_at`,
    );
    expect(rows).toEqual([
      { project_id: project, is_current: false, is_version: false },
      { project_id: project, is_current: true, is_version: true },
    ]);
    const elsewhere = await create(10, { filename: 'A.jpg', project: 'unknown' });
    expect([elsewhere.status, await elsewhere.json()]).toMatchObject([
      422,
      { error: 'unknown_project' },
    ]);
  });

  it('are recognised by name, size and digest, those of apps too', async () => {
    const bytes = photo(700, 8);
    const token = await connectAs(service, member);
    await send(service, token, 'Of an app.jpg', bytes);
    const ask = async (files: object[], headers = {}): Promise<Response> =>
      request(
        'POST',
        `${ENDPOINT}/known`,
        { 'content-type': 'application/json', ...headers },
        new TextEncoder().encode(JSON.stringify({ files })),
      );
    const known = await ask([
      { name: 'Of an app.jpg', size: 700 },
      { name: 'Of an app.jpg', size: 701 },
    ]);
    expect(await known.json()).toMatchObject({
      known: [{ name: 'Of an app.jpg', size: 700, sha256: sha256(bytes) }],
    });
    expect((await ask([], { 'x-csrf-token': 'forged' })).status).toBe(403);
  });

  it.each<[string, Readonly<Record<string, string>>, number, string]>([
    ['without a session', { cookie: '' }, 401, 'login_required'],
    ['without the anti-forgery token', { 'x-csrf-token': '' }, 403, 'invalid_csrf_token'],
    ['with a forged one', { 'x-csrf-token': 'forged' }, 403, 'invalid_csrf_token'],
    ['from another origin', { origin: 'https://evil.example' }, 403, 'invalid_csrf_token'],
    ['from a page without an origin', { origin: 'null' }, 403, 'invalid_csrf_token'],
    ['from another site', { 'sec-fetch-site': 'cross-site' }, 403, 'invalid_csrf_token'],
    ['from another host of the site', { 'sec-fetch-site': 'same-site' }, 403, 'invalid_csrf_token'],
    ['without a workspace', { 'x-workspace': '' }, 403, 'access_denied'],
  ])('are refused %s', async (_, headers, status, error) => {
    const created = await create(10, { filename: 'Mine.jpg' });
    const address = created.headers.get('location') ?? '';
    for (const refused of [
      await create(10, { filename: 'Refused.jpg' }, headers),
      await request('DELETE', address, headers),
      await request(
        'PATCH',
        address,
        {
          'upload-offset': '0',
          'content-type': 'application/offset+octet-stream',
          ...headers,
        },
        photo(10),
      ),
    ]) {
      expect([refused.status, await refused.json()]).toMatchObject([status, { error }]);
    }
    expect((await request('HEAD', address)).headers.get('upload-offset')).toBe('0');
  });

  it('cannot be reached by others, in other workspaces, or with tokens', async () => {
    const south = await addWorkspace(service, 'South Studio');
    const stranger = await addUser(service, { [south]: 'owner' });
    const colleague = await addUser(service, { [north]: 'owner' });
    const created = await create(10, { filename: 'Mine.jpg' });
    const address = created.headers.get('location') ?? '';
    expect((await create(10, { filename: 'A.jpg' }, { 'x-workspace': south })).status).toBe(403);
    for (const [user, workspace, status] of [
      [stranger, south, 404],
      [stranger, north, 403],
      [colleague, north, 404],
    ] as const) {
      const theirs = await openSettings(service, user, '/settings/account');
      const answer = await request('DELETE', address, {
        cookie: theirs.sessionCookie,
        'x-csrf-token': theirs.csrf,
        'x-workspace': workspace,
      });
      expect(answer.status).toBe(status);
    }
    const token = await connectAs(service, member);
    const api = address.replace(ENDPOINT, '/api/v1/uploads');
    const authorization = `Bearer ${token}`;
    expect((await request('HEAD', api, { authorization, cookie: '' })).status).toBe(404);
    expect((await request('HEAD', address, { authorization, cookie: '' })).status).toBe(401);
    // Nor does a cookie open the API.
    expect((await request('HEAD', api)).status).toBe(401);
  });

  it('are not offered to scripts of other origins', async () => {
    const preflight = await request('OPTIONS', ENDPOINT, {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-csrf-token',
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    expect(preflight.headers.get('access-control-allow-headers')).toBeNull();
  });

  it('end with the session and with the membership', async () => {
    const created = await create(10, { filename: 'Late.jpg' });
    const address = created.headers.get('location') ?? '';
    await service.database.query('DELETE FROM workspace_members WHERE account_id = $1', [
      member.accountId,
    ]);
    expect((await patch(address, 0, photo(10))).status).toBe(403);
    await service.database.query(
      `INSERT INTO workspace_members (workspace_id, account_id, role) VALUES ($1, $2, 'member')`,
      [north, member.accountId],
    );
    const other = await openSettings(service, member, '/settings/account');
    await other.submit('Sign out');
    expect(
      (await request('HEAD', address, { cookie: other.sessionCookie, 'x-csrf-token': csrf }))
        .status,
    ).toBe(401);
    expect((await patch(address, 0, photo(10))).status).toBe(204);
  });
});
