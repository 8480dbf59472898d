import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { UnavailableError } from '../../../../../service/kernel/errors.js';
import type { UploadRepository } from '../../../../../service/library/uploads/repository/upload-repository.js';
import { S3Storage } from '../../../../../service/library/uploads/storage/s3-storage.js';
import type { StoredUpload } from '../../../../../service/library/uploads/upload.js';
import {
  answer,
  startAnsweringStorage,
  type AnsweringStorage,
} from '../../../support/answering-storage.js';
import { startMemoryStorage, type MemoryStorage } from '../../../support/memory-storage.js';

const MIB = 1024 * 1024;
const XML = { 'content-type': 'application/xml' };

describe('uploads in S3-compatible storage', () => {
  let given: AnsweringStorage;
  let memory: MemoryStorage;

  beforeAll(async () => {
    given = await startAnsweringStorage();
    memory = await startMemoryStorage();
  });
  afterAll(async () => {
    await given.close();
    await memory.close();
  });

  /** Lists these uploads in parts, a page for each list, and notes which are given up. */
  function listing(pages: readonly (readonly { key: string; initiated: string }[])[]): string[] {
    const givenUp: string[] = [];
    given.answerBy((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://storage');
      const uploadId = searchParams.get('uploadId');
      if (request.method === 'DELETE' && uploadId !== null) {
        givenUp.push(`${pathname} ${uploadId}`);
        response.writeHead(204).end();
        return;
      }
      if (!searchParams.has('uploads')) {
        // Requests of an earlier test may still arrive.
        answer(404, 'NoSuchKey')(request, response);
        return;
      }
      const page = Number(searchParams.get('key-marker') ?? 0);
      const uploads = (pages[page] ?? []).map(
        ({ key, initiated }) =>
          `<Upload><Key>${key}</Key><UploadId>of-${key}</UploadId><Initiated>${initiated}</Initiated></Upload>`,
      );
      const more = `<IsTruncated>${String(page + 1 < pages.length)}</IsTruncated>`;
      const next = `<NextKeyMarker>${page + 1}</NextKeyMarker>`;
      response.writeHead(200, XML);
      response.end(
        `<ListMultipartUploadsResult>${more}${next}${uploads.join('')}</ListMultipartUploadsResult>`,
      );
    });
    return givenUp;
  }

  it('are aborted when old and unknown, on every page of the list', async () => {
    const [unknown, wanted, young, another] = Array.from({ length: 4 }, () => randomUUID());
    const initiated = '2026-01-01T00:00:00.000Z';
    const givenUp = listing([
      [
        { key: String(unknown), initiated },
        { key: String(wanted), initiated },
        { key: String(young), initiated: '2026-01-02T00:00:00.000Z' },
        { key: 'somebody-elses/file', initiated },
      ],
      [{ key: String(another), initiated }],
    ]);
    const asked: string[] = [];

    await given.storage.removeOrphans(
      {
        before: new Date('2026-01-01T12:00:00Z'),
        unfinished: (ids) => {
          asked.push(...ids);
          return Promise.resolve(new Set([String(wanted)]));
        },
      },
      undefined,
    );

    expect(asked).toEqual([unknown, wanted, another]);
    expect(givenUp).toEqual(
      [unknown, another].map((id) => `/bucket/${String(id)} of-${String(id)}`),
    );
  });

  /** Reports the upload as not begun, and confirms deletions. */
  const deleting =
    (deleted: RequestListener): RequestListener =>
    (request, response) => {
      (request.method === 'DELETE' ? deleted : answer(404, 'NoSuchKey'))(request, response);
    };

  it('can be removed when no object exists', async () => {
    given.answerBy(deleting(answer(404, 'NoSuchKey')));
    await given.storage.discard(randomUUID());
  });

  it('stay scheduled for removal when the storage does not delete them', async () => {
    given.answerBy(deleting(answer(403, 'AccessDenied')));
    await expect(given.storage.discard(randomUUID())).rejects.toMatchObject({
      name: 'UnavailableError',
      cause: { name: 'AccessDenied' },
    });
  });

  it('are not lost while the storage is too busy to assemble their parts', async () => {
    const id = randomUUID();
    given.answerBy((request, response) => {
      const { method = '', url = '' } = request;
      request.resume();
      if (method === 'GET' && url.includes('.info')) {
        response.writeHead(200, { 'x-amz-meta-upload-id': 'parts' });
        response.end(JSON.stringify({ size: 5, offset: 0, creation_date: '2026-01-01' }));
      } else if (method === 'GET' && url.includes('uploadId=')) {
        response.writeHead(200, XML);
        response.end(
          `<ListPartsResult><IsTruncated>false</IsTruncated><Part><PartNumber>1</PartNumber>
             <ETag>"part"</ETag><Size>5</Size></Part></ListPartsResult>`,
        );
      } else if (method === 'POST') {
        answer(503, 'SlowDown')(request, response);
      } else {
        answer(404, 'NoSuchKey')(request, response);
      }
    });
    const record = { id, size: 5 } as StoredUpload;

    await expect(given.storage.contentIfComplete(record)).rejects.toBeInstanceOf(UnavailableError);
  });

  it('go on at the first byte that is missing after a part was refused', async () => {
    const id = randomUUID();
    const bytes = randomBytes(30 * MIB);
    const record = { id, size: bytes.length, metadata: {}, createdAt: new Date() };
    const records = { find: () => Promise.resolve(record) } as unknown as UploadRepository;
    const storage = new S3Storage(memory.options, records);
    // Slow enough that another part may overtake it.
    memory.before = (line) =>
      line.includes('partNumber=2') ? sleep(300).then(() => 'away' as const) : true;
    await expect(storage.write(Readable.from([bytes]), id, 0)).rejects.toBeInstanceOf(
      UnavailableError,
    );
    memory.before = () => true;

    const { offset } = await storage.getUpload(id);
    await storage.write(Readable.from([bytes.subarray(offset)]), id, offset);

    expect(memory.objects.get(id)?.bytes.equals(bytes)).toBe(true);
  });

  it('are received while the part before is sent', async () => {
    const id = randomUUID();
    const bytes = randomBytes(20 * MIB);
    const record = { id, size: bytes.length, metadata: {}, createdAt: new Date() };
    const records = { find: () => Promise.resolve(record) } as unknown as UploadRepository;
    let received = 0;
    let receivedBySend = 0;
    memory.before = async (line): Promise<true> => {
      if (line.includes('partNumber=1')) {
        for (let time = 0; time < 250 && received < 12; time += 1) await sleep(20);
        receivedBySend = received;
      }
      return true;
    };
    const source = function* (): Generator<Buffer> {
      for (; received < 20; received += 1)
        yield bytes.subarray(received * MIB, (received + 1) * MIB);
    };

    await new S3Storage(memory.options, records).write(Readable.from(source()), id, 0);
    memory.before = () => true;

    expect(receivedBySend).toBeGreaterThanOrEqual(12);
    expect(memory.objects.get(id)?.bytes.equals(bytes)).toBe(true);
  });
});
