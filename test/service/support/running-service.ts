import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Database } from '../../../service/kernel/database/database.js';
import type { CheckedOptions } from '../../../service/app/config/options.js';
import { startService } from '../../../service/start.js';
import type { LogLine, RunningService, ServiceOptions } from '../../../service/start.js';
import {
  ImageWorker,
  IMAGE_WORKER_LIMITS,
} from '../../../service/library/previews/image-worker.js';
import { compiled } from '../../support/compiled.js';
import { approveDevice } from './browser-client.js';
import { poll, startDevice, tokensOf } from './oauth-client.js';
import type { Tokens } from './oauth-client.js';
import { openReadyDatabase, openTestDatabase } from './database-templates.js';
import { storedBytes } from './stored-bytes.js';
import type { StoredBytes } from './stored-in-bucket.js';
import { testS3 } from './test-storage.js';

export interface TestService extends RunningService {
  /** The open database, to add users or to read rows. */
  readonly database: Database;
  readonly dataDir: string;
  /** The storage options of uploads, for the service's commands. */
  readonly storageOptions: Pick<CheckedOptions, 's3' | 'dataDir'>;
  /** The stored bytes of uploads. */
  readonly stored: StoredBytes;
  readonly logLines: readonly LogLine[];
  /** Makes every statement of the service on its database fail from now on. */
  breakDatabase(): void;
  /** Connects a plugin by the device flow, including the user's part. */
  connect(scope?: string): Promise<Tokens>;
}

/** Starts a service on a free port with a separate database; `close` also removes its folder. */
export async function startTestService(
  options: Partial<ServiceOptions> = {},
): Promise<TestService> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'creative-workspace-service-'));
  const logLines: LogLine[] = [];
  const database =
    typeof options.database === 'object'
      ? options.database
      : await (options.demoAccount === false ? openTestDatabase() : openReadyDatabase());
  let broken = false;
  const s3 = options.s3 ?? (await testS3());
  const service = await startService({
    port: 0,
    dataDir,
    ...(s3 !== undefined && { s3 }),
    database: {
      ...database,
      query: (sql, params) =>
        broken ? Promise.reject(new Error('the database is broken')) : database.query(sql, params),
    },
    log: (line) => logLines.push(line),
    imageWorker: compiledImageWorker(),
    ...options,
  });
  const stored = storedBytes(dataDir, s3);
  return {
    ...service,
    dataDir,
    storageOptions: { s3, dataDir },
    stored,
    database,
    logLines,
    breakDatabase: () => {
      broken = true;
    },
    connect: async (scope) => {
      const { deviceCode, userCode } = await startDevice(service.baseUrl, scope);
      await approveDevice(service.baseUrl, userCode, service.demo);
      return tokensOf(await poll(service.baseUrl, deviceCode));
    },
    close: async () => {
      await service.close();
      stored.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Inspects pictures with a compiled program, because each service of a test would compile it again.
 * @param program `image-process-without-ffmpeg.ts` for tests of films that draw no frames, which takes seconds for each film
 */
export function compiledImageWorker(
  program: Parameters<typeof compiled>[0] = 'service/library/previews/image-worker-process.ts',
): Pick<ImageWorker, 'inTurn' | 'mark' | 'logo' | 'mailPicture' | 'webPicture' | 'pages' | 'end'> {
  let imageWorker: ImageWorker | undefined;
  const worker = (): ImageWorker =>
    (imageWorker ??= new ImageWorker(IMAGE_WORKER_LIMITS, compiled(program)));
  return {
    inTurn: (workspaceId, work) => worker().inTurn(workspaceId, work),
    mark: (workspaceId, preview, text) => worker().mark(workspaceId, preview, text),
    logo: (workspaceId, bytes) => worker().logo(workspaceId, bytes),
    mailPicture: (workspaceId, thumbnail) => worker().mailPicture(workspaceId, thumbnail),
    webPicture: (workspaceId, preview) => worker().webPicture(workspaceId, preview),
    pages: (workspaceId, job, keep) => worker().pages(workspaceId, job, keep),
    end: () => imageWorker?.end(),
  };
}
