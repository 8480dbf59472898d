import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { RequestQueue } from '../../../../src/api/request-queue.js';
import { CapabilityProbe } from '../../../../src/api/tus-capabilities.js';
import { createTransport } from '../../../../src/api/transport.js';
import { NEVER_CANCELLED } from '../../../../src/util/cancel.js';
import type { SendHttp } from '../../../../src/host/http.js';
import { uploadPhoto } from '../../../../src/features/uploads/tus/tus-upload.js';
import type { UploadReceipt } from '../../../../src/features/queue/upload-receipt.js';
import { signedInSession, testClient } from '../../../api/signed-in.js';
import { listUploads } from '../../../service/support/oauth-client.js';
import { startTestService, type TestService } from '../../../service/support/running-service.js';
import { sha256 } from '../../../service/support/tus-client.js';
import { crc32c, crc32cDigest } from '../../../support/crc32c.js';
import { FakeClock } from '../../../support/fake-clock.js';
import {
  flipBit,
  sha256Digest,
  startForeignTusService,
  type ForeignTusOptions,
  type ForeignTusService,
} from '../../../support/foreign-tus-service.js';
import { NodeXhr } from '../../../support/node-xhr.js';
import { codeOf } from '../../../support/outcome.js';
import { readerBy } from '../../../support/reader-by.js';
import { seededBytes, seededRandom, testRuns, testSeed } from '../../../support/seeded-random.js';
import { photoRecord } from '../../../support/photo-record.js';

/** One flipped bit, in transit or at rest: detection and message. */
const CHUNK = 4_000;
const SIZE = 9_000;
/** Half of them of several chunks. A hundred with TEST_SCALE=25. */
const CASES = testRuns(4);
const seed = testSeed();
const random = seededRandom(seed);

interface Uploading {
  readonly baseUrl: string;
  readonly accessToken: string;
  readonly id: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Passes requests on as a network does. */
  readonly network?: (send: SendHttp) => SendHttp;
  readonly restarted?: boolean;
  readonly uploadUrl?: string;
  /** The digest that the host computed while it copied. */
  readonly crc32c?: number;
}

/** How often an upload was restarted, and where it stood when it ended. */
interface Story {
  startsOver: number;
  url: string | null;
}

/** Uploads as a plugin does that has just been started. */
async function upload(
  { baseUrl, accessToken, id, bytes, network = (send) => send, ...record }: Uploading,
  story: Story = { startsOver: 0, url: null },
): Promise<UploadReceipt> {
  const clock = new FakeClock();
  const client = testClient(baseUrl);
  const direct = createTransport({ createXhr: () => new NodeXhr(), clock, origin: client.origin });
  const send = network(direct);
  const session = await signedInSession({ send, client, clock, accessToken, refreshToken: null });
  const queue = new RequestQueue({ send, session, clock, random: () => 0 });
  const endpoint = `${baseUrl}/api/v1/uploads`;
  const done = uploadPhoto({
    queue,
    capabilities: new CapabilityProbe({ queue, endpoint }),
    endpoint,
    record: photoRecord(id.padEnd(32, '-'), bytes.length, {
      name: `${id}.jpg`,
      uploadUrl: record.uploadUrl ?? null,
      ...(record.restarted === true && { restarted: true }),
      ...(record.crc32c !== undefined && { crc32c: record.crc32c }),
    }),
    reader: readerBy((start, end) => Promise.resolve(bytes.slice(start, end).buffer)),
    chunkBytes: CHUNK,
    clock,
    random: () => 0,
    signal: NEVER_CANCELLED,
    onProgress: () => undefined,
    onUploadUrl: (url) => {
      story.url = url;
      return Promise.resolve();
    },
    onRestart: () => {
      story.startsOver += 1;
      return Promise.resolve();
    },
  });
  done.catch(() => undefined);
  await clock.runUntil(done);
  return done;
}

/** A network that turns one bit of the photo around, `times` times. */
function flippingNetwork(bit: number, times: number): (send: SendHttp) => SendHttp {
  let left = times;
  return (send) => (request, signal) => {
    const { body, headers } = request;
    const place = (bit >> 3) - Number(headers['Upload-Offset'] ?? 0);
    if (!(body instanceof ArrayBuffer) || place < 0 || place >= body.byteLength || left === 0)
      return send(request, signal);
    left -= 1;
    const bytes = new Uint8Array(body.slice(0));
    bytes[place] = (bytes[place] ?? 0) ^ (1 << (bit & 7));
    return send({ ...request, body: bytes.buffer }, signal);
  };
}

