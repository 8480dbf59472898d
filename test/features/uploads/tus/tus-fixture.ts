import { expect } from '@jest/globals';
import type { Capabilities } from '../../../../src/api/capabilities.js';
import { RequestQueue } from '../../../../src/api/request-queue.js';
import { CancelSource } from '../../../../src/util/cancel.js';
import type { BinaryBody } from '../../../../src/host/http.js';
import {
  type TusUploadOptions,
  uploadPhoto,
} from '../../../../src/features/uploads/tus/tus-upload.js';
import type { UploadReceipt } from '../../../../src/features/queue/upload-receipt.js';
import { signedInSession, testClient } from '../../../api/signed-in.js';
import { FINDS_AGAIN } from '../../../support/capabilities.js';
import { Conversation, type PendingExchange } from '../../../support/conversation.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { outcomeOf, type Outcome } from '../../../support/outcome.js';
import { readerBy } from '../../../support/reader-by.js';
import type { PhotoRecord } from '../../../../src/features/queue/photo-record.js';
import { photoRecord } from '../../../support/photo-record.js';

export const BASE = 'https://service.example';
export const ENDPOINT = `${BASE}/api/v1/uploads`;
/** The upload URL that the service returns. */
export const URL = `${ENDPOINT}/u-1`;
/** The headers of every response of a tus service. */
export const TUS = { 'Tus-Resumable': '1.0.0' } as const;
export const photo = Uint8Array.from({ length: 25 }, (_, index) => index);

/** One photo's upload over a network that the test converses over, with the upload's events. */
export class TusFixture {
  readonly source = new CancelSource();
  readonly progress: [sent: number, confirmed: number][] = [];
  readonly urls: string[] = [];
  can: Capabilities = FINDS_AGAIN;
  doubts = 0;
  startsOver = 0;
  isStartedOver = false;
  /** Further fields of the record. */
  more: Partial<PhotoRecord> = {};

  private constructor(
    readonly clock: FakeClock,
    readonly network: Conversation,
    readonly queue: RequestQueue,
  ) {}

  static async create(): Promise<TusFixture> {
    const clock = new FakeClock();
    const network = new Conversation();
    const { send } = network;
    const session = await signedInSession({ send, client: testClient(BASE), clock });
    const queue = new RequestQueue({ send, session, clock, random: () => 0 });
    return new TusFixture(clock, network, queue);
  }

  start(
    uploadUrl: string | null = null,
    read = (from: number, to: number): Promise<BinaryBody> =>
      Promise.resolve(photo.slice(from, to).buffer),
    chunks: Pick<TusUploadOptions, 'chunkBytes' | 'firstChunkBytes'> = { chunkBytes: 10 },
  ): Outcome<UploadReceipt> {
    return outcomeOf(
      uploadPhoto({
        queue: this.queue,
        capabilities: {
          get: () => Promise.resolve(this.can),
          invalidate: () => {
            this.doubts += 1;
          },
        },
        endpoint: ENDPOINT,
        record: photoRecord('id-1', photo.length, {
          ...{ name: 'Küste "1".jpg', uploadUrl },
          ...(this.isStartedOver && { restarted: true }),
          ...this.more,
        }),
        reader: readerBy(read),
        ...chunks,
        clock: this.clock,
        random: () => 0,
        signal: this.source.signal,
        onProgress: (sent, confirmed) => this.progress.push([sent, confirmed]),
        onUploadUrl: (url) => {
          this.urls.push(url);
          return Promise.resolve();
        },
        onRestart: () => {
          this.startsOver += 1;
          return Promise.resolve();
        },
      }),
    );
  }

  async next(method: string, url: string): Promise<PendingExchange> {
    await this.clock.settle();
    const exchange = this.network.only;
    expect(`${exchange.request.method} ${exchange.request.url}`).toBe(`${method} ${url}`);
    return exchange;
  }
}

export function bytesOf(exchange: PendingExchange): number[] {
  const { body } = exchange.request;
  if (!(body instanceof ArrayBuffer)) throw new Error('the body is no ArrayBuffer');
  return [...new Uint8Array(body)];
}

/** Answers a creation or a chunk as a sound service does. */
export function accept(exchange: PendingExchange, offset: number): void {
  if (exchange.request.method === 'POST')
    exchange.respond(201, { Location: '/api/v1/uploads/u-1', 'Upload-Offset': String(offset) });
  else exchange.respond(204, { 'Upload-Offset': String(offset) });
}

export function answerHead(exchange: PendingExchange, offset: number): void {
  exchange.respond(200, { 'Upload-Offset': String(offset), 'Upload-Length': '25' });
}
