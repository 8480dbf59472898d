import { spawn } from 'node:child_process';
import path from 'node:path';
import { DEMO_ACCOUNT } from '../../../service/identity/accounts/demo.js';
import { compiled, FOR_A_MOMENT } from '../../support/compiled.js';
import { approveDevice } from './browser-client.js';
import { poll, startDevice, tokensOf } from './oauth-client.js';
import type { Tokens } from './oauth-client.js';
import { killAtExit } from '../../support/kill-at-exit.js';

const ROOT = path.join(import.meta.dirname, '../../..');

/** How `npm run service` ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `npm run service`, without npm between us and the process, so that signals arrive. */
export interface ServiceCommand {
  readonly ended: Promise<Ended>;
  /** Resolves to everything printed so far when the start message is complete. */
  started(): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  readonly processId: number | undefined;
}

export function runService(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ServiceCommand {
  const program = [...FOR_A_MOMENT, compiled('service/cli.ts')];
  const child = spawn(process.execPath, [...program, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  killAtExit(child);
  let stdout = '';
  let stderr = '';
  let hasStarted = false;
  let look = (): void => undefined;
  child.stdout.on('data', (chunk: Buffer) => {
    // Only the last output of a long-running service is kept.
    if (stdout.length < 1_000_000) stdout += chunk.toString();
    look();
  });
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => {
      resolve({ code, stdout, stderr });
    });
  });
  const started = new Promise<string>((resolve, reject) => {
    look = () => {
      hasStarted ||= stdout.includes('Data folder');
      if (hasStarted) resolve(stdout);
    };
    void ended.then(() => {
      reject(new Error(`the service ended before it started: ${stderr}`));
    });
  });
  // Not everybody waits for the start.
  started.catch(() => undefined);
  return {
    ended,
    started: () => started,
    kill: (signal) => child.kill(signal),
    processId: child.pid,
  };
}

/** The service in a separate process, as in a deployment. */
export interface ServiceProcess {
  readonly processId: number;
  readonly port: number;
  /** Its own address, past any proxy. */
  readonly ownUrl: string;
  /** Connects a plugin by the device flow, including the user's part. */
  connect(): Promise<Tokens>;
  /** Ends it as a service manager does, and waits until it is gone. */
  stop(): Promise<void>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
}

export interface ServiceProcessOptions {
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
 * Starts the service as a deployment does: on a free port, with the demo account and behind one proxy. Resolves when it is
 * ready.
 */
export async function startServiceProcess(options: ServiceProcessOptions): Promise<ServiceProcess> {
  const { dataDir, databaseUrl, baseUrl, args = [], environment } = options;
  const command = runService(
    [
      ...['--quiet', '--port', '0', '--data', dataDir],
      ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
      ...args,
    ],
    {
      DEMO_ACCOUNT: 'on',
      // Some limits are by address; this lets one machine come from several.
      TRUSTED_PROXIES: '1',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      ...environment,
    },
  );
  const port = Number(/Listening on +\S+:(\d+)\n/.exec(await command.started())?.[1]);
  const ownUrl = `http://localhost:${port}`;
  return {
    processId: command.processId ?? 0,
    port,
    ownUrl,
    connect: async () => {
      const { deviceCode, userCode } = await startDevice(ownUrl);
      // The user's browser opens the service's base URL.
      await approveDevice(baseUrl ?? ownUrl, userCode, DEMO_ACCOUNT);
      return tokensOf(await poll(ownUrl, deviceCode));
    },
    stop: async () => {
      command.kill('SIGTERM');
      await command.ended;
    },
    kill: async () => {
      command.kill('SIGKILL');
      await command.ended;
    },
  };
}
