import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import type { PendingExchange } from '../../support/conversation.js';
import { filesOf, isQuestion, KnownPhotosRig } from './duplicate-fixture.js';

/** A question that is not answered delays photos, and stops none. */
describe('a photo whose duplicate check gets no response', () => {
  let rig: KnownPhotosRig;

  beforeEach(async () => {
    rig = new KnownPhotosRig();
    await rig.begin();
  });

  const noConnection = (exchange: PendingExchange): void => {
    exchange.fail(new CwError('CW-301', 'reset'));
  };
  const connected = (exchange: PendingExchange): void => {
    if (isQuestion(exchange)) rig.answer(exchange, filesOf(exchange));
    else rig.respond(exchange);
  };

  /** Adds photos of these texts, and handles what comes of that like this for so long. */
  async function addAnd(
    onRequest: (exchange: PendingExchange) => void,
    seconds: number,
  ): Promise<void> {
    rig.network.onRequest = onRequest;
    await rig.uploader.addPhotos(['a', 'b', 'c'].map((text) => rig.photo(text)));
    await rig.clock.advance(seconds * 1_000);
  }

  it('is not sent during the first minute without a connection', async () => {
    ['a', 'b', 'c'].forEach((text) => rig.holds(text));
    await addAnd(noConnection, 60);
    expect(rig.network.exchanges.filter((exchange) => !isQuestion(exchange))).toEqual([]);
    rig.network.onRequest = connected;
    await rig.clock.advance(60_000);
    expect(rig.list.failedFor('CW-611')).toHaveLength(3);
  });

  it('sends one photo after minutes without a connection and checks the others after reconnection', async () => {
    ['a', 'b', 'c'].forEach((text) => rig.holds(text));
    await addAnd(noConnection, 1_200);
    rig.network.onRequest = connected;
    await rig.clock.advance(60_000);
    expect(rig.standing()).toEqual([
      'a.jpg uploaded',
      'b.jpg failed CW-611',
      'c.jpg failed CW-611',
    ]);
    expect(rig.arrived()).toEqual(['a']);
  });

  it('sends one photo, then all, when uploads succeed and the check still fails', async () => {
    const onlyUploads = (exchange: PendingExchange): void => {
      if (isQuestion(exchange)) noConnection(exchange);
      else rig.respond(exchange);
    };
    await addAnd(onlyUploads, 180);
    expect(rig.arrived()).toEqual(['a']);
    await rig.clock.advance(300_000);
    expect(rig.arrived()).toEqual(['a', 'b', 'c']);
  });

  it('sends one photo per loss of connection, never several', async () => {
    await addAnd(noConnection, 1_200);
    rig.network.onRequest = connected;
    await rig.clock.advance(60_000);
    expect(rig.arrived()).toEqual(['a', 'b', 'c']);
    ['d', 'e', 'f'].forEach((text) => rig.holds(text));
    rig.network.onRequest = noConnection;
    await rig.uploader.addPhotos(['d', 'e', 'f'].map((text) => rig.photo(text)));
    await rig.clock.advance(1_200_000);
    rig.network.onRequest = connected;
    await rig.clock.advance(60_000);
    expect(rig.arrived()).toEqual(['a', 'b', 'c', 'd']);
    expect(rig.list.failedFor('CW-611')).toHaveLength(2);
  });

  it('sends the next photo where the first one fails', async () => {
    const first = (): string | undefined => rig.list.slice(0, 1)[0]?.record.id;
    await addAnd((exchange) => {
      if (isQuestion(exchange)) noConnection(exchange);
      else if (rig.service.photoOf(exchange) === first())
        exchange.respond(415, {}, { error: 'refused' });
      else rig.respond(exchange);
    }, 300);
    expect(rig.standing()[0]).toBe('a.jpg failed CW-605');
    expect(rig.arrived()).toEqual(['b']);
    await rig.clock.advance(300_000);
    expect(rig.arrived()).toEqual(['b', 'c']);
  });
});

describe('a photo whose duplicate check gets an unreadable response', () => {
  let rig: KnownPhotosRig;

  beforeEach(async () => {
    rig = new KnownPhotosRig();
    await rig.begin();
  });

  it('finds duplicates although a response with many copies is too long', async () => {
    const texts = Array.from({ length: 100 }, (_, index) => `IMG_${index}`);
    for (const text of texts) for (let times = 0; times < 10; times += 1) rig.holds(text);
    const { answer } = rig;
    rig.answer = (exchange, files) => {
      // As the transport does, which reads 64 KiB of an answer.
      if (files.length * 10 * 220 > 65_536)
        exchange.fail(new CwError('CW-305', 'an answer is too large'));
      else answer(exchange, files);
    };
    await rig.add(...texts);
    expect(rig.arrived()).toEqual([]);
    expect(rig.list.failedFor('CW-611')).toHaveLength(100);
    expect(rig.asked.length).toBeLessThan(12);
  });

  it('is sent without a check after a few unreadable responses', async () => {
    const texts = Array.from({ length: 100 }, (_, index) => `IMG_${index}`);
    rig.answer = (exchange) => exchange.fail(new CwError('CW-305', 'an answer is too large'));
    await rig.add(...texts);
    expect(rig.arrived()).toHaveLength(100);
    expect(rig.asked.length).toBeLessThan(10);
  });
});
