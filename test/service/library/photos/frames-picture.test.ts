import { beforeAll, describe, expect, it } from '@jest/globals';
import { film } from '../../../support/films.js';
import { getAsAnybody, shareAs } from '../../delivery/shares/sharing.js';
import {
  addUser,
  addWorkspace,
  connectAs,
  openSettings,
  send,
  type TestUser,
} from '../../support/users.js';
import { compiledImageWorker } from '../../support/running-service.js';
import { useService } from '../../support/use-service.js';
import { becomes } from '../../../e2e/patience.js';

const FRAMES = Buffer.from('RIFF, frames of a film');

/** Which frames ffmpeg finds is tested in `test/service/library/previews/frames.test.ts`. */
describe('the frames of a film', () => {
  const service = useService({
    imageWorker: compiledImageWorker('test/service/support/image-process-without-ffmpeg.ts'),
  });
  let owner: TestUser;
  let cookie: string;
  let id: string;
  let without: string;

  beforeAll(async () => {
    const workspaceId = await addWorkspace(service, 'Film Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    const token = await connectAs(service, owner);
    const arrived = async (name: string): Promise<string> => {
      const sent = await send(service, token, name, new Uint8Array(film('counting.webm')));
      const sql = `SELECT 1 FROM thumbnails WHERE upload_id = $1 AND state <> 'none' AND location IS NOT NULL`;
      const isRead = async (): Promise<boolean> =>
        (await service.database.query(sql, [sent])).length > 0;
      expect(await becomes(isRead)).toBe(true);
      return sent;
    };
    [id, without] = [await arrived('Trailer.webm'), await arrived('Teaser.webm')];
    await service.stored.add(`${id}.frames`, FRAMES);
    const note = (of: string, bytes: number | null): Promise<unknown> =>
      service.database.query(
        `UPDATE uploads SET frames_bytes = $2, preview_width = 96, preview_height = 54, preview_bytes = 1, preview_version = 4
          WHERE id = $1`,
        [of, bytes],
      );
    await note(id, FRAMES.length);
    await note(without, null);
    cookie = (await openSettings(service, owner, '/photos')).sessionCookie;
  });

  const get = (path: string, headers: Record<string, string> = { cookie }): Promise<Response> =>
    getAsAnybody(service, path, { headers });
  const bytesOf = async (answer: Response): Promise<Buffer> =>
    Buffer.from(await answer.arrayBuffer());
  const markup = async (path: string, headers?: Record<string, string>): Promise<string> =>
    (await (await get(path, headers)).text()).replaceAll('&amp;', '&');

  it('are a picture that is kept for as long as its address', async () => {
    const answer = await get(`/photos/${id}/frames?v=4`);
    expect([answer.status, await bytesOf(answer)]).toEqual([200, FRAMES]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    const other = await get(`/photos/${id}/frames`);
    expect(other.headers.get('cache-control')).toBe('private, max-age=300');
    await other.body?.cancel();
  });

  it('are not there for other files, strangers and other workspaces', async () => {
    const elsewhere = await addWorkspace(service, 'Elsewhere');
    const stranger = await addUser(service, { [elsewhere]: 'owner' });
    const { sessionCookie } = await openSettings(service, stranger, '/photos');
    expect((await get(`/photos/${without}/frames`)).status).toBe(404);
    expect((await get(`/photos/${id}/frames`, { cookie: sessionCookie })).status).toBe(404);
    expect((await get(`/photos/${id}/frames`, {})).status).not.toBe(200);
  });

  it('are behind the time line and on the tile, where there are any', async () => {
    const address = `/photos/${id}/frames?v=4`;
    expect(await markup(`/photos/${id}`)).toMatch(
      /<div class="time-line" data-duration="[\d.]+">\s*<img src="\/photos\/[^"]*\/frames\?v=4" alt=""/,
    );
    expect(await markup('/photos')).toContain(`data-frames="${address}"`);
    expect(await markup(`/photos/${without}`)).not.toContain('time-line');
    expect(await markup('/photos')).not.toContain(`${without}/frames`);
  });

  it('are for guests of a link with this film, but not of one with a watermark', async () => {
    const path = await shareAs(service, owner, { photo: id });
    const shown = await markup(path, {});
    const [, address = ''] = /data-frames="([^"]*)"/.exec(shown) ?? [];
    expect(await bytesOf(await get(address, {}))).toEqual(FRAMES);
    expect(await markup(`${path}/photo?photo=${id}`, {})).toContain(`<img src="${address}"`);
    expect((await get(`${path}/frames?photo=${without}`, {})).status).toBe(404);
    const marked = await shareAs(service, owner, { photo: id }, { watermark: '1' });
    expect((await get(`${marked}/frames?photo=${id}`, {})).status).toBe(404);
    expect(await markup(marked, {})).not.toContain('data-frames');
    const locked = await shareAs(service, owner, { photo: id }, { password: 'open sesame 7' });
    expect((await get(`${locked}/frames?photo=${id}`, {})).status).toBe(303);
  });
});
