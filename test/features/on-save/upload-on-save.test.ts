import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Owner } from '../../../src/account/owner.js';
import type { OpenDocument } from '../../../src/host/open-document.js';
import type { ProjectRef } from '../../../src/api/project.js';
import type { AutomaticUpload } from '../../../src/features/documents/document-uploads.js';
import type { DocumentOutcome } from '../../../src/features/import/photo-importer.js';
import { UploadOnSave } from '../../../src/features/on-save/upload-on-save.js';
import { presetOfFormat } from '../../../src/features/presets/preset.js';
import { recipeOf } from '../../../src/features/presets/recipe.js';
import { CwError } from '../../../src/util/errors.js';
import { FakeClock } from '../../support/fake-clock.js';

const JPEG = presetOfFormat('jpg');
const PSD = presetOfFormat('psd');
const ANNA: Owner = { keys: ['anna'], workspace: 'Studio' };
const BEN: Owner = { keys: ['ben'], workspace: 'Studio' };
const WEDDING: ProjectRef = { id: 'p1', name: 'Wedding' };

/** An app with documents, and a queue that only notes what it gets. */
class Bench {
  readonly clock = new FakeClock();
  readonly open = new Map<string, OpenDocument>();
  front: string | null = null;
  owner: Owner | null = ANNA;
  isSignedOut = false;
  readonly uploads: AutomaticUpload[] = [];
  /** The outcomes of the next exports; `queued` when there are none. */
  outcomes: DocumentOutcome[] = [];
  /** Keeps exports from ending. */
  hold: Promise<void> = Promise.resolve();
  readonly queued = new Set<string>();
  readonly errors: string[] = [];
  private save: (key: string) => void = () => undefined;

  constructor(readonly records = new Map<string, string>()) {}

  start(): UploadOnSave {
    const onSave = new UploadOnSave({
      saves: {
        onSave: (callback) => {
          this.save = callback;
          return () => undefined;
        },
      },
      openDocument: {
        current: () => Promise.resolve(this.open.get(this.front ?? '') ?? null),
        find: (key) => Promise.resolve(this.open.get(key) ?? null),
      },
      exporter: {
        documents: () =>
          Promise.resolve(
            [...this.open.values()].map(({ key, name }) => ({
              key,
              name,
              isFront: key === this.front,
              parts: [],
            })),
          ),
      },
      documents: {
        uploadOnce: async (upload) => {
          this.uploads.push(upload);
          await this.hold;
          const outcome = this.outcomes.shift() ?? 'queued';
          if (outcome === 'queued')
            this.queued.add(
              [
                upload.open?.documentId,
                upload.open?.stateId,
                recipeOf(upload.preset, upload.project),
              ].join(),
            );
          return outcome;
        },
        wasQueued: ({ documentId, stateId }, recipe) =>
          this.queued.has([documentId, stateId, recipe].join()),
      },
      destinations: { forDocument: (id) => (id === 'no-project' ? null : WEDDING) },
      presets: {
        chosen: JPEG,
        find: (id) => [JPEG, PSD].find((preset) => preset.id === id) ?? null,
      },
      records: {
        put: async (key, value) => {
          await Promise.resolve();
          this.records.set(key, value);
        },
        remove: async (...keys) => {
          await Promise.resolve();
          for (const key of keys) this.records.delete(key);
        },
      },
      photoStore: { isSuperseded: false, track: (change) => change() },
      clock: this.clock,
      owner: { get: () => this.owner },
      isSignedOut: () => this.isSignedOut,
      title: () => 'Upload',
      onFailure: ({ code }) => this.errors.push(code),
    });
    return onSave;
  }

  async restored(): Promise<UploadOnSave> {
    const onSave = this.start();
    onSave.restore(this.records);
    await onSave.onRestored();
    return onSave;
  }

  /** Opens a document, or changes it. */
  set(key: string, change: Partial<OpenDocument> = {}): OpenDocument {
    const document: OpenDocument = {
      key,
      name: `${key}.psd`,
      documentId: `id-${key}`,
      stateId: 's1',
      thumbnail: () => Promise.resolve(null),
      ...this.open.get(key),
      ...change,
    };
    this.open.set(key, document);
    this.front = key;
    return document;
  }

  async saveEvent(key: string, afterMs = 0): Promise<void> {
    this.save(key);
    await this.clock.advance(afterMs);
  }

  get states(): string[] {
    return this.uploads.map(({ target, open }) => `${target.documentKey} ${open?.stateId}`);
  }
}

