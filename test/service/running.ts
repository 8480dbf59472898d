import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { startService } from '../../service/service.js';
import type { LogLine, RunningService, ServiceOptions } from '../../service/service.js';
import { approveDevice } from './browser.js';
import { poll, startDevice, tokensOf } from './client.js';
import type { Tokens } from './client.js';

/** Git-ignored; named by the version of PGlite, whose own format it is. */
export const EMPTY_DATABASE = path.join(
  import.meta.dirname,
  `../../.cache/empty-database-${packageJson.dependencies['@electric-sql/pglite']}.tar`,
);

export interface TestService extends RunningService {
  readonly dataDir: string;
  readonly logLines: readonly LogLine[];
  /** Signs a plugin in by the device flow, the person's part included. */
  connect(scope?: string): Promise<Tokens>;
}

/** Starts a service on a free port with a database in memory; `close` removes its folder, too. */
export async function startTestService(
  options: Partial<ServiceOptions> = {},
): Promise<TestService> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'creative-workspace-service-'));
  const logLines: LogLine[] = [];
  const service = await startService({
    port: 0,
    dataDir,
    database: 'memory',
    memoryDatabaseCache: EMPTY_DATABASE,
    log: (line) => logLines.push(line),
    ...options,
  });
  return {
    ...service,
    dataDir,
    logLines,
    connect: async (scope) => {
      const { deviceCode, userCode } = await startDevice(service.baseUrl, scope);
      await approveDevice(service.baseUrl, userCode, service.demo);
      return tokensOf(await poll(service.baseUrl, deviceCode));
    },
    close: async () => {
      await service.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
