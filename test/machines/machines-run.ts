import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createAccount,
  createWorkspace,
  setMember,
} from '../../service/identity/accounts/accounts.js';
import type { Database } from '../../service/kernel/database/database.js';
import { migrate } from '../../service/kernel/database/migrate.js';
import { openPostgresDatabase } from '../../service/kernel/database/postgres.js';
import type { S3Options } from '../../service/library/uploads/storage/s3-options.js';
import { startService } from '../../service/start.js';
import { readSession, SECRET_KEYS } from '../../src/oauth/session/session-codec.js';
import type { SignIn } from '../service/support/browser-client.js';
import { refresh } from '../service/support/oauth-client.js';
import type { TemporaryPostgres } from '../service/postgres/server.js';
import type { TemporarySwift } from '../service/s3/swift.js';
import { seededRandom } from '../support/seeded-random.js';
import { Balancer, type Fate } from './balancer.js';
import { Chaos } from './chaos.js';
import { Device } from './device.js';
import { leftovers, photosOf } from './findings.js';
import { Machine } from './machine.js';

export interface MachinesRunOptions {
  readonly database: TemporaryPostgres;
  readonly storage: TemporarySwift;
  readonly s3: S3Options;
  readonly seed: number;
  readonly seconds: number;
  readonly devices: number;
  readonly processes: number;
  readonly log: (line: string) => void;
}

/** How often each thing happened; and what should not have. */
export interface MachinesReport {
  readonly counts: Readonly<Record<string, number>>;
  /** By method, route and status; `502*` is the balancer's own. */
  readonly answers: ReadonlyMap<string, number>;
  /** Errors that the service logged. */
  readonly errors: ReadonlyMap<string, number>;
  readonly wrong: readonly string[];
}

/** The number of devices per user, and of users per workspace. */
const DEVICES_PER_USER = 3;
const USERS_PER_WORKSPACE = 5;
const PASSWORD = 'a long password of a test';

/** How long the devices may take to finish after the last kill, in milliseconds. */
const FINISH_MS = 300_000;

/** Time after which every cleanup has happened. Abandoned uploads live longest, for seven days. */
const LATER_MS = 9 * 24 * 3_600_000;

/** One run: devices connect and upload while the service is killed and restarted. Then the results are checked. */
export class MachinesRun {
  private readonly random: () => number;
  private readonly machines: Machine[] = [];
  private devices: readonly Device[] = [];
  private folder = '';
  private balancer: Balancer | undefined;

  constructor(private readonly options: MachinesRunOptions) {
    this.random = seededRandom(options.seed);
  }

  async go(): Promise<MachinesReport> {
    const { database, storage, seconds, devices, processes, seed, log } = this.options;
    this.folder = await mkdtemp(path.join(tmpdir(), 'machines-'));
    const balancer = await Balancer.start({ fateOf: (length) => this.fateOf(length) });
    this.balancer = balancer;
    const users = await this.addUsers();
    for (let place = 0; place < processes; place += 1) this.machines.push(this.machine());
    const chaos = new Chaos({
      machines: this.machines,
      balancer,
      database,
      storage,
      random: seededRandom(seed + 1),
      log: (line) => log(`${Math.round((Date.now() - started) / 1000)} s: ${line}`),
    });
    const started = Date.now();
    await Promise.all(this.machines.map((_, place) => chaos.start(place)));
    this.devices = Array.from(
      { length: devices },
      (_, number) =>
        new Device({
          baseUrl: balancer.baseUrl,
          number,
          user: users[number % users.length] ?? { username: '', password: '' },
          seed: seed + 1000 * (number + 1),
        }),
    );
    const until = Date.now() + seconds * 1000;
    const isOver = (): boolean => Date.now() > until;
    await Promise.all([
      chaos.run(isOver),
      ...this.devices.map((device) => this.use(device, isOver)),
    ]);
    log('nothing is killed any more');
    balancer.isCalm = true;
    const wrong = [...(await this.finish())];
    wrong.push(...(await this.judge()));
    return this.report(chaos, wrong);
  }

