import { beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { pdf } from '../../../support/pdf.js';
import { library } from '../../../support/pictures.js';
import { authorization, photo } from '../../support/tus-client.js';
import { addUser, addWorkspace, connectAs, send } from '../../support/users.js';
import { useService } from '../../support/use-service.js';

const page = (colour: string): { entries: string; content: string } => ({
  entries: '/MediaBox [0 0 200 100]',
  content: `${colour} rg 0 0 200 200 re f`,
});

describe('a picture in web size', () => {
  const service = useService();
  let workspaceId: string;
  let sender: string;
  let reader: string;

  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
    const user = await addUser(service, { [workspaceId]: 'owner' });
    sender = await connectAs(service, user);
    reader = await connectAs(service, user, 'uploads:content');
  });

  const get = (
    id: string,
    {
      query = '',
      headers = {},
      token = reader,
    }: {
      query?: string;
      headers?: Record<string, string>;
      token?: string;
    } = {},
  ): Promise<Response> =>
    fetch(`${service.baseUrl}/api/v1/uploads/${id}/preview${query}`, {
      headers: { ...headers, ...authorization(token) },
    });
  const made = async (id: string, query = ''): Promise<Response> => {
    for (;;) {
      const answer = await get(id, { query });
      if (answer.status !== 204) return answer;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const bytesOf = async (answer: Response): Promise<Buffer> =>
    Buffer.from(await answer.arrayBuffer());

  it('is not there for a file without a picture, and 404 for others', async () => {
    const id = await send(service, sender, 'note.txt', photo(100));
    expect((await get(id)).status).toBe(204);
    expect((await get('nothing')).status).toBe(404);
    expect((await get(id, { query: '?page=0' })).status).toBe(400);
    expect((await get(id, { token: sender })).status).toBe(403);
    const colleague = await addUser(service, { [workspaceId]: 'owner' });
    const own = await connectAs(service, colleague, 'uploads:content');
    expect((await get(id, { token: own })).status).toBe(404);
    const all = await connectAs(service, colleague, 'workspace:read');
    expect((await get(id, { token: all })).status).toBe(204);
  });

  if (library === undefined) {
    return;
  }
  const sharp = library;

  it('is a JPEG with its digest, in the colours and the size of the preview', async () => {
    const red = { width: 3000, height: 1500, channels: 4, background: '#f00' } as const;
    const file = await sharp({ create: red }).png().toBuffer();
    const id = await send(service, sender, 'red.png', new Uint8Array(file));
    const answer = await made(id);
    const bytes = await bytesOf(answer);
    expect(answer.status).toBe(200);
    const digest = createHash('sha256').update(bytes).digest('base64');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(bytes.length),
      'repr-digest': `sha-256=:${digest}:`,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
    });
    const { format, width, height } = await sharp(bytes).metadata();
    expect([format, width, height]).toEqual(['jpeg', 2048, 1024]);
    const { dominant } = await sharp(bytes).stats();
    expect([dominant.r > 200, dominant.g < 50, dominant.b < 50]).toEqual([true, true, true]);

    // The small picture has the same tag, for a program that may list uploads.
    const small = (headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${service.baseUrl}/api/v1/uploads/${id}/thumbnail`, {
        headers: { ...headers, ...authorization(sender) },
      });
    let first = await small();
    while (first.status === 204) first = await small();
    const smallTag = first.headers.get('etag') ?? '';
    expect([first.status, (await small({ 'If-None-Match': smallTag })).status]).toEqual([200, 304]);

    const tag = answer.headers.get('etag') ?? '';
    expect(smallTag).toBe(tag);
    const again = await get(id, { headers: { 'If-None-Match': tag } });
    expect([again.status, (await bytesOf(again)).length]).toEqual([304, 0]);
    await service.database.query(
      'UPDATE uploads SET preview_version = preview_version + 1 WHERE id = $1',
      [id],
    );
    // The picture is made again, which may take longer than the request waits.
    expect([200, 204]).toContain((await get(id, { headers: { 'If-None-Match': tag } })).status);
  });

  it('is that of a page of a document', async () => {
    const file = pdf({ pages: [page('1 0 0'), page('0 0 1')] });
    const id = await send(service, sender, 'two.pdf', new Uint8Array(file));
    await made(id);
    const blue = await made(id, '?page=2');
    const { dominant } = await sharp(await bytesOf(blue)).stats();
    expect([dominant.r < 50, dominant.b > 200]).toEqual([true, true]);
    expect(blue.headers.get('etag')).not.toBe((await made(id)).headers.get('etag'));
    expect((await get(id, { query: '?page=3' })).status).toBe(204);
  });
});
