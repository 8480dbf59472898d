import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/base/errors.js';
import { memoryPhoto, type Operation } from '../support/memory-host.js';
import type { PendingExchange } from '../support/conversation.js';
import { ENDPOINT, Rig } from './rig.js';

interface AskedFile {
  readonly name: string;
  readonly size: number;
}

/** The files that a question is about. */
function filesOf({ request: { body } }: PendingExchange): AskedFile[] {
  if (typeof body !== 'string') throw new Error('no question');
  return (JSON.parse(body) as { files: AskedFile[] }).files;
}

interface Held extends AskedFile {
  readonly sha256: string;
  readonly client_upload_id: string | null;
  readonly created_at: string;
}

/** What the service holds already for the person connected is not sent to it again unasked. */
describe('a photo that the service holds already', () => {
  let rig: Rig;
  let held: Held[];
  /** The files of each question. */
  let asked: AskedFile[][];
  /** How the question is answered. */
  let answer: (exchange: PendingExchange, files: readonly AskedFile[]) => void;

  beforeEach(async () => {
    rig = new Rig();
    rig.knows = true;
    held = [];
    asked = [];
    answer = (exchange, files) => {
      const known = held.filter(({ name, size }) =>
        files.some((file) => file.name === name && file.size === size),
      );
      exchange.respond(200, {}, { known });
    };
    await start();
  });

  async function start(): Promise<void> {
    await rig.start();
    await rig.clock.settle();
  }

  function holds(text: string, id: string | null = 'f'.repeat(32), name = `${text}.jpg`): void {
    held.push({
      name,
      size: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
      client_upload_id: id,
      created_at: '2026-11-22T12:00:00Z',
    });
  }

  /** Answers everything on the wire, and what follows, as long as there is anything. */
  async function answerAll(): Promise<void> {
    for (let idle = 0; idle < 20; idle += 1) {
      for (let open = rig.network.open[0]; open; open = rig.network.open[0]) {
        idle = 0;
        if (open.request.url === `${ENDPOINT}/known`) {
          const files = filesOf(open);
          asked.push(files);
          answer(open, files);
        } else rig.respond(open);
        await rig.clock.settle();
      }
      await rig.clock.advance(250);
    }
  }

  async function add(...texts: string[]): Promise<void> {
    await rig.uploader.addPhotos(texts.map((text) => rig.photo(text)));
    await answerAll();
  }

  function standing(): string[] {
    return rig.list
      .slice(0, Infinity)
      .map(({ record, phase }) => `${record.name} ${phase} ${record.failure ?? ''}`.trim());
  }

  it('is set aside; the others are sent, and only what matches is read for its digest', async () => {
    holds('a');
    holds('same size', 'e'.repeat(32), 'other.jpg');
    await add('a', 'b');
    rig.storage.log.length = 0;
    await rig.uploader.addPhotos([
      memoryPhoto(rig.storage, 'other.jpg', new Uint8Array(Buffer.from('SAME SIZE'))),
    ]);
    await answerAll();
    expect(standing()).toEqual(['a.jpg failed CW-611', 'b.jpg uploaded', 'other.jpg uploaded']);
    expect(rig.arrived()).toEqual(['b', 'SAME SIZE']);
  });

  it('stays set aside over a restart, is not asked about twice, and is sent when the person says so', async () => {
    holds('a');
    holds('b');
    await add('a', 'b');
    asked = [];
    await start();
    await answerAll();
    expect(standing()).toEqual(['a.jpg failed CW-611', 'b.jpg failed CW-611']);
    expect(asked).toEqual([]);
    await rig.uploader.retryFailed('CW-611');
    // A restart right after the answer does not ask again.
    await start();
    await answerAll();
    expect(asked).toEqual([]);
    expect([...rig.arrived()].sort()).toEqual(['a', 'b']);
  });

  it('leaves the list when it is skipped, and comes back by Undo', async () => {
    holds('a');
    await add('a');
    await rig.uploader.removeFailed('CW-611');
    expect(standing()).toEqual([]);
    await rig.uploader.undoRemoval();
    await answerAll();
    expect(standing()).toEqual(['a.jpg failed CW-611']);
    expect(rig.arrived()).toEqual([]);
  });

  it('goes on quietly when it is our own upload whose answer was lost', async () => {
    rig.uploader.pause();
    await rig.uploader.addPhotos([rig.photo('a')]);
    holds('a', rig.unsent[0]?.record.id ?? null);
    holds('a');
    rig.uploader.resume();
    await answerAll();
    expect(standing()).toEqual(['a.jpg uploaded']);
  });

  it('is not asked about when its upload has begun', async () => {
    const text = 'a photo of more than one chunk';
    await rig.uploader.addPhotos([rig.photo(text)]);
    await rig.clock.settle();
    const question = rig.network.only;
    question.respond(200, {}, { known: [] });
    await rig.clock.settle();
    rig.respond(rig.network.only);
    await rig.clock.settle();
    holds(text);
    await start();
    await answerAll();
    expect(asked).toEqual([]);
    expect(rig.arrived()).toEqual([text]);
  });

  it('waits for no other: what is not held begins while a large copy is still read', async () => {
    const large = 'x'.repeat(1_000_000);
    holds(large, 'e'.repeat(32), 'large.jpg');
    rig.uploader.pause();
    await rig.uploader.addPhotos([
      memoryPhoto(rig.storage, 'large.jpg', new Uint8Array(Buffer.from(large))),
      rig.photo('small'),
    ]);
    rig.uploader.resume();
    await rig.clock.settle();
    answer(rig.network.only, filesOf(rig.network.only));
    await rig.clock.settle();
    expect(rig.network.open.map(({ request: { url } }) => url)).toEqual([ENDPOINT]);
    await answerAll();
    expect(standing()).toEqual(['large.jpg failed CW-611', 'small.jpg uploaded']);
  });

  it.each([
    ['refuses', (exchange: PendingExchange) => exchange.respond(404)],
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
    holds('a');
    answer = respond;
    await rig.uploader.addPhotos(['a', 'b', 'c'].map((text) => rig.photo(text)));
    for (let minutes = 0; minutes < 30 && rig.arrived().length < 3; minutes += 1) {
      await answerAll();
      await rig.clock.advance(55_000);
    }
    expect([...rig.arrived()].sort()).toEqual(['a', 'b', 'c']);
  });

  it('is not asked about at a service that does not say it may be asked', async () => {
    rig.knows = false;
    rig.asksInVain = true;
    await start();
    holds('a');
    await add('a', 'b');
    expect([...rig.arrived()].sort()).toEqual(['a', 'b']);
    expect(asked).toEqual([]);
  });

  it('is not asked about once the service has refused the question', async () => {
    answer = (exchange) => exchange.respond(404);
    await add('a');
    expect(asked).toHaveLength(1);
    await add('b');
    expect([...rig.arrived()].sort()).toEqual(['a', 'b']);
    expect(asked).toHaveLength(1);
  });

  it('is asked about anew for another account', async () => {
    await add('first');
    rig.uploader.pause();
    await rig.uploader.addPhotos([rig.photo('a')]);
    rig.account = null;
    rig.uploader.stopAll();
    rig.account = 'ben';
    holds('a');
    rig.uploader.release();
    rig.uploader.resume();
    await answerAll();
    expect(standing()).toContain('a.jpg failed CW-611');
    expect(rig.service.arrived('ben')).toEqual([]);
  });

  it('is asked about once more, and once, where the question was stopped in between', async () => {
    holds('a');
    await rig.uploader.addPhotos([rig.photo('a')]);
    await rig.clock.settle();
    rig.uploader.pause();
    rig.uploader.resume();
    await rig.clock.advance(10_000);
    expect(rig.network.open.map(({ request: { url } }) => url)).toEqual([`${ENDPOINT}/known`]);
    await answerAll();
    expect(standing()).toEqual(['a.jpg failed CW-611']);
    expect(asked).toHaveLength(1);
  });

  it('waits for the answer also where the session meets trouble meanwhile', async () => {
    holds('a');
    await rig.uploader.addPhotos([rig.photo('a')]);
    await rig.clock.settle();
    rig.network.only.fail(new CwError('CW-701', 'the keychain is locked'));
    await rig.clock.advance(10_000);
    await answerAll();
    expect(standing()).toEqual(['a.jpg failed CW-611']);
    expect(rig.arrived()).toEqual([]);
  });

  describe('where the question does not get through', () => {
    const noConnection = (exchange: PendingExchange): void => {
      exchange.fail(new CwError('CW-301', 'reset'));
    };
    const isQuestion = ({ request: { url } }: PendingExchange): boolean =>
      url === `${ENDPOINT}/known`;
    const connected = (exchange: PendingExchange): void => {
      if (isQuestion(exchange)) answer(exchange, filesOf(exchange));
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

    it('is not sent as long as a minute without a connection is all there is to it', async () => {
      ['a', 'b', 'c'].forEach((text) => holds(text));
      await addAnd(noConnection, 60);
      expect(rig.network.exchanges.filter((exchange) => !isQuestion(exchange))).toEqual([]);
      rig.network.onRequest = connected;
      await rig.clock.advance(60_000);
      expect(rig.list.failedFor('CW-611')).toHaveLength(3);
    });

    it('goes ahead alone after minutes without a connection; the others are asked about when it is back', async () => {
      ['a', 'b', 'c'].forEach((text) => holds(text));
      await addAnd(noConnection, 1_200);
      rig.network.onRequest = connected;
      await rig.clock.advance(60_000);
      expect(standing()).toEqual(['a.jpg uploaded', 'b.jpg failed CW-611', 'c.jpg failed CW-611']);
      expect(rig.arrived()).toEqual(['a']);
    });

    it('goes ahead alone, and all follow once it has arrived and the question still fails', async () => {
      const onlyUploads = (exchange: PendingExchange): void => {
        if (isQuestion(exchange)) noConnection(exchange);
        else rig.respond(exchange);
      };
      await addAnd(onlyUploads, 180);
      expect(rig.arrived()).toEqual(['a']);
      await rig.clock.advance(300_000);
      expect(rig.arrived()).toEqual(['a', 'b', 'c']);
    });

    it('goes ahead alone at each time without a connection, and never with the others', async () => {
      await addAnd(noConnection, 1_200);
      rig.network.onRequest = connected;
      await rig.clock.advance(60_000);
      expect(rig.arrived()).toEqual(['a', 'b', 'c']);
      ['d', 'e', 'f'].forEach((text) => holds(text));
      rig.network.onRequest = noConnection;
      await rig.uploader.addPhotos(['d', 'e', 'f'].map((text) => rig.photo(text)));
      await rig.clock.advance(1_200_000);
      rig.network.onRequest = connected;
      await rig.clock.advance(60_000);
      expect(rig.arrived()).toEqual(['a', 'b', 'c', 'd']);
      expect(rig.list.failedFor('CW-611')).toHaveLength(2);
    });

    it('lets the next go ahead where the first one fails', async () => {
      const first = (): string | undefined => rig.list.slice(0, 1)[0]?.record.id;
      await addAnd((exchange) => {
        if (isQuestion(exchange)) noConnection(exchange);
        else if (rig.service.photoOf(exchange) === first()) exchange.respond(415);
        else rig.respond(exchange);
      }, 300);
      expect(standing()[0]).toBe('a.jpg failed CW-605');
      expect(rig.arrived()).toEqual(['b']);
      await rig.clock.advance(300_000);
      expect(rig.arrived()).toEqual(['b', 'c']);
    });
  });

  it('is not set aside by what was found out for the account before', async () => {
    holds('a');
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
    await answerAll();
    expect(standing()).toEqual(['a.jpg waiting']);
    rig.account = null;
    rig.uploader.stopAll();
    letGo();
    await rig.clock.settle();
    expect(standing()).toEqual(['a.jpg waiting']);
    held = [];
    rig.account = 'ben';
    rig.uploader.release();
    await answerAll();
    expect(rig.service.arrived('ben')).toEqual(['a']);
  });

  it('keeps its place: removed and brought back, made next, interrupted', async () => {
    rig.uploader.pause();
    await rig.uploader.addPhotos(['a', 'b', 'c', 'd'].map((text) => rig.photo(text)));
    const [, second, third] = rig.unsent.map(({ record }) => record.id);
    if (second === undefined || third === undefined) throw new Error('too few');
    await rig.uploader.remove(second);
    await rig.uploader.undoRemoval();
    expect(standing().map((line) => line.charAt(0))).toEqual(['a', 'b', 'c', 'd']);
    await rig.uploader.makeNext(third);
    expect(standing().map((line) => line.charAt(0))).toEqual(['c', 'a', 'b', 'd']);
    rig.uploader.resume();
    await answerAll();
    expect(rig.arrived()).toEqual(['c', 'a', 'b', 'd']);
  });

  it('is found also where the service holds many of them several times, and the answer is too long', async () => {
    const texts = Array.from({ length: 100 }, (_, index) => `IMG_${index}`);
    for (const text of texts) for (let times = 0; times < 10; times += 1) holds(text);
    const briefly = answer;
    answer = (exchange, files) => {
      // As the transport does, which reads 64 KiB of an answer.
      if (files.length * 10 * 220 > 65_536)
        exchange.fail(new CwError('CW-305', 'an answer is too large'));
      else briefly(exchange, files);
    };
    await add(...texts);
    expect(rig.arrived()).toEqual([]);
    expect(rig.list.failedFor('CW-611')).toHaveLength(100);
    expect(asked.length).toBeLessThan(12);
  });

  it('is sent as any other where no answer can be read, after a few questions', async () => {
    const texts = Array.from({ length: 100 }, (_, index) => `IMG_${index}`);
    answer = (exchange) => exchange.fail(new CwError('CW-305', 'an answer is too large'));
    await add(...texts);
    expect(rig.arrived()).toHaveLength(100);
    expect(asked.length).toBeLessThan(10);
  });

  it('is found among 10,000 in few questions', async () => {
    rig.uploader.pause();
    for (let index = 0; index < 10_000; index += 1)
      await rig.list.enqueue(rig.photo(`IMG_${String(index).padStart(5, '0')}`));
    holds('IMG_09999');
    let questions = 0;
    rig.network.onRequest = (exchange) => {
      if (exchange.request.url !== `${ENDPOINT}/known`) return;
      questions += 1;
      answer(exchange, filesOf(exchange));
    };
    rig.uploader.resume();
    await rig.clock.advance(1_000);
    expect(questions).toBe(40);
    expect(rig.list.failedFor('CW-611')).toHaveLength(1);
  });
});
