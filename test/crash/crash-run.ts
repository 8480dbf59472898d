import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeFiles, type TestFile } from '../flows/files.js';
import { approveDevice } from '../service/support/browser-client.js';
import { buildPlugin } from '../../scripts/kept-build.js';
import { seededRandom } from '../support/seeded-random.js';
import { ChaosProxy, type Fate } from './chaos-proxy.js';
import { readPluginStorage } from './plugin-storage.js';
import {
  layDatabase,
  startCrashService,
  type Arrival,
  type CrashDatabase,
  type CrashService,
  type ServiceKind,
} from './services.js';
import { PluginProcess } from './plugin-child.js';

export interface CrashRunOptions {
  readonly service: ServiceKind;
  readonly seed: number;
  /** How often the process that runs the plugin is killed. */
  readonly kills: number;
  readonly photos: number;
  /** Bytes of the largest photo; more than 8 MiB makes it several chunks. */
  readonly largest: number;
  readonly accessTokenSeconds: number;
  /** The service is restarted after this many kills, again and again. */
  readonly restartEvery: number;
  /** Time limit in milliseconds. */
  readonly limitMs: number;
  readonly log?: (line: string) => void;
}

export interface CrashReport {
  readonly seconds: number;
  readonly kills: number;
  /** Kills while some queued photos were not uploaded yet. */
  readonly killsWithWork: number;
  readonly serviceRestarts: number;
  readonly signIns: number;
  readonly cuts: number;
  readonly lostAnswers: number;
  readonly bytes: number;
}

/** How long a killed holder of the refresh lease may keep the next copy waiting, and a little more. Milliseconds. */
const LONGEST_SILENCE_MS = 45_000;
/** How much of the time that all photos take falls to each kill, on a network that is busy all the time. */
const UPLOAD_SECONDS_PER_KILL = 1;

/**
 * Uploads photos through a bad network to a service that is restarted now and then. The process that runs the plugin is
 * killed at random instants and started again on the same storage.
 * @throws Error as soon as a photo is lost, duplicated or changed, naming the seed
 */
export async function crashRun(options: CrashRunOptions): Promise<CrashReport> {
  const run = new CrashRun(options);
  try {
    await run.prepare();
    return await run.go();
  } catch (error) {
    const { service, seed, kills } = options;
    throw new Error(`crash run (${service}) with seed ${seed} and ${kills} kills failed`, {
      cause: error,
    });
  } finally {
    await run.dispose();
  }
}

class CrashRun {
  private readonly random: () => number;
  private readonly deadline: number;
  private readonly started = Date.now();
  private folder = '';
  private database: CrashDatabase | null = null;
  private service: CrashService | null = null;
  private servicePort = 0;
  private proxy: ChaosProxy | null = null;
  private photos: TestFile[] = [];
  private spare: PluginProcess | null = null;
  private readonly alive = new Set<PluginProcess>();
  /** Names of photos that were found safe after a kill: from then on they must never vanish. */
  private readonly safe = new Set<string>();
  private readonly approving = new Set<string>();
  private signIns = 0;
  private serviceRestarts = 0;
  private killsWithWork = 0;
  private trouble: Error | null = null;
  /** While a user signs in, new connections are good ones. */
  private isCalm = false;

  constructor(private readonly options: CrashRunOptions) {
    this.random = seededRandom(options.seed);
    this.deadline = Date.now() + options.limitMs;
  }

  async prepare(): Promise<void> {
    const { photos, largest } = this.options;
    this.folder = await mkdtemp(join(tmpdir(), 'crash-'));
    this.database = await layDatabase(this.options.service, this.folder);
    this.proxy = await ChaosProxy.start({
      targetPort: () => this.servicePort,
      fate: () => this.fate(),
    });
    const photoDir = join(this.folder, 'photos');
    await mkdir(photoDir);
    const sizes: Record<string, number> = {};
    for (let number = 1; number <= photos; number += 1) {
      // Smaller files need a confirmation.
      const size = number <= 2 ? largest / number : 3 + this.random() ** 3 * 600_000;
      sizes[`IMG_${String(number).padStart(4, '0')}.jpg`] = Math.floor(size);
    }
    [this.photos] = await Promise.all([
      writeFiles(photoDir, sizes),
      buildPlugin(this.baseUrl, this.dist),
      this.startService(),
    ]);
    // So slow that there is something left to send at each kill.
    this.proxy.bytesPerSecond = this.totalBytes / (this.options.kills * UPLOAD_SECONDS_PER_KILL);
  }

