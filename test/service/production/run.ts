/**
 * Installs a release as an operator does: `npm run test:all -- production`.
 *
 * A fresh clone of what is committed, with the development dependencies of this folder, gives a release. In the long form,
 * another clone in another folder must give the same byte for byte. The archive is unpacked into an empty folder, and its
 * production packages are installed. The service must answer, take a photo, and end on SIGTERM with status 0.
 * `npm run service:admin` and thumbnails must work. In the long form, the service first runs without optional packages:
 * that it makes no thumbnails then is no error. The status is not 0 when anything fails or takes longer than it may.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import packageJson from '../../../package.json' with { type: 'json' };
import { IS_LONG } from '../../support/long-runs.js';
import type { SignIn } from '../support/browser-client.js';
import { requestDevice } from '../support/oauth-client.js';
import { PICTURE, uploadFirstPhoto } from './first-photo.js';
import { check, run, start, within } from './programs.js';

const ROOT = path.join(import.meta.dirname, '../../..');

/** The time limit of each step, in milliseconds; many times the duration on a busy machine. */
const INSTALL_MS = 600_000;
const STEP_MS = 180_000;

/** Needed to develop, and of no use to a service that runs. */
const DEVELOPMENT = ['jest', 'typescript', 'webpack', 'tsx', 'esbuild', 'puppeteer-core'];

/** Prints the result of inspecting that picture. */
const LOOK = `
  import { ImageWorker } from './dist-service/library/previews/image-worker.js';
  const imageWorker = new ImageWorker();
  const aids = { saveLocation: async () => {}, saveFacts: async () => {}, read: async () => Buffer.alloc(0) };
  const job = { file: process.argv[1], size: 100, isWhole: true, findsLocation: true, makesPictures: true };
  const look = await imageWorker.inTurn('workspace', (inspect) => inspect(job, aids));
  imageWorker.end();
  console.log(typeof look === 'string' ? look : 'a thumbnail: ' + (look.pictures !== undefined));
`;

/**
 * Makes a release in a fresh clone.
 * @returns its folder
 */
async function release(clone: string): Promise<string> {
  await run(folder, STEP_MS, 'git', 'clone', '-q', ROOT, clone);
  await symlink(path.join(ROOT, 'node_modules'), path.join(clone, 'node_modules'));
  const program = ['--import', 'tsx', 'scripts/release.ts', packageJson.version];
  await run(clone, INSTALL_MS, 'node', ...program);
  return path.join(clone, 'release');
}

/**
 * Starts the service, sends it requests, and sends SIGTERM to the process that was started, to that alone.
 * @param user also uploads a photo
 */
async function startAndStop(
  command: string,
  args: readonly string[],
  user?: SignIn,
): Promise<number | null> {
  const what = `${command} ${args[0] ?? ''}`;
  const service = start(installed, command, args);
  let output = '';
  // Its output is closed when everything that it started has ended, too.
  const gone = new Promise<number | null>((resolve) => service.once('close', resolve));
  const started = new Promise<string>((resolve, reject) => {
    service.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    service.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const address = /^Listening on +(\S+)\n/m.exec(output)?.[1];
      if (address !== undefined) resolve(`http://${address}`);
    });
    service.once('error', reject);
    void gone.then((code) => {
      reject(new Error(`${what} ended with status ${String(code)}:\n${output}`));
    });
  });
  const url = await within(STEP_MS, `the start by ${what}`, started);

  const health = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(STEP_MS) });
  check(health.status === 200, `/healthz answers 200, not ${health.status}`);
  const device = await within(STEP_MS, 'a device authorization', requestDevice(url));
  check(typeof device.body['user_code'] === 'string', 'a device gets a code');
  if (user !== undefined) await within(STEP_MS, 'an upload', uploadFirstPhoto(url, user));

  service.kill('SIGTERM');
  return within(STEP_MS, `the end of ${what}`, gone);
}

const began = Date.now();
const folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-production-'));
const installed = path.join(folder, 'installed');
try {
  const clones = IS_LONG ? ['clone', 'another/folder'] : ['clone'];
  const releases = await Promise.all(clones.map((clone) => release(path.join(folder, clone))));
  const [made = '', ...others] = releases;
  const sumsIn = (files: string): Promise<string> =>
    readFile(path.join(files, 'SHA256SUMS'), 'utf8');
  const sums = await sumsIn(made);
  for (const other of others) {
    const found = await sumsIn(other);
    check(found === sums, `a release is reproducible:\n${sums}\n${found}`);
  }
  await run(made, STEP_MS, 'sha256sum', '--check', '--strict', 'SHA256SUMS');

  await mkdir(installed);
  const archive = path.join(made, `creative-workspace-service-${packageJson.version}.tar.gz`);
  await run(installed, STEP_MS, 'tar', '-xzf', archive, '--strip-components=1');
  const install = (...omitted: string[]): Promise<string> =>
    run(installed, INSTALL_MS, 'npm', 'ci', ...omitted, '--prefer-offline', '--no-audit');
  await install('--omit=dev', ...(IS_LONG ? ['--omit=optional'] : []));
  const packages = new Set(await readdir(path.join(installed, 'node_modules')));
  const needless = DEVELOPMENT.filter((name) => packages.has(name));
  check(needless.length === 0, `no development tool is installed, as ${needless.join(', ')} is`);

  const data = path.join(folder, 'data');
  const options = ['--port', '0', '--data', data, '--quiet'];
  // As a service manager starts it.
  const direct = await startAndStop('node', ['dist-service/cli.js', ...options]);
  check(direct === 0, `it ends with 0 on SIGTERM, not ${String(direct)}`);
  const admin = (...command: string[]): Promise<string> =>
    run(installed, STEP_MS, 'npm', 'run', 'service:admin', '--', '--data', data, ...command);
  await admin('add-workspace', 'North Studio');
  const listed = await admin('list');
  check(listed.includes('North Studio: no users'), `the workspace is listed, in:\n${listed}`);
  const password = /with the password (\S+)/.exec(await admin('add-user', 'ada'))?.[1] ?? '';
  await admin('set-role', 'ada', 'North Studio', 'owner');
  // As a user would. npm and its shell end at once; their child must follow.
  const user = { username: 'ada', password };
  await startAndStop('npm', ['run', 'service', '--', ...options], user);
  await admin('list');

  const picture = path.join(folder, 'picture.png');
  await writeFile(picture, PICTURE);
  const look = (): Promise<string> =>
    run(installed, STEP_MS, 'node', '--input-type=module', '-e', LOOK, picture);
  if (IS_LONG) {
    const without = await look();
    check(without.includes('no library'), `thumbnails are left out, in:\n${without}`);
    await install('--omit=dev');
  }
  const whole = await look();
  check(whole.includes('a thumbnail: true'), `a thumbnail is made, in:\n${whole}`);
  process.stdout.write(
    `A release is made, and its service starts and stops (${Math.round((Date.now() - began) / 1000)} s).\n`,
  );
} catch (error) {
  process.stderr.write(
    `\nTHE PRODUCTION INSTALL FAILED: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
