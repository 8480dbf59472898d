import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PendingExchange } from '../../support/conversation.js';
import { UploadFixture } from '../fixture.js';

let fixture: UploadFixture;
/** Upload-Length that still fits; the service refuses longer files. */
let roomFor: number;
/** The requests that were refused for lack of space. */
let refused: PendingExchange[];

beforeEach(async () => {
  fixture = new UploadFixture();
  roomFor = 0;
  refused = [];
  await fixture.start();
});

function refuse(exchange: PendingExchange, headers = {}): void {
  refused.push(exchange);
  exchange.respond(507, headers, { error: 'insufficient_storage' });
}

/** Answers one request after another as a service with this room, until none is on the wire. */
async function answerAll(): Promise<void> {
  for (;;) {
    await fixture.clock.settle();
    const [exchange] = fixture.network.open;
    if (!exchange) return;
    const length = exchange.request.headers['Upload-Length'];
    if (length !== undefined && Number(length) > roomFor) refuse(exchange);
    else fixture.respond(exchange);
  }
}

/** The lack of space as the stored records have it. */
const notes = (): unknown[] =>
  [...fixture.storage.records.values()].flatMap(
    (text) => (JSON.parse(text) as { noSpace?: unknown }).noSpace ?? [],
  );

const isWaiting = (): boolean => fixture.uploads.state.get().space.kind === 'waiting';
const texts = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `photo ${index}`);

