import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { compiled } from '../support/compiled.js';
import { PLAIN_CLIENTS } from '../service/support/plain-clients.js';
import { killAtExit } from '../support/kill-at-exit.js';

export interface MachineOptions {
  readonly dataDir: string;
  readonly baseUrl: string;
  /** The environment of a deployment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

/** One process of the service, which is ended and started again. */
export class Machine {
  /** The service's logged errors, with their number. */
  readonly errors = new Map<string, number>();
  /** The last output of each unexpected exit. */
  readonly crashes: string[] = [];
  private child: ChildProcess | undefined;
  private ended: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: MachineOptions) {}

  /**
   * Starts it on a free port.
   * @returns the port, as soon as it listens; its database may still be awaited.
   */
  async start(): Promise<number> {
    const { dataDir, baseUrl, environment, args } = this.options;
    const child = spawn(
      process.execPath,
      [
        compiled('service/cli.ts'),
        ...['--port', '0', '--data', dataDir, '--base-url', baseUrl],
        ...args,
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, PLATFORM_CLIENTS: PLAIN_CLIENTS, ...environment },
      },
    );
    killAtExit(child);
    this.child = child;
    let said = '';
    child.stderr.on('data', (piece: Buffer) => (said = `${said}${piece.toString()}`.slice(-2000)));
    child.once('close', (status, signal) => {
      if (this.child === child) this.crashes.push(`${String(status ?? signal)}: ${said}`);
    });
    this.ended = new Promise((resolve) => child.once('close', resolve));
    return new Promise((resolve, reject) => {
      child.once('close', () => {
        reject(new Error('a process of the service ended before it had started'));
      });
      createInterface({ input: child.stdout }).on('line', (line) => {
        const port = /^ *Listening on +\S+:(\d+)$/.exec(line)?.[1];
        if (port !== undefined) resolve(Number(port));
        else if (line.includes('"server_error"')) this.noteError(line);
      });
    });
  }

  /** Ends it as a crash does (`SIGKILL`), or as a service manager does (`SIGTERM`), and waits until it is gone. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const { child } = this;
    this.child = undefined;
    child?.kill(signal);
    await this.ended;
  }

  private noteError(line: string): void {
    const { message = '' } = JSON.parse(line) as { message?: string };
    this.errors.set(message, (this.errors.get(message) ?? 0) + 1);
  }
}
