import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import type { PendingExchange } from '../../support/conversation.js';
import { filesOf, isQuestion, DuplicateCheckFixture } from './duplicate-check-fixture.js';

/** A question that is not answered delays photos, and stops none. */
describe('a photo whose duplicate check gets no response', () => {
  let fixture: DuplicateCheckFixture;

  beforeEach(async () => {
    fixture = new DuplicateCheckFixture();
    await fixture.begin();
  });

  const noConnection = (exchange: PendingExchange): void => {
    exchange.fail(new CwError('CW-301', 'reset'));
  };
  const connected = (exchange: PendingExchange): void => {
    if (isQuestion(exchange)) fixture.answer(exchange, filesOf(exchange));
    else fixture.respond(exchange);
  };

  /** Adds photos of these texts, and handles their requests for this time. */
  async function addAnd(
    onRequest: (exchange: PendingExchange) => void,
    seconds: number,
  ): Promise<void> {
    fixture.network.onRequest = onRequest;
    await fixture.uploads.addPhotos(['a', 'b', 'c'].map((text) => fixture.photo(text)));
    await fixture.clock.advance(seconds * 1_000);
  }

  it('is not sent during the first minute without a connection', async () => {
    ['a', 'b', 'c'].forEach((text) => fixture.holds(text));
    await addAnd(noConnection, 60);
    expect(fixture.network.exchanges.filter((exchange) => !isQuestion(exchange))).toEqual([]);
    fixture.network.onRequest = connected;
    await fixture.clock.advance(60_000);
    expect(fixture.list.failedFor('CW-611')).toHaveLength(3);
  });

  it('sends one photo after minutes without a connection and checks the others after reconnection', async () => {
    ['a', 'b', 'c'].forEach((text) => fixture.holds(text));
    await addAnd(noConnection, 1_200);
    fixture.network.onRequest = connected;
    await fixture.clock.advance(60_000);
    expect(fixture.standing()).toEqual([
      'a.jpg uploaded',
      'b.jpg failed CW-611',
      'c.jpg failed CW-611',
    ]);
    expect(fixture.arrived()).toEqual(['a']);
  });

  it('sends one photo, then all, when uploads succeed and the check still fails', async () => {
    const onlyUploads = (exchange: PendingExchange): void => {
      if (isQuestion(exchange)) noConnection(exchange);
      else fixture.respond(exchange);
    };
    await addAnd(onlyUploads, 180);
    expect(fixture.arrived()).toEqual(['a']);
    await fixture.clock.advance(300_000);
    expect(fixture.arrived()).toEqual(['a', 'b', 'c']);
  });

  it('sends one photo per loss of connection, never several', async () => {
    await addAnd(noConnection, 1_200);
    fixture.network.onRequest = connected;
    await fixture.clock.advance(60_000);
    expect(fixture.arrived()).toEqual(['a', 'b', 'c']);
    ['d', 'e', 'f'].forEach((text) => fixture.holds(text));
    fixture.network.onRequest = noConnection;
    await fixture.uploads.addPhotos(['d', 'e', 'f'].map((text) => fixture.photo(text)));
    await fixture.clock.advance(1_200_000);
    fixture.network.onRequest = connected;
    await fixture.clock.advance(60_000);
    expect(fixture.arrived()).toEqual(['a', 'b', 'c', 'd']);
    expect(fixture.list.failedFor('CW-611')).toHaveLength(2);
  });

  it('sends the next photo where the first one fails', async () => {
    const first = (): string | undefined => fixture.list.slice(0, 1)[0]?.record.id;
    await addAnd((exchange) => {
      if (isQuestion(exchange)) noConnection(exchange);
      else if (fixture.service.photoOf(exchange) === first())
        exchange.respond(415, {}, { error: 'refused' });
      else fixture.respond(exchange);
    }, 300);
    expect(fixture.standing()[0]).toBe('a.jpg failed CW-605');
    expect(fixture.arrived()).toEqual(['b']);
    await fixture.clock.advance(300_000);
    expect(fixture.arrived()).toEqual(['b', 'c']);
  });
});

describe('a photo whose duplicate check gets an unreadable response', () => {
  let fixture: DuplicateCheckFixture;

  beforeEach(async () => {
    fixture = new DuplicateCheckFixture();
    await fixture.begin();
  });

  it('finds duplicates although a response with many copies is too long', async () => {
    const texts = Array.from({ length: 100 }, (_, index) => `IMG_${index}`);
    for (const text of texts) for (let times = 0; times < 10; times += 1) fixture.holds(text);
    const { answer } = fixture;
    fixture.answer = (exchange, files) => {
      // As the transport does, which reads 64 KiB of an answer.
      if (files.length * 10 * 220 > 65_536)
        exchange.fail(new CwError('CW-305', 'an answer is too large'));
      else answer(exchange, files);
    };
    await fixture.add(...texts);
    expect(fixture.arrived()).toEqual([]);
    expect(fixture.list.failedFor('CW-611')).toHaveLength(100);
    expect(fixture.asked.length).toBeLessThan(12);
  });

  it('is sent without a check after a few unreadable responses', async () => {
    const texts = Array.from({ length: 100 }, (_, index) => `IMG_${index}`);
    fixture.answer = (exchange) => exchange.fail(new CwError('CW-305', 'an answer is too large'));
    await fixture.add(...texts);
    expect(fixture.arrived()).toHaveLength(100);
    expect(fixture.asked.length).toBeLessThan(10);
  });
});
