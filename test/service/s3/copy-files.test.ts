import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openEmbeddedDatabase } from '../../../service/kernel/database/pglite.js';
import type { S3Options } from '../../../service/library/uploads/storage/s3-options.js';
import { startService, type RunningService } from '../../../service/start.js';
import { compiled, FOR_A_MOMENT } from '../../support/compiled.js';
import { killAtExit } from '../../support/kill-at-exit.js';
import { twoColours } from '../../support/pictures.js';
import { layReadyDatabase } from '../support/database-templates.js';
import { compiledImageWorker } from '../support/running-service.js';
import { clientOf, testS3 } from '../support/test-storage.js';
import { photo, sha256 } from '../support/tus-client.js';
import {
  addUser,
  addWorkspace,
  connectAs,
  openSettings,
  send,
  type TestUser,
} from '../support/users.js';

const MIB = 1024 * 1024;

describe('a service whose files were copied into a bucket', () => {
  let dataDir: string;
  let s3: S3Options;
  let user: TestUser;
  let service: RunningService | undefined;

  beforeAll(async () => {
    const given = await testS3();
    if (given === undefined) throw new Error('there is no storage');
    s3 = given;
    dataDir = await mkdtemp(path.join(tmpdir(), 'creative-workspace-copy-'));
    await layReadyDatabase(path.join(dataDir, 'database'));
    const database = await openEmbeddedDatabase(path.join(dataDir, 'database'));
    user = await addUser(
      { database },
      { [await addWorkspace({ database }, 'North Studio')]: 'owner' },
    );
    await database.close();
  });
  afterAll(async () => {
    await service?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Begins the command in a process; resolves to how it ended. */
  const copy = (): [ChildProcess, Promise<{ code: number | null; output: string }>] => {
    const args = [...FOR_A_MOMENT, compiled('service/admin.ts'), 'copy-to-s3', '--data', dataDir];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        S3_BUCKET: s3.bucket,
        S3_REGION: s3.region,
        S3_ENDPOINT: s3.endpoint,
        S3_ACCESS_KEY_ID: s3.credentials?.accessKeyId,
        S3_SECRET_ACCESS_KEY: s3.credentials?.secretAccessKey,
      },
    });
    killAtExit(child);
    let output = '';
    child.stdout.on('data', (piece: Buffer) => (output += piece.toString()));
    child.stderr.on('data', (piece: Buffer) => (output += piece.toString()));
    const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
      child.once('close', (code) => {
        resolve({ code, output });
      });
    });
    return [child, ended];
  };

  it('serves the same bytes after a kill, a damaged file and their repair', async () => {
    service = await startService({ port: 0, dataDir, imageWorker: compiledImageWorker() });
    const token = await connectAs(service, user);
    const picture = await send(
      service,
      token,
      'red.jpg',
      new Uint8Array(await twoColours(900, 600)),
    );
    const former = await send(service, token, 'film.mxf', photo(30 * MIB, 1));
    const current = await send(service, token, 'film.mxf', photo(40 * MIB, 2));
    let { sessionCookie: cookie } = await openSettings(service, user, '/photos');
    const addresses = [
      ...[picture, former, current].map((id) => `/photos/${id}/file`),
      ...[`/photos/${picture}/preview`, `/photos/${picture}/thumbnail`],
    ];
    const served = (): Promise<string[]> =>
      Promise.all(
        addresses.map(async (address) => {
          const answer = await fetch(new URL(address, service?.baseUrl), { headers: { cookie } });
          const bytes = new Uint8Array(await answer.arrayBuffer());
          return `${address} ${answer.status} ${bytes.length} ${sha256(bytes)}`;
        }),
      );
    // The pictures are made in the background.
    while ((await served()).some((line) => !line.includes(' 200 '))) {
      await new Promise((done) => setTimeout(done, 50));
    }
    const before = await served();
    await service.close();

    const [killed, ended] = copy();
    const client = clientOf(s3);
    const sending = async (): Promise<number> =>
      (await client.send(new ListMultipartUploadsCommand({ Bucket: s3.bucket }))).Uploads?.length ??
      0;
    while ((await sending()) === 0) await new Promise((done) => setTimeout(done, 20));
    killed.kill('SIGKILL');
    expect(await ended).toMatchObject({ code: null });
    client.destroy();

    const file = path.join(dataDir, 'uploads', former);
    const bytes = await readFile(file);
    const damaged = Buffer.from(bytes);
    damaged[20 * MIB] = (damaged[20 * MIB] ?? 0) ^ 1;
    await writeFile(file, damaged);
    const second = await copy()[1];
    expect(second.code).toBe(1);
    expect(second.output).toContain(
      `Not copied: film.mxf (${former}), damaged: it has another SHA-256`,
    );

    await writeFile(file, bytes);
    expect(await copy()[1]).toMatchObject({
      code: 0,
      output: expect.stringContaining('Copied 1 files. All files are in the bucket.'),
    });
    expect((await copy()[1]).output).toContain('Copied 0 files.');

    // Nothing is read from the folder any more.
    await rm(path.join(dataDir, 'uploads'), { recursive: true });
    service = await startService({ port: 0, dataDir, s3, imageWorker: compiledImageWorker() });
    ({ sessionCookie: cookie } = await openSettings(service, user, '/photos'));
    expect(await served()).toEqual(before);
    expect(before.map((line) => line.split(' ')[2])).toContain(String(40 * MIB));
  });
});
