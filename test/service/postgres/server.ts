import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, chown, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../support/free-port.js';

const run = promisify(execFile);

/** Where Debian keeps the programs of each major version; they are not in the PATH there. */
const DEBIAN = '/usr/lib/postgresql';

/**
 * Settings with which nothing waits for the disk: only a crash of the whole machine would lose what was committed. Tests
 * end the server's processes at most.
 */
export const WITHOUT_FLUSHES = ['fsync=off', 'full_page_writes=off'];

/** A PostgreSQL server that lives as long as a test run. */
export interface TemporaryPostgres {
  /** Of its administrator. */
  readonly url: string;
  /** The id of its first process, whose children all others are. */
  processId(): Promise<number>;
  /** Ends the server: `fast` disconnects everybody, `immediate` is as a crash. Its data stay. */
  halt(mode: 'fast' | 'immediate'): Promise<void>;
  /** Starts it again on the same port. */
  resume(): Promise<void>;
  /** Makes a standby the server that takes changes. */
  promote(): Promise<void>;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** The folder with `initdb` and `pg_ctl`, if PostgreSQL is installed. */
export async function findPostgres(): Promise<string | undefined> {
  const versions = await readdir(DEBIAN).catch(() => []);
  const folders = [
    ...versions.sort((a, b) => Number(b) - Number(a)).map((one) => path.join(DEBIAN, one, 'bin')),
    ...(process.env['PATH'] ?? '').split(path.delimiter),
  ];
  for (const folder of folders.filter((one) => one !== '')) {
    const found = await Promise.all(
      ['initdb', 'pg_ctl'].map((program) => access(path.join(folder, program))),
    ).then(
      () => true,
      () => false,
    );
    if (found) return folder;
  }
  return undefined;
}

/** The folders of a server. */
interface Place {
  readonly folder: string;
  readonly data: string;
  /** The user of the process; default: our own. */
  readonly user: User | undefined;
}

/**
 * Starts PostgreSQL in a temporary folder on a free port of this machine, with a password of its
 * own. It refuses to run as root, so root hands it to the user `postgres` or `nobody`.
 * @param programs folder as from {@link findPostgres}.
 * @param settings other than PostgreSQL's defaults.
 */
export async function startPostgres(
  programs: string,
  settings: readonly string[] = [],
): Promise<TemporaryPostgres> {
  const place = await makePlace();
  const { folder, data, user } = place;
  const password = randomBytes(18).toString('base64url');
  const passwordFile = path.join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user !== undefined) await chown(passwordFile, user.uid, user.gid);
  await run(
    path.join(programs, 'initdb'),
    [
      ...['-D', data, '-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`],
      ...['-E', 'UTF8', '--no-sync'],
    ],
    { ...user, cwd: folder },
  );
  return serve(programs, place, password, settings);
}

/**
 * Starts a server that follows another one and takes no changes, until it is promoted.
 * @param primaryUrl of the other's administrator.
 */
export async function startStandby(
  programs: string,
  primaryUrl: string,
): Promise<TemporaryPostgres> {
  const place = await makePlace();
  const { folder, data, user } = place;
  await run(
    path.join(programs, 'pg_basebackup'),
    ['-d', primaryUrl, '-D', data, '-R', '-X', 'stream', '-c', 'fast'],
    { ...user, cwd: folder },
  );
  return serve(programs, place, new URL(primaryUrl).password, WITHOUT_FLUSHES);
}

async function makePlace(): Promise<Place> {
  const user = await userToRunAs();
  const folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-postgres-'));
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  return { folder, data: path.join(folder, 'data'), user };
}

async function serve(
  programs: string,
  { folder, data, user }: Place,
  password: string,
  settings: readonly string[],
): Promise<TemporaryPostgres> {
  const port = await freePort();
  const options = [
    ...[`-p ${port}`, '-h 127.0.0.1', `-k ${folder}`],
    ...['max_connections=100', ...settings].map((setting) => `-c ${setting}`),
  ].join(' ');
  const resume = (): Promise<void> =>
    control(programs, ['start', '-w', '-D', data, '-o', options], folder, user);
  const halt = (mode: 'fast' | 'immediate'): Promise<void> =>
    control(programs, ['stop', '-w', '-m', mode, '-D', data], folder, user);
  await resume();
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    processId: async () =>
      Number((await readFile(path.join(data, 'postmaster.pid'), 'utf8')).split('\n')[0]),
    halt,
    resume,
    promote: () => control(programs, ['promote', '-w', '-D', data], folder, user),
    stop: async () => {
      await halt('immediate');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `pg_ctl`. Its server must not inherit our pipes, which would then never end. */
function control(
  programs: string,
  args: string[],
  folder: string,
  user: User | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      path.join(programs, 'pg_ctl'),
      ['-s', '-l', path.join(folder, 'log'), ...args],
      { ...user, cwd: folder, stdio: 'ignore' },
    );
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`pg_ctl ${args[0] ?? ''} ended with status ${String(code)}`));
    });
  });
}

async function userToRunAs(): Promise<User | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
    } catch {
      // There is no such user here; try the next.
    }
  }
  throw new Error('PostgreSQL refuses to run as root, and there is no other user to run it as');
}
