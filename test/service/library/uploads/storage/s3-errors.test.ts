import { S3 } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { UnavailableError } from '../../../../../service/kernel/errors.js';
import { bytesOf, mapS3Errors } from '../../../../../service/library/uploads/storage/s3-errors.js';
import {
  answer,
  startAnsweringStorage,
  type AnsweringStorage,
} from '../../../support/answering-storage.js';

/** Accepts an upload of five bytes, and ends it as for a repeated request with a lost first response. */
const answerLateComplete: RequestListener = (request, response) => {
  const { method = '', url = '' } = request;
  request.resume();
  if (method === 'GET' && url.includes('.info')) {
    response.writeHead(200, { 'x-amz-meta-upload-id': 'parts' });
    response.end(JSON.stringify({ size: 5, offset: 0, creation_date: '2026-01-01' }));
  } else if (method === 'GET' && url.includes('uploadId=')) {
    response.writeHead(200, { 'content-type': 'application/xml' });
    response.end('<ListPartsResult><IsTruncated>false</IsTruncated></ListPartsResult>');
  } else if (method === 'PUT') {
    response.writeHead(200, { etag: '"part"' });
    response.end();
  } else {
    answer(404, method === 'POST' ? 'NoSuchUpload' : 'NoSuchKey')(request, response);
  }
};

describe('failing S3-compatible storage', () => {
  let given: AnsweringStorage;

  beforeAll(async () => {
    given = await startAnsweringStorage();
  });
  afterAll(() => given.close());

  const failure = (): Promise<unknown> =>
    given.storage.readRange('id', { start: 0, end: 9 }).catch((error: unknown) => error);

  it.each<[string, RequestListener]>([
    ['is out of order', answer(500, 'InternalError')],
    ['has too much to do', answer(503, 'SlowDown')],
    ['waited too long for us', answer(400, 'RequestTimeout')],
    ['sends a page of a proxy in front of it', answer(502, '')],
    ['hangs up', (request) => request.socket.destroy()],
  ])('is away when it %s, after retries', async (_what, listener) => {
    let asked = 0;
    given.answerBy((request, response) => {
      asked += 1;
      listener(request, response);
    });

    expect(await failure()).toBeInstanceOf(UnavailableError);
    expect(asked).toBeGreaterThan(1);
  });

  it('is away when it does not answer, after retries', async () => {
    let asked = 0;
    given.answerBy(() => {
      asked += 1;
    });
    jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'setImmediate'] });
    try {
      let error: unknown;
      const failed = failure().then((reason) => {
        error = reason;
      });
      while (error === undefined) {
        await jest.advanceTimersByTimeAsync(1000);
        await new Promise(setImmediate);
      }
      await failed;

      expect(error).toBeInstanceOf(UnavailableError);
      expect(asked).toBeGreaterThan(1);
    } finally {
      jest.useRealTimers();
    }
  });

  it.each([
    ['something else is done to the object just now', answer(409, 'OperationAborted')],
    ['others ask too much', answer(400, 'Throttling')],
  ])('is away when it reports that %s', async (_what, listener) => {
    given.answerBy(listener);

    expect(await failure()).toBeInstanceOf(UnavailableError);
  });

  it.each([
    ['we may not', answer(403, 'AccessDenied')],
    ['our key is wrong', answer(403, 'SignatureDoesNotMatch')],
    ['there is no such bucket', answer(404, 'NoSuchBucket')],
    ['it is full', answer(507, 'XMinioStorageFull')],
    ['it does not know that', answer(501, 'NotImplemented')],
    ['it has moved', answer(301, 'PermanentRedirect')],
  ])('refuses with 503 when it reports that %s', async (_what, listener) => {
    given.answerBy(listener);

    const error = await failure();

    expect(error).toBeInstanceOf(UnavailableError);
    expect((error as UnavailableError).retryAfterSeconds).toBeGreaterThan(0);
  });

  it('is not away when it reports a missing object', async () => {
    given.answerBy(answer(404, 'NoSuchKey'));

    const error = await failure();

    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(UnavailableError);
  });

  it('is away when the upload is already assembled; a retry returns its offset', async () => {
    given.answerBy(answerLateComplete);

    const written = given.storage.write(Readable.from([Buffer.from('12345')]), 'id', 0);

    await expect(written).rejects.toBeInstanceOf(UnavailableError);
  });

  it('is away when connecting takes too long', async () => {
    // As the SDK's own handler reports it.
    const late = Object.assign(new Error('no connection'), { name: 'TimeoutError' });
    const client = new S3({
      region: 'us-east-1',
      credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
      maxAttempts: 1,
      requestHandler: { handle: () => Promise.reject(late) },
    });
    mapS3Errors(client);

    await expect(client.listBuckets()).rejects.toBeInstanceOf(UnavailableError);
  });

  it('is away when a response is truncated', async () => {
    const body = Readable.from(
      (function* () {
        yield Buffer.from('one');
        throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
      })(),
    );

    await expect(drain(body)).rejects.toBeInstanceOf(UnavailableError);
  });

  it('is away when a response stalls', async () => {
    jest.useFakeTimers();
    try {
      const body = new Readable({ read: () => undefined });
      body.push('one');
      const drained = drain(body).catch((error: unknown) => error);
      await jest.advanceTimersByTimeAsync(3_600_000);

      expect(await drained).toBeInstanceOf(UnavailableError);
    } finally {
      jest.useRealTimers();
    }
  });
});

async function drain(body: Readable): Promise<unknown[]> {
  const pieces: unknown[] = [];
  for await (const piece of bytesOf(body)) pieces.push(piece);
  return pieces;
}