  async go(): Promise<CrashReport> {
    const { kills, restartEvery, log = () => undefined } = this.options;
    for (let kill = 0; kill < kills; kill += 1) {
      // Photos are handed over bit by bit, so that there is work up to the end.
      const due = Math.ceil(((kill + 1) / kills) * this.photos.length);
      await this.life(due, this.killsWithWork <= kill / 3);
      if ((kill + 1) % 10 === 0)
        log(`${kill + 1} kills, ${this.safe.size} photos queued, ${this.seconds} s`);
      if ((kill + 1) % restartEvery === 0) await this.restartService();
    }
    await this.lastLife();
    const { proxy } = this;
    return {
      seconds: this.seconds,
      kills,
      killsWithWork: this.killsWithWork,
      serviceRestarts: this.serviceRestarts,
      signIns: this.signIns,
      cuts: proxy?.cuts ?? 0,
      lostAnswers: proxy?.lostAnswers ?? 0,
      bytes: this.totalBytes,
    };
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.alive].map((plugin) => plugin.kill()));
    await this.proxy?.close();
    await this.service?.close();
    await this.database?.dispose();
    await rm(this.folder, { recursive: true, force: true });
  }

  private get baseUrl(): string {
    return `http://localhost:${this.proxy?.port ?? 0}`;
  }

  private get dist(): string {
    return join(this.folder, 'dist');
  }

  private get storageDir(): string {
    return join(this.folder, 'storage');
  }

  private get totalBytes(): number {
    return this.photos.reduce((sum, { size }) => sum + size, 0);
  }

  private get seconds(): number {
    return Math.round((Date.now() - this.started) / 1000);
  }

  /** Opens the plugin, adds what is due, and kills it; with `soon`, while what was added waits to be sent. */
  private async life(due: number, soon: boolean): Promise<void> {
    const missing = await this.check(due);
    const plugin = await this.open();
    if (missing.length > 0) plugin.tell({ kind: 'add', paths: missing });
    if (soon && missing.length > 0)
      await this.until(() => this.readQueue().size > 0, LONGEST_SILENCE_MS);
    else await this.untilKill(plugin, missing.length > 0);
    await plugin.kill();
    this.alive.delete(plugin);
  }

  /** Chooses an instant: soon after the start, while photos are added, or after some more traffic. */
  private async untilKill(plugin: PluginProcess, adds: boolean): Promise<void> {
    const choice = this.random();
    if (choice < 0.1) {
      await delay(this.random() * 300);
    } else if (choice < 0.3) {
      await this.until(() => plugin.hasPicked || !adds, 3_000);
      await delay(this.random() * 150);
    } else {
      // Half of its share on average: the last photos arrive only after the last kill.
      const wanted = (this.random() * this.totalBytes) / this.options.kills;
      const from = this.proxy?.bytesSent ?? 0;
      // There will be no more traffic when everything picked has been copied and has arrived.
      let busyAt = Date.now();
      const isIdle = (): boolean => {
        const { queued, copies } = readPluginStorage(this.storageDir);
        const isBusy = (adds && !plugin.hasPicked) || queued.size + copies.length > 0;
        if (isBusy) busyAt = Date.now();
        return Date.now() - busyAt > 1_000;
      };
      await this.until(
        () => (this.proxy?.bytesSent ?? 0) - from > wanted || isIdle(),
        LONGEST_SILENCE_MS,
      );
      await delay(this.random() * 40);
    }
    this.throwTrouble();
  }

  private async lastLife(): Promise<void> {
    let missing = await this.check(this.photos.length);
    if (this.proxy) this.proxy.bytesPerSecond = Infinity;
    const plugin = await this.open({ isLast: true });
    if (missing.length > 0) plugin.tell({ kind: 'add', paths: missing });
    for (;;) {
      await delay(100);
      this.throwTrouble();
      const { queued, copies } = readPluginStorage(this.storageDir);
      if (queued.size === 0 && copies.length === 0) {
        missing = await this.check(this.photos.length);
        if (missing.length === 0) break;
      }
      if (Date.now() > this.deadline)
        throw new Error(`not done in time; still queued: ${[...queued.values()].join(', ')}`);
    }
    await plugin.kill();
    this.alive.delete(plugin);
    this.checkEnd(await this.arrivals());
  }

  private fate(): Fate {
    const luck = this.random();
    if (this.isCalm) return { kind: 'good' };
    const { cuts = 0, lostAnswers = 0 } = this.proxy ?? {};
    // A short run has few connections: while photos are queued, the next one is bad until there was one of each kind.
    if (this.safe.size > 0 && cuts === 0) return { kind: 'cut', afterBytes: 0 };
    if (this.safe.size > 0 && lostAnswers === 0) return { kind: 'answer lost', afterBytes: 0 };
    if (luck < 0.75) return { kind: 'good' };
    // Small requests and the first bytes of large ones are the likeliest places, as in life.
    const afterBytes = Math.floor(this.random() ** 5 * 3_000_000);
    return { kind: luck < 0.875 ? 'cut' : 'answer lost', afterBytes };
  }

  /** Looks for losses, and gives the photos that are due and not safe yet. */
  private async check(due: number): Promise<string[]> {
    // The plugin's storage first: a photo leaves it only after it has arrived.
    const { queued } = readPluginStorage(this.storageDir);
    const names = [...queued.values()];
    const arrivals = await this.arrivals();
    const here = new Set(names);
    if (here.size !== names.length) throw new Error(`queued twice: ${names.sort().join(', ')}`);
    const there = new Set(arrivals.filter(({ isFinished }) => isFinished).map(({ name }) => name));
    for (const name of this.safe) {
      if (!here.has(name) && !there.has(name)) throw new Error(`${name} is lost`);
    }
    for (const name of [...here, ...there]) this.safe.add(name);
    if (here.size > 0) this.killsWithWork += 1;
    return this.photos
      .slice(0, due)
      .filter(({ name }) => !this.safe.has(name))
      .map(({ path }) => path);
  }

  private checkEnd(arrivals: readonly Arrival[]): void {
    const found = arrivals
      .filter(({ isFinished }) => isFinished)
      .map(({ name, sha256 }) => `${name} ${sha256 ?? ''}`)
      .sort();
    const wanted = this.photos.map(({ name, sha256 }) => `${name} ${sha256}`).sort();
    if (found.join('\n') !== wanted.join('\n'))
      throw new Error(`arrived:\n${found.join('\n')}\nwanted:\n${wanted.join('\n')}`);
    const ids = new Set(arrivals.map(({ clientUploadId }) => clientUploadId));
    if (ids.size !== arrivals.length || arrivals.length !== this.photos.length)
      throw new Error(`${arrivals.length} uploads with ${ids.size} client_upload_ids`);
  }

  private async arrivals(): Promise<Arrival[]> {
    if (!this.service) throw new Error('the service is down');
    return this.service.arrivals();
  }

  /** A process that has loaded everything waits already: opening takes a moment only. */
  private async open({ isLast = false } = {}): Promise<PluginProcess> {
    const plugin = this.spare ?? this.spawn();
    this.spare = isLast ? null : this.spawn();
    await this.until(() => plugin.isReady, 60_000);
    plugin.tell({ kind: 'open', dist: this.dist, storageDir: this.storageDir });
    return plugin;
  }

  private spawn(): PluginProcess {
    const plugin = new PluginProcess({
      onCode: (userCode) => {
        this.approve(userCode);
      },
      onError: (text) => {
        this.trouble ??= new Error(`the plugin: ${text}`);
      },
    });
    this.alive.add(plugin);
    return plugin;
  }

  /** The user at the browser. */
  private approve(userCode: string): void {
    const { service } = this;
    if (!service || this.approving.has(userCode)) return;
    this.approving.add(userCode);
    this.isCalm = true;
    approveDevice(this.baseUrl, userCode, service.demo)
      .then(
        () => {
          this.signIns += 1;
        },
        () => {
          // The service was restarted in the middle: the user tries again.
          this.approving.delete(userCode);
          if (this.alive.size > 0) setTimeout(() => this.approve(userCode), 500);
        },
      )
      .finally(() => {
        this.isCalm = false;
      });
  }

  private readQueue(): ReadonlyMap<string, string> {
    return readPluginStorage(this.storageDir).queued;
  }

  private async startService(): Promise<void> {
    const { accessTokenSeconds } = this.options;
    if (!this.database) throw new Error('there is no database');
    this.service = await startCrashService(this.options.service, {
      folder: this.folder,
      database: this.database,
      port: this.servicePort,
      baseUrl: this.baseUrl,
      accessTokenSeconds,
    });
    this.servicePort = this.service.port;
  }

  private async restartService(): Promise<void> {
    this.serviceRestarts += 1;
    const { service } = this;
    this.service = null;
    await service?.close();
    await this.startService();
  }

  private async until(condition: () => boolean, limitMs: number): Promise<void> {
    const limit = Math.min(Date.now() + limitMs, this.deadline);
    while (!condition() && Date.now() < limit) {
      this.throwTrouble();
      await delay(10);
    }
    if (Date.now() > this.deadline) throw new Error('the run takes too long');
  }

  private throwTrouble(): void {
    if (this.trouble) throw this.trouble;
  }
}
