/**
 * Runs the tests of the service on a real PostgreSQL: `npm run test:postgres [-- jest options]`.
 *
 * It starts PostgreSQL in a temporary folder, and installs it before from Debian's packages where it
 * is missing and may be. Where that cannot be done it says so, and fails only if REQUIRE_POSTGRES is set.
 */
import { spawnSync } from 'node:child_process';
import { findPostgres, startPostgres } from './server.js';
import type { TemporaryPostgres } from './server.js';

/** Tests of things that have nothing to do with the kind of database. */
const ELSEWHERE = 'service/(cli|admin|tls|options|platform-clients|restart|environment|s3)';

const postgres = await start();
if (typeof postgres === 'string') {
  const line = '!'.repeat(78);
  process.stderr.write(
    `\n${line}\n!! THE TESTS ON POSTGRESQL DID NOT RUN: ${postgres}\n!! Install PostgreSQL (Debian: apt-get install postgresql) and run: npm run test:postgres\n${line}\n\n`,
  );
  process.exit(process.env['REQUIRE_POSTGRES'] === undefined ? 0 : 1);
}
const authlib = debianPython('authlib', 'python3-authlib', 'python3-requests');
const tuspy = debianPython('tusclient', 'python3-tuspy');
process.exit(
  await testOn(postgres, {
    ...(authlib !== undefined && { TEST_AUTHLIB_PYTHON: authlib }),
    ...(tuspy !== undefined && { TEST_TUSPY_PYTHON: tuspy }),
  }),
);

/** Debian's Python with an independent client for it, so that clients from outside of JavaScript take part. */
function debianPython(module: string, ...packages: string[]): string | undefined {
  const python = '/usr/bin/python3';
  const has = (): boolean =>
    spawnSync(python, ['-c', `import ${module}`], { stdio: 'ignore' }).status === 0;
  if (has() || (install(...packages) && has())) return python;
  process.stderr.write(
    `\n!! NOT TESTED with ${module} of Python: install ${packages.join(' and ')} to do so.\n\n`,
  );
  return undefined;
}

async function testOn(
  server: TemporaryPostgres,
  pythons: Readonly<Record<string, string>>,
): Promise<number> {
  const wanted = process.argv.slice(2);
  try {
    const jest = spawnSync(
      process.execPath,
      [
        '--experimental-vm-modules',
        '--no-warnings=ExperimentalWarning',
        'node_modules/jest/bin/jest.js',
        ...(wanted.length > 0 ? wanted : ['test/service', `--testPathIgnorePatterns=${ELSEWHERE}`]),
      ],
      {
        stdio: 'inherit',
        env: {
          ...process.env,
          TEST_DATABASE_URL: server.url,
          ...pythons,
        },
      },
    );
    return jest.status ?? 1;
  } finally {
    await server.stop();
  }
}

async function start(): Promise<TemporaryPostgres | string> {
  const programs =
    (await findPostgres()) ?? (install('postgresql') ? await findPostgres() : undefined);
  if (programs === undefined) return 'PostgreSQL is not installed and could not be installed.';
  try {
    return await startPostgres(programs);
  } catch (error) {
    return error instanceof Error ? error.message : 'it did not start.';
  }
}

/** Installs packages of Debian, which only root may do. */
function install(...packages: string[]): boolean {
  if (process.getuid?.() !== 0) return false;
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]): boolean =>
    spawnSync('apt-get', ['-q', ...args], { stdio: 'ignore', env: environment }).status === 0;
  const wanted = ['install', '-y', '--no-install-recommends', ...packages];
  return apt(...wanted) || (apt('update') && apt(...wanted));
}
