import { expect, it } from '@jest/globals';
import { RequestQueue } from '../../../../src/api/request-queue.js';
import { NEVER_CANCELLED } from '../../../../src/util/cancel.js';
import type { HttpRequest, HttpResponse } from '../../../../src/host/http.js';
import { readChunks } from '../../../../src/host/chunks.js';
import { uploadPhoto } from '../../../../src/features/uploads/tus/tus-upload.js';
import { FINDS_AGAIN } from '../../../support/capabilities.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { readerBy } from '../../../support/reader-by.js';
import { signedInSession, testClient } from '../../../api/signed-in.js';
import { photoRecord } from '../../../support/photo-record.js';

const BASE = 'https://service.example';
const URL = `${BASE}/api/v1/uploads/1`;
const MIB = 1024 * 1024;

/** The request's bytes, whether the digest was complete by then, and whether it is sent. */
interface Sent {
  readonly mib: number;
  readonly isReadToEnd: boolean;
  readonly hasDigest: boolean;
}

interface Told {
  /** Whether the service returns digests. */
  readonly reprDigest?: boolean;
  /** The digest that the host computed while it copied. */
  readonly crc32c?: number;
}

/** Uploads zeros in large chunks, as a host does that sends Blobs from disk. Gives the requests that brought bytes. */
async function upload(mib: number, { reprDigest = true, crc32c }: Told = {}): Promise<Sent[]> {
  const size = mib * MIB;
  const clock = new FakeClock();
  const sent: Sent[] = [];
  let held = 0;
  let read = 0;
  const send = async ({ body, headers, onUploadProgress }: HttpRequest): Promise<HttpResponse> => {
    const bytes = (body as Blob).size;
    sent.push({
      mib: bytes / MIB,
      isReadToEnd: read === size,
      hasDigest: 'Repr-Digest' in headers,
    });
    for (let done = 0; done <= bytes; done += 4 * MIB) {
      onUploadProgress?.(done);
      await clock.settle();
    }
    held += bytes;
    const answer: Readonly<Record<string, string>> = {
      Location: URL,
      'Upload-Offset': String(held),
      ...(held === size && { 'Repr-Digest': headers['Repr-Digest'] ?? '' }),
    };
    return {
      status: held === bytes ? 201 : 204,
      header: (name) => answer[name] ?? null,
      text: '',
    };
  };
  const session = await signedInSession({ send, client: testClient(BASE), clock });
  const done = uploadPhoto({
    queue: new RequestQueue({ send, session, clock, random: () => 0 }),
    capabilities: {
      get: () => Promise.resolve({ ...FINDS_AGAIN, reprDigest }),
      invalidate: () => undefined,
    },
    endpoint: `${BASE}/api/v1/uploads`,
    record: photoRecord('id-1', size, crc32c === undefined ? {} : { crc32c }),
    reader: {
      ...readerBy((start, end) => Promise.resolve({ size: end - start } as Blob)),
      chunks: (from, to) =>
        readChunks(
          (start, end) => {
            read = end;
            return Promise.resolve(new ArrayBuffer(end - start));
          },
          from,
          to,
        ),
    },
    chunkBytes: 256 * MIB,
    firstChunkBytes: 8 * MIB,
    clock,
    random: () => 0,
    signal: NEVER_CANCELLED,
    onProgress: () => undefined,
    onUploadUrl: () => Promise.resolve(),
    onRestart: () => Promise.resolve(),
  });
  await clock.runUntil(done);
  expect((await done).hasMatchingCrc).toBe(reprDigest);
  return sent;
}

it('sends the digest computed during the copy, without reading the file', async () => {
  const sent = await upload(100, { crc32c: 1 });
  expect(sent).toEqual([
    { mib: 8, isReadToEnd: false, hasDigest: false },
    { mib: 92, isReadToEnd: false, hasDigest: true },
  ]);
});

it('waits for a digest that is not computed yet, and sends it', async () => {
  const sent = await upload(100);
  expect(sent).toEqual([
    { mib: 8, isReadToEnd: false, hasDigest: false },
    { mib: 92, isReadToEnd: true, hasDigest: true },
  ]);
});

it('sends no digest to a service without the capability', async () => {
  const sent = await upload(100, { reprDigest: false, crc32c: 1 });
  expect(sent.map(({ hasDigest }) => hasDigest)).toEqual([false, false]);
});
