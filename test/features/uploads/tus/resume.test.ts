import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RequestQueue } from '../../../../src/api/request-queue.js';
import { createTransport } from '../../../../src/api/transport.js';
import { NEVER_CANCELLED } from '../../../../src/util/cancel.js';
import { hostClock } from '../../../../src/host/system.js';
import { uploadPhoto } from '../../../../src/features/uploads/tus/tus-upload.js';
import type { Database } from '../../../../service/kernel/database/database.js';
import { startService, type LogLine, type RunningService } from '../../../../service/start.js';
import { signedInSession, testClient } from '../../../api/signed-in.js';
import { ChaosProxy } from '../../../crash/chaos-proxy.js';
import { approveDevice } from '../../../service/support/browser-client.js';
import { listUploads, poll, startDevice, tokensOf } from '../../../service/support/oauth-client.js';
import { openReadyDatabase } from '../../../service/support/database-templates.js';
import { startTestService, type TestService } from '../../../service/support/running-service.js';
import { photo as photoBytes, sha256 } from '../../../service/support/tus-client.js';
import { knownToDo } from '../../../support/capabilities.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { IS_LONG } from '../../../support/long-runs.js';
import { NodeXhr } from '../../../support/node-xhr.js';
import { readerBy } from '../../../support/reader-by.js';
import { photoRecord } from '../../../support/photo-record.js';

/** One upload over a network that is cut once, at any point; counts the bytes sent twice. */
const CHUNK = 100_000;
const SIZE = 4 * CHUNK + 20_000;
const CHUNKS = 5;
/** More than all request headers of one upload take. */
const HEADERS = 12_000;

interface Setup {
  readonly baseUrl: string;
  readonly accessToken: string;
}

/** Uploads as a plugin does that has just queued the photo. */
async function upload({ baseUrl, accessToken }: Setup, id: string, seed: number): Promise<string> {
  const bytes = photoBytes(SIZE, seed);
  const client = testClient(baseUrl);
  const send = createTransport({
    createXhr: () => new NodeXhr(),
    clock: hostClock,
    origin: client.origin,
  });
  const session = await signedInSession({
    send,
    client,
    clock: new FakeClock(),
    accessToken,
    refreshToken: null,
  });
  await uploadPhoto({
    // Waits are shortened, everything else is as it is.
    queue: new RequestQueue({ send, session, clock: fastClock, random: () => 1 }),
    capabilities: knownToDo(),
    endpoint: `${baseUrl}/api/v1/uploads`,
    record: photoRecord(id.padEnd(32, '-'), SIZE, { name: `${id}.jpg` }),
    reader: readerBy((start, end) => Promise.resolve(bytes.slice(start, end).buffer)),
    chunkBytes: CHUNK,
    clock: fastClock,
    random: () => 1,
    signal: NEVER_CANCELLED,
    onProgress: () => undefined,
    onUploadUrl: () => Promise.resolve(),
    onRestart: () => Promise.resolve(),
  });
  return sha256(bytes);
}

const fastClock = {
  now: () => Date.now(),
  startTimer: (delayMs: number, callback: () => void) =>
    hostClock.startTimer(delayMs / 50, callback),
};

async function arrived({ baseUrl, accessToken }: Setup, id: string): Promise<unknown> {
  const { body } = await listUploads(baseUrl, accessToken);
  const uploads = body['uploads'] as { name: string; sha256: string }[];
  return uploads.filter(({ name }) => name === `${id}.jpg`).map((found) => found.sha256);
}

function count(lines: readonly LogLine[], method: string): number {
  return lines.filter((line) => line.method === method && line.path?.includes('/uploads')).length;
}

