import { beforeEach, describe, expect, it } from '@jest/globals';
import type { OpenDocument } from '../../../src/host/open-document.js';
import {
  approvedFiles,
  documentApproval,
  documentUpload,
  OpenDocumentWatch,
} from '../../../src/features/documents/document-state.js';
import type { PhotoAnswer } from '../../../src/features/documents/client-answers.js';
import type { UploadedPhoto } from '../../../src/features/history/upload-history.js';
import { NO_CONTEXT } from '../../../src/features/queue/photo-record.js';
import { Observable } from '../../../src/util/observable.js';

function uploaded(document: string | null, stateId: string | null, at: number): UploadedPhoto {
  return {
    id: `photo-${at}`,
    name: 'a.jpg',
    size: 1,
    at,
    workspace: null,
    owner: 'anna',
    hasMatchingCrc: true,
    sha256: null,
    pageUrl: null,
    uploadId: null,
    ...NO_CONTEXT,
    document,
    stateId,
  };
}

function open(documentId: string | null, stateId: string): OpenDocument {
  return {
    key: `key of ${documentId ?? ''}`,
    name: 'a.psd',
    documentId,
    stateId,
    thumbnail: () => Promise.resolve(null),
  };
}

it.each([
  ['was not uploaded', open('d1', 's1'), [uploaded('d2', 's1', 1)], { kind: 'not-uploaded' }],
  ['has no identity', open(null, 's1'), [uploaded(null, 's1', 1)], { kind: 'not-uploaded' }],
  ['is as uploaded', open('d1', 's1'), [uploaded('d1', 's1', 7)], { kind: 'uploaded', at: 7 }],
  [
    'has changed since its last upload',
    open('d1', 's1'),
    [uploaded('d1', 's2', 9), uploaded('d1', 's1', 7)],
    { kind: 'changed', since: 9 },
  ],
  [
    'was uploaded as a file of unknown state',
    open('d1', 's1'),
    [uploaded('d1', null, 7)],
    { kind: 'changed', since: 7 },
  ],
])('a document that %s', (_name, document, photos, expected) => {
  expect(documentUpload(document, photos)).toEqual(expected);
});

describe('an approval of a document', () => {
  const approved = (version: number, sha256: string | null, isCurrent = true): PhotoAnswer => ({
    approval: { version, sha256, isCurrent, at: version },
    pageUrl: null,
  });
  const FIRST = 'd1#image/jpeg';
  const first = { ...uploaded(FIRST, 's1', 7), sha256: 'one' };
  const second = { ...uploaded('d1#image/jpeg', 's2', 9), sha256: 'two' };

  it.each<[string, string, UploadedPhoto[], PhotoAnswer[], object | null]>([
    ['is nothing without an answer', 's1', [first], [], null],
    ['holds for the approved state', 's1', [first], [approved(1, 'one')], { isOutdated: false }],
    ['is outdated after a change', 's2', [first], [approved(1, 'one')], { isOutdated: true }],
    [
      'is outdated by a new version',
      's1',
      [first],
      [approved(1, 'one', false)],
      { isOutdated: true },
    ],
    [
      'holds again when the approved version is the current one again',
      's1',
      [second, first],
      [approved(1, 'one')],
      { isOutdated: false },
    ],
    [
      'is compared with the last upload if another computer sent the approved file',
      's2',
      [first],
      [approved(2, 'two')],
      { version: 2, isOutdated: true },
    ],
    [
      'holds where nothing was uploaded from',
      's1',
      [],
      [approved(2, 'two')],
      { isOutdated: false },
    ],
    [
      'is the newest approval of its formats',
      's1',
      [first],
      [approved(1, 'one', false), approved(2, null)],
      { version: 2, isOutdated: false },
    ],
  ])('%s', (_name, stateId, photos, answers, expected) => {
    const answer = documentApproval(open('d1', stateId), photos, answers);
    expect(answer).toEqual(expected && expect.objectContaining(expected));
  });

  it.each<[string, OpenDocument, UploadedPhoto[], PhotoAnswer[], string[]]>([
    ['are none without an answer', open('d1', 's1'), [first], [], []],
    ['are those of this state', open('d1', 's1'), [first], [approved(1, 'one')], [FIRST]],
    ['are none after a change', open('d1', 's2'), [first], [approved(1, 'one')], []],
    ['are none for an older version', open('d1', 's1'), [first], [approved(1, 'one', false)], []],
    ['are none of another computer', open('d1', 's1'), [first], [approved(1, 'two')], []],
    ['are none without uploads', open('d1', 's1'), [], [approved(1, 'one')], []],
    [
      'are none where the service gives no bytes',
      open('d1', 's1'),
      [{ ...first, sha256: null }],
      [approved(1, null)],
      [],
    ],
    ['are none of another document', open('d2', 's1'), [first], [approved(1, 'one')], []],
    ['are none without an identity', open(null, 's1'), [first], [approved(1, 'one')], []],
    [
      'are those of any format',
      open('d1', 's2'),
      [second, first],
      [approved(1, 'one'), approved(1, 'two')],
      [FIRST],
    ],
  ])('approved files %s', (_name, document, photos, answers, expected) => {
    expect(approvedFiles(document, photos, answers)).toEqual(expected);
  });
});

