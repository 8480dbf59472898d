import { beforeAll, describe, expect, it } from '@jest/globals';
import { authorization } from '../../support/tus-client.js';
import { addUser, addWorkspace, connectAs, openSettings, send } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { IMAGE_WORKER_VERSION } from '../../../../service/library/previews/image-info.js';
import { library, twoColours } from '../../../support/pictures.js';
import { shareAs } from '../../delivery/shares/sharing.js';

const SOON = 'private, max-age=5';
const SHORT = 'private, max-age=300';
const FOR_EVER = 'private, max-age=31536000, immutable';

describe('the pictures of a photo', () => {
  let workspaceId: string;
  let user: TestUser;
  let token: string;
  let cookie: string;

  const service = useService();
  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
    user = await addUser(service, { [workspaceId]: 'owner' });
    token = await connectAs(service, user, 'uploads:write uploads:read');
    const browser = await openSettings(service, user, '/photos');
    cookie = browser.sessionCookie;
  });

  const get = (path: string, as = cookie): Promise<Response> =>
    fetch(service.baseUrl + path, { headers: { cookie: as }, redirect: 'manual' });

  /** The picture once it is made; until then the response has a Retry-After. */
  const settled = async (id: string, variant = 'thumbnail'): Promise<Response> => {
    for (;;) {
      const answer = await get(`/photos/${id}/${variant}`);
      if (answer.headers.get('cache-control') !== SOON) return answer;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const one = async (id: string): Promise<unknown> => {
    const headers = authorization(token);
    return (await fetch(`${service.baseUrl}/api/v1/uploads/${id}`, { headers })).json();
  };

  it('are a plain tile without details for a file that is no picture', async () => {
    const id = await send(service, token, 'note.jpg', new Uint8Array(1000).fill(65));
    const answer = await settled(id);
    expect(answer.headers.get('content-type')).toBe('image/svg+xml');
    const preview = await get(`/photos/${id}/preview`);
    expect([preview.headers.get('content-type'), preview.headers.get('cache-control')]).toEqual([
      'image/svg+xml',
      SHORT,
    ]);
    expect(await one(id)).toMatchObject({ width: null, height: null, captured_at: null });
  });

  it('are a thumbnail and a preview, next to dimensions and capture time', async () => {
    if (library === undefined) {
      const id = await send(service, token, 'p.jpg', new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1]));
      expect((await settled(id)).headers.get('content-type')).toBe('image/svg+xml');
      return;
    }
    const file = await twoColours(3000, 2000, {
      at: '2026:05:01 22:20:30',
      offset: '-05:00',
      orientation: 8,
    });
    const id = await send(service, token, 'Harbour.jpg', new Uint8Array(file));
    const answer = await settled(id);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/webp',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': SHORT,
    });
    const picture = Buffer.from(await answer.arrayBuffer());
    expect(await library(picture).metadata()).toMatchObject({ width: 341, height: 512 });
    const preview = Buffer.from(await (await settled(id, 'preview')).arrayBuffer());
    expect(await library(preview).metadata()).toMatchObject({ width: 1365, height: 2048 });

    const facts = { width: 2000, height: 3000, captured_at: '2026-05-01T22:20:30-05:00' };
    expect(await one(id)).toMatchObject(facts);
    const list = await fetch(`${service.baseUrl}/api/v1/uploads`, {
      headers: authorization(token),
    });
    const { uploads } = (await list.json()) as { uploads: { id: string }[] };
    expect(uploads.find((upload) => upload.id === id)).toMatchObject(facts);

    const browser = await openSettings(service, user, `/photos/${id}`);
    expect(browser.page.text).toContain('Dimensions 2,000 × 3,000 pixels');
    expect(browser.page.text).toContain('Taken May 1, 2026, 22:20 UTC-05:00');
  });

  if (library === undefined) return;

  let count = 0;
  /** A separate photo with pictures. */
  const pictured = async (): Promise<string> => {
    count += 1;
    const bytes = new Uint8Array(await twoColours(900, 600));
    const id = await send(service, token, `Pier ${count}.jpg`, bytes);
    await settled(id, 'preview');
    return id;
  };
  const headersOf = async (path: string, as?: string): Promise<unknown[]> => {
    const answer = await get(path, as);
    const size = (await answer.arrayBuffer()).byteLength;
    const { status, headers } = answer;
    expect(status === 404 || Number(headers.get('content-length')) === size).toBe(true);
    return [status, headers.get('content-type'), headers.get('cache-control')];
  };
  const used = async (): Promise<number> => {
    const [row] = await service.database.query<{ bytes: number }>(
      'SELECT bytes FROM workspace_usage WHERE workspace_id = $1',
      [workspaceId],
    );
    return row?.bytes ?? 0;
  };

  it('are kept by browsers for ever at an address with their version', async () => {
    const id = await pictured();
    for (const variant of ['thumbnail', 'preview'])
      for (const [query, keep] of [
        [`?v=${IMAGE_WORKER_VERSION}`, FOR_EVER],
        ['?v=0', SHORT],
        ['', SHORT],
      ])
        expect([query, await headersOf(`/photos/${id}/${variant}${query}`)]).toEqual([
          query,
          [200, 'image/webp', keep],
        ]);
  });

  it('are shown only to users who can see the photo', async () => {
    const id = await pictured();
    const colleague = await addUser(service, { [workspaceId]: 'member' });
    const theirs = (await openSettings(service, colleague, '/photos')).sessionCookie;
    expect((await headersOf(`/photos/${id}/preview`, theirs))[0]).toBe(404);
    expect((await headersOf(`/photos/nothing/preview`))[0]).toBe(404);
    const outsider = await get(`/photos/${id}/preview`, '');
    expect([outsider.status, outsider.headers.get('location')]).toEqual([
      303,
      expect.stringContaining('/settings/sign-in'),
    ]);
  });

  it('are shown through a link, with the photos of that link only', async () => {
    const [id, other] = [await pictured(), await pictured()];
    const link = await shareAs(service, user, { photo: id });
    const v = `&v=${IMAGE_WORKER_VERSION}`;
    for (const variant of ['thumbnail', 'preview']) {
      const path = `${link}/${variant}?photo=`;
      expect(await headersOf(path + id + v, '')).toEqual([200, 'image/webp', FOR_EVER]);
      expect(await headersOf(path + id, '')).toEqual([200, 'image/webp', SHORT]);
      expect((await headersOf(path + other, ''))[0]).toBe(404);
      expect((await headersOf(path, ''))[0]).toBe(404);
    }
    // The address of a version that is no longer the current one leads to the current one.
    await service.database.query('UPDATE uploads SET is_current = false WHERE id = $1', [id]);
    await service.database.query('UPDATE uploads SET version_of = $1 WHERE id = $2', [id, other]);
    expect(await headersOf(`${link}/preview?photo=${id}${v}`, '')).toEqual([
      200,
      'image/webp',
      SHORT,
    ]);
    expect((await headersOf(`${link}/preview?photo=${other}${v}`, ''))[2]).toBe(FOR_EVER);
    await service.database.query('DELETE FROM shares');
    expect((await headersOf(`${link}/preview?photo=${id}`, ''))[0]).toBe(404);
  });

  it.each([
    ['is gone', (id: string) => service.stored.lose(`${id}.preview`)],
    ['is damaged', (id: string) => service.stored.resize(`${id}.preview`, 10)],
  ])('are the thumbnail while a preview that %s is made again', async (_what, damage) => {
    const id = await pictured();
    const before = await used();
    await damage(id);
    expect(await headersOf(`/photos/${id}/preview?v=${IMAGE_WORKER_VERSION}`)).toEqual([
      200,
      'image/webp',
      SOON,
    ]);
    const again = Buffer.from(await (await settled(id, 'preview')).arrayBuffer());
    expect(await library?.(again).metadata()).toMatchObject({ width: 900, height: 600 });
    expect(await used()).toBe(before);
  });

  it.each([
    ['is gone', (id: string) => service.stored.lose(`${id}.thumbnail`)],
    ['is damaged', (id: string) => service.stored.resize(`${id}.thumbnail`, 10)],
  ])('are a plain tile while a thumbnail that %s is made again', async (_what, damage) => {
    const id = await pictured();
    const before = await service.stored.read(`${id}.thumbnail`);
    await damage(id);
    expect(await headersOf(`/photos/${id}/thumbnail?v=${IMAGE_WORKER_VERSION}`)).toEqual([
      200,
      'image/svg+xml',
      SOON,
    ]);
    const again = Buffer.from(await (await settled(id)).arrayBuffer());
    expect(again.equals(before)).toBe(true);
    expect(again.equals(await service.stored.read(`${id}.thumbnail`))).toBe(true);
  });

  it('are a thumbnail that is still in its row', async () => {
    const id = await pictured();
    const stored = await service.stored.read(`${id}.thumbnail`);
    await service.database.query(
      `UPDATE thumbnails SET picture = decode($2::text, 'base64'), picture_bytes = NULL WHERE upload_id = $1`,
      [id, stored.toString('base64')],
    );
    await service.stored.lose(`${id}.thumbnail`);
    const answer = await get(`/photos/${id}/thumbnail?v=${IMAGE_WORKER_VERSION}`);
    expect(answer.headers.get('cache-control')).toBe(FOR_EVER);
    expect(Buffer.from(await answer.arrayBuffer()).equals(stored)).toBe(true);
  });

  it('are removed with the photo, and no longer use room', async () => {
    const before = await used();
    const id = await pictured();
    const { length } = await service.stored.read(`${id}.preview`);
    const size = (await twoColours(900, 600)).length;
    expect(await used()).toBe(before + size + 16_384 + length);
    await service.database.query(`UPDATE uploads SET trashed_at = 'epoch' WHERE id = $1`, [id]);
    await service.purge();
    expect([await service.stored.has(id), await used()]).toEqual([false, before]);
  });
});