describe('a service without space', () => {
  it('refuses two of 500 files, and no file fails', async () => {
    await fixture.queue(...texts(500));
    await answerAll();
    expect(refused).toHaveLength(2);
    expect(fixture.list.summary.get()).toMatchObject({ waiting: 500, uploading: 0, failed: 0 });
    expect(fixture.uploads.state.get().space).toMatchObject({
      kind: 'waiting',
      error: { code: 'CW-606', status: 507 },
      until: fixture.clock.now() + 5_000,
    });
  });

  it('is tried with one file at a time, after delays of up to two minutes', async () => {
    await fixture.queue('a', 'b', 'c');
    await answerAll();
    const begin = fixture.clock.now();
    const times: number[] = [];
    fixture.network.onRequest = () => times.push(fixture.clock.now() - begin);
    for (let seconds = 0; seconds < 400; seconds += 5) {
      await fixture.clock.advance(5_000);
      expect(fixture.network.open.length).toBeLessThanOrEqual(1);
      await answerAll();
    }
    expect(times.map((time) => time / 1000)).toEqual([5, 15, 35, 75, 155, 275, 395]);
  });

  it('gets all files by itself once a try succeeds, in their order but for the tried ones', async () => {
    await fixture.queue(...texts(20));
    await answerAll();
    roomFor = Infinity;
    await fixture.clock.advance(4_999);
    expect(fixture.network.open).toEqual([]);
    await fixture.clock.advance(1);
    await answerAll();
    expect(fixture.arrived()).toEqual([...texts(20).slice(1), 'photo 0']);
    expect(isWaiting()).toBe(false);
    expect(fixture.left).toBe(0);
    expect(fixture.clock.pending).toBe(0);
  });

  it('gets the other files as soon as it has taken bytes of a long one', async () => {
    await fixture.queue('a file of many, many chunks', 'b', 'c');
    for (const exchange of fixture.network.open) refuse(exchange);
    await fixture.clock.settle();
    await fixture.uploads.makeNext(fixture.idOf('a file of many, many chunks'));
    await fixture.clock.advance(5_000);
    await fixture.respondTo(fixture.network.only);
    expect(fixture.network.only.request.method).toBe('PATCH');
    await fixture.respondTo(fixture.network.only);
    expect(isWaiting()).toBe(false);
    expect(fixture.network.open).toHaveLength(2);
  });

  it('gets no bytes with the creation of a try', async () => {
    await fixture.queue('a');
    expect(fixture.network.only.request.body).toHaveProperty('byteLength', 1);
    await answerAll();
    await fixture.clock.advance(5_000);
    expect(fixture.network.only.request.method).toBe('POST');
    const { body } = fixture.network.only.request;
    expect(body instanceof ArrayBuffer ? body.byteLength : 0).toBe(0);
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['a']);
  });

  it('gets the files that fit while a larger one waits', async () => {
    await fixture.queue('much too large', 'b', 'c', 'd');
    roomFor = 5;
    await answerAll();
    expect(fixture.phases()).toContain('much too large waiting');
    for (let tries = 0; tries < 4; tries += 1) {
      await fixture.clock.advance(10_000);
      await answerAll();
    }
    expect(fixture.arrived().sort()).toEqual(['b', 'c', 'd']);
    roomFor = Infinity;
    await fixture.clock.advance(120_000);
    await answerAll();
    expect(fixture.arrived()).toContain('much too large');
  });

  it('is tried at once by Try now, also after a long delay', async () => {
    await fixture.queue('a', 'b');
    for (let minutes = 0; minutes < 10; minutes += 1) {
      await answerAll();
      await fixture.clock.advance(60_000);
    }
    await answerAll();
    fixture.uploads.resume();
    await fixture.clock.settle();
    expect(fixture.network.open).toHaveLength(1);
    await answerAll();
    // As short as the first delay.
    expect(fixture.uploads.state.get().space).toMatchObject({
      until: fixture.clock.now() + 5_000,
    });
  });

  it('is not tried before its Retry-After is over', async () => {
    await fixture.queue('a');
    refuse(fixture.network.only, { 'Retry-After': '600' });
    await fixture.clock.advance(599_000);
    expect(fixture.network.open).toEqual([]);
    await fixture.clock.advance(1_000);
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['a']);
  });

  it('is not tried during a pause', async () => {
    await fixture.queue('a', 'b');
    await answerAll();
    fixture.uploads.pause();
    await fixture.clock.advance(600_000);
    expect(fixture.network.open).toEqual([]);
    fixture.uploads.resume();
    await fixture.finishAll();
    expect(fixture.arrived().sort()).toEqual(['a', 'b']);
  });

  it('is tried again after a pause has stopped a try', async () => {
    await fixture.queue('a', 'b');
    await answerAll();
    await fixture.clock.advance(5_000);
    fixture.uploads.pause();
    await fixture.clock.settle();
    fixture.uploads.resume();
    await fixture.finishAll();
    expect(fixture.arrived().sort()).toEqual(['a', 'b']);
  });

  it('is tried with the next file when the tried one fails for another reason or is removed', async () => {
    await fixture.queue('a', 'b', 'c', 'd');
    await answerAll();
    await fixture.clock.advance(5_000);
    fixture.network.only.respond(415, { 'Tus-Resumable': '1.0.0' });
    await fixture.clock.settle();
    const tried = fixture.photoOf(fixture.network.only);
    expect(isWaiting()).toBe(true);
    void fixture.uploads.remove(tried ?? '');
    await fixture.clock.settle();
    expect(fixture.network.open).toHaveLength(1);
    await fixture.finishAll();
    expect(fixture.arrived()).toHaveLength(2);
    expect(isWaiting()).toBe(false);
  });

  it('stays full although an upload from before the refusal arrives', async () => {
    await fixture.queue('a', 'b', 'c', 'd');
    const [first, second] = fixture.network.open;
    if (first) refuse(first);
    await fixture.clock.settle();
    await fixture.respondTo(second);
    expect(fixture.arrived()).toEqual(['b']);
    expect(isWaiting()).toBe(true);
    expect(fixture.network.open).toEqual([]);
  });

  it('keeps what it holds of a file whose next bytes it refuses, across a kill', async () => {
    await fixture.queue('a photo of several chunks');
    await fixture.respondTo(fixture.network.only);
    refuse(fixture.network.only);
    await fixture.clock.settle();
    expect(fixture.list.get(fixture.idOf('a photo of several chunks'))).toMatchObject({
      phase: 'waiting',
      sentBytes: 10,
    });
    // The offset that it reports is no sign of space.
    await fixture.clock.advance(5_000);
    await fixture.respondTo(fixture.network.only);
    expect(isWaiting()).toBe(true);
    refuse(fixture.network.only);
    await fixture.clock.settle();
    await fixture.start();
    await fixture.finishAll();
    const [head, next] = fixture.network.exchanges.map(({ request }) => request);
    expect(head?.method).toBe('HEAD');
    expect(next?.headers).toMatchObject({ 'Upload-Offset': '10' });
    expect(fixture.arrived()).toEqual(['a photo of several chunks']);
  });

  it('is tried after a restart, with files that an earlier version let fail as well', async () => {
    await fixture.queue('a', 'b');
    await answerAll();
    const { records } = fixture.storage;
    const record = records.get(fixture.idOf('b')) ?? '';
    records.set(fixture.idOf('b'), record.replace('"failure":null', '"failure":"CW-606"'));
    expect(records.get(fixture.idOf('b'))).toContain('CW-606');
    await fixture.start();
    await fixture.finishAll();
    expect(fixture.arrived().sort()).toEqual(['a', 'b']);
  });

  it.each([
    ['insufficient_storage', 'CW-606'],
    ['insufficient_disk_space', 'CW-620'],
  ])('gets a single file after a restart, without bytes, after %s', async (error, code) => {
    await fixture.queue(...texts(20));
    for (const exchange of fixture.network.open) exchange.respond(507, {}, { error });
    await fixture.clock.settle();
    expect(notes()).toEqual([code]);
    for (let starts = 0; starts < 3; starts += 1) {
      await fixture.start({ smallConcurrency: 6, isStreamed: true });
      await fixture.clock.settle();
      const { request } = fixture.network.only;
      expect(request.method).toBe('POST');
      expect(request.body instanceof ArrayBuffer ? request.body.byteLength : 0).toBe(0);
      expect(fixture.uploads.state.get().space).toMatchObject({ trying: true, error: { code } });
      fixture.network.only.respond(507, {}, { error });
      await fixture.clock.settle();
      expect(fixture.network.open).toEqual([]);
      expect(fixture.uploads.state.get().space).toMatchObject({
        until: fixture.clock.now() + 5_000,
      });
    }
    await fixture.clock.advance(5_000);
    await fixture.finishAll();
    expect(fixture.arrived().sort()).toEqual(texts(20).sort());
    expect(fixture.left).toBe(0);
  });

  it('notes in storage what it lacks last, and nothing once it takes files', async () => {
    await fixture.queue('a', 'b', 'c');
    await answerAll();
    await fixture.clock.advance(5_000);
    fixture.network.only.respond(507, {}, { error: 'insufficient_disk_space' });
    await fixture.clock.settle();
    expect(notes()).toEqual(['CW-620']);
    await fixture.clock.advance(10_000);
    await fixture.respondTo(fixture.network.only);
    await fixture.respondTo(fixture.network.only);
    expect(notes()).toEqual([]);
    await fixture.start();
    expect(isWaiting()).toBe(false);
    expect(fixture.network.open).toHaveLength(2);
  });

  it('gets all files although it was killed while the note was written', async () => {
    await fixture.queue(...texts(5));
    const before = new Map(fixture.storage.records);
    await answerAll();
    const noted = new Map(fixture.storage.records);
    expect(noted).not.toEqual(before);
    for (const records of [before, noted]) {
      fixture.storage.records.clear();
      for (const [key, text] of records) fixture.storage.records.set(key, text);
      await fixture.start();
      await answerAll();
      expect(fixture.list.summary.get()).toMatchObject({ waiting: 5, failed: 0 });
      expect(notes()).toEqual(['CW-606']);
    }
    roomFor = Infinity;
    await fixture.start();
    await answerAll();
    expect(fixture.arrived().sort()).toEqual(texts(5).sort());
    expect(fixture.left).toBe(0);
  });

  it('holds up no files of another account', async () => {
    fixture.reports = true;
    await fixture.start();
    await fixture.queue('of anna');
    await answerAll();
    await fixture.signOut();
    fixture.account = 'ben';
    fixture.uploads.onSignedIn();
    await fixture.clock.settle();
    await fixture.uploads.answerQuestion(true);
    await fixture.clock.settle();
    expect(isWaiting()).toBe(false);
    expect(notes()).toEqual([]);
    await fixture.finishAll();
    expect(fixture.service.arrived('ben')).toEqual(['of anna']);
  });
});
