import { beforeAll, describe, expect, it } from '@jest/globals';
import { PageRenderer } from '../../../../service/library/previews/documents/page-renderer.js';
import {
  ImageWorker,
  IMAGE_WORKER_LIMITS,
} from '../../../../service/library/previews/image-worker.js';
import { UploadRepository } from '../../../../service/library/uploads/repository/upload-repository.js';
import { openStorage } from '../../../../service/library/uploads/storage/open-storage.js';
import { compiled } from '../../../support/compiled.js';
import { pdf } from '../../../support/pdf.js';
import { library as sharp } from '../../../support/pictures.js';
import { getAsAnybody, shareAs } from '../../delivery/shares/sharing.js';
import {
  addUser,
  addWorkspace,
  connectAs,
  openSettings,
  send,
  type TestUser,
} from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { addWorkspaceFixture } from '../../support/workspace-fixture.js';
import { jpeg } from '../../support/tus-client.js';

const page = (colour: string, box = '0 0 200 100'): { entries: string; content: string } => ({
  entries: `/MediaBox [${box}]`,
  content: `${colour} rg 0 0 200 200 re f`,
});
const BROCHURE = pdf({
  pages: [page('1 0 0'), page('0 1 0', '0 0 100 200'), page('0 0 1'), page('1 1 0')],
});
/** It has one page only. */
const BOASTING = pdf({ tree: '/Count 3 /Kids [10 0 R]' });

