import { beforeAll, describe, expect, it } from '@jest/globals';
import { PersonalTokens } from '../../../../service/identity/accounts/personal-access-tokens.js';
import type { Scope } from '../../../../service/identity/scopes.js';
import { becomes } from '../../../e2e/patience.js';
import { film } from '../../../support/films.js';
import { library as sharp } from '../../../support/pictures.js';
import { getAsAnybody } from '../../delivery/shares/sharing.js';
import { jpeg } from '../../support/tus-client.js';
import {
  addUser,
  addWorkspace,
  connectAs,
  openSettings,
  send,
  type TestUser,
} from '../../support/users.js';
import { useService } from '../../support/use-service.js';

const BROKEN = Buffer.from('\x89PNG\r\n\x1A\nno picture', 'latin1');

describe('the poster that an app sends for its film', () => {
  const service = useService();
  let workspaceId: string;
  let owner: TestUser;
  let token: string;
  let cookie: string;
  /** A film that gets no poster. */
  let plain: string;

  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'Film Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    token = await connectAs(service, owner);
    cookie = (await openSettings(service, owner, '/photos')).sessionCookie;
    plain = await arrived();
  });

  const bytesOf = (name: 'film' | 'photo'): Uint8Array<ArrayBuffer> =>
    new Uint8Array(name === 'film' ? film('counting.webm') : jpeg(1000));
  const arrived = (name = 'Trailer.webm'): Promise<string> =>
    send(service, token, name, bytesOf('film'));
  const isRead = (id: string): Promise<boolean> =>
    becomes(async () => {
      const sql = `SELECT 1 FROM thumbnails WHERE upload_id = $1 AND state <> 'none' AND lease_until IS NULL AND location IS NOT NULL`;
      return (await service.database.query(sql, [id])).length > 0;
    });
  const put = (id: string, body: Uint8Array, as = token): Promise<Response> =>
    fetch(`${service.baseUrl}/api/v1/uploads/${id}/poster`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${as}` },
      body: new Uint8Array(body),
    });
  const tokenWith = (user: TestUser, scopes: readonly Scope[]): Promise<string> =>
    new PersonalTokens(service.database, () => new Date())
      .create(user.accountId, { name: 'A script', workspaceId, days: 7, scopes })
      .then((created) => created ?? '');

  it.each<readonly [string, number, () => Promise<Response>]>([
    ['is no picture', 415, () => put(plain, Buffer.from('<svg/>'))],
    ['is another picture', 415, () => put(plain, Buffer.from('GIF89a'))],
    ['is empty', 415, () => put(plain, Buffer.alloc(0))],
    ['is too long', 413, () => put(plain, Buffer.concat([BROKEN, Buffer.alloc(512 * 1024)]))],
    [
      'is of a photo',
      409,
      async () => {
        const id = await send(service, token, 'Harbour.jpg', bytesOf('photo'));
        expect(await isRead(id)).toBe(true);
        return put(id, BROKEN);
      },
    ],
    [
      'is the second one',
      409,
      async () => {
        const id = await arrived();
        expect((await put(id, BROKEN)).status).toBe(204);
        return put(id, BROKEN);
      },
    ],
    ['is of a file that does not exist', 404, () => put('there-is-no-such-file', BROKEN)],
    [
      'is of a file in the trash',
      404,
      async () => {
        const id = await arrived();
        await service.database.query('UPDATE uploads SET trashed_at = now() WHERE id = $1', [id]);
        return put(id, BROKEN);
      },
    ],
    [
      'comes from another member',
      404,
      async () => {
        const other = await addUser(service, { [workspaceId]: 'owner' });
        return put(plain, BROKEN, await connectAs(service, other));
      },
    ],
    [
      'comes from another app',
      404,
      async () => put(plain, BROKEN, await tokenWith(owner, ['uploads:write'])),
    ],
    [
      'comes with a token for reading',
      403,
      async () => put(plain, BROKEN, await tokenWith(owner, ['uploads:read'])),
    ],
    ['comes without a token', 401, () => put(plain, BROKEN, 'svc_at_none')],
  ])('is refused if it %s: %i', async (_, status, request) => {
    expect((await request()).status).toBe(status);
  });

  it('is one of several that come at once, whose bytes no other one replaces', async () => {
    const id = await arrived();
    // As long as one another, so that only their bytes differ.
    const sent = Array.from({ length: 8 }, (_, index) =>
      Buffer.concat([BROKEN, Buffer.alloc(100_000, index)]),
    );
    const statuses = await Promise.all(sent.map(async (body) => (await put(id, body)).status));
    expect(statuses.toSorted()).toEqual([204, ...Array.from({ length: 7 }, () => 409)]);
    const stored = await service.stored.read(`${id}.poster`);
    expect(sent.findIndex((body) => body.equals(stored))).toBe(statuses.indexOf(204));
  });

  it('can be sent again after a process has died with it', async () => {
    const id = await arrived();
    const began = (seconds: number): Promise<unknown> =>
      service.database.query(
        `UPDATE uploads SET poster_claimed_at = now() - $2 * interval '1 second' WHERE id = $1`,
        [id, seconds],
      );
    await began(-3600);
    expect((await put(id, BROKEN)).status).toBe(409);
    await began(120);
    expect((await put(id, BROKEN)).status).toBe(204);
  });

  const library = sharp;
  if (library === undefined) {
    return;
  }
  const red = (): Promise<Buffer> =>
    library({ create: { width: 640, height: 360, channels: 3, background: '#e00' } })
      .png()
      .toBuffer();
  /** The size of its preview and the version in its address. */
  const shown = async (id: string): Promise<unknown> => {
    const [row] = await service.database.query(
      `SELECT preview_width AS width, preview_height AS height, preview_version > 1000 AS "isSent", poster_bytes > 0 AS "isKept"
         FROM uploads WHERE id = $1`,
      [id],
    );
    return row;
  };
  const isRed = async (id: string, as: 'preview' | 'thumbnail'): Promise<boolean> => {
    const answer = await getAsAnybody(service, `/photos/${id}/${as}`, { headers: { cookie } });
    const { channels } = await library(Buffer.from(await answer.arrayBuffer())).stats();
    const [r = 0, g = 0, b = 0] = channels.map(({ mean }) => mean);
    return r > 200 && g < 20 && b < 20;
  };
  const SENT = { width: 640, height: 360, isSent: true, isKept: true };

  it('is its picture, large and small, in place of a frame', async () => {
    const id = await arrived();
    // Also where a frame was shown before.
    expect(await isRead(id)).toBe(true);
    expect((await put(id, await red())).status).toBe(204);
    expect(
      await becomes(async () => JSON.stringify(await shown(id)) === JSON.stringify(SENT)),
    ).toBe(true);
    expect([await isRed(id, 'preview'), await isRed(id, 'thumbnail')]).toEqual([true, true]);
  });

  it('is its picture also when it comes at once, and when the preview was lost', async () => {
    const id = await arrived();
    expect((await put(id, await red())).status).toBe(204);
    const isSent = async (): Promise<boolean> =>
      JSON.stringify(await shown(id)) === JSON.stringify(SENT);
    expect(await becomes(isSent)).toBe(true);
    await service.stored.lose(`${id}.preview`);
    await (await getAsAnybody(service, `/photos/${id}/preview`, { headers: { cookie } })).text();
    expect(await becomes(isSent)).toBe(true);
    expect(await isRed(id, 'preview')).toBe(true);
  });

  it('changes nothing if it cannot be read', async () => {
    const [id, other] = [await arrived('One.webm'), await arrived('Two.webm')];
    expect((await put(id, BROKEN)).status).toBe(204);
    expect([await isRead(id), await isRead(other)]).toEqual([true, true]);
    const picture = async (of: string): Promise<unknown> => {
      const [row] = await service.database.query(
        'SELECT state, preview_width, preview_bytes FROM thumbnails JOIN uploads ON id = upload_id WHERE id = $1',
        [of],
      );
      return row;
    };
    expect(await picture(id)).toEqual(await picture(other));
  });
});
