import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PhotoSource } from '../../../src/host/photo-source.js';
import { CwError } from '../../../src/util/errors.js';
import type { PendingExchange } from '../../support/conversation.js';
import { ENDPOINT } from '../fixture.js';
import { metadataOf } from '../uploads/upload-metadata.js';
import { DuplicateCheckFixture, type FileRef } from './duplicate-check-fixture.js';

const SPRING = { id: 'p-1', name: 'Spring wedding' };

/** An earlier version, as the service names it for a file. */
interface Earlier {
  readonly id: string;
  readonly match: string;
  readonly project?: object | null;
  readonly document?: string | null;
}

/** Uploads to a service that finds earlier versions of photos. */
class VersionFixture extends DuplicateCheckFixture {
  override more = { photoVersions: true, projectDestination: true };
  /** Earlier versions by the names of files. */
  earlier: Record<string, Earlier> = {};
  /** The upload that each creation replaces, by its file name. */
  readonly created: Record<string, string | undefined> = {};

  override answer = (exchange: PendingExchange, files: readonly FileRef[]): void => {
    const known = this.held.filter(({ name, size }) =>
      files.some((file) => file.name === name && file.size === size),
    );
    const previous = files.flatMap(({ name, size }) => {
      const earlier = this.earlier[name];
      const sha256 = 'e'.repeat(64);
      return earlier
        ? [{ name, size, sha256, created_at: '2026-11-22T12:00:00Z', project: null, ...earlier }]
        : [];
    });
    exchange.respond(200, {}, { known, previous });
  };

  override respond(exchange: PendingExchange): void {
    if (exchange.request.method === 'POST') {
      const { filename = '', replaces } = metadataOf(exchange);
      this.created[filename] = replaces;
    }
    super.respond(exchange);
  }

  document(text: string, document: string): PhotoSource {
    return { ...this.photo(text), document };
  }

  async addAll(...photos: PhotoSource[]): Promise<void> {
    await this.uploads.addPhotos(photos);
    await this.answerAll();
  }
}

