// First: an old Node.js must be refused before it parses newer syntax.
import '../scripts/node-version.js';
import { parseArgs } from 'node:util';
import { optionsFromEnvironment } from './app/config/environment.js';
import { ServiceStartError } from './kernel/errors.js';
import { DEPLOY_FOLDER, warningsAboutInstalled } from './app/installed-files.js';
import { loadQuietly } from './load.js';
import type { Lifetimes, RunningService, ServiceOptions } from './start.js';

const HELP = `Runs the Creative Workspace Service on this machine.

Usage: npm run service -- [options]

  --port N                   TCP port, 0 for a free one (default 8780)
  --host H                   address to listen on (default localhost: 127.0.0.1 and ::1, this machine only); any other needs
                             --base-url
  --data DIR                 folder for the database and the uploads (default ./data)
  --tls                      serve https, with a certificate made for this machine and kept in DIR/tls
  --base-url URL             origin that clients use, if not http(s)://HOST:PORT; https, or http://localhost
  --access-token-seconds N   life of an access token (default 3600)
  --device-code-seconds N    life of a device code (default 900)
  --poll-interval-seconds N  minimum time between two polls of a device (default 5)
  --hide-demo-account        do not show the demo account on the sign-in page
  --show-demo-account        show it also if other machines can reach the service
  --quiet                    do not print a line per request
  --help                     print this

More options are environment variables (DATABASE_URL, S3_BUCKET, …): see docs/deployment.md.
`;

const OPTIONS = {
  port: { type: 'string' },
  host: { type: 'string' },
  tls: { type: 'boolean' },
  data: { type: 'string' },
  'base-url': { type: 'string' },
  'access-token-seconds': { type: 'string' },
  'device-code-seconds': { type: 'string' },
  'poll-interval-seconds': { type: 'string' },
  'hide-demo-account': { type: 'boolean' },
  'show-demo-account': { type: 'boolean' },
  quiet: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** How often to check that the shell still runs, in milliseconds. The next service may need the same port soon. */
const SHELL_CHECK_MS = 500;

/**
 * The exit status for errors that must be corrected before the next start: `EX_CONFIG` of BSD's `sysexits.h`. The
 * systemd unit does not restart the service after it.
 */
const CONFIGURATION_ERROR = 78;

/** A wrong command line. The message is one line for the operator. */
class UsageError extends Error {}

/** Reads the options on a command line. @throws {UsageError} for an unknown option or a positional argument. */
function parseOptions(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const [sentence = ''] = (error instanceof Error ? error.message : '').split('\n');
    throw new UsageError(`${sentence.split(/\.? To specify/)[0]}; see --help.`);
  }
}

function readCommandLine(args: string[]): ServiceOptions | 'help' {
  const values = parseOptions(args);
  if (values.help === true) {
    return 'help';
  }
  const number = (name: keyof typeof values): number | undefined => {
    const text = values[name];
    if (text === undefined) {
      return undefined;
    }
    if (typeof text !== 'string' || !/^\d{1,9}$/.test(text)) {
      throw new UsageError(`--${name} must be a whole number; see --help.`);
    }
    return Number(text);
  };
  const lifetimes: { -readonly [K in keyof Lifetimes]?: Lifetimes[K] } = {};
  const accessTokenSeconds = number('access-token-seconds');
  const deviceCodeSeconds = number('device-code-seconds');
  const pollIntervalSeconds = number('poll-interval-seconds');
  if (accessTokenSeconds !== undefined) {
    lifetimes.accessTokenSeconds = accessTokenSeconds;
  }
  if (deviceCodeSeconds !== undefined) {
    lifetimes.deviceCodeSeconds = deviceCodeSeconds;
  }
  if (pollIntervalSeconds !== undefined) {
    lifetimes.pollIntervalSeconds = pollIntervalSeconds;
  }
  const port = number('port');
  return {
    ...optionsFromEnvironment(process.env),
    ...(port !== undefined && { port }),
    ...(values.host !== undefined && { host: values.host }),
    tls: values.tls === true,
    ...(values['base-url'] !== undefined && { baseUrl: values['base-url'] }),
    dataDir: values.data ?? 'data',
    lifetimes,
    ...(values['show-demo-account'] === true && { showDemoAccount: true }),
    ...(values['hide-demo-account'] === true && { showDemoAccount: false }),
    ...(values.quiet !== true && {
      log: (line) => {
        process.stdout.write(`${JSON.stringify(line)}\n`);
      },
    }),
  };
}

/**
 * Calls `stop` when the shell in which npm started this process has ended. A SIGTERM to npm ends npm and that shell, but
 * the shell does not forward it. Without this the service would keep its port and its data folder.
 */
function stopWithNpm(stop: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) {
    return;
  }
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) {
      return;
    }
    clearInterval(watch);
    stop();
  }, SHELL_CHECK_MS).unref();
}

function isConfiguration(error: unknown): boolean {
  return (
    error instanceof UsageError ||
    (error instanceof ServiceStartError &&
      ['invalid_option', 'client_registry_wrong', 'database_too_new'].includes(error.code))
  );
}

function proxies(count: number): string {
  return count === 0
    ? 'none; X-Forwarded-For is ignored'
    : `${count}, by the end of X-Forwarded-For`;
}

async function main(): Promise<void> {
  const options = readCommandLine(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(HELP);
    return;
  }
  // Loading takes a second or two. Help and errors of the command line appear before that.
  const { startService } = await loadQuietly(() => import('./start.js'));
  const stop = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    stop.signal.addEventListener('abort', () => {
      resolve();
    });
  });
  const end = (): void => {
    stop.abort();
  };
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  stopWithNpm(end);
  let service: RunningService;
  try {
    service = await startService({ ...options, signal: stop.signal });
  } catch (error) {
    // A signal stopped the service during its start.
    if (stop.signal.aborted) {
      return;
    }
    throw error;
  }
  const { username, password, workspace } = service.demo;
  process.stdout.write(
    [
      `Creative Workspace Service  ${service.baseUrl}`,
      `Enter a code at             ${service.baseUrl}/oauth/device`,
      ...(service.hasDemoAccount
        ? [`Demo sign-in                ${username} / ${password} (workspace ${workspace})`]
        : []),
      ...(service.authorityFile === undefined
        ? []
        : [`Certificate to trust        ${service.authorityFile}`]),
      `Version                     ${service.version}`,
      `Database                    ${service.uses.database}`,
      `Files                       ${service.uses.storage}`,
      `Trusted proxies             ${proxies(service.trustedProxies)}`,
      `Listening on                ${service.listensOn}`,
      `Data folder                 ${options.dataDir}`,
      '',
    ].join('\n'),
  );
  const installed = await warningsAboutInstalled(DEPLOY_FOLDER);
  for (const warning of [...service.warnings, ...installed]) {
    process.stderr.write(`Warning: ${warning}\n`);
  }
  await stopped;
  await service.close();
}

try {
  await main();
  // Everything is closed. A timer or socket that a library still has must not keep the process running.
  process.exit(0);
} catch (error) {
  const isExpected = error instanceof ServiceStartError || error instanceof UsageError;
  const message = error instanceof Error ? error.message : 'unknown error';
  process.stderr.write(`${isExpected ? message : `The service failed: ${message}`}\n`);
  process.exit(isConfiguration(error) ? CONFIGURATION_ERROR : 1);
}
