import { afterEach, describe, expect, it } from '@jest/globals';
import { Agent, get } from 'node:http';
import { OPEN, permit } from '../../../service/kernel/http/permission.js';
import type { RequestContext } from '../../../service/kernel/http/request/request-context.js';
import { serveRoutes } from '../support/route-server.js';
import type { TestService } from '../support/running-service.js';
import { useService } from '../support/use-service.js';
import { create, locationOf, offsetOf, patch, photo } from '../support/tus-client.js';
import { RawConnection } from './raw-connection.js';

/** Sends a request on the agent's connection; `reused` for an existing one. */
function getBy(agent: Agent, url: string): Promise<{ status: number; reused: boolean }> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent }, (answer) => {
      answer.resume().once('end', () => {
        resolve({ status: answer.statusCode ?? 0, reused: request.reusedSocket });
      });
    }).once('error', reject);
  });
}

const FORM = 'Content-Type: application/x-www-form-urlencoded';

/** A request that announces a body of `length` bytes and sends the first one of them. */
function begun(method: string, path: string, length: number, ...headers: string[]): string {
  const lines = ['Host: localhost', `Content-Length: ${length}`, ...headers];
  return [`${method} ${path} HTTP/1.1`, ...lines, '', 'a'].join('\r\n');
}

const FORMS = [
  '/api/oauth/token',
  '/api/oauth/revoke',
  '/api/oauth/device_authorization',
  '/oauth/device',
  '/oauth/interaction/some-interaction',
  '/settings/sign-in',
];

let connections: RawConnection[] = [];
async function connection(service: TestService): Promise<RawConnection> {
  const opened = await RawConnection.open(service.baseUrl);
  connections.push(opened);
  return opened;
}
afterEach(() => {
  for (const opened of connections) opened.cut();
  connections = [];
});

describe('an anonymous client that sends slowly', () => {
  const service = useService();

  // @threat S1
  it('serves other clients during sixty requests without bodies', async () => {
    for (let turn = 0; turn < 10; turn += 1) {
      for (const path of FORMS) (await connection(service)).send(begun('POST', path, 10, FORM));
    }

    // A control user connects the plugin and uploads at the same time.
    const { accessToken } = await service.connect();
    const created = await create(service.baseUrl, accessToken, { length: 5 });
    const url = locationOf(service.baseUrl, created);
    const patched = await patch(url, accessToken, 0, photo(5));

    expect(patched.status).toBe(204);
    expect(connections.filter(({ closed }) => !closed)).toHaveLength(60);
  });

  it('refuses a large Content-Length before the body', async () => {
    await Promise.all(
      FORMS.map(async (path) => {
        const opened = await connection(service);
        opened.send(begun('POST', path, 100_000_000, FORM));

        expect((await opened.answer()).status).toBe(413);
        await opened.ended();
      }),
    );
  });

  it('ends the connection of an endless body', async () => {
    await Promise.all(
      FORMS.map(async (path) => {
        const opened = await connection(service);
        opened.send(
          `POST ${path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n${FORM}\r\n\r\n`,
        );

        const chunk = `4000\r\n${'a'.repeat(0x4000)}\r\n`;
        await opened.sendForEver(chunk, 100_000_000);

        await opened.ended();
        // Bytes in the buffers of the operating system count as sent.
        expect(opened.bytesSent).toBeLessThan(20_000_000);
        expect(opened.text).toMatch(/^HTTP\/1.1 413 /);
      }),
    );
  });

  it('answers an upload without a token at once and closes the connection', async () => {
    const requests = [
      ['POST', '/api/v1/uploads'],
      ['PATCH', '/api/v1/uploads/some-id'],
      ['GET', '/api/v1/uploads'],
    ] as const;
    await Promise.all(
      requests.map(async ([method, path]) => {
        const opened = await connection(service);
        opened.send(begun(method, path, 100_000, 'Tus-Resumable: 1.0.0'));

        expect((await opened.answer()).status).toBe(401);
        await opened.ended();
      }),
    );
  });

  it('keeps idle connections reusable for a minute', async () => {
    const answer = await fetch(`${service.baseUrl}/healthz`);

    expect(answer.headers.get('keep-alive')).toBe('timeout=75');
  });
});