describe('the open document', () => {
  let changes: Observable<number>;
  let photos: UploadedPhoto[];
  let answers: ((document: OpenDocument | null) => void)[];
  let notify: () => void;
  /** Subscriptions to the app, each of which makes the host poll. */
  let listening: number;
  let selected: (string | null)[];
  /** What clients said, and for which documents that was requested. */
  let said: PhotoAnswer[];
  let requested: string[];
  let answerChanges: Observable<number>;
  const clientAnswers = {
    get changes() {
      return answerChanges;
    },
    of: () => said,
    load: (document: string) => requested.push(document),
  };
  let watch: OpenDocumentWatch;

  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const answer = async (document: OpenDocument | null, place = 0): Promise<void> => {
    answers[place]?.(document);
    answers.splice(place, 1);
    await settle();
  };

  beforeEach(() => {
    photos = [];
    answers = [];
    listening = 0;
    selected = [];
    said = [];
    changes = new Observable(0);
    answerChanges = new Observable(0);
    requested = [];
    watch = new OpenDocumentWatch({
      port: {
        current: () => new Promise((resolve) => answers.push(resolve)),
        find: () => Promise.resolve(null),
        onChange: (callback) => {
          notify = callback;
          listening += 1;
          return () => {
            listening -= 1;
          };
        },
      },
      history: { changes, photos: () => photos },
      answers: clientAnswers,
      onDocument: (document) => selected.push(document),
    });
    watch.start();
  });

  it('is read at the start and after each change', async () => {
    const first = open('d1', 's1');
    await answer(first);
    expect(watch.state.get()).toEqual({
      document: first,
      upload: { kind: 'not-uploaded' },
      approval: null,
    });
    notify();
    await answer(null);
    expect(watch.state.get()).toBeNull();
    expect(selected).toEqual(['d1', null]);
  });

  it('is read before a session, without polling the app or requesting answers', async () => {
    watch.stop();
    void watch.refresh();
    await answer(open('d1', 's1'), 1);
    expect(watch.state.get()?.document.documentId).toBe('d1');
    expect({ listening, requested }).toEqual({ listening: 0, requested: [] });
    watch.start();
    expect({ listening, requested }).toEqual({ listening: 1, requested: ['d1'] });
  });

  it('is watched once, from the start of a session to its end', async () => {
    watch.start();
    expect(listening).toBe(1);
    watch.stop();
    expect(listening).toBe(0);
    watch.start();
    expect(listening).toBe(1);
    await answer(open('d1', 's1'), 1);
    expect(watch.state.get()?.document.documentId).toBe('d1');
  });

  it('follows the history', async () => {
    await answer(open('d1', 's1'));
    photos = [uploaded('d1', 's1', 7)];
    changes.set(changes.get() + 1);
    expect(watch.state.get()?.upload).toEqual({ kind: 'uploaded', at: 7 });
    notify();
    await answer(open('d1', 's2'));
    expect(watch.state.get()?.upload).toEqual({ kind: 'changed', since: 7 });
    expect(selected).toEqual(['d1']);
  });

  it('has its answers requested when it comes to the front, after an upload and for a new session', async () => {
    await answer(open('d1', 's1'));
    notify();
    await answer(open('d1', 's2'));
    expect(requested).toEqual(['d1']);
    photos = [uploaded('d1#image/jpeg', 's2', 7)];
    changes.set(changes.get() + 1);
    photos = [uploaded('d2', 's1', 8), ...photos];
    changes.set(changes.get() + 1);
    expect(requested).toEqual(['d1', 'd1']);
    notify();
    await answer(open(null, 's1'));
    notify();
    await answer(open('d1', 's2'));
    watch.start();
    expect(requested).toEqual(['d1', 'd1', 'd1', 'd1']);
    said = [{ approval: { version: 1, sha256: null, isCurrent: true, at: 1 }, pageUrl: null }];
    answerChanges.set(answerChanges.get() + 1);
    expect(watch.state.get()?.approval).toEqual({ version: 1, isOutdated: false, pageUrl: null });
  });

  it('is the last one requested, for any order of responses', async () => {
    notify();
    await answer(open('d2', 's1'), 1);
    await answer(open('d1', 's1'));
    expect(watch.state.get()?.document.documentId).toBe('d2');
  });

  it('is unknown when the app cannot give it', async () => {
    const failing = new OpenDocumentWatch({
      port: {
        current: () => Promise.reject(new Error('busy')),
        find: () => Promise.resolve(null),
        onChange: () => () => undefined,
      },
      history: { changes, photos: () => photos },
      answers: clientAnswers,
      onDocument: () => undefined,
    });
    failing.start();
    await settle();
    expect(failing.state.get()).toBeNull();
  });
});
