import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { Database } from '../service/kernel/database/database.js';
import { openPostgresDatabase } from '../service/kernel/database/postgres.js';
import { IMAGE_WORKER_VERSION } from '../service/library/previews/image-info.js';
import { previewKey } from '../service/library/uploads/storage/upload-storage.js';
import { makeDatabaseUrl } from '../test/service/postgres/databases.js';
import { findPostgres, startPostgres } from '../test/service/postgres/server.js';
import { findSwift, startSwift } from '../test/service/s3/swift.js';
import { markAsSearched } from '../test/service/support/searched-photos.js';
import { clientOf } from '../test/service/support/test-storage.js';
import { addUser, addWorkspace, openSettings } from '../test/service/support/users.js';
import { wantedRows, type BenchOptions } from './options.js';
import { buildRelease, startRelease, type RunningRelease } from './release.js';
import { report } from './report.js';
import { processorMs } from './service/processor.js';
import { median } from './statistics.js';

const MIB = 1024 * 1024;
const BUCKET = 'photos';
const PHOTOS = 16;

/** What is downloaded, and its bytes. */
const KINDS = [
  { name: 'originals of 16 MiB', path: 'file', bytes: 16 * MIB, atOnce: 8 },
  { name: 'previews of 400 KB', path: 'preview', bytes: 400_000, atOnce: 16 },
  { name: 'thumbnails of 25 KB', path: 'thumbnail', bytes: 25_000, atOnce: 16 },
] as const;
type Kind = (typeof KINDS)[number];

const WAYS = ['through the service', 'from the storage'] as const;
type Way = (typeof WAYS)[number];

