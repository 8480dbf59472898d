import { beforeAll, describe, expect, it } from '@jest/globals';
import path from 'node:path';
import { IS_LONG } from '../../../support/long-runs.js';
import { seededRandom, testRuns, testSeed } from '../../../support/seeded-random.js';
import { listUploads } from '../../support/oauth-client.js';
import { byBoth, byCrc, bySha, crc32c, flipped } from '../../support/repr-digest-fields.js';
import { useService } from '../../support/use-service.js';
import {
  authorization,
  beginPatch,
  create,
  head,
  locationOf,
  offsetOf,
  photo,
} from '../../support/tus-client.js';

describe('Repr-Digest', () => {
  let token: string;

  const service = useService();
  beforeAll(async () => {
    token = (await service.connect()).accessToken;
  });

  const list = async (): Promise<{ name: string; client_upload_id: string; sha256: string }[]> => {
    const { body } = await listUploads(service.baseUrl, token);
    return body['uploads'] as Awaited<ReturnType<typeof list>>;
  };
  const flipBit = async (url: string, bit: number): Promise<void> => {
    const id = path.basename(url);
    await service.stored.replace(id, flipped(Uint8Array.from(await service.stored.read(id)), bit));
  };
  const send = (
    method: string,
    url: string,
    headers: Record<string, string>,
    body?: Uint8Array<ArrayBuffer>,
  ): Promise<Response> =>
    fetch(url, {
      method,
      headers: {
        'tus-resumable': '1.0.0',
        ...authorization(token),
        'content-type': 'application/offset+octet-stream',
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
  const patch = (
    url: string,
    offset: number,
    body: Uint8Array<ArrayBuffer>,
    digest?: string,
  ): Promise<Response> =>
    send(
      'PATCH',
      url,
      {
        'upload-offset': String(offset),
        ...(digest !== undefined && { 'repr-digest': digest }),
      },
      body,
    );
  /** Creates with all bytes, which a digest goes along with. */
  const post = (
    bytes: Uint8Array<ArrayBuffer>,
    digest: string,
    metadata = 'filename YQ==',
  ): Promise<Response> =>
    send(
      'POST',
      `${service.baseUrl}/api/v1/uploads`,
      {
        'upload-length': String(bytes.length),
        'upload-metadata': metadata,
        'repr-digest': digest,
      },
      bytes,
    );
  const begin = async (length: number, metadata = {}): Promise<string> =>
    locationOf(service.baseUrl, await create(service.baseUrl, token, { length, metadata }));
  const digestOf = (answer: Response): string | null => answer.headers.get('repr-digest');

  it('is returned with the last byte, by HEAD, and by a repeated creation; not before', async () => {
    const bytes = photo(1000, 41);
    const metadata = { client_upload_id: 'told-by-all-answers' };
    const url = await begin(1000, metadata);
    expect(digestOf(await patch(url, 0, bytes.subarray(0, 400)))).toBeNull();
    expect(digestOf(await head(url, token))).toBeNull();

    const last = await patch(url, 400, bytes.subarray(400));
    const again = await create(service.baseUrl, token, { length: 1000, metadata });
    for (const answer of [last, await head(url, token), again]) {
      expect(answer.ok).toBe(true);
      expect(digestOf(answer)).toBe(byBoth(bytes));
      expect(answer.headers.get('access-control-expose-headers')).toContain('Repr-Digest');
    }
    const whole = await create(service.baseUrl, token, { length: 1000, body: bytes });
    expect(digestOf(whole)).toBe(byBoth(bytes));
  });

  it('is returned when the request’s digest is right, for each algorithm', async () => {
    const bytes = photo(500, 42);
    for (const digest of [bySha(bytes), byCrc(bytes), byBoth(bytes), 'md5=:AAAA:']) {
      const answer = await patch(await begin(500), 0, bytes, digest);
      expect([answer.status, digestOf(answer)]).toEqual([204, byBoth(bytes)]);
      const created = await post(bytes, digest);
      expect([created.status, digestOf(created)]).toEqual([201, byBoth(bytes)]);
    }
  });

  it('returns 460 when wrong, and deletes the upload so that it can restart', async () => {
    const bytes = photo(500, 43);
    const wrong = flipped(bytes, 1234);
    const digests = [
      bySha(bytes),
      byCrc(bytes),
      `${bySha(bytes)}, ${byCrc(wrong)}`,
      `${bySha(wrong)}, ${byCrc(bytes)}`,
    ];
    for (const [round, digest] of digests.entries()) {
      const id = `wrong-and-begun-again-${round}`;
      const metadata = { client_upload_id: id };
      const url = await begin(500, metadata);
      await patch(url, 0, wrong.subarray(0, 300));
      const answer = await patch(url, 300, wrong.subarray(300), digest);
      expect([answer.status, (await answer.json()) as unknown]).toEqual([
        460,
        { error: 'checksum_mismatch', error_description: expect.any(String) },
      ]);
      expect((await head(url, token)).status).toBe(404);
      expect(await service.stored.has(path.basename(url))).toBe(false);
      expect((await list()).map((upload) => upload.client_upload_id)).not.toContain(id);

      const again = await create(service.baseUrl, token, { length: 500, metadata });
      expect([again.status, again.headers.get('upload-offset')]).toEqual([201, null]);
      const newUrl = locationOf(service.baseUrl, again);
      expect(newUrl).not.toBe(url);
      expect((await patch(newUrl, 0, bytes, byBoth(bytes))).status).toBe(204);
      expect((await list()).filter((upload) => upload.client_upload_id === id)).toHaveLength(1);
    }
  });

  it('returns 460 when wrong in a creation that contains all bytes', async () => {
    const bytes = photo(500, 44);
    const before = await list();
    const metadata = `client_upload_id ${Buffer.from('wrong-with-creation').toString('base64')}`;
    expect((await post(flipped(bytes, 7), byCrc(bytes), metadata)).status).toBe(460);
    expect(await list()).toEqual(before);
    expect((await post(bytes, byCrc(bytes), metadata)).status).toBe(201);
    expect(await list()).toHaveLength(before.length + 1);
  });

  it('returns 400 when malformed, and changes nothing', async () => {
    const bytes = photo(100, 45);
    const url = await begin(100);
    const before = await list();
    for (const digest of ['crc32c', 'sha-256=:AAAA:', 'crc32c=:AAAAAA==', '&']) {
      expect((await patch(url, 0, bytes, digest)).status).toBe(400);
      expect((await post(bytes, digest)).status).toBe(400);
    }
    expect(await offsetOf(url, token)).toBe(0);
    expect(await list()).toEqual(before);
  });

  it('detects each bit flipped at rest before the last byte', async () => {
    const bytes = photo(14, 46);
    let found = 0;
    // Each, where all is done; else some, spread over all bytes but the last: what finds a bit is the same.
    const rounds = IS_LONG && service.storageOptions.s3 === undefined ? 100 : 10;
    for (let bit = 0; bit < 100; bit += 100 / rounds) {
      const url = await begin(14);
      await patch(url, 0, bytes.subarray(0, 13));
      await flipBit(url, bit);
      const answer = await patch(url, 13, bytes.subarray(13), byCrc(bytes));
      if (answer.status === 460 && (await head(url, token)).status === 404) found += 1;
    }
    expect(found).toBe(rounds);
  });

  it('detects bits flipped in transit, by either algorithm', async () => {
    const seed = testSeed();
    const random = seededRandom(seed);
    const bytes = photo(70_000, 47);
    for (let round = 0; round < testRuns(10); round += 1) {
      const bit = Math.floor(random() * bytes.length * 8);
      const wrong = flipped(bytes, bit);
      const digest = round % 2 === 0 ? bySha(bytes) : byCrc(bytes);
      const { status } = await patch(await begin(bytes.length), 0, wrong, digest);
      expect([seed, bit, status]).toEqual([seed, bit, 460]);
    }
  });

  it('describes the stored bytes when the client sends no digest', async () => {
    const bytes = photo(1000, 48);
    const url = await begin(1000);
    await patch(url, 0, bytes.subarray(0, 999));
    await flipBit(url, 99);
    const answer = await patch(url, 999, bytes.subarray(999));
    expect([answer.status, digestOf(answer)]).toEqual([204, byBoth(flipped(bytes, 99))]);
  });

  it('is stored when the connection ends before the response', async () => {
    const bytes = photo(400_000, 49);
    for (const isRight of [true, false]) {
      const metadata = { client_upload_id: `answer-lost-${String(isRight)}` };
      const url = await begin(bytes.length, metadata);
      const digest = byBoth(isRight ? bytes : flipped(bytes, 5));
      const cut = await beginPatch(url, token, bytes.length, bytes.subarray(0, 150_000), {
        'repr-digest': digest,
      });
      while ((await service.stored.arrived(path.basename(url))) < 150_000)
        await new Promise(setImmediate);
      cut.destroy();
      const offset = await offsetOf(url, token);
      // The last request sends no digest; the earlier one counts.
      const rest = await patch(url, offset, bytes.subarray(offset));
      expect(rest.status).toBe(isRight ? 204 : 460);
      expect((await head(url, token)).status).toBe(isRight ? 200 : 404);
    }
  });

  it('of a finished upload stays after a later request with another digest', async () => {
    const bytes = photo(100, 50);
    const url = await begin(100, { client_upload_id: 'finished-and-asked-again' });
    await patch(url, 0, bytes, byBoth(bytes));
    const wrong = byBoth(flipped(bytes, 1));
    const empty = await patch(url, 100, new Uint8Array(), wrong);
    expect([empty.status, digestOf(empty)]).toEqual([204, byBoth(bytes)]);
    const metadata = `client_upload_id ${Buffer.from('finished-and-asked-again').toString('base64')}`;
    const again = await post(bytes, wrong, metadata);
    expect([again.status, digestOf(again)]).toEqual([201, byBoth(bytes)]);
    expect((await head(url, token)).status).toBe(200);
  });

  it('has only SHA-256 if an earlier version finished the upload', async () => {
    const bytes = photo(100, 51);
    const url = await begin(100);
    await patch(url, 0, bytes);
    await service.database.query('UPDATE uploads SET crc32c = NULL WHERE id = $1', [
      path.basename(url),
    ]);
    expect(digestOf(await head(url, token))).toBe(bySha(bytes));
  });

  it('is checked after a crash, by HEAD and by a repeated creation', async () => {
    const bytes = photo(100, 52);
    for (const isRight of [true, false]) {
      const metadata = { client_upload_id: `left-by-a-crash-${String(isRight)}` };
      const crash = async (): Promise<string> => {
        const url = await begin(100, metadata);
        const [known] = await service.database.query<{ id: string }>(
          'UPDATE uploads SET expected_crc32c = $2 WHERE id = $1 RETURNING id',
          [path.basename(url), crc32c(isRight ? bytes : flipped(bytes, 0)).toString('hex')],
        );
        expect(known).toBeDefined();
        expect((await patch(url, 0, bytes.subarray(0, 1))).status).toBe(204);
        await service.stored.replace(path.basename(url), bytes);
        return url;
      };
      const url = await crash();
      expect((await head(url, token)).status).toBe(isRight ? 200 : 404);
      if (isRight) continue;
      const second = await crash();
      const again = await create(service.baseUrl, token, { length: 100, metadata });
      expect([again.status, again.headers.get('upload-offset')]).toEqual([201, null]);
      expect(locationOf(service.baseUrl, again)).not.toBe(second);
      expect((await head(second, token)).status).toBe(404);
    }
  });
});
