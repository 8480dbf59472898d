import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { DEMO_ACCOUNT } from '../service/identity/accounts/demo.js';
import { approveDevice } from '../test/service/support/browser-client.js';
import { poll, startDevice, tokensOf, type Tokens } from '../test/service/support/oauth-client.js';
import { measuredProcess, type MeasuredProcess } from './measured-process.js';

const ROOT = join(import.meta.dirname, '..');

/** How the service of one version of the project is started, without further options. */
export interface Release {
  readonly folder: string;
  /** Arguments of Node. */
  readonly program: readonly string[];
}

/** The service in its own process, as a deployment runs it. */
export interface RunningRelease {
  readonly processId: number;
  readonly measured: MeasuredProcess;
  readonly port: number;
  /** Its own address, past any proxy. */
  readonly ownUrl: string;
  /** Connects a plugin by the device flow, including the user's part. @param scope  to upload when left out */
  connect(scope?: string): Promise<Tokens>;
  /** Ends it as a service manager does, and waits until it is gone. */
  stop(): Promise<void>;
}

export interface ReleaseOptions {
  readonly dataDir: string;
  /** A PostgreSQL server to use; the embedded database when left out. */
  readonly databaseUrl?: string;
  /** The address it gives itself, when that is another than its own. */
  readonly baseUrl?: string;
  /** Further command line options. */
  readonly args?: readonly string[];
  /** Further settings. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Compiles the service to `dist-service/`, as `npm run build` does. A version that has no such folder is run as its
 * `npm run service` does.
 * @param folder the project, or another version of it with its packages
 */
export function buildRelease(folder = ROOT): Release {
  if (!existsSync(join(folder, 'scripts/build-service.ts'))) {
    return { folder, program: ['--import', 'tsx', 'service/cli.ts'] };
  }
  const build = ['--import', 'tsx', 'scripts/build-service.ts'];
  execFileSync(process.execPath, build, { cwd: folder, stdio: 'inherit' });
  return { folder, program: ['dist-service/cli.js'] };
}

/**
 * Starts a release on a free port, with the demo account and behind one proxy. Resolves when it is ready.
 * @throws {Error} when it ends before
 */
export async function startRelease(
  { folder, program }: Release,
  { dataDir, databaseUrl, baseUrl, args = [], environment = {} }: ReleaseOptions,
): Promise<RunningRelease> {
  const address = baseUrl === undefined ? [] : ['--base-url', baseUrl];
  const child = spawn(
    process.execPath,
    [...program, '--quiet', '--port', '0', '--data', dataDir, ...address, ...args],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        ...environment,
        DEMO_ACCOUNT: 'on',
        // Some limits are by address; this lets one machine come from several.
        TRUSTED_PROXIES: '1',
        ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
      },
    },
  );
  const endWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      process.removeListener('exit', endWithUs);
      resolve();
    });
  });
  const port = await new Promise<number>((resolve, reject) => {
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      // Only its start message matters.
      if (printed.length < 10_000) {
        printed += chunk.toString();
      }
      const found = /Listening on +\S+:(\d+)\n[^]*Data folder/.exec(printed)?.[1];
      if (found !== undefined) {
        resolve(Number(found));
      }
    });
    void ended.then(() => {
      reject(new Error(`the service ended before it started: ${printed}`));
    });
  });
  const processId = child.pid ?? 0;
  const ownUrl = `http://localhost:${port}`;
  return {
    processId,
    measured: measuredProcess('service', processId),
    port,
    ownUrl,
    connect: async (scope) => {
      const { deviceCode, userCode } = await startDevice(ownUrl, scope);
      // The user's browser opens the service's base URL.
      await approveDevice(baseUrl ?? ownUrl, userCode, DEMO_ACCOUNT);
      return tokensOf(await poll(ownUrl, deviceCode));
    },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
