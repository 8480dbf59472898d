import { describe, expect, it } from '@jest/globals';
import { ChunkLimit, uploadPhoto } from '../../../../src/features/uploads/tus/tus-upload.js';
import type { UploadReceipt } from '../../../../src/features/queue/upload-receipt.js';
import { CwError } from '../../../../src/util/errors.js';
import { RequestQueue } from '../../../../src/api/request-queue.js';
import { NEVER_CANCELLED } from '../../../../src/util/cancel.js';
import type { HttpRequest, HttpResponse } from '../../../../src/host/http.js';
import { signedInSession, testClient } from '../../../api/signed-in.js';
import { knownToDo } from '../../../support/capabilities.js';
import { httpResponse } from '../../../support/conversation.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { outcomeOf, type Outcome } from '../../../support/outcome.js';
import { readerBy } from '../../../support/reader-by.js';
import { photoRecord } from '../../../support/photo-record.js';

const BASE = 'https://service.example';
const KIB = 1024;
const MIB = 1024 * KIB;

/** The proxy's response to a request that is too long. @throws {CwError} when it cuts the connection */
type Refuse = () => HttpResponse;

interface Sent {
  readonly outcome: Outcome<UploadReceipt>;
  /** The bytes of each request that brought any. */
  readonly sizes: number[];
  readonly clock: FakeClock;
}

/** Uploads a photo of 20 MiB to a sound service behind a proxy that takes bodies of `most` bytes. */
async function upload(most: number, refuse: Refuse, chunkLimit = new ChunkLimit()): Promise<Sent> {
  const size = 20 * MIB;
  const clock = new FakeClock();
  const sizes: number[] = [];
  let held = 0;
  const send = ({ method, body }: HttpRequest): Promise<HttpResponse> => {
    const bytes = body instanceof ArrayBuffer ? body.byteLength : 0;
    if (bytes > 0) sizes.push(bytes);
    if (bytes > most) {
      return new Promise((resolve) => {
        resolve(refuse());
      });
    }
    held += bytes;
    const headers = { 'Upload-Offset': String(held), 'Upload-Length': String(size) };
    const status = method === 'POST' ? 201 : method === 'HEAD' ? 200 : 204;
    return Promise.resolve(httpResponse(status, { ...headers, Location: '/api/v1/uploads/u-1' }));
  };
  const session = await signedInSession({ send, client: testClient(BASE), clock });
  const outcome = outcomeOf(
    uploadPhoto({
      queue: new RequestQueue({ send, session, clock, random: () => 0 }),
      capabilities: knownToDo(),
      endpoint: `${BASE}/api/v1/uploads`,
      record: photoRecord('id-1', size),
      reader: readerBy((from, to) => Promise.resolve(new ArrayBuffer(to - from))),
      chunkBytes: 8 * MIB,
      chunkLimit,
      clock,
      random: () => 0,
      signal: NEVER_CANCELLED,
      onProgress: () => undefined,
      onUploadUrl: () => Promise.resolve(),
      onRestart: () => Promise.resolve(),
    }),
  );
  await clock.runUntil(() => outcome.state !== 'pending', { stepMs: 1_000, limitMs: 3_600_000 });
  return { outcome, sizes, clock };
}

const NGINX = '<html><head><title>413 Request Entity Too Large</title></head></html>';

describe('a proxy with a body limit', () => {
  it.each<[string, HttpResponse]>([
    ['nginx', httpResponse(413, { Server: 'nginx' }, NGINX)],
    ['Envoy', httpResponse(413, {}, 'Payload Too Large')],
    ['API Gateway', httpResponse(413, {}, { message: 'Request Too Long' })],
    ['a body parser', httpResponse(413, {}, { error: 'request entity too large' })],
    ['the service', httpResponse(413, { 'Tus-Resumable': '1.0.0' })],
  ])('of %s shortens requests at once', async (_name, response) => {
    const { outcome, sizes, clock } = await upload(MIB, () => response);
    expect(outcome.state).toBe('resolved');
    expect(sizes.slice(0, 6).map((bytes) => bytes / MIB)).toEqual([8, 4, 2, 1, 1, 1]);
    expect(clock.elapsed).toBe(0);
  });

  it('is remembered for the next photo of the run', async () => {
    const limit = new ChunkLimit();
    const refuse = (): HttpResponse => httpResponse(413, {}, NGINX);
    await upload(MIB, refuse, limit);
    const { outcome, sizes } = await upload(MIB, refuse, limit);
    expect(outcome.state).toBe('resolved');
    expect(Math.max(...sizes)).toBe(MIB);
  });

  it.each<[string, Refuse]>([
    [
      'cuts the connection',
      () => {
        throw new CwError('CW-301', 'cut');
      },
    ],
    ['responds 404, as IIS does', () => httpResponse(404, {}, '<html>404.13</html>')],
    ['responds 403, as a firewall does', () => httpResponse(403, {}, '<html>')],
  ])('is detected when it %s', async (_name, refuse) => {
    const { outcome, sizes } = await upload(MIB, refuse);
    expect(outcome.state).toBe('resolved');
    expect(Math.min(...sizes)).toBe(MIB);
  });

  it('does not fail the photo for a limit below 64 KiB', async () => {
    const { outcome, sizes } = await upload(64 * KIB - 1, () => httpResponse(413, {}, NGINX));
    expect(outcome.error).toMatchObject({ code: 'CW-305', status: 413 });
    expect(Math.min(...sizes)).toBe(64 * KIB);
  });
});

describe('a photo that is too large', () => {
  it('is rejected with 413 in response to a creation without bytes', async () => {
    const { outcome, sizes } = await upload(-1, () => httpResponse(413, {}, NGINX));
    expect(outcome.error).toMatchObject({ code: 'CW-604', status: 413 });
    expect(sizes).toHaveLength(1);
  });
});
