import { beforeAll, describe, expect, it } from '@jest/globals';
import { authorization } from '../../support/tus-client.js';
import { addUser, addWorkspace, connectAs, openSettings, send } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { library, twoColours } from '../../../support/pictures.js';

describe('a photo with a processed thumbnail', () => {
  let user: TestUser;
  let token: string;
  let cookie: string;

  const service = useService();
  beforeAll(async () => {
    const workspaceId = await addWorkspace(service, 'North Studio');
    user = await addUser(service, { [workspaceId]: 'owner' });
    token = await connectAs(service, user, 'uploads:write uploads:read');
    const browser = await openSettings(service, user, '/photos');
    cookie = browser.sessionCookie;
  });

  const thumbnail = (id: string): Promise<Response> =>
    fetch(`${service.baseUrl}/photos/${id}/thumbnail`, { headers: { cookie } });

  /** The thumbnail once it is made; until then the response asks browsers to retry soon. */
  const settled = async (id: string): Promise<Response> => {
    for (;;) {
      const answer = await thumbnail(id);
      if (answer.headers.get('cache-control') !== 'private, max-age=5') return answer;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const one = async (id: string): Promise<unknown> => {
    const headers = authorization(token);
    return (await fetch(`${service.baseUrl}/api/v1/uploads/${id}`, { headers })).json();
  };

  it('shows a plain tile without details for a file that is no picture', async () => {
    const id = await send(service, token, 'note.jpg', new Uint8Array(1000).fill(65));
    const answer = await settled(id);
    expect(answer.headers.get('content-type')).toBe('image/svg+xml');
    expect(await one(id)).toMatchObject({ width: null, height: null, captured_at: null });
  });

  it('shows its thumbnail, dimensions and capture time', async () => {
    if (library === undefined) {
      const id = await send(service, token, 'p.jpg', new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1]));
      expect((await settled(id)).headers.get('content-type')).toBe('image/svg+xml');
      return;
    }
    const file = await twoColours(1200, 800, {
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
      'cache-control': 'private, max-age=3600',
    });
    const picture = Buffer.from(await answer.arrayBuffer());
    expect(await library(picture).metadata()).toMatchObject({ width: 213, height: 320 });

    const facts = { width: 800, height: 1200, captured_at: '2026-05-01T22:20:30-05:00' };
    expect(await one(id)).toMatchObject(facts);
    const list = await fetch(`${service.baseUrl}/api/v1/uploads`, {
      headers: authorization(token),
    });
    const { uploads } = (await list.json()) as { uploads: { id: string }[] };
    expect(uploads.find((upload) => upload.id === id)).toMatchObject(facts);

    const browser = await openSettings(service, user, `/photos/${id}`);
    expect(browser.page.text).toContain('Dimensions 800 × 1,200 pixels');
    expect(browser.page.text).toContain('Taken May 1, 2026, 22:20 UTC-05:00');
  });
});
