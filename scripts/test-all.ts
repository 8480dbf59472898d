/**
 * `npm run test:all [-- NAME [ARGUMENTS]]`: the tests that `npm test` leaves out because they take long or need servers.
 * With a name it runs that one, in its long form; without, those that CI runs, in the form that CI runs.
 */
import { spawnSync } from 'node:child_process';

import SLOW from '../test/support/slow-suites.json' with { type: 'json' };

type Variables = Readonly<Record<string, string>>;

interface Run {
  readonly about: string;
  /** A TypeScript program, or `jest` with its arguments. */
  readonly command: readonly string[];
  readonly variables?: Variables;
  /** The variables of the form that CI runs. Without them CI does not run it. */
  readonly ci?: Variables;
}

/** Suites that do more with a larger TEST_SCALE. */
const SCALED = [
  ...['e2e/browser.test', 'flows/main-job', 'service/library/uploads/repr-digest'],
  ...['features/uploads/tus/tus-upload-service', 'packages/image-metadata/find-location'],
].map((name) => `test/${name}`);

const RANDOM = [
  ...['fuzz', 'device-flow/polling-pace'].map((name) => `test/oauth/${name}`),
  ...['lost-refresh', 'session-histories', 'stolen-session'].map(
    (name) => `test/oauth/session/${name}`,
  ),
  ...['upload-model', 'tus/hostile-service'].map((name) => `test/features/uploads/${name}`),
];

const RUNS: Readonly<Record<string, Run>> = {
  deep: {
    about: 'the slow suites that CI runs',
    command: ['jest', ...SLOW.deep],
    ci: {},
  },
  scale: {
    about: 'the same and others with all languages, more kills and more faults',
    command: ['jest', ...SLOW.deep, ...SLOW.weekly, ...SCALED],
    variables: { TEST_SCALE: '2' },
  },
  postgres: {
    about: 'what depends on the database, on a PostgreSQL server that is started for it',
    command: ['test/service/postgres/run.ts'],
    variables: { TEST_SCALE: '2' },
    ci: {},
  },
  s3: {
    about: 'what stores bytes, on S3-compatible storage that is started for it',
    command: ['test/service/s3/run.ts'],
    variables: { TEST_SCALE: '2' },
    ci: {},
  },
  machines: {
    about:
      'two processes, PostgreSQL and S3-compatible storage, 60 plugins, all killed and restarted',
    command: ['test/machines/run.ts'],
  },
  production: {
    about: 'a release is made, in the long form twice and byte for byte, installed and started',
    command: ['test/service/production/run.ts'],
    variables: { TEST_SCALE: '2' },
    ci: {},
  },
  container: {
    about:
      'the image of the service is built and tried by buildah and podman; --base IMAGE, --ffmpeg',
    command: ['test/service/production/container.ts'],
  },
  darktable: {
    about: 'selects write sidecars, which the darktable-cli of this machine reads',
    command: ['test/features/selects/darktable.ts'],
  },
  crash: {
    about: 'the plugin killed while it uploads over a bad network; --kills N, --service NAME',
    command: ['test/crash/run.ts'],
  },
  'power-loss': {
    about: 'recorded runs of the service lose their power; --seconds N, --losses N',
    command: ['test/crash/power-loss/run.ts'],
  },
  fuzz: {
    about: 'seeded requests at every endpoint of the service; --requests N',
    command: ['test/service/attacks/fuzz/run.ts'],
  },
  long: {
    about: 'thirty times as many random runs',
    command: ['jest', ...RANDOM],
    variables: { TEST_SCALE: '30' },
  },
  session: {
    about: '10,000 random histories of a session',
    command: ['jest', 'test/oauth/session/session-histories', 'test/oauth/session/stolen-session'],
    variables: { SESSION_HISTORIES: '10000' },
  },
  'two-processes': {
    about: 'two service processes on one PostgreSQL, 200 devices, a minute',
    command: ['test/service/postgres/run.ts', 'test/service/postgres'],
    variables: { TEST_SECONDS: '60', TEST_DEVICES: '200' },
  },
};

function run({ command }: Run, variables: Variables, more: readonly string[]): boolean {
  const [program = '', ...args] = [...command, ...more];
  const node =
    program === 'jest' ? ['run', 'jest', '--', ...args] : ['exec', '--', 'tsx', program, ...args];
  const { status } = spawnSync('npm', node, {
    stdio: 'inherit',
    env: { ...variables, ...process.env },
  });
  return status === 0;
}

const [name, ...more] = process.argv.slice(2);
if (name === undefined) {
  const failed = Object.entries(RUNS).find(([title, one]) => {
    if (one.ci === undefined) {
      return false;
    }
    const began = Date.now();
    console.log(`\n== ${title}: ${one.about}`);
    const isGood = run(one, one.ci, []);
    console.log(`== ${title}: ${Math.round((Date.now() - began) / 1000)} s`);
    return !isGood;
  });
  process.exitCode = failed === undefined ? 0 : 1;
} else {
  const one = RUNS[name];
  if (one === undefined) {
    const list = Object.entries(RUNS).map(([title, { about }]) => `  ${title.padEnd(14)} ${about}`);
    console.error(`Usage: npm run test:all [-- NAME [ARGUMENTS]]\n\n${list.join('\n')}`);
    process.exitCode = 2;
  } else {
    process.exitCode = run(one, one.variables ?? {}, more) ? 0 : 1;
  }
}
