import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ContentAddresses } from '../../../../service/library/content/content-urls.js';
import { CsrfTokens } from '../../../../service/identity/csrf/csrf.js';
import { freePort } from '../../support/free-port.js';
import {
  addUser,
  addWorkspace,
  connectAs,
  createToken,
  elementText,
  openSettings,
  send,
} from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { startTestService } from '../../support/running-service.js';
import type { TestService } from '../../support/running-service.js';
import { library, twoColours } from '../../../support/pictures.js';
import { withXmp } from '../../../support/camera-files.js';
import { jpeg, sha256 } from '../../support/tus-client.js';

const BYTES = jpeg(5000);

describe('stored files on a separate host', () => {
  let now = Date.now();
  let service: TestService;
  let host: string;
  let workspaceId: string;
  let owner: TestUser;
  let member: TestUser;
  let byMember: string;
  let other: string;
  let cookie: string;

  beforeAll(async () => {
    const port = await freePort();
    host = `http://127.0.0.1:${port}`;
    service = await startTestService({ port, contentUrl: host, now: () => new Date(now) });
    workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    member = await addUser(service, { [workspaceId]: 'member' });
    const token = await connectAs(service, member);
    byMember = await send(service, token, 'Harbour.jpg', BYTES);
    other = await send(service, token, 'Other.jpg', jpeg(20));
    cookie = (await openSettings(service, member, '/photos')).sessionCookie;
  });
  afterAll(() => service.close());

  const get = (address: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(new URL(address, service.baseUrl), { headers, redirect: 'manual' });
  const statusOf = async (address: string, headers?: Record<string, string>): Promise<number> => {
    const answer = await get(address, headers);
    await answer.arrayBuffer();
    return answer.status;
  };
  /** Where a page sends somebody on to. */
  const sentTo = async (path: string, headers: Record<string, string> = { cookie }) => {
    const answer = await get(path, headers);
    expect([path, answer.status]).toEqual([path, 302]);
    return new URL(answer.headers.get('location') ?? '');
  };
  const changed = (address: URL, change: Record<string, string>): string => {
    const copy = new URL(address);
    for (const [name, value] of Object.entries(change)) copy.searchParams.set(name, value);
    return copy.href;
  };

  it('are served to redirected clients without cookies, whole and in part', async () => {
    const address = await sentTo(`/photos/${byMember}/file`);
    expect(address.origin).toBe(host);
    const answer = await get(address.href);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-disposition': 'attachment; filename="Harbour.jpg"',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      etag: `"${sha256(BYTES)}"`,
    });
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(Buffer.from(await answer.arrayBuffer()).equals(BYTES)).toBe(true);
    const part = await get(address.href, { range: 'bytes=10-19' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 10-19/5000']);
    expect(Buffer.from(await part.arrayBuffer()).equals(BYTES.subarray(10, 20))).toBe(true);
    const tag = { 'if-none-match': `"${sha256(BYTES)}"` };
    expect(await statusOf(address.href, tag)).toBe(304);
  });

  it('are shown as thumbnails and previews from there, through a cacheable redirect', async () => {
    const page = await get('/photos', { cookie });
    expect(page.headers.get('content-security-policy')).toContain(`img-src 'self' ${host};`);
    for (const variant of ['thumbnail', 'preview']) {
      const way = await get(`/photos/${byMember}/${variant}?v=1`, { cookie });
      expect(way.headers.get('cache-control')).toBe('private, max-age=300');
      const shown = await get(way.headers.get('location') ?? '');
      // There are no pictures of a photo that is no picture, so no version of them either.
      expect(shown.headers.get('cache-control')).toMatch(/max-age=(5|300)$/);
      expect(shown.status).toBe(200);
      expect(shown.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
      expect(shown.headers.get('content-type')).toMatch(/^image\//);
      await shown.arrayBuffer();
    }
    expect((await get(`/photos/${byMember}/file`, { cookie })).headers.get('cache-control')).toBe(
      'no-store',
    );
  });

  if (library !== undefined) {
    it('are kept by browsers if the address names the version of a picture', async () => {
      const token = await connectAs(service, member);
      const id = await send(service, token, 'Red.jpg', new Uint8Array(await twoColours(90, 60)));
      const found = async (): Promise<number | undefined> => {
        const [row] = await service.database.query<{ version: number | null }>(
          'SELECT preview_version AS version FROM uploads WHERE id = $1',
          [id],
        );
        return row?.version ?? undefined;
      };
      while ((await found()) === undefined) await new Promise((done) => setTimeout(done, 50));
      const browser = await openSettings(service, member, `/shares/new?photo=${id}`);
      const made = await browser.submit('Create link', { watermark: '1' });
      const link = new URL(elementText(made, 'secret')).pathname;
      const page = await (await get(link)).text();
      const [forGuest = ''] = /\/s\/[^" ]*\/preview[^" ]*/.exec(page) ?? [];
      const forMember = `/photos/${id}/preview?v=${await found()}`;
      const bytes: Buffer[] = [];
      for (const path of [forGuest.replaceAll('&amp;', '&'), forMember]) {
        const address = await sentTo(path);
        now += 1000;
        expect((await sentTo(path)).href).toBe(address.href);
        const shown = await get(address.href);
        expect(shown.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
        bytes.push(Buffer.from(await shown.arrayBuffer()));
        expect(await statusOf(changed(address, { v: '9' }))).toBe(403);
        const other = await get((await sentTo(path.replace(/v=\d+/, 'v=9'))).href);
        expect(other.headers.get('cache-control')).toBe('private, max-age=300');
        await other.arrayBuffer();
      }
      const [marked, plain] = bytes;
      expect(plain && marked?.equals(plain)).toBe(false);
    });
  }

  it('are not served for an expired, forged or foreign address', async () => {
    const address = await sentTo(`/photos/${byMember}/file`);
    const small = await sentTo(`/photos/${byMember}/thumbnail`);
    const until = address.searchParams.get('until') ?? '';
    const forged = [
      changed(address, { until: String(Number(until) + 300) }),
      changed(address, { as: 'thumbnail' }),
      changed(small, { as: 'preview' }),
      changed(small, { as: 'nothing' }),
      changed(address, { for: `user.${owner.accountId}` }),
      changed(address, { for: `link.${member.accountId}` }),
      changed(address, { code: small.searchParams.get('code') ?? '' }),
      changed(address, { code: '' }),
      address.href.replace(byMember, other),
      `${host}/content/${byMember}`,
      new ContentAddresses(host, new CsrfTokens('another key'), () => new Date(now)).make({
        photoId: byMember,
        variant: 'file',
        recipient: { kind: 'user', id: member.accountId },
      }),
    ];
    for (const one of forged) expect([one, await statusOf(one)]).toEqual([one, 403]);
    now += 9 * 60_000;
    expect(await statusOf(address.href)).toBe(200);
    now += 6 * 60_000;
    const ended = await get(address.href);
    expect([ended.status, ended.headers.getSetCookie()]).toEqual([403, []]);
    expect(await ended.text()).toContain('download address has expired');
  });

  it('content addresses end with the permission', async () => {
    const leaver = await addUser(service, { [workspaceId]: 'owner' });
    const browser = await openSettings(service, leaver, '/photos');
    const address = await sentTo(`/photos/${byMember}/file`, { cookie: browser.sessionCookie });
    expect(await statusOf(address.href)).toBe(200);
    await service.database.query('DELETE FROM workspace_members WHERE account_id = $1', [
      leaver.accountId,
    ]);
    expect(await statusOf(address.href)).toBe(404);
    const colleague = await addUser(service, { [workspaceId]: 'member' });
    const theirs = await openSettings(service, colleague, '/photos');
    expect(await statusOf(`/photos/${byMember}/file`, { cookie: theirs.sessionCookie })).toBe(404);
  });

  it('are served through links until these are revoked', async () => {
    const browser = await openSettings(service, member, `/shares/new?photo=${byMember}`);
    const link = new URL(elementText(await browser.submit('Create link'), 'secret')).pathname;
    const file = await sentTo(`${link}/file?photo=${byMember}`, {});
    const small = await sentTo(`${link}/thumbnail?photo=${byMember}`, {});
    const preview = await sentTo(`${link}/preview?photo=${byMember}`, {});
    expect(file.href).not.toContain(link.slice('/s/'.length));
    for (const { href } of [file, small, preview]) expect(await statusOf(href)).toBe(200);
    expect(await statusOf(file.href.replace(byMember, other))).toBe(403);
    const page = await get(link);
    expect(page.headers.get('content-security-policy')).toContain(`img-src 'self' ${host};`);
    await service.database.query('DELETE FROM shares');
    for (const { href } of [file, small, preview]) expect(await statusOf(href)).toBe(404);
  });

  it('are sent without their location for a link, and with it for a user', async () => {
    const located = withXmp(Buffer.from(BYTES), 'exif:GPSLatitude="52,31.2N"');
    const token = await connectAs(service, member);
    const id = await send(service, token, 'Located.jpg', new Uint8Array(located));
    const browser = await openSettings(service, member, `/shares/new?photo=${id}`);
    const link = new URL(elementText(await browser.submit('Create link'), 'secret')).pathname;
    const bytesAt = async (path: string, headers?: Record<string, string>): Promise<Buffer> =>
      Buffer.from(await (await get((await sentTo(path, headers)).href)).arrayBuffer());
    const forGuest = await bytesAt(`${link}/file?photo=${id}`, {});
    expect([forGuest.length, forGuest.includes('52,31.2N')]).toEqual([located.length, false]);
    expect((await bytesAt(`/photos/${id}/file`)).equals(located)).toBe(true);
  });

  it('share their host with no page, API or cookie, and are on no other host', async () => {
    for (const path of [
      '/',
      '/photos',
      `/photos/${byMember}`,
      `/photos/${byMember}/file`,
      '/settings/sign-in',
      '/oauth/device',
      '/api/v1/me',
      '/api/v1/openapi.json',
      '/healthz',
      '/.well-known/oauth-authorization-server',
      '/content',
      '/content/',
      '/nothing',
    ]) {
      const answer = await get(host + path, { cookie, authorization: 'Bearer x' });
      expect([path, answer.status, await answer.text()]).toEqual([path, 404, '']);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    const posted = await fetch(`${host}/settings/sign-in`, { method: 'POST', redirect: 'manual' });
    expect(posted.status).toBe(404);
    const address = await sentTo(`/photos/${byMember}/file`);
    expect(await statusOf(address.pathname + address.search, { cookie })).toBe(404);
    const removing = await fetch(address, { method: 'DELETE' });
    expect(removing.status).toBe(405);
  });

  it('are served to API clients without a redirect', async () => {
    const reader = await createToken(service, member, 'uploads:content');
    const answer = await get(`/api/v1/uploads/${byMember}/content`, {
      authorization: `Bearer ${reader}`,
    });
    expect(Buffer.from(await answer.arrayBuffer()).equals(BYTES)).toBe(true);
  });

  it('keep their addresses out of the log', async () => {
    await statusOf((await sentTo(`/photos/${byMember}/file`)).href);
    expect(JSON.stringify(service.logLines)).toContain(`/content/${byMember}`);
    expect(JSON.stringify(service.logLines)).not.toContain('code=');
  });
});
