import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { approveDevice } from '../service/support/browser-client.js';
import { buildPlugin } from '../../scripts/kept-build.js';
import { seededRandom } from '../support/seeded-random.js';
import { ChaosProxy, type Fate } from './chaos-proxy.js';
import type { Batch } from './messages.js';
import { keyOf, writePhotos, type CrashPhoto } from './photos.js';
import { readPluginStorage, type StoredPhoto } from './plugin-storage.js';
import {
  layDatabase,
  PROJECTS,
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
  /** Files; with `projects`, a third are later versions of others. */
  readonly photos: number;
  /** Whether photos go to projects and replace earlier versions, where the service has these. */
  readonly projects: boolean;
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
  /** Queued photos whose project was changed, as the plugin has stored it. */
  readonly moves: number;
  /** Answers that photos replace earlier versions. */
  readonly replaced: number;
  readonly cuts: number;
  readonly lostAnswers: number;
  readonly bytes: number;
}

/** How long a killed holder of the refresh lease may keep the next copy waiting, and a little more. Milliseconds. */
const MAX_SILENCE_MS = 45_000;
/** How long a life tries to change the project of a photo, on a network that is slow for so long. Milliseconds. */
const MAX_MOVE_MS = 10_000;
const SLOW_BYTES_PER_SECOND = 300_000;
/** What the built plugin requests, and what it requests here. */
const SCOPES = ['"uploads:write"', '"uploads:write projects:write"'] as const;
/** How much of the time that all photos take falls to each kill, on a network that is busy all the time. */
const UPLOAD_SECONDS_PER_KILL = 1;

