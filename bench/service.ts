import autocannon from 'autocannon';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startDevice, CLIENT_ID, DEVICE_GRANT } from '../test/service/client.js';
import { makeDatabaseUrl } from '../test/service/postgres/databases.js';
import { findPostgres, startPostgres } from '../test/service/postgres/server.js';
import type { BenchOptions } from './options.js';
import { report, versionOf } from './report.js';
import { startServiceProcess, type ServiceProcess } from '../test/service/service-process.js';
import { quantile } from './statistics.js';

const CONNECTIONS = 16;
const DEVICES_PER_CONNECTION = 40;

interface Measured {
  readonly setting: string;
  readonly load: string;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly answers: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** Requests per second of the service for token refresh and for device polling. */
export async function service(options: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const seconds = options.scale === 'small' ? 2 : 8;
  const folder = await mkdtemp(join(tmpdir(), 'bench-service-'));
  const measured: Measured[] = [];
  const notes = [
    `${CONNECTIONS} connections, one request at a time on each, ${seconds} s each; the load generator, the service and the database share the machine.`,
    'A refresh uses the refresh token of the answer before (they rotate). Each device code is polled in turn with others; a poll that comes before its interval is answered slow_down, which costs the service the same work.',
  ];
  try {
    await measureSetting('embedded database, 1 process', [{ dataDir: join(folder, 'embedded') }]);
    const programs = await findPostgres();
    if (programs === undefined) {
      notes.push('PostgreSQL is not installed: two processes were not measured.');
    } else {
      const postgres = await startPostgres(programs);
      try {
        for (const count of [1, 2]) {
          const databaseUrl = await makeDatabaseUrl(postgres.url);
          const processes = Array.from({ length: count }, (_, index) => ({
            dataDir: join(folder, `postgres-${count}-${index}`),
            databaseUrl,
          }));
          await measureSetting(`PostgreSQL, ${count} process${count > 1 ? 'es' : ''}`, processes);
        }
      } finally {
        await postgres.stop();
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }

  async function measureSetting(
    setting: string,
    processes: readonly Parameters<typeof startServiceProcess>[0][],
  ): Promise<void> {
    const running: ServiceProcess[] = [];
    try {
      for (const one of processes) {
        const first = running[0]?.ownUrl;
        running.push(
          await startServiceProcess(first === undefined ? one : { ...one, baseUrl: first }),
        );
      }
      for (const [load, prepare] of Object.entries(LOADS)) {
        const clients = await prepareClients(running, prepare);
        measured.push({ setting, load, ...(await run(running, clients, seconds)) });
        console.log(`${setting}, ${load}: ${measured.at(-1)?.perSecond.toFixed(0) ?? ''}/s`);
      }
    } finally {
      for (const one of running) {
        await one.stop();
      }
    }
  }

  report(
    {
      part: 'service',
      tables: [
        {
          title: 'Requests per second',
          columns: ['Setting', 'Load', 'Requests/s', 'p50, ms', 'p99, ms'],
          rows: measured.map((one) => [
            one.setting,
            one.load,
            one.perSecond.toFixed(0),
            one.p50.toFixed(1),
            one.p99.toFixed(1),
          ]),
        },
      ],
      charts: Object.keys(LOADS).map((load) => ({
        title: `${load}: requests per second`,
        unit: '/s',
        bars: measured
          .filter((one) => one.load === load)
          .map(({ setting, perSecond }) => ({ label: setting, value: perSecond })),
      })),
      measurements: measured,
      notes,
      versions: { autocannon: versionOf('autocannon') },
    },
    startedAt,
  );
}

/** The requests of one connection: gives the next body, having been told the answer before. */
interface LoadClient {
  next(answer: string | null): string;
}

/** The last address that asked for device codes: each may have a hundred in a quarter of an hour. */
let devicesFrom = 0;

const LOADS: Readonly<Record<string, (target: ServiceProcess) => Promise<LoadClient>>> = {
  'token refresh': async (target) => {
    let { refreshToken } = await target.connect();
    return {
      next(answer) {
        const body: unknown = answer === null ? {} : JSON.parse(answer);
        if (typeof body === 'object' && body !== null && 'refresh_token' in body) {
          refreshToken = String(body.refresh_token);
        }
        return form({ grant_type: 'refresh_token', refresh_token: refreshToken });
      },
    };
  },
  'device polling': async (target) => {
    const codes: string[] = [];
    devicesFrom += 1;
    const headers = { 'x-forwarded-for': `192.0.2.${devicesFrom % 256}` };
    for (let index = 0; index < DEVICES_PER_CONNECTION; index += 1) {
      codes.push((await startDevice(target.ownUrl, undefined, headers)).deviceCode);
    }
    let turn = 0;
    return {
      next() {
        turn += 1;
        const code = codes[turn % codes.length] ?? '';
        return form({ grant_type: DEVICE_GRANT, device_code: code });
      },
    };
  },
};

function form(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams({ client_id: CLIENT_ID, ...fields }).toString();
}

function prepareClients(
  running: readonly ServiceProcess[],
  prepare: (target: ServiceProcess) => Promise<LoadClient>,
): Promise<LoadClient[][]> {
  return Promise.all(
    running.map(async (target) => {
      const clients: LoadClient[] = [];
      for (let index = 0; index < CONNECTIONS / running.length; index += 1) {
        clients.push(await prepare(target));
      }
      return clients;
    }),
  );
}

async function run(
  running: readonly ServiceProcess[],
  clients: readonly (readonly LoadClient[])[],
  seconds: number,
): Promise<Omit<Measured, 'setting' | 'load'>> {
  const times: number[] = [];
  const statuses: Record<string, number> = {};
  const started = performance.now();
  await Promise.all(
    running.map(async (target, index) => {
      const free = [...(clients[index] ?? [])];
      await new Promise<void>((resolve, reject) => {
        const instance = autocannon(
          {
            url: `${target.ownUrl}/api/oauth/token`,
            method: 'POST',
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            connections: free.length,
            duration: seconds,
            setupClient: (connection) => {
              const client = free.shift();
              if (!client) {
                throw new Error('more connections than were asked for');
              }
              connection.setBody(client.next(null));
              connection.on('body', (answer) => {
                connection.setBody(client.next(answer.toString()));
              });
            },
          },
          (error: unknown) => {
            if (error instanceof Error) {
              reject(error);
            } else {
              resolve();
            }
          },
        );
        instance.on('response', (_client, status, _bytes, ms) => {
          times.push(ms);
          statuses[status] = (statuses[status] ?? 0) + 1;
        });
      });
    }),
  );
  const elapsed = (performance.now() - started) / 1000;
  return {
    perSecond: times.length / elapsed,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    answers: times.length,
    statuses,
  };
}
