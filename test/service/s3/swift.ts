import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DEBIAN_PYTHON, unpackDebian } from '../support/debian.js';
import { freePort } from '../support/free-port.js';
import { killAtExit } from '../../support/kill-at-exit.js';

const run = promisify(execFile);

/** The time limit of the start, in milliseconds; many times the duration on a busy machine. */
const START_MS = 120_000;

/** Swift reads its settings from /etc/swift, unless this is changed before its own programs run. */
const LAUNCHER = `import runpy, sys
from swift.common.utils import set_swift_dir
sys.argv = sys.argv[1:]
set_swift_dir(sys.argv.pop(0))
runpy.run_path(sys.argv[0], run_name='__main__')`;

/** Makes the rings: this server keeps everything. 2 ** 4 partitions, one replica, no wait between changes. */
const RINGS = `import sys
from swift.common.ring import RingBuilder
for kind, port in zip(sys.argv[1::2], sys.argv[2::2]):
    ring = RingBuilder(4, 1, 0)
    address = {'ip': '127.0.0.1', 'port': int(port)}
    copied = {'replication_' + name: value for name, value in address.items()}
    ring.add_dev({'region': 1, 'zone': 1, 'weight': 1, 'device': 'disk', **address, **copied})
    ring.rebalance()
    ring.get_ring().save(kind + '.ring.gz')`;

const KINDS = ['account', 'container', 'object'] as const;

/** An S3-compatible server that lives as long as a test run: OpenStack Swift with one replica of everything. */
export interface TemporarySwift {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /**
   * Takes it away: `ended` refuses connections, as a crash of what answers; `frozen` takes them and does not answer. What it
   * keeps stays.
   */
  halt(how: 'ended' | 'frozen'): Promise<void>;
  /** Brings it back at the same address. */
  resume(): Promise<void>;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

/** The folder with Debian's Swift, if it can be had. */
export function findSwift(): Promise<string | undefined> {
  return unpackDebian('debian-swift', [
    ...['swift-proxy', ...KINDS.map((kind) => `swift-${kind}`)],
    'memcached',
  ]);
}

/**
 * Starts Swift on free ports of this machine, in a temporary folder, whose file system must know extended attributes.
 * @param root folder as from {@link findSwift}.
 */
export async function startSwift(root: string): Promise<TemporarySwift> {
  const folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-swift-'));
  const swift = new Swift(root, folder);
  try {
    return await swift.start();
  } catch (error) {
    await swift.stop();
    throw error;
  }
}

class Swift {
  private readonly children: ChildProcess[] = [];
  /** The server for requests, started last. */
  private proxy: { readonly child: ChildProcess; readonly url: string } | undefined;
  private readonly environment: NodeJS.ProcessEnv;

  constructor(
    private readonly root: string,
    private readonly folder: string,
  ) {
    this.environment = {
      ...process.env,
      PYTHONPATH: path.join(root, 'usr/lib/python3/dist-packages'),
      PYTHONWARNINGS: 'ignore',
      LD_LIBRARY_PATH: path.join(root, 'usr/lib/x86_64-linux-gnu'),
    };
  }

  async start(): Promise<TemporarySwift> {
    const secretAccessKey = randomBytes(18).toString('base64url');
    const secret = randomBytes(18).toString('base64url');
    await mkdir(path.join(this.folder, 'devices/disk'), { recursive: true });
    await this.write('swift.conf', `[swift-hash]\nswift_hash_path_suffix = ${secret}\n`);
    await this.startKeepers();
    const memcachePort = await freePort();
    this.launch(path.join(this.root, 'usr/bin/memcached'), [
      ...['-l', '127.0.0.1', '-p', String(memcachePort), '-U', '0', '-u', userInfo().username],
    ]);
    const port = await freePort();
    const { folder } = this;
    await this.write('proxy.conf', proxySettings({ port, folder, memcachePort, secretAccessKey }));
    const endpoint = `http://127.0.0.1:${port}`;
    await this.startProxy(`${endpoint}/healthcheck`);
    return {
      endpoint,
      accessKeyId: 'test:tester',
      secretAccessKey,
      halt: (how) => this.halt(how),
      resume: () => this.resume(),
      stop: () => this.stop(),
    };
  }

