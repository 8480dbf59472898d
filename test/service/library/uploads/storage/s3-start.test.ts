import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startService, type RunningService } from '../../../../../service/start.js';
import { answer } from '../../../support/answering-storage.js';
import { openReadyDatabase } from '../../../support/database-templates.js';
import { runService } from '../../../support/service-process.js';

/** Storage with the operations that the start-up check needs. */
function keepingStorage(missing: RequestListener = answer(404, 'NoSuchKey')): RequestListener {
  const kept = new Set<string>();
  return (request, response) => {
    const { method, url = '' } = request;
    const key = url.replace(/\?.*/, '');
    request.resume();
    if (method === 'GET' && !kept.has(key)) {
      missing(request, response);
      return;
    }
    if (method === 'PUT') kept.add(key);
    if (method === 'DELETE') kept.delete(key);
    response.writeHead(method === 'DELETE' ? 204 : 200, { etag: '"one"' });
    response.end();
  };
}

describe('a start with S3-compatible storage', () => {
  let server: Server;
  let dataDir: string;
  let endpoint: string;
  const messages: (string | undefined)[] = [];
  let service: RunningService | undefined;

  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    dataDir = await mkdtemp(path.join(tmpdir(), 'creative-workspace-s3-start-'));
    messages.length = 0;
  });
  afterEach(async () => {
    await service?.close();
    service = undefined;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(dataDir, { recursive: true, force: true });
  });

  const start = async (listener: RequestListener): Promise<RunningService> => {
    server.removeAllListeners('request').on('request', listener);
    service = await startService({
      port: 0,
      dataDir,
      database: await openReadyDatabase(),
      log: ({ message }) => messages.push(message),
      s3: {
        bucket: 'photos',
        region: 'us-east-1',
        endpoint,
        credentials: { accessKeyId: 'the-key-id', secretAccessKey: 'the-secret' },
      },
    });
    return service;
  };

  it.each<[string, RequestListener, string]>([
    ['no such bucket', answer(404, 'NoSuchBucket'), 'check S3_BUCKET'],
    ['an unknown key', answer(403, 'InvalidAccessKeyId'), 'check S3_ACCESS_KEY_ID'],
    ['a wrong secret', answer(403, 'SignatureDoesNotMatch'), 'check S3_SECRET_ACCESS_KEY'],
    ['no right to write', answer(403, 'AccessDenied'), 'need the rights'],
    ['no right to list', keepingStorage(answer(403, 'AccessDenied')), 'need the rights'],
    ['something that is no storage', answer(404, ''), 'check the S3_ variables'],
  ])('ends with one sentence when there is %s', async (_what, listener, words) => {
    const failure: unknown = await start(listener).catch((error: unknown) => error);

    expect(failure).toMatchObject({ name: 'ServiceStartError', code: 'storage_unavailable' });
    const { message } = failure as Error;
    expect(message).toContain(words);
    expect(message).not.toMatch(/the-key-id|the-secret/);
  });

  it('waits while the storage is away, and then serves', async () => {
    let asked = 0;
    const keep = keepingStorage();

    const { baseUrl, uses } = await start((request, response) => {
      asked += 1;
      (asked <= 2 ? answer(503, 'ServiceUnavailable') : keep)(request, response);
    });

    expect(messages[0]).toContain('the storage is unavailable');
    expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200);
    expect(uses.storage).toBe(`bucket photos (${new URL(endpoint).host})`);
  });

  it('ends with one sentence when there are no credentials', async () => {
    const { code, stderr } = await runService(['--port', '0', '--data', dataDir], {
      S3_BUCKET: 'photos',
      S3_ENDPOINT: endpoint,
      AWS_EC2_METADATA_DISABLED: 'true',
      HOME: dataDir,
    }).ended;

    expect(code).toBe(1);
    // On Node 20 the SDK warns before that.
    expect(stderr.split('\n').slice(-2)).toEqual([
      'Cannot use the S3 storage: no credentials were found; set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.',
      '',
    ]);
  });
});
