import { spawn } from 'node:child_process';

/** The service in a process of its own, as a deployment runs it. */
export interface ServiceProcess {
  readonly port: number;
  /** Its own address, past any proxy. */
  readonly ownUrl: string;
  /** Ends it as a service manager does, and waits until it is gone. */
  stop(): Promise<void>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
}

/** Starts `npm run service` on a free port; resolves when it has said that it is ready. */
export async function startServiceProcess(options: {
  databaseUrl: string;
  dataDir: string;
  baseUrl: string;
}): Promise<ServiceProcess> {
  const child = spawn(
    process.execPath,
    [
      ...['--import', 'tsx', 'service/cli.ts', '--port', '0', '--data', options.dataDir],
      ...['--base-url', options.baseUrl, '--poll-interval-seconds', '1'],
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        DATABASE_URL: options.databaseUrl,
        DEMO_ACCOUNT: 'on',
        TRUSTED_PROXIES: '1',
      },
    },
  );
  const gone = new Promise<void>((resolve) => {
    child.once('close', () => {
      resolve();
    });
  });
  // Whatever becomes of the test, the process must not stay behind.
  process.once('exit', () => child.kill('SIGKILL'));
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const port = await new Promise<number>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const listening = /Listening on +\S+:(\d+)\n/.exec(output)?.[1];
      if (listening !== undefined) resolve(Number(listening));
      if (output.length > 100_000) output = '';
    });
    void gone.then(() => {
      reject(new Error(`the service ended before it started: ${errors}`));
    });
  });
  return {
    port,
    ownUrl: `http://localhost:${port}`,
    stop: async () => {
      child.kill('SIGTERM');
      await gone;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