/**
 * Uploads photos through a bad network to a service that is restarted now and then. The process that runs the plugin is
 * killed at random instants and started again on the same storage. The photos go to projects, which are changed while
 * some of them wait, and some are later versions of others.
 * @throws Error as soon as a photo is lost, duplicated, changed or in a wrong place, naming the seed
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
  private photos: readonly CrashPhoto[] = [];
  private spare: PluginProcess | null = null;
  private readonly alive = new Set<PluginProcess>();
  /** Keys of photos that were found safe after a kill: from then on they must never vanish. */
  private readonly safe = new Set<string>();
  /** By the keys of photos, the names of the projects that they may go to. There are two only after an unclear change. */
  private readonly wanted = new Map<string, readonly (string | null)[]>();
  /** Keys of photos whose project was changed: an upload to the one before may be left behind, unfinished. */
  private readonly moved = new Set<string>();
  private moves = 0;
  private replaced = 0;
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
    const sizes: number[] = [];
    for (let number = 1; number <= photos; number += 1) {
      // Smaller files need a confirmation.
      const size = number <= 2 ? largest / number : 3 + this.random() ** 3 * 600_000;
      sizes.push(Math.floor(size));
    }
    const versions = this.hasProjects ? Math.floor(photos / 3) : 0;
    [this.photos] = await Promise.all([
      writePhotos(join(this.folder, 'photos'), sizes, versions),
      this.build(),
      this.startService(),
    ]);
    // So slow that there is something left to send at each kill.
    this.proxy.bytesPerSecond = this.bytesPerSecond;
  }

  private async build(): Promise<void> {
    await buildPlugin(this.baseUrl, this.dist);
    const script = join(this.dist, 'main.js');
    const text = await readFile(script, 'utf8');
    if (!text.includes(SCOPES[0])) throw new Error('the built plugin requests other scopes');
    await writeFile(script, text.replaceAll(...SCOPES));
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
      moves: this.moves,
      replaced: this.replaced,
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

  private get hasProjects(): boolean {
    return this.options.projects && this.options.service === 'ours';
  }

  private get bytesPerSecond(): number {
    return this.totalBytes / (this.options.kills * UPLOAD_SECONDS_PER_KILL);
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
    this.add(plugin, missing);
    const moves = this.hasProjects && (this.moves === 0 || this.random() < 0.3);
    if (soon && missing.length > 0)
      await this.until(() => this.readQueue().size > 0, MAX_SILENCE_MS);
    if (moves) await this.move(plugin);
    if (!soon || missing.length === 0) await this.untilKill(plugin, missing.length > 0);
    await plugin.kill();
    this.alive.delete(plugin);
  }

  /** Adds photos, each batch to a project that is chosen at random. */
  private add(plugin: PluginProcess, photos: readonly CrashPhoto[]): void {
    if (photos.length === 0) return;
    const groups = new Map<string | null, CrashPhoto[]>();
    const [forNew, forVersions] = [this.anyProject(), this.anyProject()];
    for (const photo of photos) {
      const { earlier, hasDocument } = photo;
      const [place = null] = this.wanted.get(earlier?.key ?? '') ?? [];
      // The same name in another project would be another photo.
      const project = earlier === null ? forNew : hasDocument ? forVersions : place;
      this.wanted.set(photo.key, [project]);
      groups.set(project, [...(groups.get(project) ?? []), photo]);
    }
    const batches = [...groups].map(([project, group]): Batch => ({
      paths: group.map(({ path }) => path),
      ...(this.hasProjects && { project }),
    }));
    plugin.tell({ kind: 'add', batches });
  }

  private anyProject(): string | null {
    return [null, ...PROJECTS][Math.floor(this.random() * (PROJECTS.length + 1))] ?? null;
  }

  /** Changes the project of a photo that waits, and kills the plugin at once or when the change is stored. */
  private async move(plugin: PluginProcess): Promise<void> {
    const { proxy } = this;
    if (!proxy) return;
    proxy.bytesPerSecond = SLOW_BYTES_PER_SECOND;
    const isPatient = this.moves === 0 || this.random() < 0.5;
    const project = PROJECTS[this.random() < 0.5 ? 0 : 1];
    try {
      const added = this.photos.filter(({ key }) => this.wanted.has(key));
      // In another project, a version by its name would be another photo.
      const fixed = added.filter(({ earlier, hasDocument }) => earlier !== null && !hasDocument);
      const names = added
        .filter(({ key }) => this.wanted.get(key)?.includes(project) === false)
        .map(({ name }) => name)
        .filter((name) => fixed.every((one) => one.name !== name));
      plugin.tell({ kind: 'move', names, project });
      await this.until(() => plugin.moved !== null, MAX_MOVE_MS);
      const { moved } = plugin;
      if (!moved) return;
      const isMoved = ({ name, project: now }: StoredPhoto): boolean =>
        name === moved.name && now === project;
      for (const { key, name } of this.photos) {
        const places = this.wanted.get(key);
        // Two versions of one name may wait.
        if (name === moved.name && places) {
          this.wanted.set(key, [...new Set([...places, project])]);
          this.moved.add(key);
        }
      }
      if (isPatient) await this.until(() => [...this.readQueue().values()].some(isMoved), 2_000);
      if ([...this.readQueue().values()].some(isMoved)) this.moves += 1;
    } finally {
      proxy.bytesPerSecond = this.bytesPerSecond;
    }
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
        MAX_SILENCE_MS,
      );
      await delay(this.random() * 40);
    }
    this.throwTrouble();
  }

  private async lastLife(): Promise<void> {
    let missing = await this.check(this.photos.length);
    if (this.proxy) this.proxy.bytesPerSecond = Infinity;
    const plugin = await this.open({ isLast: true });
    let adds = missing.length > 0;
    this.add(plugin, missing);
    let busyAt = Date.now();
    for (;;) {
      await delay(100);
      this.throwTrouble();
      const { queued, copies } = readPluginStorage(this.storageDir);
      if (queued.size > 0 || copies.length > 0 || (adds && !plugin.hasPicked)) busyAt = Date.now();
      // What was picked just now may be nowhere in the storage yet.
      if (Date.now() - busyAt > 1_000) {
        missing = await this.check(this.photos.length);
        const { length } = this.photos;
        if (missing.length === 0 && this.safe.size === length) break;
        adds = missing.length > 0;
        plugin.hasPicked = false;
        this.add(plugin, missing);
      }
      if (Date.now() > this.deadline)
        throw new Error(`not done in time; still queued: ${JSON.stringify([...queued.values()])}`);
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

  /**
   * Looks for losses and wrong projects, and gives the photos that are due and not safe yet. A user does not pick photos
   * again that the plugin shows as being added.
   */
  private async check(due: number): Promise<CrashPhoto[]> {
    // The plugin's storage first: a photo leaves it only after it has arrived.
    const stored = readPluginStorage(this.storageDir);
    const queued = [...stored.queued.values()];
    const finished = (await this.arrivals()).filter(({ isFinished }) => isFinished);
    const here = new Set(queued.map(keyOf));
    const there = new Set(finished.map(keyOf));
    if (here.size !== queued.length) throw new Error(`queued twice: ${[...here].join(', ')}`);
    for (const key of this.safe) {
      if (!here.has(key) && !there.has(key)) throw new Error(`${key} is lost`);
    }
    for (const key of [...here, ...there]) this.safe.add(key);
    if (here.size > 0) this.killsWithWork += 1;
    if (this.hasProjects) this.checkProjects(queued, finished);
    return this.photos.slice(0, due).filter(({ key, name, earlier, hasDocument }) => {
      const isDue =
        earlier === null ||
        // A version by its name is recognized after the earlier one has arrived.
        (hasDocument
          ? this.safe.has(earlier.key)
          : there.has(earlier.key) && !here.has(earlier.key));
      return isDue && !this.safe.has(key) && !stored.continuing.has(name);
    });
  }

  /** A photo has one of the projects that it may have, and no other from now on. */
  private checkProjects(queued: readonly StoredPhoto[], finished: readonly Arrival[]): void {
    // A later version may have taken its photo to its own project.
    const single = finished.filter(
      ({ photo }) => finished.filter((other) => other.photo === photo).length === 1,
    );
    for (const photo of [...single, ...queued]) {
      const key = keyOf(photo);
      const wanted = this.wanted.get(key) ?? [];
      if (!wanted.includes(photo.project))
        throw new Error(`${key} goes to ${photo.project}, not to ${wanted.join(' or ')}`);
      this.wanted.set(key, [photo.project]);
    }
  }

  private checkEnd(arrivals: readonly Arrival[]): void {
    const finished = arrivals.filter(({ isFinished }) => isFinished);
    const found = finished.map(({ name, sha256 }) => `${name} ${sha256 ?? ''}`).sort();
    const wanted = this.photos.map(({ name, sha256 }) => `${name} ${sha256}`).sort();
    if (found.join('\n') !== wanted.join('\n'))
      throw new Error(`arrived:\n${found.join('\n')}\nwanted:\n${wanted.join('\n')}`);
    const ids = new Set(arrivals.map(({ clientUploadId }) => clientUploadId));
    const abandoned = arrivals.filter((one) => !one.isFinished && !this.moved.has(keyOf(one)));
    if (ids.size !== arrivals.length || abandoned.length > 0)
      throw new Error(`${arrivals.length} uploads with ${ids.size} client_upload_ids`);
    const byKey = new Map(finished.map((arrival) => [keyOf(arrival), arrival]));
    try {
      for (const photo of this.photos) this.checkPlace(photo, byKey);
    } catch (error) {
      const details = {
        photos: finished,
        wanted: [...this.wanted],
      };
      throw new Error(JSON.stringify(details, null, 1), { cause: error });
    }
  }

  /** Whether a photo is in its project, and a version belongs to its photo, with the newest as the current one. */
  private checkPlace({ key, earlier }: CrashPhoto, arrivals: ReadonlyMap<string, Arrival>): void {
    const arrival = arrivals.get(key);
    const later = this.photos.find((photo) => photo.earlier?.key === key);
    const first = earlier ? arrivals.get(earlier.key) : arrival;
    if (arrival?.photo !== first?.photo) throw new Error(`${key} is another photo`);
    if (arrival?.isCurrent === (later !== undefined))
      throw new Error(`${key} is ${later ? '' : 'not '}the current version`);
    if (!this.hasProjects || later) return;
    const own = this.wanted.get(key) ?? [];
    const before = this.wanted.get(earlier?.key ?? '') ?? [];
    // A version without a project stays where its photo was.
    const wanted = own.includes(null) ? [...own, ...before] : own;
    const mayBeNull = earlier === null || before.includes(null);
    const project = arrival?.project ?? null;
    if (!wanted.includes(project) || (project === null && !mayBeNull))
      throw new Error(`${key} is in ${project}, not in ${wanted.join(' or ')}`);
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
      onReplaced: () => {
        this.replaced += 1;
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

  private readQueue(): ReadonlyMap<string, StoredPhoto> {
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
