import { createCipheriv, createHash, randomUUID } from 'node:crypto';
import type { TestBrowser } from '../../service/support/browser-client.js';
import {
  create,
  head,
  locationOf,
  patch,
  sha256,
  terminate,
} from '../../service/support/tus-client.js';
import type { Device } from './device.js';
import { History, type Ledger } from './ledger.js';
import type { Restored } from './restored.js';

type State = 'nowhere' | 'begun' | 'arrived' | 'in the trash' | 'removed';

/** Of an unfinished upload this much at most may be lost: twice `FLUSH_EVERY_BYTES` of the service. */
const MAY_BE_LOST = 8 * 1024 * 1024;

/** A photo that a device sends, whole or in parts, and what becomes of it. */
export class SentPhoto {
  private readonly history: History<State>;
  /** How many bytes were answered for. */
  private readonly received: History<number>;
  private readonly name = randomUUID();
  private readonly bytes: Uint8Array<ArrayBuffer>;
  private path = '';

  constructor(
    ledger: Ledger,
    private readonly device: Device,
    size: number,
    seed: number,
  ) {
    this.bytes = bytesOf(size, seed);
    this.history = new History<State>(ledger, 'nowhere');
    this.received = new History(ledger, 0);
  }

  get id(): string {
    return idOf(this.path);
  }

  get state(): State {
    return this.history.last;
  }

  /** How many bytes are still to be sent. */
  get missing(): number {
    return this.bytes.length - this.received.last;
  }

  async sendWhole(url: string): Promise<void> {
    this.path = await this.history.step(
      () => this.create(url, this.bytes),
      () => 'arrived',
    );
  }

  async begin(url: string): Promise<void> {
    this.path = await this.history.step(
      () => this.create(url),
      () => 'begun',
    );
  }

  /** Sends some bytes in one request. */
  async sendPart(url: string, length: number): Promise<void> {
    const from = this.received.last;
    const part = this.bytes.slice(from, from + length);
    const send = async (): Promise<void> => {
      const { status } = await patch(url + this.path, this.device.accessToken, from, part);
      if (status !== 204) throw new Error(`a part of a photo was answered with ${status}`);
    };
    const to = from + part.length;
    const last = to === this.bytes.length;
    await this.received.step(
      () => (last ? this.history.step(send, () => 'arrived') : send()),
      () => to,
    );
  }

  async giveUp(url: string): Promise<void> {
    await this.history.step(
      () => terminate(url + this.path, this.device.accessToken),
      () => 'removed',
    );
  }

  async trash(browser: TestBrowser): Promise<void> {
    await browser.open(`/photos/${this.id}`);
    await this.history.step(
      () => browser.submit('Move to trash'),
      () => 'in the trash',
    );
  }

  async removeForGood(browser: TestBrowser): Promise<void> {
    await browser.open(`/photos/${this.id}`);
    await this.history.step(
      () => browser.submit('Delete permanently', { confirm: 'yes' }),
      () => 'removed',
    );
  }

  async check(restored: Restored): Promise<void> {
    const { sure, open } = this.history.at(restored.instant);
    // Each requested change may have happened.
    if (open.includes('removed') || open.includes('in the trash')) return;
    if (sure === 'nowhere' && open.length > 0) await this.beginAgain(restored);
    if (sure === 'begun') await this.goOn(restored);
    if (sure === 'removed') {
      const { status } = await head(restored.url + this.path, await restored.token());
      restored.expect('removed stays removed', status === 404, status);
    }
    if (sure === 'in the trash') {
      const browser = await restored.owner();
      const { text } = await browser.open(`/photos/${this.id}`);
      const isThere = text.includes('This file is in the trash');
      restored.expect('trashed stays in the trash', isThere, text);
      await browser.submit('Restore');
      await this.expectWhole(restored, 'a photo from the trash is whole');
    }
    if (sure === 'arrived') await this.expectWhole(restored, 'a photo that arrived is whole');
  }

  /** As a client does that had no answer to the creation. */
  private async beginAgain(restored: Restored): Promise<void> {
    const path = await this.create(restored.url, undefined, await restored.token());
    restored.expect('a creation can be repeated', true, path);
    await this.goOn(restored, path);
  }

  /** Like a client with the upload's URL: reads the offset and sends the rest. */
  private async goOn(restored: Restored, path = this.path): Promise<void> {
    const at = restored.url + path;
    const { status, headers } = await head(at, await restored.token());
    restored.expect('a photo that was begun is known', status === 200, status);
    const offset = Number(headers.get('upload-offset'));
    const { sure, open } = this.received.at(restored.instant);
    const most = Math.max(
      sure,
      ...open,
      ...(this.wasSentWhole(restored) ? [this.bytes.length] : []),
    );
    const least = sure - MAY_BE_LOST;
    const isInBetween = offset <= most && offset >= least;
    restored.expect('an offset is in between', isInBetween, [least, offset, most]);
    if (offset < this.bytes.length) {
      const rest = this.bytes.slice(offset);
      const answer = await patch(at, await restored.token(), offset, rest);
      restored.expect('a photo that was begun goes on', answer.status === 204, answer.status);
    }
    await this.expectWhole(restored, 'a photo that went on is whole', path);
  }

  private async expectWhole(restored: Restored, what: string, path = this.path): Promise<void> {
    const id = idOf(path);
    const browser = await restored.owner();
    const headers = { cookie: browser.sessionCookie };
    const answer = await fetch(`${restored.url}/photos/${id}/file`, { headers });
    const found = await answer
      .arrayBuffer()
      .then((bytes) => createHash('sha256').update(new Uint8Array(bytes)).digest('hex'))
      .catch(() => 'cut off');
    const told = await fetch(`${restored.url}/api/v1/uploads/${id}`, {
      headers: { authorization: `Bearer ${await restored.token()}` },
    });
    const { sha256: toldDigest } = (await told.json()) as { sha256?: string };
    const wanted = sha256(this.bytes);
    const holds = found === wanted && toldDigest === wanted;
    restored.expect(what, holds, { status: answer.status, found, toldDigest, wanted });
  }

  private wasSentWhole(restored: Restored): boolean {
    return this.history.at(restored.instant).open.includes('arrived');
  }

  /** @returns the path of the upload. */
  private async create(
    url: string,
    body?: Uint8Array<ArrayBuffer>,
    token = this.device.accessToken,
  ): Promise<string> {
    const metadata = { filename: this.name, client_upload_id: this.name };
    const length = this.bytes.length;
    const answer = await create(url, token, {
      length,
      metadata,
      ...(body !== undefined && { body }),
    });
    if (answer.status !== 201) throw new Error(`a creation was answered with ${answer.status}`);
    return new URL(locationOf(url, answer)).pathname;
  }
}

/** Bytes that are the same for the same seed, made faster than one by one. */
function bytesOf(size: number, seed: number): Uint8Array<ArrayBuffer> {
  const key = Buffer.alloc(16);
  key.writeUInt32LE(seed);
  const bytes = createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size));
  return new Uint8Array(bytes);
}

function idOf(path: string): string {
  return path.split('/').at(-1) ?? '';
}