  async stop(): Promise<void> {
    const ended = this.children
      .filter((child) => child.exitCode === null && child.signalCode === null)
      .map((child) => new Promise((resolve) => child.once('exit', resolve)));
    for (const child of this.children) child.kill('SIGKILL');
    await Promise.all(ended);
    await rm(this.folder, { recursive: true, force: true });
  }

  private async startProxy(url: string): Promise<void> {
    this.proxy = { child: this.launchServer('proxy'), url };
    await this.expectAnswer(url);
  }

  private async halt(how: 'ended' | 'frozen'): Promise<void> {
    const { proxy } = this;
    if (proxy === undefined) return;
    if (how === 'frozen') {
      proxy.child.kill('SIGSTOP');
      return;
    }
    const ended = new Promise((resolve) => proxy.child.once('exit', resolve));
    proxy.child.kill('SIGKILL');
    await ended;
    this.children.splice(this.children.indexOf(proxy.child), 1);
  }

  private async resume(): Promise<void> {
    const { proxy } = this;
    if (proxy === undefined) return;
    if (proxy.child.signalCode === null) proxy.child.kill('SIGCONT');
    else await this.startProxy(proxy.url);
  }

  /** The storage servers, and the rings with them. */
  private async startKeepers(): Promise<void> {
    const keepers: (readonly [string, number])[] = [];
    for (const kind of KINDS) keepers.push([kind, await freePort()]);
    await run(DEBIAN_PYTHON, ['-c', RINGS, ...keepers.flat().map(String)], {
      cwd: this.folder,
      env: this.environment,
    });
    for (const [kind, port] of keepers) {
      await this.write(`${kind}.conf`, keeperSettings(kind, port, this.folder));
      this.launchServer(kind);
    }
  }

  private launchServer(kind: string): ChildProcess {
    const settings = path.join(this.folder, `${kind}.conf`);
    return this.launch(DEBIAN_PYTHON, this.program(`swift-${kind}-server`, settings));
  }

  private program(name: string, ...args: string[]): string[] {
    return ['-c', LAUNCHER, this.folder, path.join(this.root, 'usr/bin', name), ...args];
  }

  private launch(command: string, args: readonly string[]): ChildProcess {
    const log = openSync(path.join(this.folder, 'log'), 'a', 0o600);
    const child = spawn(command, args, {
      cwd: this.folder,
      env: this.environment,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    // A server that cannot be started does not respond, which is reported.
    child.once('error', () => undefined);
    this.children.push(child);
    killAtExit(child);
    return child;
  }

  private async expectAnswer(url: string): Promise<void> {
    const deadline = performance.now() + START_MS;
    for (;;) {
      const answer = await fetch(url).catch(() => undefined);
      if (answer?.ok === true) return;
      if (this.children.some((child) => child.exitCode !== null))
        throw new Error(`a process of Swift ended as it started: ${await this.lastWords()}`);
      if (performance.now() > deadline) throw new Error('Swift did not answer in time');
      await sleep(100);
    }
  }

  private async lastWords(): Promise<string> {
    return (await readFile(path.join(this.folder, 'log'), 'utf8')).trim().slice(-500);
  }

  private async write(name: string, text: string): Promise<void> {
    await writeFile(path.join(this.folder, name), text, { mode: 0o600 });
  }
}

/** The common settings of all servers, with long timeouts for slow machines. */
function common(port: number, folder: string): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${folder}
log_level = ERROR
`;
}

function keeperSettings(kind: string, port: number, folder: string): string {
  return `${common(port, folder)}
devices = ${path.join(folder, 'devices')}
mount_check = false
# Lists of objects are told before a change is answered, as S3 has it.
container_update_timeout = 60
conn_timeout = 30
node_timeout = 60
[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
`;
}

function proxySettings(settings: {
  port: number;
  folder: string;
  memcachePort: number;
  secretAccessKey: string;
}): string {
  return `${common(settings.port, settings.folder)}
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats s3api tempauth slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
conn_timeout = 30
node_timeout = 60
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${settings.memcachePort}
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
max_upload_part_num = 10000
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = ${settings.secretAccessKey} .admin
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
`;
}