describe('the time for one request', () => {
  const service = useService({ requestSeconds: 1 });

  it('returns 408 when the body is not received', async () => {
    await Promise.all(
      FORMS.map(async (path) => {
        const opened = await connection(service);
        opened.send(begun('POST', path, 10, FORM));

        expect((await opened.answer()).status).toBe(408);
        await opened.ended();
      }),
    );
  });

  it('limits requests that need no body', async () => {
    const requests = [
      ['GET', '/healthz', 408],
      ['POST', '/nothing', 404],
      ['POST', '/api/nothing', 404],
    ] as const;
    await Promise.all(
      requests.map(async ([method, path, status]) => {
        const opened = await connection(service);
        opened.send(begun(method, path, 10));

        expect((await opened.answer()).status).toBe(status);
        await opened.ended();
      }),
    );
  });

  it('limits requests whose headers arrive one by one', async () => {
    const opened = await connection(service);
    opened.send('GET /healthz HTTP/1.1\r\nHost: localhost\r\n');

    await opened.ended();
  });

  it('starts with the request, not with an idle connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const first = await getBy(agent, `${service.baseUrl}/healthz`);
    // After the second for headers and the half second between two checks.
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const second = await getBy(agent, `${service.baseUrl}/healthz`);
    agent.destroy();

    expect([first, second]).toEqual([
      { status: 200, reused: false },
      { status: 200, reused: true },
    ]);
  });

  it('ends a connection whose client does not read the response', async () => {
    // No answer of the service is as large as the buffers of an operating system may be.
    const large = permit(OPEN, {
      GET: ({ response }: RequestContext) => {
        response.end(Buffer.alloc(64 * 1024 * 1024));
        return Promise.resolve();
      },
    });
    const statuses: (number | undefined)[] = [];
    const server = await serveRoutes(
      [
        { path: '/page', kind: 'page', handlers: large },
        { path: '/upload', kind: 'upload', handlers: large },
      ],
      { log: ({ status }) => statuses.push(status), timeoutMs: 500 },
    );
    for (const path of ['/page', '/upload']) {
      const opened = await RawConnection.open(server.baseUrl);
      connections.push(opened);
      opened.stopReading();
      opened.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    }

    while (statuses.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(statuses).toEqual([499, 499]);
    await server.close();
  });
});

describe('the idle time of an upload', () => {
  const service = useService({ uploadIdleSeconds: 2 });

  it('ends an idle connection and keeps the received bytes', async () => {
    const { accessToken } = await service.connect();
    const created = await create(service.baseUrl, accessToken, { length: 100 });
    const url = locationOf(service.baseUrl, created);
    const opened = await connection(service);
    opened.send(
      begun(
        'PATCH',
        new URL(url).pathname,
        100,
        'Tus-Resumable: 1.0.0',
        'Upload-Offset: 0',
        'Content-Type: application/offset+octet-stream',
        `Authorization: Bearer ${accessToken}`,
      ),
    );

    await opened.ended();

    expect(await offsetOf(url, accessToken)).toBe(1);
  });

  it('restarts the idle time with each byte', async () => {
    const { accessToken } = await service.connect();
    const created = await create(service.baseUrl, accessToken, { length: 5 });
    const url = locationOf(service.baseUrl, created);
    const opened = await connection(service);
    opened.send(
      begun(
        'PATCH',
        new URL(url).pathname,
        5,
        'Tus-Resumable: 1.0.0',
        'Upload-Offset: 0',
        'Content-Type: application/offset+octet-stream',
        `Authorization: Bearer ${accessToken}`,
      ),
    );
    for (let byte = 1; byte < 5; byte += 1) {
      // All four take longer than the limit; one takes far less, also on a busy machine.
      await new Promise((resolve) => setTimeout(resolve, 600));
      opened.send('a');
    }

    expect((await opened.answer()).status).toBe(204);
  });
});
