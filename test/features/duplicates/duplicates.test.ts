import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { memoryPhoto, type Operation } from '../../support/memory-host.js';
import type { PendingExchange } from '../../support/conversation.js';
import { enqueue } from '../queue/queue-fixture.js';
import { filesOf, isQuestion, DuplicateCheckFixture } from './duplicate-check-fixture.js';
import { ENDPOINT } from '../fixture.js';

/** Photos that the service already has are not sent again without an answer. */
describe('a photo that the service already has', () => {
  let fixture: DuplicateCheckFixture;

  beforeEach(async () => {
    fixture = new DuplicateCheckFixture();
    await fixture.begin();
  });

  it('holds a duplicate, sends the others, and hashes only photos with a match', async () => {
    fixture.holds('a');
    fixture.holds('same size', 'e'.repeat(32), 'other.jpg');
    await fixture.add('a', 'b');
    fixture.storage.log.length = 0;
    await fixture.uploads.addPhotos([
      memoryPhoto(fixture.storage, 'other.jpg', new Uint8Array(Buffer.from('SAME SIZE'))),
    ]);
    await fixture.answerAll();
    expect(fixture.standing()).toEqual([
      'a.jpg failed CW-611',
      'b.jpg uploaded',
      'other.jpg uploaded',
    ]);
    expect(fixture.arrived()).toEqual(['b', 'SAME SIZE']);
  });

  it('checks photos together that come within half a second', async () => {
    await fixture.add('earlier');
    const arrive = async (text: string): Promise<void> => {
      await fixture.uploads.addPhotos([fixture.photo(text)]);
      await fixture.clock.settle();
    };
    await arrive('first');
    const question = fixture.network.open.find(isQuestion);
    expect(question && filesOf(question).map(({ name }) => name)).toEqual(['first.jpg']);
    question?.respond(200, {}, { known: [] });
    await fixture.clock.settle();
    await arrive('second');
    await arrive('third');
    expect(fixture.network.open.filter(isQuestion)).toEqual([]);
    await fixture.answerAll();
    expect(fixture.asked.map((files) => files.map(({ name }) => name))).toEqual([
      ['earlier.jpg'],
      ['second.jpg', 'third.jpg'],
    ]);
  });

  it('holds a duplicate over a restart, checks it once, and sends it when the user confirms', async () => {
    fixture.holds('a');
    fixture.holds('b');
    await fixture.add('a', 'b');
    fixture.asked = [];
    await fixture.begin();
    await fixture.answerAll();
    expect(fixture.standing()).toEqual(['a.jpg failed CW-611', 'b.jpg failed CW-611']);
    expect(fixture.asked).toEqual([]);
    await fixture.uploads.retryFailed('CW-611');
    // A restart right after the answer does not ask again.
    await fixture.begin();
    await fixture.answerAll();
    expect(fixture.asked).toEqual([]);
    expect([...fixture.arrived()].sort()).toEqual(['a', 'b']);
  });

  it('removes a skipped duplicate and restores it by Undo', async () => {
    fixture.holds('a');
    await fixture.add('a');
    await fixture.uploads.removeFailed('CW-611');
    expect(fixture.standing()).toEqual([]);
    await fixture.uploads.undoRemoval();
    await fixture.answerAll();
    expect(fixture.standing()).toEqual(['a.jpg failed CW-611']);
    expect(fixture.arrived()).toEqual([]);
  });

  it('continues without a question when the duplicate is its own upload with a lost response', async () => {
    fixture.uploads.pause();
    await fixture.uploads.addPhotos([fixture.photo('a')]);
    fixture.holds('a', fixture.unsent[0]?.record.id ?? null);
    fixture.holds('a');
    fixture.uploads.resume();
    await fixture.answerAll();
    expect(fixture.standing()).toEqual(['a.jpg uploaded']);
  });

  it('does not check a photo whose upload has begun', async () => {
    const text = 'a photo of more than one chunk';
    await fixture.uploads.addPhotos([fixture.photo(text)]);
    await fixture.clock.settle();
    const question = fixture.network.only;
    question.respond(200, {}, { known: [] });
    await fixture.clock.settle();
    fixture.respond(fixture.network.only);
    await fixture.clock.settle();
    fixture.holds(text);
    await fixture.begin();
    await fixture.answerAll();
    expect(fixture.asked).toEqual([]);
    expect(fixture.arrived()).toEqual([text]);
  });

  it('starts new photos while a large possible duplicate is still being hashed', async () => {
    const large = 'x'.repeat(1_000_000);
    fixture.holds(large, 'e'.repeat(32), 'large.jpg');
    fixture.uploads.pause();
    await fixture.uploads.addPhotos([
      memoryPhoto(fixture.storage, 'large.jpg', new Uint8Array(Buffer.from(large))),
      fixture.photo('small'),
    ]);
    fixture.uploads.resume();
    await fixture.clock.settle();
    fixture.answer(fixture.network.only, filesOf(fixture.network.only));
    await fixture.clock.settle();
    expect(fixture.network.open.map(({ request: { url } }) => url)).toEqual([ENDPOINT]);
    await fixture.answerAll();
    expect(fixture.standing()).toEqual(['large.jpg failed CW-611', 'small.jpg uploaded']);
  });

  it.each([
    ['refuses', (exchange: PendingExchange) => exchange.respond(404, {}, { error: 'refused' })],
    ['is busy for good', (exchange: PendingExchange) => exchange.respond(503)],
    ['talks nonsense', (exchange: PendingExchange) => exchange.respond(200, {}, 'nonsense')],
    [
      'forgets the digests',
      (exchange: PendingExchange) =>
        exchange.respond(200, {}, { known: [{ name: 'a.jpg', size: 1 }] }),
    ],
    [
      'forgets one of the digests',
      (exchange: PendingExchange) => {
        const sha256 = createHash('sha256').update('a').digest('hex');
        const known = [
          { name: 'a.jpg', size: 1, sha256 },
          { name: 'b.jpg', size: 1 },
        ];
        exchange.respond(200, {}, { known });
      },
    ],
    [
      'does not get through',
      (exchange: PendingExchange) => exchange.fail(new CwError('CW-301', 'reset')),
    ],
  ] as const)('is sent without a prompt when the check %s', async (_, respond) => {
    fixture.holds('a');
    fixture.answer = respond;
    await fixture.uploads.addPhotos(['a', 'b', 'c'].map((text) => fixture.photo(text)));
    for (let minutes = 0; minutes < 30 && fixture.arrived().length < 3; minutes += 1) {
      await fixture.answerAll();
      await fixture.clock.advance(55_000);
    }
    expect([...fixture.arrived()].sort()).toEqual(['a', 'b', 'c']);
  });

  it('does not check for duplicates at a service without that capability', async () => {
    fixture.hasKnownUploads = false;
    fixture.asksInVain = true;
    await fixture.begin();
    fixture.holds('a');
    await fixture.add('a', 'b');
    expect([...fixture.arrived()].sort()).toEqual(['a', 'b']);
    expect(fixture.asked).toEqual([]);
  });

  it('stops checking for duplicates once the service has refused a check', async () => {
    fixture.answer = (exchange) => exchange.respond(404, {}, { error: 'refused' });
    await fixture.add('a');
    expect(fixture.asked).toHaveLength(1);
    await fixture.add('b');
    expect([...fixture.arrived()].sort()).toEqual(['a', 'b']);
    expect(fixture.asked).toHaveLength(1);
  });

  it('checks for duplicates again for another account', async () => {
    await fixture.add('first');
    fixture.uploads.pause();
    await fixture.uploads.addPhotos([fixture.photo('a')]);
    fixture.account = null;
    fixture.uploads.onSessionEnded();
    fixture.account = 'ben';
    fixture.holds('a');
    fixture.uploads.onSignedIn();
    fixture.uploads.resume();
    await fixture.answerAll();
    expect(fixture.standing()).toContain('a.jpg failed CW-611');
    expect(fixture.service.arrived('ben')).toEqual([]);
  });

  it.each([
    ['had begun', false],
    ['had begun, after a restart', true],
  ])('prompts for another account although its upload %s', async (_case, restarts) => {
    const text = 'a photo of more than one chunk';
    fixture.reports = true;
    await fixture.begin();
    fixture.uploads.onSignedIn();
    await fixture.uploads.addPhotos([fixture.photo(text)]);
    await fixture.clock.settle();
    fixture.answer(fixture.network.only, filesOf(fixture.network.only));
    await fixture.clock.settle();
    fixture.respond(fixture.network.only);
    await fixture.clock.settle();
    fixture.account = null;
    fixture.uploads.onSessionEnded();
    await fixture.clock.settle();
    fixture.account = 'ben';
    fixture.holds(text);
    if (restarts) await fixture.begin();
    fixture.uploads.onSignedIn();
    await fixture.clock.settle();
    await fixture.uploads.answerQuestion(true);
    await fixture.answerAll();
    expect(fixture.standing()).toEqual([`${text}.jpg failed CW-611`]);
    expect(fixture.service.arrived('ben')).toEqual([]);
  });

  it('does not apply the duplicate decision of one account to another', async () => {
    fixture.reports = true;
    await fixture.begin();
    fixture.uploads.onSignedIn();
    ['a', 'b'].forEach((text) => fixture.holds(text));
    await fixture.add('a', 'b');
    fixture.uploads.pause();
    const again = fixture.list.slice(0, 100).find(({ record }) => record.name === 'b.jpg');
    await fixture.uploads.retry(again?.record.id ?? '');
    fixture.account = null;
    fixture.uploads.onSessionEnded();
    fixture.account = 'ben';
    fixture.held = [];
    fixture.holds('b');
    fixture.uploads.onSignedIn();
    await fixture.clock.settle();
    await fixture.uploads.answerQuestion(true);
    fixture.uploads.resume();
    await fixture.answerAll();
    expect(fixture.standing().sort()).toEqual(['a.jpg uploaded', 'b.jpg failed CW-611']);
    expect(fixture.service.arrived('ben')).toEqual(['a']);
  });

  it('repeats an interrupted duplicate check exactly once', async () => {
    fixture.holds('a');
    await fixture.uploads.addPhotos([fixture.photo('a')]);
    await fixture.clock.settle();
    fixture.uploads.pause();
    fixture.uploads.resume();
    await fixture.clock.advance(10_000);
    expect(fixture.network.open.map(({ request: { url } }) => url)).toEqual([`${ENDPOINT}/known`]);
    await fixture.answerAll();
    expect(fixture.standing()).toEqual(['a.jpg failed CW-611']);
    expect(fixture.asked).toHaveLength(1);
  });

  it('waits for the duplicate check while the session has errors', async () => {
    fixture.holds('a');
    await fixture.uploads.addPhotos([fixture.photo('a')]);
    await fixture.clock.settle();
    fixture.network.only.fail(new CwError('CW-701', 'the keychain is locked'));
    await fixture.clock.advance(10_000);
    await fixture.answerAll();
    expect(fixture.standing()).toEqual(['a.jpg failed CW-611']);
    expect(fixture.arrived()).toEqual([]);
  });

  it('ignores a check result of the previous account', async () => {
    fixture.holds('a');
    fixture.uploads.pause();
    await fixture.uploads.addPhotos([fixture.photo('a')]);
    const run = fixture.storage.run.bind(fixture.storage);
    let letGo = (): void => undefined;
    const free = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    Object.assign(fixture.storage, {
      run: async (operation: Operation, key: string, change: () => unknown) => {
        const result = await run(operation, key, change);
        // Closing the copy is the last that is done for its digest.
        if (operation === 'spool.open') Object.assign(result as object, { close: () => free });
        return result;
      },
    });
    fixture.uploads.resume();
    await fixture.answerAll();
    expect(fixture.standing()).toEqual(['a.jpg waiting']);
    fixture.account = null;
    fixture.uploads.onSessionEnded();
    letGo();
    await fixture.clock.settle();
    expect(fixture.standing()).toEqual(['a.jpg waiting']);
    fixture.held = [];
    fixture.account = 'ben';
    fixture.uploads.onSignedIn();
    await fixture.answerAll();
    expect(fixture.service.arrived('ben')).toEqual(['a']);
  });

  it('keeps its place when it is removed and restored, made next or interrupted', async () => {
    fixture.uploads.pause();
    await fixture.uploads.addPhotos(['a', 'b', 'c', 'd'].map((text) => fixture.photo(text)));
    const [, second, third] = fixture.unsent.map(({ record }) => record.id);
    if (second === undefined || third === undefined) throw new Error('too few');
    await fixture.uploads.remove(second);
    await fixture.uploads.undoRemoval();
    expect(fixture.standing().map((line) => line.charAt(0))).toEqual(['a', 'b', 'c', 'd']);
    await fixture.uploads.makeNext(third);
    expect(fixture.standing().map((line) => line.charAt(0))).toEqual(['c', 'a', 'b', 'd']);
    fixture.uploads.resume();
    await fixture.answerAll();
    expect(fixture.arrived()).toEqual(['c', 'a', 'b', 'd']);
  });

  it('finds duplicates among 10,000 photos with few requests', async () => {
    fixture.uploads.pause();
    for (let index = 0; index < 10_000; index += 1)
      await enqueue(
        fixture.list,
        fixture.photoStore,
        fixture.photo(`IMG_${String(index).padStart(5, '0')}`),
      );
    fixture.holds('IMG_09999');
    let questions = 0;
    fixture.network.onRequest = (exchange) => {
      if (exchange.request.url !== `${ENDPOINT}/known`) return;
      questions += 1;
      fixture.answer(exchange, filesOf(exchange));
    };
    fixture.uploads.resume();
    await fixture.clock.advance(1_000);
    expect(questions).toBe(40);
    expect(fixture.list.failedFor('CW-611')).toHaveLength(1);
  });
});
