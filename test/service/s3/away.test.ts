import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { approveDevice, TestBrowser } from '../support/browser-client.js';
import { listUploads, poll, startDevice, tokensOf } from '../support/oauth-client.js';
import { startTestService } from '../support/running-service.js';
import type { TestService } from '../support/running-service.js';
import { TcpSwitch } from '../support/tcp-switch.js';
import { clientOf, testS3 } from '../support/test-storage.js';
import {
  beginPatch,
  create,
  head,
  locationOf,
  offsetOf,
  patch,
  photo,
  sha256,
  terminate,
} from '../support/tus-client.js';

const MIB = 1024 * 1024;
const DAY_MS = 24 * 3_600_000;

describe('an outage of S3-compatible storage', () => {
  let service: TestService;
  let way: TcpSwitch;
  let token: string;
  let browser: TestBrowser;

  beforeAll(async () => {
    const direct = await testS3();
    if (direct?.endpoint === undefined) throw new Error('there is no storage');
    way = await TcpSwitch.start(Number(new URL(direct.endpoint).port));
    const s3 = { ...direct, endpoint: `http://127.0.0.1:${way.port}` };
    service = await startTestService({ s3 });
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    browser = new TestBrowser(service.baseUrl);
    await approveDevice(service.baseUrl, userCode, service.demo, browser);
    token = tokensOf(await poll(service.baseUrl, deviceCode)).accessToken;
  });
  afterAll(async () => {
    await service.close();
    await way.close();
  });

  const upload = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
    locationOf(service.baseUrl, await create(service.baseUrl, token, { length: bytes.length }));

  const expectAway = ({ status, headers }: Pick<Response, 'status' | 'headers'>): void => {
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
  };

  const hashes = async (): Promise<unknown[]> => {
    const { body } = await listUploads(service.baseUrl, token);
    return (body['uploads'] as { sha256: string }[]).map((one) => one.sha256);
  };

  it('causes 503 with Retry-After and loses nothing', async () => {
    const arrived = photo(50_000, 1);
    const arrivedUrl = await upload(arrived);
    expect((await patch(arrivedUrl, token, 0, arrived)).status).toBe(204);
    const bytes = photo(7 * MIB, 2);
    const url = await upload(bytes);
    expect((await patch(url, token, 0, bytes.subarray(0, 6 * MIB))).status).toBe(204);
    const notBegun = await upload(photo(10_000, 3));
    const original = `/photos/${new URL(arrivedUrl).pathname.split('/').at(-1) ?? ''}/file`;

    await way.off();
    expectAway(await patch(url, token, 6 * MIB, bytes.subarray(6 * MIB)));
    expectAway(await head(url, token));
    expectAway(await head(notBegun, token));
    expectAway(await terminate(url, token));
    expectAway(await create(service.baseUrl, token, { length: 100, body: photo(100, 4) }));
    expectAway(await browser.open(original));
    expect((await listUploads(service.baseUrl, token)).status).toBe(200);
    await way.on();

    expect(await offsetOf(url, token)).toBe(6 * MIB);
    expect((await patch(url, token, 6 * MIB, bytes.subarray(6 * MIB))).status).toBe(204);
    expect(await offsetOf(notBegun, token)).toBe(0);
    expect(await hashes()).toEqual(expect.arrayContaining([sha256(arrived), sha256(bytes)]));
    expect((await browser.open(original)).status).toBe(200);
  });

  it('loses no received bytes when it starts within a request', async () => {
    const bytes = photo(18 * MIB, 5);
    const url = await upload(bytes);
    const request = await beginPatch(url, token, bytes.length, bytes.subarray(0, 9 * MIB));
    const answered = new Promise<number>((resolve) =>
      request.once('response', ({ statusCode = 0 }) => resolve(statusCode)),
    );
    // The first part, of 8 MiB, is on its way or there.
    await way.off();
    request.write(bytes.subarray(9 * MIB));
    expect(await answered).toBe(503);
    request.destroy();
    await way.on();

    const offset = await offsetOf(url, token);
    expect((await patch(url, token, offset, bytes.subarray(offset))).status).toBe(204);
    expect(await hashes()).toContain(sha256(bytes));
  });

  it('accepts a completed multipart upload whose response was lost', async () => {
    const bytes = photo(200_000, 6);
    const url = await upload(bytes);
    const lost = way.loseAnswerTo(/^POST \/[^ ]*uploadId=/);

    const { status } = await patch(url, token, 0, bytes);

    await lost;
    expect([204, 503]).toContain(status);
    expect(await offsetOf(url, token)).toBe(bytes.length);
    expect(await hashes()).toContain(sha256(bytes));
  });
});

describe('multipart uploads without a row', () => {
  it('are aborted when they expire, and no others', async () => {
    const s3 = await testS3();
    if (s3 === undefined) throw new Error('there is no storage');
    const client = clientOf(s3);
    let daysLater = 0;
    const service = await startTestService({
      s3,
      now: () => new Date(Date.now() + daysLater * DAY_MS),
    });
    const begin = async (key: string): Promise<string> => {
      await client.send(new CreateMultipartUploadCommand({ Bucket: s3.bucket, Key: key }));
      return key;
    };
    const parts = async (): Promise<string[]> => {
      const listed = new ListMultipartUploadsCommand({ Bucket: s3.bucket });
      return ((await client.send(listed)).Uploads ?? []).map(({ Key = '' }) => Key).sort();
    };
    const stray = await begin(randomUUID());
    const foreign = await begin('something of somebody else');
    const { accessToken } = await service.connect();
    const bytes = photo(1000, 7);
    const created = await create(service.baseUrl, accessToken, { length: bytes.length });
    const url = locationOf(service.baseUrl, created);
    expect((await patch(url, accessToken, 0, bytes.subarray(0, 500))).status).toBe(204);
    const own = new URL(url).pathname.split('/').at(-1) ?? '';

    await service.purge();
    expect(await parts()).toEqual([stray, foreign, own].sort());
    daysLater = 8;
    // It still continues.
    await service.database.query(`UPDATE uploads SET active_at = now() + interval '8 days'`);
    await service.purge();
    expect(await parts()).toEqual([foreign, own].sort());
    // It does not.
    daysLater = 17;
    await service.purge();
    expect(await parts()).toEqual([foreign]);
    await service.close();
    client.destroy();
  });
});
