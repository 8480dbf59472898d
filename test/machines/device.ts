import { setTimeout as sleep } from 'node:timers/promises';
import { hostClock } from '../../src/host/system.js';
import { createPlugin } from '../../src/plugin.js';
import type { Plugin } from '../../src/plugin.js';
import { createClient } from '../../src/config.js';
import { approveDevice, TestBrowser } from '../service/support/browser-client.js';
import type { SignIn } from '../service/support/browser-client.js';
import { photo, sha256 } from '../service/support/tus-client.js';
import { asJpeg } from '../support/jpeg.js';
import { createMemoryHost, memoryPhoto } from '../support/memory-host.js';
import type { MemoryHost } from '../support/memory-host.js';
import { NodeXhr } from '../support/node-xhr.js';
import { seededRandom } from '../support/seeded-random.js';

/** Small, so that most photos take several requests, and parts that are too small for the storage have to wait. */
const CHUNK_BYTES = 1024 * 1024;

/** How long the plugin may take to learn that it was approved, before the user looks again. */
const APPROVED_MS = 8000;

export interface DeviceOptions {
  readonly baseUrl: string;
  readonly number: number;
  readonly user: SignIn;
  readonly seed: number;
}

/** The plugin as it is, but its panel, with a user who connects it and picks photos. */
export class Device {
  /** SHA-256 of every photo that was picked, by its name. */
  readonly picked = new Map<string, string>();
  bytes = 0;
  /** Requested codes, and how often the user had to start again in the browser. */
  codes = 0;
  repeatedApprovals = 0;
  /** Refreshes that went out, repeated ones among them, and those that were answered with tokens. */
  refreshesSent = 0;
  refreshes = 0;
  /** Violations of the invariants. */
  readonly wrong: string[] = [];

  readonly host: MemoryHost;
  private readonly plugin: Plugin;
  private readonly random: () => number;

  constructor(private readonly options: DeviceOptions) {
    const { baseUrl, seed } = options;
    this.random = seededRandom(seed);
    this.host = createMemoryHost({ clock: hostClock, seed, createXhr: () => this.createXhr() });
    this.plugin = createPlugin(this.host, {
      client: createClient(baseUrl, 'creative-workspace-plugin', 'uploads:write'),
      pluginVersion: '0.0.0',
      concurrency: 3,
      smallConcurrency: 3,
      chunkBytes: CHUNK_BYTES,
    });
    const { session } = this.plugin.panel.state;
    session.subscribe?.(() => {
      if (session.get().kind === 'reconnect-needed')
        this.wrong.push(`${this.name}: its session has ended`);
    });
  }

  /** Whether the plugin considers every picked photo as uploaded. */
  get isDone(): boolean {
    const { uploaded, failed } = this.plugin.panel.state.summary.get();
    return failed === 0 && uploaded === this.picked.size;
  }

  get isConnected(): boolean {
    return this.plugin.panel.state.session.get().kind === 'signed-in';
  }

  /** The state in one line. */
  get standing(): string {
    const { state: stores } = this.plugin.panel;
    const { waiting, uploading, uploaded, failed } = stores.summary.get();
    const counts = `${waiting} waiting, ${uploading} uploading, ${uploaded} uploaded, ${failed} failed`;
    const queue = stores.queue.get();
    const trouble = queue.kind === 'waiting' ? queue.error.message : 'closed';
    const failures = stores.photos
      .get()
      .flatMap(({ record }) => (record.failure === null ? [] : [record.failure]));
    return `${this.name}: ${stores.session.get().kind}, ${counts}, ${trouble} ${failures.join(' ')}`;
  }

  /** Uploaded photos whose digest the plugin has verified. */
  get checked(): number {
    return this.plugin.panel.state.delivered.get().filter(({ hasMatchingCrc }) => hasMatchingCrc)
      .length;
  }

  private get name(): string {
    return `device ${String(this.options.number).padStart(2, '0')}`;
  }

  async open(): Promise<void> {
    await this.plugin.restore();
  }

  /** Connects, with any number of attempts. */
  async connect(): Promise<void> {
    const { panel, signIn } = this.plugin;
    let tried = { code: '', at: 0 };
    while (!this.isConnected) {
      const state = panel.state.signIn.get();
      if (state.kind === 'idle' || state.kind === 'ended') {
        this.codes += 1;
        signIn.start();
      }
      // A user who has approved waits before the next attempt.
      if (
        state.kind === 'code' &&
        (state.userCode !== tried.code || Date.now() - tried.at > APPROVED_MS)
      ) {
        if (state.userCode === tried.code) this.repeatedApprovals += 1;
        await this.approve(state.userCode);
        tried = { code: state.userCode, at: Date.now() };
      }
      await sleep(100);
    }
  }

  /** Picks photos, a few at a time, after the previous ones were uploaded. */
  async work(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      this.pick(1 + Math.floor(this.random() * 2));
      await this.plugin.panel.context.actions.addPhotos();
      while (!isOver() && !this.isDone) await sleep(100);
      await sleep(this.random() * 3000);
    }
  }

  /** Requests as they are, of which refreshes are counted. */
  private createXhr(): NodeXhr {
    const xhr = new NodeXhr();
    const send = xhr.send.bind(xhr);
    xhr.send = (body) => {
      if (typeof body === 'string' && body.includes('grant_type=refresh_token')) {
        this.refreshesSent += 1;
        const { onload } = xhr;
        xhr.onload = () => {
          if (xhr.status === 200) this.refreshes += 1;
          onload?.();
        };
      }
      send(body);
    };
    return xhr;
  }

  private pick(count: number): void {
    for (let left = count; left > 0; left -= 1) {
      const number = this.picked.size;
      const name = `${this.name} photo ${String(number).padStart(3, '0')}.jpg`;
      const bytes = asJpeg(photo(this.size(), this.options.seed + number));
      this.picked.set(name, sha256(bytes));
      this.bytes += bytes.length;
      this.host.picks.push(memoryPhoto(this.host.storage, name, bytes));
    }
  }

  /** Most are small; some have several parts in the storage. */
  private size(): number {
    const kind = this.random();
    if (kind < 0.75) return Math.floor(20_000 + this.random() * 300_000);
    return Math.floor(kind < 0.95 ? 1e6 + this.random() * 2e6 : 6e6 + this.random() * 6e6);
  }

  /** The user's actions in the browser. The plugin learns the outcome by polling. */
  private async approve(userCode: string): Promise<void> {
    const { baseUrl, user } = this.options;
    await approveDevice(baseUrl, userCode, user, new TestBrowser(baseUrl)).catch(() => undefined);
  }
}
