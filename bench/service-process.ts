import { spawn } from 'node:child_process';
import { join } from 'node:path';

import { approveDevice } from '../test/service/browser.js';
import { DEMO_ACCOUNT } from '../service/accounts/demo.js';
import { poll, startDevice, tokensOf, type Tokens } from '../test/service/client.js';

export interface ServiceProcess {
  readonly port: number;
  readonly baseUrl: string;
  /** Signs a plugin in by the device flow, the person's part included. */
  connect(): Promise<Tokens>;
  stop(): Promise<void>;
}

export interface ServiceProcessOptions {
  readonly dataDir: string;
  /** A PostgreSQL server to use; the embedded database when left out. */
  readonly databaseUrl?: string;
  /** The address it gives itself, when that of another process of the same service. */
  readonly baseUrl?: string;
  /** Further command line options. */
  readonly args?: readonly string[];
}

/** Starts `npm run service -- --quiet` on a free port: a process of its own, as in earnest. */
export async function startServiceProcess(options: ServiceProcessOptions): Promise<ServiceProcess> {
  const { dataDir, databaseUrl, baseUrl, args = [] } = options;
  const child = spawn(
    process.execPath,
    [
      ...['--import', 'tsx', 'service/cli.ts', '--quiet', '--port', '0', '--data', dataDir],
      ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
      ...args,
    ],
    {
      cwd: join(import.meta.dirname, '..'),
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        DEMO_ACCOUNT: 'on',
        // Device codes are limited by address; this lets a bench ask for them from several.
        TRUSTED_PROXIES: '1',
        ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      },
    },
  );
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', kill);
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const listening = /Listening on +\S+:(\d+)\n/.exec(output)?.[1];
      if (listening !== undefined) resolve(Number(listening));
    });
    void gone.then(() => {
      reject(new Error('the service ended before it started'));
    });
  });
  const ownUrl = `http://localhost:${port}`;
  return {
    port,
    baseUrl: ownUrl,
    connect: async () => {
      const { deviceCode, userCode } = await startDevice(ownUrl);
      // The person's browser goes where the service says it is.
      await approveDevice(baseUrl ?? ownUrl, userCode, DEMO_ACCOUNT);
      return tokensOf(await poll(ownUrl, deviceCode));
    },
    stop: async () => {
      process.removeListener('exit', kill);
      child.kill('SIGTERM');
      await gone;
    },
  };
}