interface Case {
  readonly id: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly bit: number;
}

const cases = (kind: string): Case[] =>
  Array.from({ length: CASES }, (_, index) => ({
    id: `${kind}-${index}`,
    // A few bytes, which come with the creation, or several chunks.
    bytes: Uint8Array.from(seededBytes(index + 1)(index % 2 === 0 ? SIZE : 1 + (index % 50))),
    bit: 0,
  })).map((one) => ({ ...one, bit: Math.floor(random() * one.bytes.length * 8) }));

describe(`one flipped bit (TEST_SEED=${seed})`, () => {
  describe('on the way to the real service', () => {
    let service: TestService;
    let accessToken: string;

    beforeAll(async () => {
      service = await startTestService();
      ({ accessToken } = await service.connect());
    });
    afterAll(() => service.close());

    async function arrived(id: string): Promise<string[]> {
      const { body } = await listUploads(service.baseUrl, accessToken);
      const uploads = body['uploads'] as { name: string; sha256: string }[];
      return uploads.filter(({ name }) => name === `${id}.jpg`).map((found) => found.sha256);
    }

    it('detects each single flip, and uploads the photo intact, checked and once', async () => {
      for (const { id, bytes, bit } of cases('once')) {
        const story: Story = { startsOver: 0, url: null };
        const network = flippingNetwork(bit, 1);
        const receipt = await upload(
          { baseUrl: service.baseUrl, accessToken, id, bytes, network },
          story,
        );
        expect({ id, bit, ...story, ...receipt }).toMatchObject({
          startsOver: 1,
          hasMatchingCrc: true,
          sha256: sha256(bytes),
        });
        expect(await arrived(id)).toEqual([sha256(bytes)]);
      }
    });

    it('detects repeated flips, fails with CW-306, and completes no upload', async () => {
      for (const { id, bytes, bit } of cases('again')) {
        const story: Story = { startsOver: 0, url: null };
        const network = flippingNetwork(bit, Infinity);
        const setup = { baseUrl: service.baseUrl, accessToken, id, bytes, network };
        expect(await codeOf(upload(setup, story))).toBe('CW-306');
        expect(story.startsOver).toBe(1);
        // After a restart that remembers it: not a third time.
        expect(await codeOf(upload({ ...setup, restarted: true }, story))).toBe('CW-306');
        expect(story.startsOver).toBe(1);
        expect(await arrived(id)).toEqual([]);
        // Tried again by the user, on a sound network.
        expect(await upload({ ...setup, network: (send) => send })).toMatchObject({
          hasMatchingCrc: true,
          sha256: sha256(bytes),
        });
        expect(await arrived(id)).toEqual([sha256(bytes)]);
      }
    });

    it('detects each flip in stored bytes before the last chunk', async () => {
      for (const { id, bytes } of cases('lying').filter((one) => one.bytes.length === SIZE)) {
        const bit = Math.floor(random() * CHUNK * 8);
        let flips = 0;
        const network =
          (send: SendHttp): SendHttp =>
          async (request, signal) => {
            if (request.method === 'PATCH' && flips === 0) {
              flips += 1;
              const name = request.url.split('/').at(-1) ?? '';
              await flipBit(join(service.dataDir, 'uploads', name), bit);
            }
            return send(request, signal);
          };
        const story: Story = { startsOver: 0, url: null };
        const receipt = await upload(
          { baseUrl: service.baseUrl, accessToken, id, bytes, network },
          story,
        );
        expect({ id, bit, flips, ...story, ...receipt }).toMatchObject({
          flips: 1,
          startsOver: 1,
          hasMatchingCrc: true,
        });
        expect(await arrived(id)).toEqual([sha256(bytes)]);
      }
    });

    it('detects each flip in the spooled copy, fails with CW-607, and completes no upload', async () => {
      for (const { id, bytes, bit } of cases('kept')) {
        const kept = bytes.slice();
        kept[bit >> 3] = (kept[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const setup = { baseUrl: service.baseUrl, accessToken, id, crc32c: crc32c(bytes) };
        expect(await codeOf(upload({ ...setup, bytes: kept }))).toBe('CW-607');
        expect(await arrived(id)).toEqual([]);
        // Without the digest of the copy it cannot be detected.
        const asCopied = { baseUrl: service.baseUrl, accessToken, id: `${id}-copy`, bytes: kept };
        expect(await upload(asCopied)).toMatchObject({
          hasMatchingCrc: true,
          sha256: sha256(kept),
        });
      }
    });

    it('checks the photo at the first attempt without a flip', async () => {
      const [{ id, bytes } = { id: '', bytes: new Uint8Array() }] = cases('sound');
      const story: Story = { startsOver: 0, url: null };
      const receipt = await upload({ baseUrl: service.baseUrl, accessToken, id, bytes }, story);
      expect(receipt).toMatchObject({ hasMatchingCrc: true, sha256: sha256(bytes) });
      expect(story.startsOver).toBe(0);
      // Found complete after a restart: what this run has not seen is read again from the copy.
      const again = {
        baseUrl: service.baseUrl,
        accessToken,
        id,
        bytes,
        uploadUrl: story.url ?? '',
      };
      expect(await upload(again)).toMatchObject({ hasMatchingCrc: true });
      const other = bytes.slice();
      other[0] = (other[0] ?? 0) ^ 1;
      expect(await codeOf(upload({ ...again, bytes: other }))).toBe('CW-306');
    });
  });

  describe('at a foreign tus service', () => {
    let foreign: ForeignTusService | null = null;

    afterEach(async () => {
      await foreign?.close();
      foreign = null;
    });

    const DIGESTS: ForeignTusOptions = {
      extensions: ['creation', 'termination', 'repr-digest'],
      reprDigest: (stored) => crc32cDigest(stored),
    };

    async function start(options: ForeignTusOptions): Promise<ForeignTusService> {
      foreign = await startForeignTusService(options);
      return foreign;
    }

    /** The flips by photo; removed after the flip if it is done once. */
    const KINDS = ['flipInFlight', 'flipAtRest'] as const;

    it.each(KINDS)('detects one flip %s, and uploads the photo checked', async (kind) => {
      const bits = new Map<string, number>();
      const service = await start({
        ...DIGESTS,
        [kind]: ({ metadata }: { metadata: Readonly<Record<string, string | null>> }) => {
          const name = metadata['filename'] ?? '';
          const bit = bits.get(name) ?? null;
          bits.delete(name);
          return bit;
        },
      });
      for (const { id, bytes, bit } of cases('once')) {
        bits.set(`${id}.jpg`, bit);
        const story: Story = { startsOver: 0, url: null };
        const receipt = await upload(
          { baseUrl: service.origin, accessToken: 'token', id, bytes },
          story,
        );
        expect({ id, bit, ...story, ...receipt }).toMatchObject({
          startsOver: 1,
          hasMatchingCrc: true,
        });
        const found = (await service.finished()).filter(
          ({ metadata }) => metadata['filename'] === `${id}.jpg`,
        );
        expect(found.map((one) => one.sha256)).toEqual([sha256(bytes)]);
      }
    });

    it.each(KINDS)('detects constant flips %s, and fails with CW-306', async (kind) => {
      let bit = 0;
      const service = await start({ ...DIGESTS, [kind]: () => bit });
      for (const one of cases('always')) {
        ({ bit } = one);
        const story: Story = { startsOver: 0, url: null };
        const { id, bytes } = one;
        const setup = { baseUrl: service.origin, accessToken: 'token', id, bytes };
        expect(await codeOf(upload(setup, story))).toBe('CW-306');
        expect(story.startsOver).toBe(1);
      }
    });

    it.each([
      ['reports nothing', {}],
      [
        'reports SHA-256 without announcing it',
        { reprDigest: (stored: Buffer) => sha256Digest(stored) },
      ],
      [
        'announces digests and reports only SHA-256',
        { ...DIGESTS, reprDigest: (stored: Buffer) => sha256Digest(stored) },
      ],
      ['announces digests and reports none', { ...DIGESTS, reprDigest: () => null }],
      [
        'reports CRC-32C without announcing it',
        { reprDigest: (stored: Buffer) => crc32cDigest(stored) },
      ],
    ] satisfies [string, ForeignTusOptions][])(
      'that %s: the photo is uploaded, and is not reported as checked',
      async (_name, options) => {
        const service = await start({ ...options, flipAtRest: () => 3 });
        const bytes = Uint8Array.from(seededBytes(1)(SIZE));
        const receipt = await upload({
          baseUrl: service.origin,
          accessToken: 'token',
          id: 'unchecked',
          bytes,
        });
        expect(receipt.hasMatchingCrc).toBe(false);
        expect(await service.finished()).toHaveLength(1);
      },
    );
  });
});
