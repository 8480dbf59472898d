import { describe, expect, it, jest } from '@jest/globals';
import { rawRequest, sendRaw } from '../../attacks/raw-connection.js';
import { listUploads, refresh, requestDevice } from '../../support/oauth-client.js';
import { exchangeCode, makePkce, obtainCode } from '../../support/code-flow.js';
import { startTestService } from '../../support/running-service.js';
import { useService } from '../../support/use-service.js';
import { beginPatch, create, locationOf, photo } from '../../support/tus-client.js';

describe('the metrics', () => {
  const service = useService({ metricsPort: 0, trustedProxies: 1 });

  async function read(): Promise<string> {
    const answer = await fetch(service.metricsUrl ?? '');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    return answer.text();
  }

  /** The value of the sample whose line begins with this; labels are in the given order. */
  async function sample(name: string): Promise<number> {
    const line = (await read()).split('\n').find((one) => one.startsWith(`${name} `));
    return Number(line?.split(' ').at(-1) ?? 0);
  }

  it('are off by default, and listen on this machine only', async () => {
    const usual = await startTestService();
    expect(usual.metricsUrl).toBeUndefined();
    await usual.close();

    expect(service.metricsUrl).toMatch(/^http:\/\/localhost:\d+\/metrics$/);
    // The port of the service does not have them, and theirs has nothing else.
    expect((await fetch(`${service.baseUrl}/metrics`)).status).toBe(404);
    const { origin } = new URL(service.metricsUrl ?? '');
    expect((await fetch(`${origin}/healthz`)).status).toBe(404);
    expect((await fetch(service.metricsUrl ?? '', { method: 'POST' })).status).toBe(404);
  });

  it('are refused to requests for a host that is not this machine (DNS rebinding)', async () => {
    const { origin, host } = new URL(service.metricsUrl ?? '');
    const asFor = (name: string) =>
      sendRaw(origin, rawRequest('GET', '/metrics', [`Host: ${name}`]));

    const refused = await asFor(host.replace('localhost', 'evil.example'));

    expect(refused.status).toBe(421);
    expect(refused.body).not.toContain('cws_');
    expect((await asFor(host)).status).toBe(200);
  });

  it('count requests by route pattern, never by path', async () => {
    const { accessToken } = await service.connect();
    const bytes = photo(5000);
    const created = await create(service.baseUrl, accessToken, { length: 5000, body: bytes });
    const id = locationOf(service.baseUrl, created).split('/').at(-1) ?? '';
    await fetch(`${service.baseUrl}/api/v1/uploads/${id}`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    await fetch(`${service.baseUrl}/somewhere-else`, { method: 'PROPFIND' });

    const text = await read();
    expect(text).toContain(
      'cws_request_seconds_count{route="/api/v1/uploads/:id",method="GET",status="200"} 1',
    );
    expect(text).toContain(
      'cws_request_seconds_count{route="other",method="other",status="404"} 1',
    );
    for (const secret of [id, accessToken, 'somewhere-else', 'PROPFIND', service.demo.username]) {
      expect(text).not.toContain(secret);
    }
    const received = await sample('cws_bytes_total{direction="received",kind="upload"}');
    expect(received).toBeGreaterThan(5000);
    expect(received).toBeLessThan(7000);
  });

  it('report the number of uploads in progress', async () => {
    const { accessToken } = await service.connect();
    const created = await create(service.baseUrl, accessToken, { length: 100 });
    const url = locationOf(service.baseUrl, created);
    const request = await beginPatch(url, accessToken, 100, photo(10));
    while ((await sample('cws_requests_open{kind="upload"}')) !== 1) {
      await new Promise(setImmediate);
    }

    request.destroy();

    while ((await sample('cws_requests_open{kind="upload"}')) !== 0) {
      await new Promise(setImmediate);
    }
  });

  it('count sessions that ended by reuse, and no others', async () => {
    const name = 'cws_sessions_ended_by_reuse_total';
    const before = await sample(name);
    const first = await service.connect();
    await refresh(service.baseUrl, first.refreshToken);
    expect(await sample(name)).toBe(before);

    await refresh(service.baseUrl, first.refreshToken);
    expect(await sample(name)).toBe(before + 1);

    // At the same time: found by the statement that writes, or before it.
    const raced = await service.connect();
    await Promise.all([1, 2].map(() => refresh(service.baseUrl, raced.refreshToken)));
    expect(await listUploads(service.baseUrl, raced.accessToken)).toMatchObject({ status: 401 });
    expect(await sample(name)).toBe(before + 2);

    // On a database server each of two requests may find the code unused.
    const pkce = makePkce();
    const code = await obtainCode(service.baseUrl, service.demo, pkce);
    const answers = await Promise.all(
      [1, 2].map(() => exchangeCode(service.baseUrl, code, pkce.verifier)),
    );
    expect(answers.map(({ status }) => status)).toContain(400);
    expect(await sample(name)).toBe(before + 3);
  });

  it('do not count a session that its user ended during a refresh', async () => {
    const name = 'cws_sessions_ended_by_reuse_total';
    const before = await sample(name);
    const { refreshToken } = await service.connect();
    const query = service.database.query.bind(service.database);
    const exchanging = jest
      .spyOn(service.database, 'query')
      .mockImplementation(async (sql, params) => {
        if (sql.includes('successor_access_id = $5'))
          await query('SELECT end_grant($1)', [params?.[0] ?? null]);
        return query(sql, params);
      });

    const { status } = await refresh(service.baseUrl, refreshToken);

    exchanging.mockRestore();
    expect(status).toBe(400);
    expect(await sample(name)).toBe(before);
  });

  it('count refusals by limit, without the client', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.77' };
    for (let count = 0; count <= 100; count += 1) {
      await requestDevice(service.baseUrl, undefined, headers);
    }

    expect(await sample('cws_limit_refusals_total{limit="device codes from address"}')).toBe(1);
    expect(await read()).not.toContain('192.0.2.77');
  });

  it('report the connections to a database server', async () => {
    const names = ['open', 'idle', 'waiting'];
    const values = await Promise.all(
      names.map((name) => sample(`cws_database_connections{state="${name}"}`)),
    );
    // The embedded database has none.
    const least = process.env['TEST_DATABASE_URL'] === undefined ? 0 : 1;
    expect(values[0]).toBeGreaterThanOrEqual(least);
    expect(values[2]).toBe(0);
  });
});