describe('the picture of a page', () => {
  if (sharp === undefined) {
    return;
  }
  const service = useService();
  let member: TestUser;
  let token: string;
  let cookie: string;
  let id: string;

  const arrived = async (name: string, bytes: Buffer): Promise<string> => {
    const sent = await send(service, token, name, new Uint8Array(bytes));
    const isMade = async (): Promise<boolean> => {
      const answer = await get(`/photos/${sent}/preview`);
      return answer.headers.get('content-type') === 'image/webp';
    };
    while (!(await isMade())) await new Promise((resolve) => setTimeout(resolve, 50));
    return sent;
  };
  const get = (path: string): Promise<Response> =>
    getAsAnybody(service, path, { headers: { cookie } });
  const bytesOf = async (answer: Response): Promise<Buffer> =>
    Buffer.from(await answer.arrayBuffer());
  /** Its size, and the channels of its colour that are strong. */
  const look = async (answer: Response): Promise<string> => {
    expect(answer.headers.get('content-type')).toBe('image/webp');
    const picture = sharp?.(await bytesOf(answer));
    const { width, height } = (await picture?.metadata()) ?? {};
    const { channels = [] } = (await picture?.stats()) ?? {};
    return `${width}×${height} ${channels.map(({ mean }) => (mean > 150 ? 1 : 0)).join('')}`;
  };
  const pagesKept = async (of = id): Promise<string[]> => {
    const rows = await service.database.query<{ page: number; is_marked: boolean }>(
      'SELECT page, is_marked FROM page_pictures WHERE upload_id = $1 ORDER BY page, is_marked',
      [of],
    );
    return rows.map((row) => `${row.page}${row.is_marked ? ' marked' : ''}`);
  };

  beforeAll(async () => {
    ({ member } = await addWorkspaceFixture(service));
    token = await connectAs(service, member);
    ({ sessionCookie: cookie } = await openSettings(service, member, '/photos'));
    id = await arrived('Brochure.pdf', BROCHURE);
  });

  it.each([
    ['', '240×120 100'],
    ['?page=1', '240×120 100'],
    ['?page=2', '120×240 010'],
  ])('is a small JPEG for programs: %s', async (query, look_) => {
    const answer = await getAsAnybody(service, `/api/v1/uploads/${id}/thumbnail${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { type, data } = (await answer.json()) as { type: string; data: string };
    expect([answer.status, type]).toEqual([200, 'image/jpeg']);
    const picture = sharp?.(Buffer.from(data, 'base64'));
    const { format, width, height } = (await picture?.metadata()) ?? {};
    const { channels = [] } = (await picture?.stats()) ?? {};
    const colour = channels.map(({ mean }) => (mean > 150 ? 1 : 0)).join('');
    expect([format, `${width}×${height} ${colour}`]).toEqual(['jpeg', look_]);
  });

  it('is refused to programs that may not see it, and missing for a page that is not there', async () => {
    const ask = async (of: string, query: string, as: string): Promise<number> => {
      const headers = { authorization: `Bearer ${as}` };
      const path = `/api/v1/uploads/${of}/thumbnail${query}`;
      return (await getAsAnybody(service, path, { headers })).status;
    };
    const stranger = await addUser(service, { [await addWorkspace(service, 'North')]: 'owner' });
    const other = await connectAs(service, stranger);
    expect(await ask(id, '', other)).toBe(404);
    expect(await ask('nothing', '', token)).toBe(404);
    expect(await ask(id, '?page=9', token)).toBe(204);
    expect(await ask(id, '?page=x', token)).toBe(400);
    expect(await ask(id, '', 'wrong')).toBe(401);
  });

  it('is made when a member wants it, with those of the next pages', async () => {
    await service.database.query('DELETE FROM page_pictures WHERE upload_id = $1', [id]);
    expect(await look(await get(`/photos/${id}/page?n=2`))).toBe('1024×2048 010');
    expect(await pagesKept()).toEqual(['2', '3', '4']);
    expect(await look(await get(`/photos/${id}/page?n=3&as=thumbnail`))).toBe('512×256 001');
    expect(await look(await get(`/photos/${id}/page?n=4`))).toBe('2048×1024 110');
    const first = await bytesOf(await get(`/photos/${id}/page?n=1`));
    expect(first.equals(await service.stored.read(`${id}.preview`))).toBe(true);
  });

  it('can be kept for ever at an address with its version only', async () => {
    const [row] = await service.database.query<{ preview_version: number }>(
      'SELECT preview_version FROM uploads WHERE id = $1',
      [id],
    );
    const keptFor = async (query: string): Promise<string | null> =>
      (await get(`/photos/${id}/page?${query}`)).headers.get('cache-control');
    expect(await keptFor(`n=2&v=${row?.preview_version}`)).toContain('immutable');
    expect(await keptFor('n=2&v=1')).toBe('private, max-age=300');
    expect(await keptFor('n=2')).toBe('private, max-age=300');
  });

  it.each(['n=5', 'n=0', 'n=-1', 'n=2e0', 'n=02', 'n=', '', 'n=1000000'])(
    'is missing where the document has no such page: %s',
    async (query) => {
      expect((await get(`/photos/${id}/page?${query}`)).status).toBe(404);
    },
  );

  it('is missing for a photo, for others, and without a sign-in', async () => {
    const photo = await send(service, token, 'Quay.jpg', jpeg(300));
    expect((await get(`/photos/${photo}/page?n=1`)).status).toBe(404);
    const stranger = await addUser(service, { [await addWorkspace(service, 'South')]: 'owner' });
    const { sessionCookie } = await openSettings(service, stranger, '/photos');
    const theirs = await getAsAnybody(service, `/photos/${id}/page?n=2`, {
      headers: { cookie: sessionCookie },
    });
    expect(theirs.status).toBe(404);
    expect((await getAsAnybody(service, `/photos/${id}/page?n=2`)).status).not.toBe(200);
  });

  it('is made for several readers at the same time', async () => {
    const brochure = await arrived('Wanted.pdf', BROCHURE);
    const answers = await Promise.all(
      [2, 3, 4, 2, 3, 4].map((n) => get(`/photos/${brochure}/page?n=${n}`)),
    );
    expect(await Promise.all(answers.map(look))).toEqual([
      ...['1024×2048 010', '2048×1024 001', '2048×1024 110'],
      ...['1024×2048 010', '2048×1024 001', '2048×1024 110'],
    ]);
    expect(await pagesKept(brochure)).toEqual(['2', '3', '4']);
  });

  it('is a tile for a page that cannot be drawn, which is tried once', async () => {
    const boasting = await arrived('Boasting.pdf', BOASTING);
    const answer = await get(`/photos/${boasting}/page?n=2`);
    expect(answer.headers.get('content-type')).toBe('image/svg+xml');
    expect(await pagesKept(boasting)).toContain('2');
    const [row] = await service.database.query<{ preview_bytes: number | null }>(
      'SELECT preview_bytes FROM page_pictures WHERE upload_id = $1 AND page = 2',
      [boasting],
    );
    expect(row?.preview_bytes).toBeNull();
  });

  it('is made again when the storage has lost it', async () => {
    await get(`/photos/${id}/page?n=3`);
    await service.stored.lose(`${id}.pages/3.preview`);
    expect(await look(await get(`/photos/${id}/page?n=3`))).toBe('2048×1024 001');
  });

  describe('for the guests of a link', () => {
    it('is that of a photo of the link only, and needs its password', async () => {
      const path = await shareAs(service, member, { photo: id });
      const open = await getAsAnybody(service, `${path}/page?photo=${id}&n=2`);
      expect(await look(open)).toBe('1024×2048 010');
      const other = await arrived('Other.pdf', pdf({ pages: [{}, {}] }));
      for (const query of [`photo=${other}&n=2`, `photo=${id}&n=5`, 'photo=none&n=1']) {
        expect((await getAsAnybody(service, `${path}/page?${query}`)).status).toBe(404);
      }
      const locked = await shareAs(service, member, { photo: id }, { password: 'open sesame 7' });
      const closed = await getAsAnybody(service, `${locked}/page?photo=${id}&n=2`);
      expect([closed.status, closed.headers.get('location')]).toEqual([303, locked]);
    });

    it('has the watermark of the link, or is a tile', async () => {
      const path = await shareAs(service, member, { photo: id }, { watermark: '1' });
      const address = `${path}/page?photo=${id}&n=2`;
      const plain = await bytesOf(await get(`/photos/${id}/page?n=2`));
      const marked = await bytesOf(await getAsAnybody(service, address));
      expect(marked.equals(plain)).toBe(false);
      expect(marked.equals(await service.stored.read(`${id}.pages/2.watermarked`))).toBe(true);
      const small = await bytesOf(await getAsAnybody(service, `${address}&as=thumbnail`));
      const stored = await service.stored.read(`${id}.pages/2.watermarked-thumbnail`);
      expect(small.equals(stored)).toBe(true);
      await service.database.query(
        `UPDATE page_pictures SET thumbnail_bytes = NULL, preview_bytes = NULL
          WHERE upload_id = $1 AND page = 2 AND is_marked`,
        [id],
      );
      const none = await getAsAnybody(service, address);
      expect(none.headers.get('content-type')).toBe('image/svg+xml');
      const first = await bytesOf(await getAsAnybody(service, `${path}/page?photo=${id}&n=1`));
      expect(first.equals(await service.stored.read(`${id}.preview`))).toBe(false);
    });
  });

  describe('on pages', () => {
    const text = async (answer: Promise<Response>): Promise<string> =>
      (await (await answer).text()).replaceAll('&amp;', '&');
    /** The pages of the strip, and the one that is current. */
    const stripOf = (markup: string): readonly unknown[] => [
      [...markup.matchAll(/<a\s+href="[^"]*"\s+data-page="(\d+)"/g)].map(([, n]) => Number(n)),
      /data-page="(\d+)"[^>]*aria-current="page"/.exec(markup)?.[1],
    ];

    it('is large, above a strip of links to the others, without a script', async () => {
      const markup = await text(get(`/photos/${id}?page=3&sort=name`));
      expect(stripOf(markup)).toEqual([[1, 2, 3, 4], '3']);
      expect(markup).toMatch(/<img\s+src="\/photos\/[^"]*\/page\?n=3&as=preview&v=\d+"/);
      expect(markup).toContain('Page 3 of 4');
      expect(/data-turn="next"\s+href="([^"]*)"/.exec(markup)?.[1]).toMatch(/[?&]page=4$/);
      const last = await text(get(`/photos/${id}?page=9`));
      expect(stripOf(last)).toEqual([[1, 2, 3, 4], '4']);
    });

    it('has no strip for a photo', async () => {
      const photo = await send(service, token, 'Boat.jpg', jpeg(300));
      expect(stripOf(await text(get(`/photos/${photo}`)))).toEqual([[], undefined]);
    });

    it('is beside the same page of the other version', async () => {
      const markup = await text(get(`/photos/${id}/compare?with=${id}&page=3`));
      expect(markup.match(/<div class="view">\s*<img\s+src="[^"]*n=3&as=preview/g)).toHaveLength(2);
      expect(stripOf(markup)).toEqual([[1, 2, 3, 4], '3']);
      expect(/data-turn="prev"\s+href="([^"]*)"/.exec(markup)?.[1]).toBe(
        `/photos/${id}/compare?with=${id}&page=2`,
      );
    });

    it('is that of the link for its guests, with their watermark in the address', async () => {
      const path = await shareAs(service, member, { photo: id }, { watermark: '1' });
      const markup = await text(getAsAnybody(service, `${path}/photo?photo=${id}&page=3`));
      expect(stripOf(markup)).toEqual([[1, 2, 3, 4], '3']);
      const [, address = ''] = /<figure>\s*<img\s+src="([^"]*)"/.exec(markup) ?? [];
      expect(address).toMatch(/^\/s\/[^/]+\/page\?photo=[^&]+&n=3&as=preview&v=\d+&mark=/);
      const answer = await getAsAnybody(service, address);
      expect(answer.headers.get('cache-control')).toContain('immutable');
      expect(markup).not.toContain('/photos/');
    });
  });

  it('is the same from two processes at once, and goes with the document', async () => {
    const twice = await arrived('Twice.pdf', BROCHURE);
    const store = await openStorage(service.storageOptions, new UploadRepository(service.database));
    const wanted = { page: 3, variant: 'preview', watermark: undefined } as const;
    const document = {
      ...{ id: twice, workspaceId: 'workspace', size: BROCHURE.length },
      ...({ media: { kind: 'document', pages: 4 }, preview: { version: 9 } } as const),
    };
    const imageWorker = new ImageWorker(
      IMAGE_WORKER_LIMITS,
      compiled('service/library/previews/image-worker-process.ts'),
    );
    const found = await Promise.all(
      [1, 2].map(() =>
        new PageRenderer({ database: service.database, store, imageWorker }).find(document, wanted),
      ),
    );
    expect(found.map((one) => one?.size)).toEqual([found[0]?.size, found[0]?.size]);
    for (const one of found) one?.bytes.destroy();
    imageWorker.end();
    expect(await pagesKept(twice)).toEqual(['3', '4']);
    await store.discard(twice);
    await store.settleDiscards();
    await expect(
      store.readPreview(twice, found[0]?.size ?? 0, { page: 3, as: 'preview' }),
    ).resolves.toBeUndefined();
  });
});