describe('a photo with an earlier version at the service', () => {
  let fixture: VersionFixture;

  beforeEach(async () => {
    fixture = new VersionFixture();
    await fixture.begin();
  });

  const previous = (): readonly object[] => fixture.uploads.state.get().previous;

  it('waits for one answer about all such photos, while others are uploaded', async () => {
    fixture.earlier = {
      'a.jpg': { id: 'u-1', match: 'name', project: SPRING },
      'b.jpg': { id: 'u-2', match: 'name' },
    };
    await fixture.add('a', 'b', 'c');
    expect(fixture.arrived()).toEqual(['c']);
    expect(previous()).toEqual([
      {
        id: fixture.idOf('a'),
        name: 'a.jpg',
        projectName: 'Spring wedding',
        uploadedAt: Date.parse('2026-11-22T12:00:00Z'),
        replaces: 'u-1',
      },
      expect.objectContaining({ name: 'b.jpg', projectName: null }),
    ]);
  });

  it('becomes a new photo without a question when it was queued without the user', async () => {
    fixture.earlier = { 'a.jpg': { id: 'u-1', match: 'name' } };
    const copied = { id: 'a'.repeat(32), name: 'a.jpg', type: 'image/jpeg', size: 1, crc32c: null };
    fixture.storage.spool.set(copied.id, new Uint8Array(Buffer.from('a')));
    await fixture.uploads.importer.addCopied({ ...copied, isUnattended: true }, false, null);
    await fixture.answerAll();
    expect(previous()).toEqual([]);
    expect(fixture.created).toEqual({ 'a.jpg': 'none' });
    expect(fixture.arrived()).toEqual(['a']);
  });

  it.each([
    ['replace', { 'a.jpg': 'u-1', 'b.jpg': 'u-2' }],
    ['keep-both', { 'a.jpg': 'none', 'b.jpg': 'none' }],
  ] as const)('is uploaded after the answer %s', async (answer, created) => {
    fixture.earlier = {
      'a.jpg': { id: 'u-1', match: 'name' },
      'b.jpg': { id: 'u-2', match: 'name' },
    };
    await fixture.add('a', 'b');
    await fixture.uploads.duplicates.answer(answer);
    expect(previous()).toEqual([]);
    // A restart right after the answer shows no prompt.
    await fixture.begin();
    await fixture.answerAll();
    expect(previous()).toEqual([]);
    expect(fixture.created).toEqual(created);
    expect(fixture.arrived()).toEqual(['a', 'b']);
  });

  it('begins only once the answer is stored', async () => {
    fixture.earlier = { 'a.jpg': { id: 'u-1', match: 'name' } };
    await fixture.add('a');
    const id = fixture.idOf('a');
    const store = fixture.storage.holdBack((step, key) => step === 'records.put' && key === id);
    void fixture.uploads.duplicates.answer('replace');
    await fixture.clock.settle();
    expect(fixture.network.open).toEqual([]);
    store();
    await fixture.answerAll();
    expect(fixture.created).toEqual({ 'a.jpg': 'u-1' });
  });

  it('begins also if the answer cannot be stored', async () => {
    fixture.earlier = { 'a.jpg': { id: 'u-1', match: 'name' } };
    await fixture.add('a');
    fixture.storage.fail('records.put', new CwError('CW-702', 'refused'), 1);
    await fixture.uploads.duplicates.answer('replace');
    expect(fixture.uploads.state.get().storageError).toMatchObject({ code: 'CW-702' });
    await fixture.answerAll();
    expect(fixture.created).toEqual({ 'a.jpg': 'u-1' });
  });

  it('shows no prompt for its own upload with a lost response', async () => {
    fixture.uploads.pause();
    await fixture.uploads.addPhotos([fixture.photo('a')]);
    fixture.holds('a', fixture.idOf('a'));
    fixture.earlier = { 'a.jpg': { id: 'u-1', match: 'name' } };
    fixture.uploads.resume();
    await fixture.answerAll();
    expect(previous()).toEqual([]);
    expect(fixture.standing()).toEqual(['a.jpg uploaded']);
  });

  it('prompts again after a restart without an answer', async () => {
    fixture.earlier = { 'a.jpg': { id: 'u-1', match: 'name' } };
    await fixture.add('a');
    await fixture.begin();
    await fixture.answerAll();
    expect(previous()).toHaveLength(1);
    expect(fixture.arrived()).toEqual([]);
  });

  it('becomes a new version without a question if the document is the same', async () => {
    const document = 'xmp.did:1#image/jpeg';
    fixture.earlier = { 'a.jpg': { id: 'u-1', match: 'document', document } };
    await fixture.addAll(fixture.document('a', 'xmp.did:1'));
    expect(fixture.asked[0]).toEqual([
      { name: 'a.jpg', size: 1, document, version_by: 'document' },
    ]);
    expect(fixture.created).toEqual({ 'a.jpg': undefined });
    expect(fixture.arrived()).toEqual(['a']);
  });

  it('is a new photo without a question if one of the same pick has its name', async () => {
    const decomposed = 'KU\u0308STE.jpeg';
    fixture.earlier = { [decomposed]: { id: 'u-1', match: 'name' } };
    const named = (name: string, text: string): PhotoSource => ({ ...fixture.photo(text), name });
    await fixture.addAll(named('K\u00fcste.jpg', '1'), named(decomposed, '2'));
    expect(previous()).toEqual([]);
    expect(fixture.created).toEqual({ 'K\u00fcste.jpg': 'none', [decomposed]: 'none' });
    // Alone, it is one that the user is asked about.
    await fixture.addAll(named(decomposed, '3'));
    expect(previous()).toHaveLength(1);
  });

  it('is a new photo if the service reports no earlier version', async () => {
    await fixture.add('a');
    expect(fixture.created).toEqual({ 'a.jpg': 'none' });
  });

  it.each<[string, Record<string, unknown>]>([
    ['a match of another kind', { match: 'size' }],
    ['an id that is none', { id: '../u' }],
    ['no id', { id: null }],
  ])('ignores an earlier version with %s', async (_name, change) => {
    const earlier = { id: 'u-1', match: 'name', ...change } as Earlier;
    fixture.earlier = { 'a.jpg': earlier };
    await fixture.add('a');
    expect(fixture.created).toEqual({ 'a.jpg': 'none' });
  });

  it('shows no prompt for the same name in another project', async () => {
    fixture.project = { id: 'p-2', name: 'Autumn' };
    fixture.earlier = { 'a.jpg': { id: 'u-1', match: 'name', project: SPRING } };
    await fixture.add('a');
    expect(fixture.asked[0]).toEqual([{ name: 'a.jpg', size: 1, project: 'p-2' }]);
    expect(fixture.created).toEqual({ 'a.jpg': 'none' });
  });

  it('is checked again when its project changes', async () => {
    fixture.earlier = { 'a.jpg': { id: 'u-1', match: 'name', project: SPRING } };
    await fixture.add('a');
    await fixture.uploads.setDestination([fixture.idOf('a')], { id: 'p-2', name: 'Autumn' });
    expect(previous()).toEqual([]);
    await fixture.answerAll();
    expect(fixture.created).toEqual({ 'a.jpg': 'none' });
  });

  it('has no prompt while it is removed, and again after Undo', async () => {
    fixture.earlier = { 'a.jpg': { id: 'u-1', match: 'name' } };
    await fixture.add('a');
    await fixture.uploads.remove(fixture.idOf('a'));
    expect(previous()).toEqual([]);
    await fixture.uploads.undoRemoval();
    await fixture.answerAll();
    expect(previous()).toHaveLength(1);
  });

  it('has no prompt when another account is connected', async () => {
    fixture.earlier = { 'a.jpg': { id: 'u-1', match: 'name' } };
    await fixture.add('a');
    fixture.account = null;
    fixture.uploads.onSessionEnded();
    expect(previous()).toEqual([]);
    fixture.earlier = {};
    fixture.account = 'anna';
    fixture.uploads.onSignedIn();
    await fixture.answerAll();
    expect(fixture.created).toEqual({ 'a.jpg': 'none' });
  });

  it('is a new photo when the check does not work', async () => {
    fixture.answer = (exchange) => exchange.respond(404, {}, { error: 'refused' });
    await fixture.add('a');
    expect(fixture.created).toEqual({ 'a.jpg': 'none' });
  });

  it('stays a separate copy when the same content is uploaded again', async () => {
    fixture.holds('a');
    await fixture.add('a');
    await fixture.uploads.retryFailed('CW-611');
    await fixture.answerAll();
    expect(fixture.created).toEqual({ 'a.jpg': 'none' });
  });

  it.each([0, 1, 2, 3])(
    'is uploaded once, with one answer, if the plugin dies %d steps after the answer',
    async (steps) => {
      fixture.earlier = { 'a.jpg': { id: 'u-1', match: 'name' } };
      await fixture.add('a');
      fixture.storage.dieAfter(steps);
      void fixture.uploads.duplicates.answer('replace');
      await fixture.clock.settle();
      const creation = fixture.network.open.find(({ request }) => request.url === ENDPOINT);
      if (creation) fixture.respond(creation);
      await fixture.begin();
      await fixture.answerAll();
      // Before the answer was stored, nothing may have been created with it.
      if (previous().length > 0) {
        expect(fixture.created).toEqual({});
        await fixture.uploads.duplicates.answer('replace');
        await fixture.answerAll();
      }
      expect(fixture.created).toEqual({ 'a.jpg': 'u-1' });
      expect(fixture.arrived()).toEqual(['a']);
    },
  );
});
