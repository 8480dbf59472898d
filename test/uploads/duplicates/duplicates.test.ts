import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { memoryPhoto, type Operation } from '../../support/memory-host.js';
import type { PendingExchange } from '../../support/conversation.js';
import { enqueue } from '../queue/queue-fixture.js';
import { filesOf, KnownPhotosRig } from './duplicate-fixture.js';
import { ENDPOINT } from '../fixture.js';

/** What the service holds already for the person connected is not sent to it again unasked. */
describe('a photo that the service already has', () => {
  let rig: KnownPhotosRig;

  beforeEach(async () => {
    rig = new KnownPhotosRig();
    await rig.begin();
  });

  it('holds a duplicate, sends the others, and hashes only photos with a match', async () => {
    rig.holds('a');
    rig.holds('same size', 'e'.repeat(32), 'other.jpg');
    await rig.add('a', 'b');
    rig.storage.log.length = 0;
    await rig.uploader.addPhotos([
      memoryPhoto(rig.storage, 'other.jpg', new Uint8Array(Buffer.from('SAME SIZE'))),
    ]);
    await rig.answerAll();
    expect(rig.standing()).toEqual(['a.jpg failed CW-611', 'b.jpg uploaded', 'other.jpg uploaded']);
    expect(rig.arrived()).toEqual(['b', 'SAME SIZE']);
  });

  it('holds a duplicate over a restart, checks it once, and sends it when the user confirms', async () => {
    rig.holds('a');
    rig.holds('b');
    await rig.add('a', 'b');
    rig.asked = [];
    await rig.begin();
    await rig.answerAll();
    expect(rig.standing()).toEqual(['a.jpg failed CW-611', 'b.jpg failed CW-611']);
    expect(rig.asked).toEqual([]);
    await rig.uploader.retryFailed('CW-611');
    // A restart right after the answer does not ask again.
    await rig.begin();
    await rig.answerAll();
    expect(rig.asked).toEqual([]);
    expect([...rig.arrived()].sort()).toEqual(['a', 'b']);
  });

  it('removes a skipped duplicate and restores it by Undo', async () => {
    rig.holds('a');
    await rig.add('a');
    await rig.uploader.removeFailed('CW-611');
    expect(rig.standing()).toEqual([]);
    await rig.uploader.undoRemoval();
    await rig.answerAll();
    expect(rig.standing()).toEqual(['a.jpg failed CW-611']);
    expect(rig.arrived()).toEqual([]);
  });

  it('continues without a question when the duplicate is its own upload with a lost response', async () => {
    rig.uploader.pause();
    await rig.uploader.addPhotos([rig.photo('a')]);
    rig.holds('a', rig.unsent[0]?.record.id ?? null);
    rig.holds('a');
    rig.uploader.resume();
    await rig.answerAll();
    expect(rig.standing()).toEqual(['a.jpg uploaded']);
  });

  it('does not check a photo whose upload has begun', async () => {
    const text = 'a photo of more than one chunk';
    await rig.uploader.addPhotos([rig.photo(text)]);
    await rig.clock.settle();
    const question = rig.network.only;
    question.respond(200, {}, { known: [] });
    await rig.clock.settle();
    rig.respond(rig.network.only);
    await rig.clock.settle();
    rig.holds(text);
    await rig.begin();
    await rig.answerAll();
    expect(rig.asked).toEqual([]);
    expect(rig.arrived()).toEqual([text]);
  });

  it('starts new photos while a large possible duplicate is still being hashed', async () => {
    const large = 'x'.repeat(1_000_000);
    rig.holds(large, 'e'.repeat(32), 'large.jpg');
    rig.uploader.pause();
    await rig.uploader.addPhotos([
      memoryPhoto(rig.storage, 'large.jpg', new Uint8Array(Buffer.from(large))),
      rig.photo('small'),
    ]);
    rig.uploader.resume();
    await rig.clock.settle();
    rig.answer(rig.network.only, filesOf(rig.network.only));
    await rig.clock.settle();
    expect(rig.network.open.map(({ request: { url } }) => url)).toEqual([ENDPOINT]);
    await rig.answerAll();
    expect(rig.standing()).toEqual(['large.jpg failed CW-611', 'small.jpg uploaded']);
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
  ] as const)('is sent as any other where the question %s', async (_, respond) => {
    rig.holds('a');
    rig.answer = respond;
    await rig.uploader.addPhotos(['a', 'b', 'c'].map((text) => rig.photo(text)));
    for (let minutes = 0; minutes < 30 && rig.arrived().length < 3; minutes += 1) {
      await rig.answerAll();
      await rig.clock.advance(55_000);
    }
    expect([...rig.arrived()].sort()).toEqual(['a', 'b', 'c']);
  });

  it('does not check for duplicates at a service without that capability', async () => {
    rig.knows = false;
    rig.asksInVain = true;
    await rig.begin();
    rig.holds('a');
    await rig.add('a', 'b');
    expect([...rig.arrived()].sort()).toEqual(['a', 'b']);
    expect(rig.asked).toEqual([]);
  });

  it('stops checking for duplicates once the service has refused a check', async () => {
    rig.answer = (exchange) => exchange.respond(404, {}, { error: 'refused' });
    await rig.add('a');
    expect(rig.asked).toHaveLength(1);
    await rig.add('b');
    expect([...rig.arrived()].sort()).toEqual(['a', 'b']);
    expect(rig.asked).toHaveLength(1);
  });

  it('checks for duplicates again for another account', async () => {
    await rig.add('first');
    rig.uploader.pause();
    await rig.uploader.addPhotos([rig.photo('a')]);
    rig.account = null;
    rig.uploader.onSessionEnded();
    rig.account = 'ben';
    rig.holds('a');
    rig.uploader.onSignedIn();
    rig.uploader.resume();
    await rig.answerAll();
    expect(rig.standing()).toContain('a.jpg failed CW-611');
    expect(rig.service.arrived('ben')).toEqual([]);
  });

  it.each([
    ['had begun', false],
    ['had begun, after a restart', true],
  ])('is asked about for another account although its upload %s', async (_case, restarts) => {
    const text = 'a photo of more than one chunk';
    rig.reports = true;
    await rig.begin();
    rig.uploader.onSignedIn();
    await rig.uploader.addPhotos([rig.photo(text)]);
    await rig.clock.settle();
    rig.answer(rig.network.only, filesOf(rig.network.only));
    await rig.clock.settle();
    rig.respond(rig.network.only);
    await rig.clock.settle();
    rig.account = null;
    rig.uploader.onSessionEnded();
    await rig.clock.settle();
    rig.account = 'ben';
    rig.holds(text);
    if (restarts) await rig.begin();
    rig.uploader.onSignedIn();
    await rig.clock.settle();
    await rig.uploader.answerQuestion(true);
    await rig.answerAll();
    expect(rig.standing()).toEqual([`${text}.jpg failed CW-611`]);
    expect(rig.service.arrived('ben')).toEqual([]);
  });

  it('does not apply the duplicate decision of one account to another', async () => {
    rig.reports = true;
    await rig.begin();
    rig.uploader.onSignedIn();
    ['a', 'b'].forEach((text) => rig.holds(text));
    await rig.add('a', 'b');
    rig.uploader.pause();
    const again = rig.list.slice(0, 100).find(({ record }) => record.name === 'b.jpg');
    await rig.uploader.retry(again?.record.id ?? '');
    rig.account = null;
    rig.uploader.onSessionEnded();
    rig.account = 'ben';
    rig.held = [];
    rig.holds('b');
    rig.uploader.onSignedIn();
    await rig.clock.settle();
    await rig.uploader.answerQuestion(true);
    rig.uploader.resume();
    await rig.answerAll();
    expect(rig.standing().sort()).toEqual(['a.jpg uploaded', 'b.jpg failed CW-611']);
    expect(rig.service.arrived('ben')).toEqual(['a']);
  });

  it('repeats an interrupted duplicate check exactly once', async () => {
    rig.holds('a');
    await rig.uploader.addPhotos([rig.photo('a')]);
    await rig.clock.settle();
    rig.uploader.pause();
    rig.uploader.resume();
    await rig.clock.advance(10_000);
    expect(rig.network.open.map(({ request: { url } }) => url)).toEqual([`${ENDPOINT}/known`]);
    await rig.answerAll();
    expect(rig.standing()).toEqual(['a.jpg failed CW-611']);
    expect(rig.asked).toHaveLength(1);
  });

  it('waits for the duplicate check while the session has errors', async () => {
    rig.holds('a');
    await rig.uploader.addPhotos([rig.photo('a')]);
    await rig.clock.settle();
    rig.network.only.fail(new CwError('CW-701', 'the keychain is locked'));
    await rig.clock.advance(10_000);
    await rig.answerAll();
    expect(rig.standing()).toEqual(['a.jpg failed CW-611']);
    expect(rig.arrived()).toEqual([]);
  });

  it('ignores a check result of the previous account', async () => {
    rig.holds('a');
    rig.uploader.pause();
    await rig.uploader.addPhotos([rig.photo('a')]);
    const run = rig.storage.run.bind(rig.storage);
    let letGo = (): void => undefined;
    const free = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    Object.assign(rig.storage, {
      run: async (operation: Operation, key: string, change: () => unknown) => {
        const result = await run(operation, key, change);
        // Closing the copy is the last that is done for its digest.
        if (operation === 'spool.open') Object.assign(result as object, { close: () => free });
        return result;
      },
    });
    rig.uploader.resume();
    await rig.answerAll();
    expect(rig.standing()).toEqual(['a.jpg waiting']);
    rig.account = null;
    rig.uploader.onSessionEnded();
    letGo();
    await rig.clock.settle();
    expect(rig.standing()).toEqual(['a.jpg waiting']);
    rig.held = [];
    rig.account = 'ben';
    rig.uploader.onSignedIn();
    await rig.answerAll();
    expect(rig.service.arrived('ben')).toEqual(['a']);
  });

  it('keeps its place when it is removed and restored, made next or interrupted', async () => {
    rig.uploader.pause();
    await rig.uploader.addPhotos(['a', 'b', 'c', 'd'].map((text) => rig.photo(text)));
    const [, second, third] = rig.unsent.map(({ record }) => record.id);
    if (second === undefined || third === undefined) throw new Error('too few');
    await rig.uploader.remove(second);
    await rig.uploader.undoRemoval();
    expect(rig.standing().map((line) => line.charAt(0))).toEqual(['a', 'b', 'c', 'd']);
    await rig.uploader.makeNext(third);
    expect(rig.standing().map((line) => line.charAt(0))).toEqual(['c', 'a', 'b', 'd']);
    rig.uploader.resume();
    await rig.answerAll();
    expect(rig.arrived()).toEqual(['c', 'a', 'b', 'd']);
  });

  it('finds duplicates among 10,000 photos with few requests', async () => {
    rig.uploader.pause();
    for (let index = 0; index < 10_000; index += 1)
      await enqueue(rig.list, rig.photoStore, rig.photo(`IMG_${String(index).padStart(5, '0')}`));
    rig.holds('IMG_09999');
    let questions = 0;
    rig.network.onRequest = (exchange) => {
      if (exchange.request.url !== `${ENDPOINT}/known`) return;
      questions += 1;
      rig.answer(exchange, filesOf(exchange));
    };
    rig.uploader.resume();
    await rig.clock.advance(1_000);
    expect(questions).toBe(40);
    expect(rig.list.failedFor('CW-611')).toHaveLength(1);
  });
});