let bench: Bench;
let onSave: UploadOnSave;

beforeEach(async () => {
  bench = new Bench();
  onSave = await bench.restored();
  bench.set('a');
});

afterEach(() => {
  // A mark that stays would upload again at the next start.
  expect(bench.errors).toEqual([]);
});

describe('upload on save', () => {
  it('is off until it is switched on', async () => {
    await bench.saveEvent('a', 10_000);
    expect(bench.uploads).toEqual([]);
    expect(bench.records.size).toBe(0);
    expect(onSave.state.get()).toMatchObject({ all: false, documents: [], last: null, missed: [] });
  });

  it('uploads one copy of ten saves in a row, 500 ms after the last one, in its newest state', async () => {
    await onSave.choose('document', 'id-a');
    for (let save = 1; save <= 10; save += 1) {
      bench.set('a', { stateId: `s${save}` });
      await bench.saveEvent('a');
      await bench.saveEvent('a', 499);
      expect(bench.uploads).toEqual([]);
    }
    await bench.clock.advance(1);
    expect(bench.states).toEqual(['a s10']);
    expect(bench.uploads[0]).toMatchObject({ preset: JPEG, project: WEDDING, title: 'Upload' });
    expect(bench.records.has('saved-documents')).toBe(false);
    expect(onSave.state.get().last).toMatchObject({ name: 'a.psd', kind: 'queued' });
  });

  it('does not cut off an export, and exports once more what was saved during it', async () => {
    await onSave.choose('all', 'id-a');
    let end = (): void => undefined;
    bench.hold = new Promise((resolve) => {
      end = resolve;
    });
    await bench.saveEvent('a', 500);
    bench.set('a', { stateId: 's2' });
    await bench.saveEvent('a', 500);
    bench.set('a', { stateId: 's3' });
    await bench.saveEvent('a', 500);
    expect(bench.states).toEqual(['a s1']);
    end();
    await bench.clock.settle();
    expect(bench.states).toEqual(['a s1', 'a s3']);
    expect(bench.records.has('saved-documents')).toBe(false);
  });

  it('exports documents one after the other, each by its own key', async () => {
    await onSave.choose('all', 'id-a');
    bench.set('b');
    bench.set('c');
    await Promise.all(['a', 'b', 'c'].map((key) => bench.saveEvent(key)));
    await bench.clock.advance(500);
    expect(bench.states).toEqual(['a s1', 'b s1', 'c s1']);
  });

  it.each([
    ['the document it is on for', 'document', ['a s1']],
    ['all documents', 'all', ['a s1', 'b s1']],
    ['none', 'off', []],
  ] as const)('uploads %s', async (_case, mode, expected) => {
    await onSave.choose(mode, 'id-a');
    bench.set('b');
    await bench.saveEvent('a', 500);
    await bench.saveEvent('b', 500);
    expect(bench.states).toEqual(expected);
  });

  it('remembers documents and preset over a restart', async () => {
    await onSave.choose('document', 'id-a');
    await onSave.choosePreset(PSD.id);
    const next = new Bench(bench.records);
    const again = await next.restored();
    next.set('a');
    expect(again.state.get()).toMatchObject({ documents: ['id-a'], preset: PSD });
    await next.saveEvent('a', 500);
    expect(next.uploads[0]?.preset).toBe(PSD);
  });

  it('follows an open document whose identity changes with its first save', async () => {
    bench.set('n', { documentId: 'run:1:7' });
    onSave.onFront(bench.open.get('n') ?? null);
    await onSave.choose('document', 'run:1:7');
    bench.set('n', { documentId: 'xmp.did:new' });
    await bench.saveEvent('n', 500);
    expect(bench.states).toEqual(['n s1']);
    expect(onSave.state.get().documents).toContain('xmp.did:new');
  });

  it('exports what was saved before storage was read', async () => {
    await onSave.choose('all', 'id-a');
    const next = new Bench(bench.records);
    const early = next.start();
    next.set('a');
    await next.saveEvent('a', 1_000);
    expect(next.uploads).toEqual([]);
    early.restore(next.records);
    await early.onRestored();
    await bench.clock.settle();
    await next.clock.advance(500);
    expect(next.states).toEqual(['a s1']);
  });

  it('is off for another account, and after a sign-out', async () => {
    await onSave.choose('all', 'id-a');
    bench.owner = BEN;
    await onSave.onAccount();
    await bench.saveEvent('a', 500);
    expect(onSave.state.get().all).toBe(false);
    bench.owner = null;
    bench.isSignedOut = true;
    await bench.saveEvent('a', 500);
    expect(bench.uploads).toEqual([]);
    bench.owner = ANNA;
    bench.isSignedOut = false;
    await onSave.onAccount();
    expect(onSave.state.get().all).toBe(true);
  });
});

