/**
 * Builds the image of the service and tries it without a daemon, by buildah and podman:
 * `npm run test:all -- container [--folder FOLDER] [--base IMAGE] [--volume HOST:IMAGE]… [--runtime NAME] [--ffmpeg]`.
 *
 * FOLDER is a clone or an unpacked release. IMAGE is a Debian 13, by default the one that the Dockerfile names. Volumes
 * are for the build: certificates and npm settings that a network requires. NAME is that of podman's runtime. The image
 * `localhost/creative-workspace-test` and its layers are kept for the next time. Without access to a registry of images:
 *
 *     debootstrap --variant=minbase --include=ca-certificates trixie root
 *     tar -C root -c . | podman import - localhost/debian:13
 *     npm run test:all -- container --base localhost/debian:13
 *
 * With `--ffmpeg` the image has ffmpeg, and a film must get its poster. The container runs with a root that is read-only, without capabilities and as the user of the image. It must become
 * healthy, take a photo, end on SIGTERM with status 0, and have the photo when it starts again on the same volume.
 */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { DEMO_ACCOUNT } from '../../../service/identity/accounts/demo.js';
import { freePort } from '../support/free-port.js';
import { film } from '../../support/films.js';
import { authorization, create, locationOf } from '../support/tus-client.js';
import { checkFirstPhoto, uploadFirstPhoto } from './first-photo.js';
import { check, run, within } from './programs.js';

const ROOT = path.join(import.meta.dirname, '../../..');

/** Time limits in milliseconds, many times the duration on a busy machine. */
const BUILD_MS = 1_800_000;
const STEP_MS = 180_000;

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: ROOT },
    base: { type: 'string' },
    volume: { type: 'string', multiple: true, default: [] },
    runtime: { type: 'string' },
    ffmpeg: { type: 'boolean', default: false },
  },
});

const image = 'localhost/creative-workspace-test';
const name = `creative-workspace-${randomBytes(4).toString('hex')}`;
const port = await freePort();
const baseUrl = `http://localhost:${port}`;

const podman = (...args: string[]): Promise<string> =>
  run(
    values.folder,
    STEP_MS,
    'podman',
    ...['--cgroup-manager', 'cgroupfs'],
    ...(values.runtime === undefined ? [] : ['--runtime', values.runtime]),
    ...args,
  );

/** Starts a container on the volume, and waits until it is healthy. */
async function start(): Promise<void> {
  await podman(
    ...['run', '--detach', '--name', name, '--network', 'host', '--ulimit', 'host'],
    // podman runs health checks by systemd, which may be missing.
    ...['--no-healthcheck', '--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL'],
    ...['--security-opt', 'no-new-privileges', '--volume', `${name}:/data`],
    ...['--env', 'DEMO_ACCOUNT=on', image, '--port', String(port), '--base-url', baseUrl],
  );
  const isHealthy = (): Promise<boolean> =>
    fetch(`${baseUrl}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  const healthy = async (): Promise<void> => {
    while (!(await isHealthy())) await wait(500);
  };
  await within(STEP_MS, 'the start of the container', healthy()).catch(async (error: unknown) => {
    throw new Error(`${String(error)}\n${await podman('logs', name)}`, { cause: error });
  });
}

/** Uploads a film, and waits for its poster. */
async function checkPoster(accessToken: string): Promise<void> {
  const body = new Uint8Array(film('silent.m4v'));
  const created = await create(baseUrl, accessToken, { length: body.length, body });
  const address = `${locationOf(baseUrl, created)}/thumbnail`;
  const hasPoster = async (): Promise<boolean> => {
    const answer = await fetch(address, { headers: authorization(accessToken) });
    await answer.arrayBuffer();
    // 204 as long as there is none.
    return answer.status === 200;
  };
  const made = async (): Promise<void> => {
    while (!(await hasPoster())) await wait(500);
  };
  await within(STEP_MS, 'the poster of a film', made());
}

/** Stops the container as a service manager does. */
async function stop(): Promise<void> {
  await podman('stop', '--time', '60', name);
  const status = (await podman('inspect', '--format', '{{.State.ExitCode}}', name)).trim();
  check(status === '0', `it ends with 0 on SIGTERM, not ${status}`);
  await podman('rm', name);
}

const began = Date.now();
try {
  await run(
    values.folder,
    BUILD_MS,
    'buildah',
    // The format that has health checks.
    ...['build', '--isolation', 'chroot', '--layers', '--format', 'docker', '--tag', image],
    ...(values.base === undefined ? [] : ['--build-arg', `BASE=${values.base}`]),
    ...(values.ffmpeg ? ['--build-arg', 'PACKAGES=ffmpeg'] : []),
    ...values.volume.flatMap((volume) => ['--volume', volume]),
    values.folder,
  );
  const healthCheck = await podman('inspect', '--format', '{{json .HealthCheck.Test}}', image);
  const [kind, ...command] = JSON.parse(healthCheck) as string[];
  check(kind === 'CMD', `the image has a health check, not ${healthCheck}`);

  await start();
  const user = (await podman('exec', name, 'id', '--user')).trim();
  check(user === '10001', `it runs as the user 10001, not ${user}`);
  const written = podman('exec', name, 'touch', '/opt/creative-workspace/file');
  const outcome = await written.then(() => 'writable', String);
  check(outcome.includes('Read-only'), `its root is read-only, not ${outcome}`);
  const ofThisPort = command.map((word) => word.replace(':8780/', `:${port}/`));
  await podman('exec', name, ...ofThisPort);
  const accessToken = await uploadFirstPhoto(baseUrl, DEMO_ACCOUNT);
  if (values.ffmpeg) {
    await checkPoster(accessToken);
  }
  await stop();

  await start();
  await checkFirstPhoto(baseUrl, accessToken);
  await stop();
  process.stdout.write(
    `The image starts, keeps a photo and stops (${Math.round((Date.now() - began) / 1000)} s).\n`,
  );
} catch (error) {
  process.stderr.write(
    `\nTHE CONTAINER FAILED: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exitCode = 1;
} finally {
  for (const rest of [
    ['rm', '--force', '--ignore', name],
    ['volume', 'rm', '--force', name],
  ]) {
    await podman(...rest).catch(() => undefined);
  }
}
