import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { library, twoColours } from '../../support/pictures.js';
import { startTestService, type TestService } from '../support/running-service.js';
import { testS3 } from '../support/test-storage.js';
import { jpeg } from '../support/tus-client.js';
import {
  addUser,
  addWorkspace,
  connectAs,
  elementText,
  openSettings,
  send,
  type TestUser,
} from '../support/users.js';

const BYTES = jpeg(200_000);

describe('files that browsers get from S3-compatible storage', () => {
  let service: TestService;
  let endpoint: string;
  let owner: TestUser;
  let stranger: TestUser;
  let token: string;
  let cookie: string;
  let id: string;

  beforeAll(async () => {
    const s3 = await testS3();
    if (s3?.endpoint === undefined) throw new Error('these tests need TEST_S3_ENDPOINT');
    ({ endpoint } = s3);
    service = await startTestService({ s3: { ...s3, publicEndpoint: endpoint } });
    const workspace = await addWorkspace(service, 'North Studio');
    const elsewhere = await addWorkspace(service, 'South Studio');
    owner = await addUser(service, { [workspace]: 'owner' });
    stranger = await addUser(service, { [elsewhere]: 'owner' });
    token = await connectAs(service, owner);
    id = await send(service, token, 'Harbour.jpg', BYTES);
    cookie = (await openSettings(service, owner, '/photos')).sessionCookie;
  });
  afterAll(() => service.close());

  const get = (
    address: string,
    headers: Record<string, string> = { cookie },
    method = 'GET',
  ): Promise<Response> =>
    fetch(new URL(address, service.baseUrl), { method, headers, redirect: 'manual' });
  const bytesOf = async (answer: Response): Promise<Buffer> =>
    Buffer.from(await answer.arrayBuffer());
  /** Where an answer redirects to, which must be the storage. */
  const storageAddress = (answer: Response): string => {
    expect(answer.status).toBe(302);
    const location = answer.headers.get('location') ?? '';
    expect(new URL(location).origin).toBe(endpoint);
    return location;
  };

  it('are originals for members, to be saved, whole and in part', async () => {
    const answer = await get(`/photos/${id}/file`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const address = storageAddress(answer);
    const whole = await get(address, {});
    expect(whole.headers.get('content-type')).toBe('application/octet-stream');
    expect(whole.headers.get('content-disposition')).toBe('attachment; filename="Harbour.jpg"');
    expect((await bytesOf(whole)).equals(BYTES)).toBe(true);
    const part = await get(address, { range: 'bytes=10-19' });
    expect(part.status).toBe(206);
    expect((await bytesOf(part)).equals(BYTES.subarray(10, 20))).toBe(true);
    const changed = new URL(address);
    changed.searchParams.set('response-content-type', 'text/html');
    expect((await get(changed.href, {})).status).toBe(403);
  });

  it('are refused to strangers, and come from the service for HEAD', async () => {
    const other = (await openSettings(service, stranger, '/photos')).sessionCookie;
    expect((await get(`/photos/${id}/file`, { cookie: other })).status).toBe(404);
    const head = await get(`/photos/${id}/file`, { cookie }, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '200000']);
  });

  it('are allowed by pages as pictures only', async () => {
    const policy = (await get('/photos')).headers.get('content-security-policy') ?? '';
    const allowing = policy.split('; ').filter((part) => part.includes(endpoint));
    expect(allowing).toEqual([`img-src 'self' ${endpoint}`]);
  });

  it.each([
    ['with a link that keeps locations', true],
    ['never with one that removes them', false],
  ])('reach guests %s', async (_name, showsLocation) => {
    const browser = await openSettings(service, owner, `/shares/new?photo=${id}`);
    const page = await browser.submit('Create link', {});
    await service.database.query('UPDATE shares SET shows_location = $1', [showsLocation]);
    const link = new URL(elementText(page, 'secret')).pathname;
    const answer = await get(`${link}/file?photo=${id}`, {});
    if (showsLocation)
      expect(await bytesOf(await get(storageAddress(answer), {}))).toHaveLength(200_000);
    else expect(answer.status).not.toBe(302);
  });

  if (library !== undefined) {
    it('are previews of one version, under an address that stays the same', async () => {
      const picture = await send(
        service,
        token,
        'Red.jpg',
        new Uint8Array(await twoColours(90, 60)),
      );
      const version = async (): Promise<number | undefined> => {
        const [row] = await service.database.query<{ version: number | null }>(
          'SELECT preview_version AS version FROM uploads WHERE id = $1',
          [picture],
        );
        return row?.version ?? undefined;
      };
      while ((await version()) === undefined) await new Promise((done) => setTimeout(done, 50));
      const fixed = `/photos/${picture}/preview?v=${String(await version())}`;
      const answer = await get(fixed);
      expect(answer.headers.get('cache-control')).toBe('private, max-age=300');
      const shown = await get(storageAddress(answer), {});
      expect(shown.headers.get('content-type')).toBe('image/webp');
      expect((await bytesOf(shown)).subarray(8, 12).toString()).toBe('WEBP');
      expect((await get(`/photos/${picture}/preview`)).status).toBe(200);
    });
  }
});
