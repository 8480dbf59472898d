import { beforeEach, describe, expect, it } from '@jest/globals';
import { CancelledError } from '../../../../src/util/cancel.js';
import { CwError } from '../../../../src/util/errors.js';
import { terminateUpload } from '../../../../src/features/uploads/tus/tus-upload.js';
import { outcomeOf, rejectionOf } from '../../../support/outcome.js';
import {
  accept,
  answerHead,
  BASE,
  bytesOf,
  ENDPOINT,
  photo,
  TusFixture,
  TUS,
  URL,
} from './tus-fixture.js';

const unreachable = new CwError('CW-301', 'unreachable');

let fixture: TusFixture;

beforeEach(async () => {
  fixture = await TusFixture.create();
});

describe('an upload', () => {
  it('is created with a short chunk even where long chunks are allowed', async () => {
    const outcome = fixture.start(null, undefined, { chunkBytes: 1000, firstChunkBytes: 4 });
    const creation = await fixture.next('POST', ENDPOINT);
    expect(bytesOf(creation)).toEqual([0, 1, 2, 3]);
    accept(creation, 4);
    const rest = await fixture.next('PATCH', URL);
    expect(bytesOf(rest)).toEqual([...photo.slice(4)]);
    accept(rest, 25);
    await fixture.clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('is created with its first bytes and continues chunk by chunk to the last byte', async () => {
    const outcome = fixture.start();
    const creation = await fixture.next('POST', ENDPOINT);
    expect(creation.request.headers).toMatchObject({
      'Tus-Resumable': '1.0.0',
      'Upload-Length': '25',
      'Content-Type': 'application/offset+octet-stream',
      Authorization: 'Bearer svc_at_1',
    });
    const metadata = Object.fromEntries(
      (creation.request.headers['Upload-Metadata'] ?? '').split(',').map((pair) => {
        const [name = '', value = ''] = pair.split(' ');
        return [name, Buffer.from(value, 'base64').toString('utf8')];
      }),
    );
    expect(metadata).toEqual({
      filename: 'Küste "1".jpg',
      filetype: 'image/jpeg',
      client_upload_id: 'id-1',
    });
    expect(bytesOf(creation)).toEqual([...photo.slice(0, 10)]);
    creation.request.onUploadProgress?.(4);
    accept(creation, 10);
    const second = await fixture.next('PATCH', URL);
    expect(second.request.headers['Upload-Offset']).toBe('10');
    expect(bytesOf(second)).toEqual([...photo.slice(10, 20)]);
    second.request.onUploadProgress?.(7);
    accept(second, 20);
    const third = await fixture.next('PATCH', URL);
    expect(bytesOf(third)).toEqual([...photo.slice(20)]);
    accept(third, 25);
    await fixture.clock.settle();
    expect(outcome.state).toBe('resolved');
    expect(fixture.network.exchanges).toHaveLength(3);
    expect(fixture.urls).toEqual([URL]);
    expect(fixture.progress).toContainEqual([4, 0]);
    expect(fixture.progress).toContainEqual([17, 10]);
    expect(fixture.progress.at(-1)).toEqual([25, 25]);
    expect(fixture.clock.pending).toBe(0);
  });

  it('reports bytes only once the service has confirmed them', async () => {
    fixture.start();
    const creation = await fixture.next('POST', ENDPOINT);
    creation.request.onUploadProgress?.(10);
    expect(fixture.progress.every(([, confirmed]) => confirmed === 0)).toBe(true);
    accept(creation, 10);
    await fixture.next('PATCH', URL);
    expect(fixture.progress.at(-1)?.[1]).toBe(10);
  });

  it('resumes at the offset of the service', async () => {
    const outcome = fixture.start(URL);
    answerHead(await fixture.next('HEAD', URL), 20);
    const chunk = await fixture.next('PATCH', URL);
    expect(chunk.request.headers['Upload-Offset']).toBe('20');
    expect(bytesOf(chunk)).toEqual([...photo.slice(20)]);
    accept(chunk, 25);
    await fixture.clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('completes at once when the service has all bytes', async () => {
    const outcome = fixture.start(URL);
    answerHead(await fixture.next('HEAD', URL), 25);
    await fixture.clock.settle();
    expect(outcome.state).toBe('resolved');
    expect(fixture.network.exchanges).toHaveLength(1);
  });

  it('resumes after the accepted part of a chunk', async () => {
    const outcome = fixture.start();
    accept(await fixture.next('POST', ENDPOINT), 4);
    const chunk = await fixture.next('PATCH', URL);
    expect(bytesOf(chunk)).toEqual([...photo.slice(4, 14)]);
    accept(chunk, 14);
    accept(await fixture.next('PATCH', URL), 24);
    accept(await fixture.next('PATCH', URL), 25);
    await fixture.clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it.each([404, 410])(
    'restarts when the service responds %d to the offset request',
    async (status) => {
      const outcome = fixture.start(URL);
      (await fixture.next('HEAD', URL)).respond(status, TUS);
      const creation = await fixture.next('POST', ENDPOINT);
      expect(bytesOf(creation)).toEqual([...photo.slice(0, 10)]);
      creation.respond(201, { Location: `${ENDPOINT}/u-2`, 'Upload-Offset': '25' });
      await fixture.clock.settle();
      expect(outcome.state).toBe('resolved');
    },
  );

  it('reports its URL only when bytes remain after the creation', async () => {
    fixture.start(null, undefined, { chunkBytes: 100 });
    accept(await fixture.next('POST', ENDPOINT), 25);
    await fixture.clock.settle();
    expect(fixture.urls).toEqual([]);

    fixture.start(null, undefined, { chunkBytes: 100 });
    await fixture.clock.settle();
    const [again] = fixture.network.open;
    if (!again) throw new Error('nothing is on the wire');
    accept(again, 12);
    const rest = await fixture.next('PATCH', URL);
    expect(fixture.urls).toEqual([URL]);
    expect(bytesOf(rest)).toEqual([...photo.slice(12)]);
  });

  it.each([404, 410])('requests the offset and restarts when a chunk gets %d', async (status) => {
    const outcome = fixture.start();
    accept(await fixture.next('POST', ENDPOINT), 10);
    const chunk = await fixture.next('PATCH', URL);
    expect(fixture.progress.at(-1)).toEqual([10, 10]);
    chunk.respond(status, TUS);
    await fixture.clock.runUntil(() => fixture.network.open.length > 0);
    (await fixture.next('HEAD', URL)).respond(404, TUS);
    const creation = await fixture.next('POST', ENDPOINT);
    // Confirmed bytes of the missing upload no longer count.
    expect(fixture.progress.at(-1)).toEqual([0, 0]);
    creation.respond(201, { Location: `${ENDPOINT}/u-2`, 'Upload-Offset': '25' });
    await fixture.clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('never reports less progress while it waits for a response', async () => {
    fixture.start();
    const creation = await fixture.next('POST', ENDPOINT);
    creation.request.onUploadProgress?.(8);
    creation.fail(unreachable);
    await fixture.clock.runUntil(() => fixture.network.open.length > 0);
    const again = await fixture.next('POST', ENDPOINT);
    expect(bytesOf(again)).toEqual([]);
    expect(fixture.progress).toEqual([[8, 0]]);
    accept(again, 6);
    const chunk = await fixture.next('PATCH', URL);
    chunk.request.onUploadProgress?.(5);
    chunk.fail(unreachable);
    await fixture.clock.runUntil(() => fixture.network.open.length > 0);
    answerHead(await fixture.next('HEAD', URL), 9);
    await fixture.next('PATCH', URL);
    expect(fixture.progress).toEqual([
      [8, 0],
      [6, 6],
      [11, 6],
      [9, 9],
    ]);
  });

  it('requests the offset before it resends after a lost chunk', async () => {
    const outcome = fixture.start();
    accept(await fixture.next('POST', ENDPOINT), 10);
    (await fixture.next('PATCH', URL)).fail(unreachable);
    await fixture.clock.runUntil(() => fixture.network.open.length > 0);
    answerHead(await fixture.next('HEAD', URL), 17);
    const chunk = await fixture.next('PATCH', URL);
    expect(bytesOf(chunk)).toEqual([...photo.slice(17)]);
    accept(chunk, 25);
    await fixture.clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('repeats a creation with a lost response, with the same client_upload_id', async () => {
    const outcome = fixture.start();
    const first = await fixture.next('POST', ENDPOINT);
    first.fail(unreachable);
    await fixture.clock.advance(1000);
    const again = await fixture.next('POST', ENDPOINT);
    expect(again.request.headers['Upload-Metadata']).toBe(first.request.headers['Upload-Metadata']);
    accept(again, 10);
    accept(await fixture.next('PATCH', URL), 20);
    accept(await fixture.next('PATCH', URL), 25);
    await fixture.clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('increases its delay with each failure, and resets it after a confirmed byte', async () => {
    fixture.start();
    accept(await fixture.next('POST', ENDPOINT), 10);
    const waits: number[] = [];
    for (const holds of [10, 10, 15, 15, 15]) {
      const before = fixture.clock.elapsed;
      (await fixture.next('PATCH', URL)).respond(500);
      await fixture.clock.settle();
      while (fixture.network.open.length === 0) await fixture.clock.advanceToNext();
      waits.push(fixture.clock.elapsed - before);
      answerHead(await fixture.next('HEAD', URL), holds);
      await fixture.clock.settle();
    }
    // Ten bytes were confirmed before the first failure, five more before the fourth.
    expect(waits).toEqual([0, 500, 1000, 0, 500]);
  });

  it('counts bytes that the service already has as confirmed', async () => {
    fixture.start(URL);
    answerHead(await fixture.next('HEAD', URL), 15);
    await fixture.next('PATCH', URL);
    expect(fixture.progress.at(-1)).toEqual([15, 15]);
  });
});

describe('a conflict', () => {
  it.each([409, 423])('with %d is resolved by an offset request', async (status) => {
    const outcome = fixture.start();
    accept(await fixture.next('POST', ENDPOINT), 10);
    (await fixture.next('PATCH', URL)).respond(status, TUS);
    await fixture.clock.runUntil(() => fixture.network.open.length > 0);
    answerHead(await fixture.next('HEAD', URL), 20);
    const chunk = await fixture.next('PATCH', URL);
    expect(bytesOf(chunk)).toEqual([...photo.slice(20)]);
    accept(chunk, 25);
    await fixture.clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('fails the upload after nine in a row without progress', async () => {
    const outcome = fixture.start();
    accept(await fixture.next('POST', ENDPOINT), 10);
    const isOver = (): boolean => outcome.state !== 'pending';
    let conflicts = 0;
    while (!isOver() && conflicts < 50) {
      (await fixture.next('PATCH', URL)).respond(409, TUS);
      conflicts += 1;
      await fixture.clock.runUntil(() => fixture.network.open.length > 0 || isOver(), {
        stepMs: 5000,
      });
      if (!isOver()) answerHead(await fixture.next('HEAD', URL), 10);
    }
    expect(outcome.error).toMatchObject({ code: 'CW-603', status: 409 });
    // The first one followed a confirmed byte.
    expect(conflicts).toBe(10);
  });
});

describe('cancelling an upload', () => {
  it('sends nothing when it is cancelled before its first request', async () => {
    fixture.source.cancel();
    const outcome = fixture.start();
    await fixture.clock.settle();
    expect(outcome.error).toBeInstanceOf(CancelledError);
    expect(fixture.network.exchanges).toHaveLength(0);
  });

  it('aborts an active request, and sends nothing more', async () => {
    const outcome = fixture.start();
    accept(await fixture.next('POST', ENDPOINT), 10);
    const chunk = await fixture.next('PATCH', URL);
    fixture.source.cancel();
    await fixture.clock.settle();
    expect(chunk.isCancelled).toBe(true);
    expect(outcome.error).toBeInstanceOf(CancelledError);
    await fixture.clock.advance(600_000);
    expect(fixture.network.exchanges).toHaveLength(2);
  });

  it('ends the delay after a failure', async () => {
    const outcome = fixture.start();
    accept(await fixture.next('POST', ENDPOINT), 10);
    (await fixture.next('PATCH', URL)).respond(500);
    await fixture.clock.settle();
    fixture.source.cancel();
    await fixture.clock.settle();
    expect(outcome.error).toBeInstanceOf(CancelledError);
    expect(fixture.clock.pending).toBe(0);
  });

  it('ends it while its bytes are being read', async () => {
    const outcome = fixture.start(null, () => {
      fixture.source.cancel();
      return Promise.resolve(photo.slice(0, 10).buffer);
    });
    await fixture.clock.settle();
    expect(outcome.error).toBeInstanceOf(CancelledError);
    expect(fixture.network.exchanges).toHaveLength(0);
  });
});

describe('terminateUpload', () => {
  it.each([204, 403, 404, 410])('accepts %d', async (status) => {
    const done = outcomeOf(terminateUpload(fixture.queue, ENDPOINT, URL, fixture.source.signal));
    const exchange = await fixture.next('DELETE', URL);
    expect(exchange.request.headers['Tus-Resumable']).toBe('1.0.0');
    exchange.respond(status, TUS);
    await fixture.clock.settle();
    expect(done.state).toBe('resolved');
  });

  it('sends nothing to an address elsewhere', async () => {
    const elsewhere = terminateUpload(
      fixture.queue,
      ENDPOINT,
      `${BASE}/api/v1/other/1`,
      fixture.source.signal,
    );
    expect(await rejectionOf(elsewhere)).toMatchObject({ code: 'CW-304' });
    expect(fixture.network.exchanges).toHaveLength(0);
  });
});
