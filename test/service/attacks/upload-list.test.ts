import { beforeAll, describe, expect, it } from '@jest/globals';
import { authorization } from '../support/tus-client.js';
import { useService } from '../support/use-service.js';

const COUNT = 2500;

interface Listed {
  readonly id: string;
  readonly name: string;
}

describe('the list of a user with very many uploads', () => {
  let token: string;

  const service = useService();
  beforeAll(async () => {
    token = (await service.connect()).accessToken;
    // Several at the same millisecond: the id decides.
    await service.database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at,
                            active_at, finished_at, sha256)
       SELECT 'upload-' || lpad(n::text, 6, '0'), account_id, workspace_id, 10, 'photo ' || n, 'image/jpeg',
              '{}', timestamptz '2026-01-01' + n / 3 * interval '1 millisecond', now(), now(), repeat('a', 64)
         FROM generate_series(1, ${COUNT}) AS n, consents`,
    );
  });

  const get = (address: string, method = 'GET'): Promise<Response> =>
    fetch(new URL(address, service.baseUrl), { method, headers: authorization(token) });

  /** Follows the links from one page to the next; each page's uploads. */
  const pages = async (address: string): Promise<Listed[][]> => {
    const found: Listed[][] = [];
    let next: string | undefined = address;
    while (next !== undefined) {
      const answer: Response = await get(next);
      expect(answer.status).toBe(200);
      const body = (await answer.json()) as { uploads: Listed[]; next?: string };
      found.push(body.uploads);
      const link = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
      expect(link).toBe(body.next);
      next = link;
    }
    return found;
  };

  // @threat L7
  it('lists uploads in pages of at most 1000, each once, oldest first', async () => {
    const found = await pages('/api/v1/uploads');

    expect(found.map((page) => page.length)).toEqual([1000, 1000, 500]);
    expect(found.flat().map(({ name }) => name)).toEqual(
      Array.from({ length: COUNT }, (_, index) => `photo ${index + 1}`),
    );
  });

  it('lists uploads in pages of the requested size', async () => {
    const found = await pages('/api/v1/uploads?limit=700');

    expect(found.map((page) => page.length)).toEqual([700, 700, 700, 400]);
    expect(new Set(found.flat().map(({ id }) => id)).size).toBe(COUNT);
  });

  it('answers HEAD without a body (RFC 9110 section 9.3.2)', async () => {
    const read = async (method: string): Promise<unknown[]> => {
      const answer = await get('/api/v1/uploads?limit=1', method);
      const { length } = await answer.text();
      return [
        answer.status,
        answer.headers.get('link'),
        answer.headers.get('content-type'),
        length > 0,
      ];
    };
    const asked = await read('HEAD');

    expect(asked).toEqual([200, expect.stringContaining('rel="next"'), expect.anything(), false]);
    expect(asked.slice(0, 3)).toEqual((await read('GET')).slice(0, 3));
  });

  it('exposes the link to the next page to other origins', async () => {
    const answer = await get('/api/v1/uploads?limit=1');

    expect(answer.headers.get('access-control-expose-headers')).toMatch(/\bLink\b/);
    await answer.text();
  });

  it.each([
    'limit=0',
    'limit=1001',
    'limit=-1',
    'limit=1e3',
    'limit=',
    'limit=10&limit=20',
    'after=',
    'after=x',
    'after=1.%00',
    'after=99999999999999999999.upload-1',
    "after=1.' OR 1=1",
    'after=%ff',
    'offset=10',
    'Limit=10',
    '%00=1',
  ])('refuses ?%s with 400', async (query) => {
    const answer = await get(`/api/v1/uploads?${query}`);

    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('a page cursor shows no uploads of another user', async () => {
    const { accessToken } = await service.connect();
    const answer = await fetch(`${service.baseUrl}/api/v1/uploads?after=0.a&limit=2`, {
      headers: authorization(accessToken),
    });
    expect(((await answer.json()) as { uploads: Listed[] }).uploads).toHaveLength(2);
  });
});