/** One round of downloads. */
interface Round {
  readonly kind: string;
  readonly way: Way;
  readonly downloads: number;
  readonly seconds: number;
  /** Milliseconds of processor time of both processes. */
  readonly processorMs: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

/**
 * Measures downloads of files in S3-compatible storage from two processes of the service: through them, and by their redirects to the
 * storage.
 */
export async function downloads({ rounds, scale, only }: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const wanted = wantedRows(
    KINDS.map(({ name }) => name),
    only,
  );
  const [programs, swift] = [await findPostgres(), await findSwift()];
  if (programs === undefined || swift === undefined) {
    throw new Error('PostgreSQL or OpenStack Swift is not installed');
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-downloads-'));
  const postgres = await startPostgres(programs);
  const storage = await startSwift(swift);
  const databaseUrl = await makeDatabaseUrl(postgres.url);
  const release = buildRelease();
  const environment = {
    S3_BUCKET: BUCKET,
    S3_ENDPOINT: storage.endpoint,
    S3_ACCESS_KEY_ID: storage.accessKeyId,
    S3_SECRET_ACCESS_KEY: storage.secretAccessKey,
  };
  const running: RunningRelease[] = [];
  const start = async (further: Readonly<Record<string, string>>): Promise<RunningRelease> => {
    const options = { dataDir: join(dataDir, String(running.length)), databaseUrl };
    const one = await startRelease(release, {
      ...options,
      environment: { ...environment, ...further },
    });
    running.push(one);
    return one;
  };
  const client = clientOf({
    ...{ bucket: BUCKET, region: 'us-east-1', endpoint: storage.endpoint },
    credentials: storage,
  });
  const put = async (key: string, body: Uint8Array): Promise<void> => {
    await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: key, Body: body }));
  };
  try {
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
    const direct = { S3_PUBLIC_ENDPOINT: storage.endpoint };
    const processes: Readonly<Record<Way, readonly RunningRelease[]>> = {
      'through the service': [await start({}), await start({})],
      'from the storage': [await start(direct), await start(direct)],
    };
    const database = await openPostgresDatabase(databaseUrl, () => undefined);
    const service = { baseUrl: running[0]?.ownUrl ?? '', database };
    const workspace = await addWorkspace(service, 'North Studio');
    const owner = await addUser(service, { [workspace]: 'owner' });
    await addPhotos(database, { workspace, account: owner.accountId }, put);
    const cookie = (await openSettings(service, owner, '/photos')).sessionCookie;
    const found: Round[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      for (const kind of KINDS.filter(({ name }) => wanted.has(name))) {
        for (const way of WAYS) {
          const forMs = round === 0 || scale === 'small' ? 1000 : 8000;
          const one = await downloadFor(forMs, { kind, way, cookie, services: processes[way] });
          // The first round warms up.
          if (round > 0) {
            found.push(one);
          }
        }
      }
    }
    await database.close();
    tell(found, running, startedAt);
  } finally {
    agent.destroy();
    client.destroy();
    for (const one of running) {
      await one.stop();
    }
    await storage.stop();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Adds photos with random bytes, whose pictures are made. */
async function addPhotos(
  database: Database,
  { workspace, account }: { readonly workspace: string; readonly account: string },
  put: (key: string, body: Uint8Array) => Promise<void>,
): Promise<void> {
  const [original, preview, thumbnail] = KINDS.map(({ bytes }) => randomBytes(bytes));
  if (original === undefined || preview === undefined || thumbnail === undefined) {
    return;
  }
  const digest = createHash('sha256').update(original).digest('hex');
  for (let n = 0; n < PHOTOS; n += 1) {
    await put(`photo-${n}`, original);
    await put(previewKey(`photo-${n}`), preview);
    await put(previewKey(`photo-${n}`, 'thumbnail'), thumbnail);
  }
  await database.transaction(async (transaction) => {
    await transaction.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at, sha256)
       SELECT 'photo-' || n, $1, $2, $3, 'IMG_' || n || '.jpg', 'image/jpeg', '{}', now(), now(), $4
         FROM generate_series(0, ${PHOTOS - 1}) AS n`,
      [account, workspace, original.length, digest],
    );
    await markAsSearched(transaction);
    await transaction.query(
      `UPDATE uploads SET preview_width = 2048, preview_height = 1365, preview_bytes = $1, preview_version = $2`,
      [preview.length, IMAGE_WORKER_VERSION],
    );
    await transaction.query(
      `UPDATE thumbnails SET state = 'made', picture_bytes = $1, image_worker_version = $2`,
      [thumbnail.length, IMAGE_WORKER_VERSION],
    );
  });
}

async function downloadFor(
  forMs: number,
  {
    kind,
    way,
    cookie,
    services,
  }: {
    readonly kind: Kind;
    readonly way: Way;
    readonly cookie: string;
    readonly services: readonly RunningRelease[];
  },
): Promise<Round> {
  const used = async (): Promise<number> => {
    const times = services.map(({ processId }) => processorMs(processId));
    return (await Promise.all(times)).reduce((sum, time) => sum + time, 0);
  };
  const isDirect = way === 'from the storage' && kind.path !== 'thumbnail';
  const before = await used();
  const began = performance.now();
  let made = 0;
  const next = async (): Promise<void> => {
    const n = made;
    made += 1;
    const base = services[n % services.length]?.ownUrl ?? '';
    const path = `/photos/photo-${n % PHOTOS}/${kind.path}?v=${IMAGE_WORKER_VERSION}`;
    const answer = await get(`${base}${path}`, { Cookie: cookie });
    const { location } = answer.headers;
    const isRedirect = answer.statusCode === 302 && location !== undefined;
    if (isRedirect !== isDirect) {
      throw new Error(`${path} was answered with ${answer.statusCode ?? 0} ${way}`);
    }
    if (isRedirect) {
      await bytesOf(answer);
    }
    const bytes = await bytesOf(isRedirect ? await get(location, {}) : answer);
    if (bytes !== kind.bytes) {
      throw new Error(`${path} had ${bytes} bytes ${way}`);
    }
  };
  const clients = Array.from({ length: kind.atOnce }, async () => {
    while (performance.now() - began < forMs) {
      await next();
    }
  });
  await Promise.all(clients);
  const seconds = (performance.now() - began) / 1000;
  return {
    ...{ kind: kind.name, way, downloads: made, seconds },
    processorMs: (await used()) - before,
  };
}

function get(address: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(address, { agent, headers }, resolve).once('error', reject).end();
  });
}

/** Reads a body. @returns its length */
async function bytesOf(answer: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += (chunk as Buffer).length;
  }
  return bytes;
}

function tell(rounds: readonly Round[], running: readonly RunningRelease[], startedAt: Date): void {
  const rows = KINDS.flatMap(({ name, bytes }) =>
    WAYS.flatMap((way) => {
      const own = rounds.filter((round) => round.kind === name && round.way === way);
      const of = (value: (round: Round) => number): number => median(own.map(value));
      return own.length === 0
        ? []
        : [
            [
              `${name}, ${way}`,
              (of((one) => (one.downloads * bytes) / one.seconds) / 1e6).toFixed(1),
              of((one) => one.downloads / one.seconds).toFixed(1),
              of((one) => one.processorMs / one.downloads).toFixed(2),
              ((of((one) => one.processorMs / one.downloads) / bytes) * 1e6).toFixed(2),
            ],
          ];
    }),
  );
  report(
    {
      part: 'downloads',
      tables: [
        {
          title: 'Downloads from S3-compatible storage, with two processes of the service',
          columns: [
            'Downloads',
            'MB per second',
            'Downloads per second',
            'Processor of the service, ms per download',
            'Processor of the service, s per GB',
          ],
          rows,
        },
      ],
      processes: running.map(({ measured }) => measured),
      measurements: rounds,
      notes: [
        `Medians of ${rounds.length / rows.length} rounds of 8 s. The storage is OpenStack Swift with one process for requests, on the same processors.`,
        'Thumbnails pass through the service both ways.',
      ],
    },
    startedAt,
  );
}