describe('an upload over an interrupted network', () => {
  let service: TestService;
  let accessToken: string;
  let proxy: ChaosProxy | null = null;

  beforeAll(async () => {
    service = await startTestService();
    ({ accessToken } = await service.connect());
  });
  afterAll(() => service.close());
  afterEach(async () => {
    await proxy?.close();
    proxy = null;
  });

  const everywhere = Array.from({ length: 16 }, (_, index) => index * 27_500);
  /** Before the service has anything, and in the bytes of the creation, of a chunk like others and of the last one. */
  const points = IS_LONG ? everywhere : [0, 55_000, 220_000, 412_500];
  const cases = points.flatMap((afterBytes): ['cut' | 'answer lost', number][] => [
    ['cut', afterBytes],
    ['answer lost', afterBytes],
  ]);

  it.each(cases)(
    'sends the rest, and at most one chunk twice, when it is %s after %d bytes',
    async (kind, afterBytes) => {
      const bad: ChaosProxy = await ChaosProxy.start({
        targetPort: () => Number(service.listensOn.split(':').at(-1)),
        // Once: each request may have its own connection.
        fate: () => {
          if (bad.cuts + bad.lostAnswers > 0) return { kind: 'good' };
          return { kind, afterBytes: Math.max(0, afterBytes - bad.bytesSent) };
        },
      });
      proxy = bad;
      const setup = { baseUrl: `http://localhost:${bad.port}`, accessToken };
      const id = `${kind.replace(' ', '-')}-${afterBytes}`;
      const from = service.logLines.length;
      const hash = await upload(setup, id, afterBytes);
      expect(bad.cuts + bad.lostAnswers).toBe(1);
      expect(await arrived(setup, id)).toEqual([hash]);

      // The service received at most one chunk twice, and one offset request.
      const seen = service.logLines.slice(from);
      // A busy service may still process the bytes before the cut; then the offset is requested again.
      const conflicts = seen.filter(({ status }) => status === 409 || status === 423).length;
      const patches = count(seen, 'PATCH') - conflicts;
      expect(conflicts).toBeLessThanOrEqual(2);
      expect(bad.bytesSent).toBeLessThanOrEqual(SIZE + CHUNK + HEADERS + conflicts * CHUNK);
      expect(patches + count(seen, 'POST')).toBeLessThanOrEqual(CHUNKS + 2);
      expect(patches).toBeLessThanOrEqual(CHUNKS);
      expect(count(seen, 'POST')).toBeLessThanOrEqual(2);
      expect(count(seen, 'HEAD')).toBeLessThanOrEqual(1 + conflicts);
    },
  );
});

describe('an upload to a service that is restarted', () => {
  let folder: string;
  let database: Database;
  let service: RunningService | null = null;
  let proxy: ChaosProxy | null = null;
  const logLines: LogLine[] = [];

  afterEach(async () => {
    await proxy?.close();
    await service?.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('resumes, and sends at most one chunk twice for each restart', async () => {
    folder = await mkdtemp(join(tmpdir(), 'resume-'));
    // It outlives the service, as a server does.
    database = await openReadyDatabase();
    let port = 0;
    const start = async (): Promise<RunningService> =>
      startService({
        port,
        dataDir: join(folder, 'service'),
        database: { ...database, close: () => Promise.resolve() },
        shutdownGraceSeconds: 0,
        log: (line) => logLines.push(line),
        ...(proxy === null ? {} : { baseUrl: `http://localhost:${proxy.port}` }),
      });
    const network = await ChaosProxy.start({
      targetPort: () => port,
      fate: () => ({ kind: 'good' }),
    });
    proxy = network;
    const first = await start();
    service = first;
    port = Number(first.listensOn.split(':').at(-1));
    const setup = { baseUrl: first.baseUrl, accessToken: await connect(first) };

    const from = logLines.length;
    const sentBefore = network.bytesSent;
    const uploading = upload(setup, 'restarted', 1);
    let restarts = 0;
    for (const point of [0.3, 0.7]) {
      while (network.bytesSent - sentBefore < point * SIZE)
        await new Promise((resolve) => setTimeout(resolve, 1));
      await service.close();
      service = await start();
      restarts += 1;
    }
    const hash = await uploading;
    expect(await arrived(setup, 'restarted')).toEqual([hash]);
    const seen = logLines.slice(from);
    const chunks = seen.filter(
      ({ method, path, status }) =>
        (method === 'PATCH' || method === 'POST') &&
        path?.includes('/uploads') === true &&
        status !== 503,
    );
    // One creation and the other chunks; for each restart a chunk again, and a creation without bytes.
    expect(chunks.length).toBeLessThanOrEqual(CHUNKS + 2 * restarts);
  });
});

async function connect(service: RunningService): Promise<string> {
  const { deviceCode, userCode } = await startDevice(service.baseUrl);
  await approveDevice(service.baseUrl, userCode, service.demo);
  return tokensOf(await poll(service.baseUrl, deviceCode)).accessToken;
}
