import { compiled } from '../../support/compiled.js';
import { runService, type ServiceCommand } from '../../service/support/service-process.js';
import { FOLDER_VARIABLE, JOURNAL_VARIABLE } from './journal.js';

/** How long a start may take. Milliseconds. */
const LIMIT_MS = 120_000;

/** A service on a folder, as `npm run service` runs it. */
export interface Started {
  readonly url: string;
  readonly command: ServiceCommand;
  /** Everything it has printed when it was ready. */
  readonly said: string;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly folder: string;
  /** The journal for its operations on the folder. */
  readonly journal?: string;
  readonly args?: readonly string[];
}

/** Runs the service without waiting until it is ready. */
function run({ folder, journal, args = [] }: StartOptions): ServiceCommand {
  const recorder = compiled('test/crash/power-loss/recorder.ts');
  return runService(['--port', '0', '--data', folder, ...args], {
    DEMO_ACCOUNT: 'on',
    ...(journal !== undefined && {
      NODE_OPTIONS: `--import ${recorder}`,
      [JOURNAL_VARIABLE]: journal,
      [FOLDER_VARIABLE]: folder,
    }),
  });
}

/**
 * Starts the service.
 * @throws Error when it does not start, with what it said
 */
export async function start(options: StartOptions): Promise<Started> {
  const command = run(options);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error('the service did not start in time'));
    }, LIMIT_MS);
  });
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    command.kill(signal);
    await command.ended;
  };
  try {
    const said = await Promise.race([command.started(), late]);
    const url = /Creative Workspace Service +(\S+)\n/.exec(said)?.[1] ?? '';
    return { url, command, said, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
  } catch (error) {
    await end('SIGKILL');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