  async dispose(): Promise<void> {
    await Promise.all(this.machines.map((machine) => machine.end('SIGKILL')));
    await this.balancer?.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  private machine(): Machine {
    const { database, s3 } = this.options;
    return new Machine({
      dataDir: this.folder,
      baseUrl: this.balancer?.baseUrl ?? '',
      args: ['--access-token-seconds', '20', '--poll-interval-seconds', '1'],
      environment: {
        DATABASE_URL: database.url,
        TRUSTED_PROXIES: '1',
        SHUTDOWN_GRACE_SECONDS: '3',
        S3_BUCKET: s3.bucket,
        S3_REGION: s3.region,
        S3_ENDPOINT: s3.endpoint ?? '',
        S3_ACCESS_KEY_ID: s3.credentials?.accessKeyId ?? '',
        S3_SECRET_ACCESS_KEY: s3.credentials?.secretAccessKey ?? '',
      },
    });
  }

  private async addUsers(): Promise<SignIn[]> {
    return this.onDatabase(async (database) => {
      await migrate(database);
      const users: SignIn[] = [];
      let workspace = '';
      for (let number = 0; number * DEVICES_PER_USER < this.options.devices; number += 1) {
        if (number % USERS_PER_WORKSPACE === 0)
          workspace = await createWorkspace(database, `Studio ${number}`);
        const username = `person-${number}`;
        const user = { username, displayName: username, password: PASSWORD };
        await setMember(database, workspace, await createAccount(database, user), 'member');
        users.push({ username, password: PASSWORD });
      }
      return users;
    });
  }

  /** A device comes at some point of the first half, and stays. */
  private async use(device: Device, isOver: () => boolean): Promise<void> {
    await sleep(this.random() * this.options.seconds * 500);
    await device.open();
    // Photos are picked also before there is a connection.
    await Promise.all([device.connect(), device.work(isOver)]);
  }

  /** Requests with bytes of photos are likeliest to be cut, as they last longest. */
  private fateOf(length: number): Fate {
    const luck = this.random();
    if (luck < 0.02) return { kind: 'answer lost' };
    if (length > 10_000 && luck < 0.15)
      return { kind: 'cut', afterBytes: Math.floor(this.random() * length) };
    return { kind: 'good' };
  }

  /** Waits until every photo is uploaded; reports the devices that do not finish. */
  private async finish(): Promise<string[]> {
    const deadline = Date.now() + FINISH_MS;
    const open = (): Device[] => this.devices.filter(({ isDone }) => !isDone);
    while (open().length > 0 && Date.now() < deadline) await sleep(200);
    return open().map(({ standing }) => `not finished: ${standing}`);
  }

  private async judge(): Promise<string[]> {
    const { s3, log } = this.options;
    const picked = new Map(this.devices.flatMap((device) => [...device.picked]));
    const wrong = this.devices.flatMap((device) => device.wrong);
    wrong.push(...(this.balancer?.wrong ?? []));
    for (const { crashes } of this.machines)
      wrong.push(...crashes.map((crash) => `a process ended by itself: ${crash}`));
    log('comparing every photo with the bucket');
    await this.onDatabase(async (database) => {
      wrong.push(...(await photosOf(database, s3, picked)));
      const [row] = await database.query<{ grants: number }>(
        `SELECT count(*)::integer AS grants FROM oidc_records WHERE kind = 'Grant'`,
      );
      // More: a sign-in whose answer was lost, and which was made again.
      if ((row?.grants ?? 0) < this.devices.length)
        wrong.push(`${row?.grants ?? 0} connections for ${this.devices.length} devices`);
    });
    for (const device of this.devices) wrong.push(...(await this.refreshOnce(device)));
    await this.clearAway();
    wrong.push(...(await this.onDatabase((database) => leftovers(database, s3))));
    return wrong;
  }

  /** The session that a device has in its secure storage is good: it can be refreshed, once more. */
  private async refreshOnce(device: Device): Promise<string[]> {
    const stored = readSession(device.host.storage.secrets.get(SECRET_KEYS.session) ?? null);
    if (stored.kind !== 'tokens') return [`a device has ${stored.kind} instead of tokens`];
    const { refreshToken, refreshAttempt } = stored.tokens;
    const { status, body } = await refresh(this.balancer?.baseUrl ?? '', refreshToken ?? '', {
      ...(refreshAttempt !== null && { refresh_attempt: refreshAttempt }),
    });
    return status === 200
      ? []
      : [`a session cannot be refreshed: ${status} ${JSON.stringify(body)}`];
  }

  /** Runs the cleanup of the following days. */
  private async clearAway(): Promise<void> {
    await Promise.all(this.machines.map((machine) => machine.end('SIGTERM')));
    const service = await startService({
      port: 0,
      dataDir: this.folder,
      databaseUrl: this.options.database.url,
      s3: this.options.s3,
      now: () => new Date(Date.now() + LATER_MS),
    });
    await service.purge();
    await service.close();
  }

  private async onDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const database = await openPostgresDatabase(this.options.database.url, () => undefined);
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  }

  private report(chaos: Chaos, wrong: readonly string[]): MachinesReport {
    const { balancer, devices } = this;
    const sum = (of: (device: Device) => number): number =>
      devices.reduce((total, device) => total + of(device), 0);
    const errors = new Map<string, number>();
    for (const machine of this.machines)
      for (const [message, count] of machine.errors)
        errors.set(message, (errors.get(message) ?? 0) + count);
    return {
      counts: {
        devices: devices.length,
        'codes asked for': sum(({ codes }) => codes),
        'approvals repeated': sum(({ repeatedApprovals }) => repeatedApprovals),
        refreshes: sum(({ refreshes }) => refreshes),
        'refreshes sent, repeated ones too': sum(({ refreshesSent }) => refreshesSent),
        photos: sum(({ picked }) => picked.size),
        'photos checked by their device': sum(({ checked }) => checked),
        'MB of photos': Math.round(sum(({ bytes }) => bytes) / 1e6),
        'connections reset in the middle of a request': balancer?.cuts ?? 0,
        'answers lost on their way': balancer?.lostAnswers ?? 0,
        'answers that ended half way': balancer?.broken ?? 0,
        'processes killed': chaos.kills,
        'processes ended': chaos.ends,
        'processes started': chaos.starts,
        ...Object.fromEntries(chaos.counts),
      },
      answers: balancer?.answers ?? new Map(),
      errors,
      wrong,
    };
  }
}
