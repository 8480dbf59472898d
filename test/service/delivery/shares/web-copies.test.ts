import { beforeAll, describe, expect, it } from '@jest/globals';
import { unzipSync } from 'fflate';
import { library, twoColours } from '../../../support/pictures.js';
import { connectAs, elementText, openSettings, send, type TestUser } from '../../support/users.js';
import { photo } from '../../support/tus-client.js';
import { useService } from '../../support/use-service.js';
import { addSharedPhotos, getAsAnybody, shareAs, statusAt, type Shareable } from './sharing.js';

describe('downloads of a link', () => {
  let member: TestUser;
  let project: string;
  let id: string;
  let preview: Buffer;
  let cookie: string;

  const service = useService();
  beforeAll(async () => {
    ({ member, project } = await addSharedPhotos(service));
    const bytes = library === undefined ? photo(500, 9) : await twoColours(900, 600);
    id = await send(service, await connectAs(service, member), 'Dunes.jpg', new Uint8Array(bytes));
    await service.database.query('UPDATE uploads SET project_id = $1 WHERE id = $2', [project, id]);
    ({ sessionCookie: cookie } = await openSettings(service, member, '/photos'));
    const isMade = async (): Promise<boolean> => {
      const answer = await getAsAnybody(service, `/photos/${id}/preview`, { headers: { cookie } });
      return answer.headers.get('content-type') === 'image/webp';
    };
    if (library === undefined) return;
    while (!(await isMade())) await new Promise((resolve) => setTimeout(resolve, 50));
    preview = await service.stored.read(`${id}.preview`);
  });

  /** Makes a link with these downloads; returns its path. */
  const shareWith = async (about: Shareable, downloads: string): Promise<string> => {
    const query = new URLSearchParams({ ...about }).toString();
    const browser = await openSettings(service, member, `/shares/new?${query}`);
    const { pathname } = new URL(elementText(await browser.submit('Create link'), 'secret'));
    await browser.open(/href="(\/shares\/[^/"]+)"/.exec(browser.page.markup)?.[1] ?? '');
    await browser.submit('Save changes', { downloads });
    return pathname;
  };
  const bytesOf = async (answer: Response): Promise<Buffer> =>
    Buffer.from(await answer.arrayBuffer());

  if (library === undefined) {
    it('in web size are empty without a library', async () => {
      expect(await statusAt(service, `${await shareWith({ project }, 'web')}/zip`)).toBe(404);
    });
    return;
  }

  it('in web size are previews, one by one', async () => {
    const path = await shareWith({ photo: id }, 'web');
    const answer = await getAsAnybody(service, `${path}/file?photo=${id}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('image/webp');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment.*Dunes-web\.webp/);
    expect((await bytesOf(answer)).equals(preview)).toBe(true);
  });

  it.each(['photo', 'project'] as const)(
    'in web size are previews in the ZIP of a %s, without photos that have none',
    async (kind) => {
      const path = await shareWith(kind === 'photo' ? { photo: id } : { project }, 'web');
      const answer = await getAsAnybody(service, `${path}/zip`);
      expect(answer.status).toBe(200);
      const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
      expect(Object.keys(files)).toEqual(['Dunes-web.webp']);
      expect(Buffer.from(files['Dunes-web.webp'] ?? []).equals(preview)).toBe(true);
    },
  );

  it('with a watermark are marked like the pictures, one by one and in a ZIP', async () => {
    const path = await shareAs(service, member, { photo: id }, { watermark: '1' });
    const page = await (await getAsAnybody(service, path)).text();
    const [address = ''] = /\/s\/[^" ]*\/preview[^" ]*/.exec(page) ?? [];
    expect(address).toContain('mark=');
    await service.database.query('DELETE FROM watermarked_pictures');
    const notReady = await getAsAnybody(service, `${path}/zip`);
    expect([notReady.status, notReady.headers.get('retry-after')]).toEqual([503, '60']);
    const shown = await getAsAnybody(service, address.replaceAll('&amp;', '&'));
    expect(shown.headers.get('cache-control')).toContain('immutable');
    expect(shown.headers.get('content-type')).toBe('image/webp');
    const marked = await bytesOf(shown);
    expect(marked.equals(preview)).toBe(false);
    expect(marked.equals(await service.stored.read(`${id}.watermarked`))).toBe(true);
    const small = await getAsAnybody(service, `${path}/thumbnail?photo=${id}`);
    expect(small.headers.get('cache-control')).toBe('private, max-age=300');
    const plain = await getAsAnybody(service, `/photos/${id}/thumbnail`, { headers: { cookie } });
    expect((await bytesOf(small)).equals(await bytesOf(plain))).toBe(false);
    const file = await getAsAnybody(service, `${path}/file?photo=${id}`);
    expect((await bytesOf(file)).equals(marked)).toBe(true);
    const zip = await getAsAnybody(service, `${path}/zip`);
    const files = unzipSync(new Uint8Array(await zip.arrayBuffer()));
    expect(Buffer.from(files['Dunes-web.webp'] ?? []).equals(marked)).toBe(true);
  });

  it('have another watermark when the name of the workspace changes', async () => {
    const path = await shareAs(service, member, { photo: id }, { watermark: '1' });
    const bytesNow = async (): Promise<Buffer> =>
      bytesOf(await getAsAnybody(service, `${path}/preview?photo=${id}`));
    const before = await bytesNow();
    await service.database.query(
      `UPDATE workspaces SET name = 'Other' WHERE name = 'North Studio'`,
    );
    const after = await bytesNow();
    expect([after.equals(before), after.equals(preview)]).toEqual([false, false]);
    await service.database.query(
      `UPDATE workspaces SET name = 'North Studio' WHERE name = 'Other'`,
    );
    await service.stored.lose(`${id}.watermarked`);
    expect((await bytesNow()).equals(before)).toBe(true);
    const small = await service.stored.read(`${id}.watermarked-thumbnail`);
    await service.stored.lose(`${id}.watermarked-thumbnail`);
    const shown = await getAsAnybody(service, `${path}/thumbnail?photo=${id}`);
    expect((await bytesOf(shown)).equals(small)).toBe(true);
  });

  it('get another watermark after the preview was lost and made again', async () => {
    const path = await shareAs(service, member, { photo: id }, { watermark: '1' });
    const typeNow = async (): Promise<string | null> => {
      const answer = await getAsAnybody(service, `${path}/thumbnail?photo=${id}`);
      await answer.arrayBuffer();
      return answer.headers.get('content-type');
    };
    await service.stored.lose(`${id}.preview`);
    await service.database.query('DELETE FROM watermarked_pictures');
    expect(await typeNow()).toBe('image/svg+xml');
    while ((await typeNow()) !== 'image/webp') await new Promise((done) => setTimeout(done, 50));
    expect((await service.stored.read(`${id}.preview`)).equals(preview)).toBe(true);
  });

  it('with a watermark show no other picture of a photo that cannot be marked', async () => {
    const path = await shareAs(service, member, { project }, { watermark: '1' });
    const page = await (await getAsAnybody(service, path)).text();
    const other = [...page.matchAll(/data-id="([^"]+)"/g)]
      .map(([, found]) => found)
      .find((one) => one !== id);
    const shown = await getAsAnybody(service, `${path}/preview?photo=${other ?? ''}`);
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(await statusAt(service, `${path}/file?photo=${other ?? ''}`)).toBe(503);
  });

  it('that are off leave the pictures of its pages', async () => {
    const path = await shareWith({ photo: id }, 'none');
    const answer = await getAsAnybody(service, `${path}/preview?photo=${id}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/webp']);
    expect((await bytesOf(answer)).equals(preview)).toBe(true);
    expect(await statusAt(service, `${path}/thumbnail?photo=${id}`)).toBe(200);
    expect(await statusAt(service, `${path}/file?photo=${id}`)).toBe(403);
  });
});
