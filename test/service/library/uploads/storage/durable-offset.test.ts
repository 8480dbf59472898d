import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, open, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  appendDurably,
  FLUSH_EVERY_BYTES,
  durableOffset,
} from '../../../../../service/library/uploads/storage/durable-offset.js';
import {
  authorization,
  create,
  locationOf,
  offsetOf,
  patch,
  sha256,
} from '../../../support/tus-client.js';
import { startTestService } from '../../../support/running-service.js';

const MIB = 1024 * 1024;

describe('the durable bytes of an unfinished upload', () => {
  const NOW = 1_000_000_000;
  const UP = 600_000;
  const sure = (size: number, changedAt: number): number =>
    durableOffset({ size, mtimeMs: changedAt }, NOW, UP);

  it.each([
    ['since the machine was started', NOW - UP + 1],
    ['at this moment, by a clock that is a little ahead', NOW + 5_000],
  ])('are all bytes, when the last ones were received in %s', (_when, changedAt) => {
    for (const size of [0, 1, 9 * MIB]) expect(sure(size, changedAt)).toBe(size);
  });

  it.each([
    ['before', NOW - UP - 1],
    ['by a clock that was wrong', NOW + 86_400_000],
  ])('are the flushed bytes, when the last ones were received in %s', (_when, changedAt) => {
    const MARK = FLUSH_EVERY_BYTES;
    const found = [0, 1, MARK - 1, MARK, MARK + 1, 2 * MARK, 2 * MARK + 1].map((size) =>
      sure(size, changedAt),
    );
    expect(found).toEqual([0, 0, 0, 0, MARK, MARK, 2 * MARK]);
  });
});

describe('a growing file', () => {
  let folder: string;
  let file: FileHandle;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sure-bytes-'));
    file = await open(path.join(folder, 'file'), 'w+');
  });
  afterEach(async () => {
    await file.close();
    await rm(folder, { recursive: true });
  });

  it.each([
    ['from its beginning', 0],
    ['from the middle', 5 * MIB + 1],
    ['from a place up to which all must be on the disk', FLUSH_EVERY_BYTES],
  ])('is flushed before each multiple is passed, %s', async (_where, offset) => {
    const bytes = randomBytes(14 * MIB);
    await file.write(bytes.subarray(0, offset));
    // The earlier write has completed.
    let flushed = FLUSH_EVERY_BYTES * Math.floor(Math.max(0, offset - 1) / FLUSH_EVERY_BYTES);
    const watched = {
      datasync: async () => {
        flushed = (await file.stat()).size;
      },
      write: (...args: [Uint8Array, number, number, number]) => {
        const end = args[3] + args[2];
        expect(flushed).toBeGreaterThanOrEqual(
          FLUSH_EVERY_BYTES * Math.floor((end - 1) / FLUSH_EVERY_BYTES),
        );
        return file.write(...args);
      },
    } as unknown as FileHandle;
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      for (let at = offset; at < bytes.length; at += 3 * MIB)
        yield Promise.resolve(bytes.subarray(at, at + 3 * MIB));
    };

    expect(await appendDurably(watched, pieces(), offset)).toBe(bytes.length);
    expect((await readFile(path.join(folder, 'file'))).equals(bytes)).toBe(true);
  });
});

// Only a file of this machine has such a time.
(process.env['TEST_S3_ENDPOINT'] === undefined ? describe : describe.skip)(
  'an unfinished upload after a loss of power',
  () => {
    it.each([
      ['by HEAD', false],
      ['by a creation that is repeated', true],
    ])('truncates the offset %s, and continues from there', async (_way, repeated) => {
      const service = await startTestService();
      try {
        const token = (await service.connect()).accessToken;
        const bytes = new Uint8Array(randomBytes(10 * MIB));
        const metadata = { filename: 'one', client_upload_id: randomUUID() };
        const creation = { length: bytes.length, metadata };
        const made = await create(service.baseUrl, token, creation);
        const url = locationOf(service.baseUrl, made);
        expect((await patch(url, token, 0, bytes.slice(0, 9 * MIB))).status).toBe(204);
        // As it may lie there after a loss of power: as long as the whole, the last pages not written.
        const file = path.join(service.dataDir, 'uploads', path.basename(url));
        const left = Buffer.concat([bytes.subarray(0, 8 * MIB), Buffer.alloc(2 * MIB)]);
        await writeFile(file, left);
        await utimes(file, new Date(0), new Date(0));
        // The process that wrote it is gone by then: another one finds it.
        const { dataDir } = service;
        const database = { ...service.database, close: () => Promise.resolve() };
        const next = await startTestService({ database, dataDir });
        const nextUrl = url.replace(service.baseUrl, next.baseUrl);

        const offset = repeated
          ? Number((await create(next.baseUrl, token, creation)).headers.get('upload-offset'))
          : await offsetOf(nextUrl, token);

        expect(offset).toBe(8 * MIB);
        expect((await patch(nextUrl, token, offset, bytes.slice(offset))).status).toBe(204);
        const about = await fetch(nextUrl, { headers: authorization(token) });
        expect(await about.json()).toMatchObject({ sha256: sha256(bytes) });
        await next.close();
      } finally {
        await service.close();
      }
    });
  },
);
