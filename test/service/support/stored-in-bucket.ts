import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdir, readlink, stat } from 'node:fs/promises';
import type { ClientRequest } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import {
  PREVIEW_VARIANTS,
  previewKey,
} from '../../../service/library/uploads/storage/upload-storage.js';
import type { S3Options } from '../../../service/library/uploads/storage/s3-options.js';
import { clientOf } from './test-storage.js';

const SENT = 'http.client.request.start';

/** Direct access to the storage of a service, to read and damage it. */
export interface StoredBytes {
  /** The ids of uploads of which it holds anything. */
  ids(): Promise<string[]>;
  has(id: string): Promise<boolean>;
  /** All bytes that are held of an upload, finished or not (then of less than a part). */
  read(id: string): Promise<Buffer>;
  /** Replaces the stored bytes of an upload; with fewer bytes like after a crash. */
  replace(id: string, bytes: Uint8Array): Promise<void>;
  /** Puts the bytes of an upload there that is finished and has none yet. */
  add(id: string, bytes: Uint8Array): Promise<void>;
  /** Changes the size of a completed upload's file: it is truncated or padded with zeros. */
  resize(id: string, size: number): Promise<void>;
  /** Loses the bytes of a finished upload. */
  lose(id: string): Promise<void>;
  /** How many bytes a running request has stored for an upload; on S3, of this request only. */
  arrived(id: string): Promise<number>;
  /** How many reads of an upload's bytes run in this process. */
  reads(id: string): Promise<number>;
  /** Stops to watch. */
  close(): void;
}

/** An upload in a bucket: `<id>` when completed, before that `<id>.part` with the bytes of an incomplete part. */
export function storedInBucket(options: S3Options): StoredBytes {
  const client = clientOf(options);
  const watched = watchReads(options.bucket);
  const at = (key: string): { Bucket: string; Key: string } => ({
    Bucket: options.bucket,
    Key: key,
  });
  const isThere = (key: string): Promise<boolean> =>
    client.send(new HeadObjectCommand(at(key))).then(
      () => true,
      () => false,
    );
  const keyOf = async (id: string): Promise<string> => ((await isThere(id)) ? id : `${id}.part`);
  const read = async (id: string): Promise<Buffer> => {
    const { Body } = await client.send(new GetObjectCommand(at(await keyOf(id))));
    if (!(Body instanceof Readable)) throw new Error('there are no bytes');
    return buffer(Body);
  };
  const put = async (key: string, bytes: Uint8Array): Promise<void> => {
    await client.send(new PutObjectCommand({ ...at(key), Body: bytes }));
  };
  return {
    ids: async () => {
      const keys: string[] = [];
      let token: string | undefined;
      do {
        const page = await client.send(
          new ListObjectsV2Command({ Bucket: options.bucket, ContinuationToken: token }),
        );
        keys.push(...(page.Contents ?? []).map(({ Key = '' }) => Key));
        token = page.NextContinuationToken;
      } while (token !== undefined);
      return [...new Set(keys.map((key) => key.replace(/\.[a-z-]+$/, '')))];
    },
    has: async (id) =>
      (
        await Promise.all(
          [
            id,
            `${id}.part`,
            `${id}.info`,
            ...PREVIEW_VARIANTS.map((variant) => previewKey(id, variant)),
          ].map(isThere),
        )
      ).includes(true),
    read,
    replace: async (id, bytes) => put(await keyOf(id), bytes),
    add: (id, bytes) => put(id, bytes),
    resize: async (id, size) => {
      const resized = Buffer.alloc(size);
      (await read(id)).copy(resized);
      await put(id, resized);
    },
    lose: async (id) => {
      await client.send(new DeleteObjectCommand(at(id)));
    },
    arrived: () => gathered(),
    reads: (id) => Promise.resolve(watched.reads(id)),
    close: () => {
      watched.close();
      client.destroy();
    },
  };
}

/** Observes the reads of this process from a bucket: each is a request. */
function watchReads(bucket: string): { reads(id: string): number; close(): void } {
  const reading = new Map<ClientRequest, string>();
  const onSent = (message: unknown): void => {
    const { request } = message as { request: ClientRequest };
    if (request.method !== 'GET' || !request.path.startsWith(`/${bucket}/`)) return;
    const key = /^\/[^/]+\/([^?]+)/.exec(request.path)?.[1] ?? '';
    reading.set(request, key);
    request.once('close', () => reading.delete(request));
  };
  subscribe(SENT, onSent);
  return {
    reads: (id) => [...reading.values()].filter((key) => key === id).length,
    close: () => unsubscribe(SENT, onSent),
  };
}

/**
 * The length of the longest file in which the store of the tus project, in this process, gathers the bytes of a request
 * before it sends them off, in bytes. Tests have one request of that kind under way.
 */
async function gathered(): Promise<number> {
  const lengths = (await readdir('/proc/self/fd')).map(async (descriptor) => {
    const file = await readlink(`/proc/self/fd/${descriptor}`);
    const isChunk = path.dirname(file) === tmpdir() && /^[\w-]{10}-\d+$/.test(path.basename(file));
    return isChunk ? (await stat(file)).size : 0;
  });
  const found = await Promise.all(lengths.map((length) => length.catch(() => 0)));
  return Math.max(0, ...found);
}
