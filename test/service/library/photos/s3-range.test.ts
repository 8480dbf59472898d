import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { S3Storage } from '../../../../service/library/uploads/storage/s3-storage.js';
import { UploadRepository } from '../../../../service/library/uploads/repository/upload-repository.js';
import { openReadyDatabase } from '../../support/database-templates.js';
import { photo } from '../../support/tus-client.js';

const BYTES = Buffer.from(photo(10_000));

/**
 * An S3-compatible server with ranges of GetObject only; the tests in test/service/s3 run against a
 * complete one. The object `other` is longer than any requested range.
 */
function answerRange(server: Server): void {
  server.on('request', (request, response) => {
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const isThere = /^\/bucket\/(id|other)\b/.test(request.url ?? '');
    if (request.method !== 'GET' || !isThere || start === undefined || end === undefined) {
      response.writeHead(404, { 'content-type': 'application/xml' });
      response.end('<Error><Code>NoSuchKey</Code></Error>');
      return;
    }
    const more = request.url?.startsWith('/bucket/other') === true ? 1 : 0;
    const part = BYTES.subarray(Number(start), Number(end) + 1 + more);
    response.writeHead(206, { 'content-length': part.length });
    response.end(part);
  });
}

describe('a range of an upload in S3-compatible storage', () => {
  const server = createServer();
  let storage: S3Storage;
  let close: () => Promise<void>;

  beforeAll(async () => {
    answerRange(server);
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    const { port } = server.address() as AddressInfo;
    const database = await openReadyDatabase();
    close = () => database.close();
    storage = new S3Storage(
      {
        bucket: 'bucket',
        region: 'us-east-1',
        endpoint: `http://localhost:${port}`,
        credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
      },
      new UploadRepository(database),
    );
  });
  afterAll(async () => {
    await close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('returns the requested bytes', async () => {
    for (const [start, end] of [
      [0, 9999],
      [0, 0],
      [5000, 6000],
    ] as const) {
      const found = await buffer(await storage.readRange('id', { start, end }));
      expect(found.equals(BYTES.subarray(start, end + 1))).toBe(true);
    }
  });

  it('fails if the object is missing or has changed', async () => {
    await expect(storage.readRange('missing', { start: 0, end: 9 })).rejects.toThrow();
    await expect(storage.readRange('other', { start: 0, end: 9 })).rejects.toThrow(
      'a different range',
    );
  });
});