describe('an export that fails', () => {
  beforeEach(() => onSave.choose('all', 'id-a'));

  it('is retried while the app is busy', async () => {
    bench.outcomes = [new CwError('CW-807', 'busy'), new CwError('CW-807', 'busy')];
    await bench.saveEvent('a', 500);
    expect(onSave.state.get().last).toMatchObject({ kind: 'waiting' });
    for (const delay of [5_000, 10_000]) {
      await bench.clock.advance(delay);
    }
    expect(bench.states).toEqual(['a s1', 'a s1', 'a s1']);
    expect(onSave.state.get()).toMatchObject({ last: { kind: 'queued' }, missed: [] });
    expect(bench.records.has('saved-documents')).toBe(false);
  });

  it('stays visible with its reason, also after later copies, until it succeeds', async () => {
    const error = new CwError('CW-805', 'failed');
    bench.outcomes = [error];
    await bench.saveEvent('a', 500);
    bench.set('b');
    await bench.saveEvent('b', 500);
    expect(onSave.state.get().missed).toMatchObject([{ documentId: 'id-a', name: 'a.psd', error }]);
    await onSave.retry('id-a');
    await bench.clock.settle();
    expect(bench.states).toEqual(['a s1', 'b s1', 'a s1']);
    expect(onSave.state.get().missed).toEqual([]);
    expect(bench.errors.splice(0)).toEqual(['CW-805']);
  });

  it('is forgotten when the user has stopped it in the app', async () => {
    bench.outcomes = ['cancelled'];
    await bench.saveEvent('a', 500);
    expect(onSave.state.get()).toMatchObject({ last: { kind: 'stopped' }, missed: [] });
    expect(bench.records.has('saved-documents')).toBe(false);
  });

  it('is reported for a document that was closed at once, and exported when it is open again', async () => {
    await bench.saveEvent('a');
    bench.open.clear();
    await bench.clock.advance(500);
    expect(onSave.state.get().missed).toMatchObject([{ name: 'a.psd', error: null }]);
    await expect(onSave.retry('id-a')).rejects.toMatchObject({ code: 'CW-803' });
    onSave.onFront(bench.set('a2', { documentId: 'id-a' }));
    await bench.clock.settle();
    expect(bench.states).toEqual(['a2 s1']);
    expect(onSave.state.get().missed).toEqual([]);
  });

  it('can be dismissed', async () => {
    bench.outcomes = [new CwError('CW-805', 'failed')];
    await bench.saveEvent('a', 500);
    await onSave.dismiss('id-a');
    expect(onSave.state.get().missed).toEqual([]);
    expect(bench.records.has('saved-documents')).toBe(false);
    bench.errors.length = 0;
  });
});

describe('after a kill between a save and its copy', () => {
  beforeEach(async () => {
    await onSave.choose('all', 'id-a');
    await bench.saveEvent('a');
    expect(bench.records.has('saved-documents')).toBe(true);
  });

  it('the document is reported while it is closed', async () => {
    const next = new Bench(bench.records);
    const again = await next.restored();
    expect(again.state.get().missed).toMatchObject([{ name: 'a.psd', error: null }]);
  });

  it('the document is exported if it is open', async () => {
    const next = new Bench(bench.records);
    next.set('b');
    next.set('a');
    next.front = 'b';
    const again = await next.restored();
    await bench.clock.settle();
    expect(next.states).toEqual(['a s1']);
    expect(again.state.get().missed).toEqual([]);
    expect(next.records.has('saved-documents')).toBe(false);
  });

  it('nothing is exported again if the copy was safe already', async () => {
    let end = (): void => undefined;
    bench.hold = new Promise((resolve) => {
      end = resolve;
    });
    await bench.clock.advance(500);
    const next = new Bench(new Map(bench.records));
    end();
    await bench.clock.settle();
    for (const copy of bench.queued) next.queued.add(copy);
    next.set('a');
    const again = await next.restored();
    expect(next.uploads).toEqual([]);
    expect(again.state.get().missed).toEqual([]);
    expect(next.records.has('saved-documents')).toBe(false);
  });
});
