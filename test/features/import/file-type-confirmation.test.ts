import { beforeEach, describe, expect, it } from '@jest/globals';
import { detectProblem, HEADER_BYTES } from '../../../src/features/import/file-type-check.js';
import { memoryPhoto } from '../../support/memory-host.js';
import { UploadFixture } from '../fixture.js';

/** Files that are no photo, or whose name has the wrong type, are sent only after confirmation. */
describe('a file that may be no photo', () => {
  let fixture: UploadFixture;

  beforeEach(async () => {
    fixture = new UploadFixture();
    fixture.detectProblem = detectProblem;
    await fixture.start();
  });

  async function add(...files: readonly (readonly [string, string])[]): Promise<void> {
    const photos = files.map(([name, text]) =>
      memoryPhoto(fixture.storage, name, new Uint8Array(Buffer.from(text, 'latin1'))),
    );
    await fixture.uploads.addPhotos(photos);
    await fixture.clock.settle();
  }

  const JPEG = ['photo.jpg', '\xff\xd8\xff\xe0 a photo'] as const;
  const TEXT = ['notes.jpg', 'Dear Anna'] as const;
  const PDF = ['flyer.pdf', '%PDF-1.7'] as const;
  const PNG = ['really a png.jpg', '\x89PNG\r\n\x1a\n and more'] as const;

  function listed(): string[] {
    return fixture.list
      .slice(0, Infinity)
      .map(({ record, phase }) => `${record.name} ${phase} ${record.failure ?? ''}`.trim());
  }

  function idOf(name: string): string {
    const found = fixture.list.slice(0, Infinity).find(({ record }) => record.name === name);
    if (!found) throw new Error(`${name} is not in the list`);
    return found.record.id;
  }

  it('is queued with its reason and is not sent; other photos are', async () => {
    await add(TEXT, JPEG, PDF, PNG);
    await fixture.finishAll();
    expect(listed()).toEqual([
      'notes.jpg failed CW-609',
      'photo.jpg uploaded',
      'flyer.pdf failed CW-609',
      'really a png.jpg failed CW-610',
    ]);
    expect(fixture.service.arrived('anna')).toHaveLength(1);
  });

  it('stays held over a restart and when other failures are retried', async () => {
    await add(TEXT, PNG);
    await fixture.start();
    await fixture.uploads.retryFailed('CW-604');
    await fixture.clock.settle();
    expect(fixture.network.open).toEqual([]);
    expect(listed()).toEqual(['notes.jpg failed CW-609', 'really a png.jpg failed CW-610']);
  });

  it('is never sent by a kill between its copy and its record', async () => {
    for (let steps = 0; steps < 5; steps += 1) {
      const killed = new UploadFixture();
      killed.detectProblem = detectProblem;
      await killed.start();
      killed.storage.dieAfter(steps);
      const bytes = new Uint8Array(Buffer.from('Dear Anna'));
      void killed.uploads.addPhotos([memoryPhoto(killed.storage, 'notes.jpg', bytes)]);
      await killed.clock.settle();
      await killed.start();
      await killed.clock.settle();
      expect(killed.network.open).toEqual([]);
    }
  });

  it('is sent when the user confirms one or all, also after a restart', async () => {
    await add(TEXT, PDF, PNG);
    await fixture.uploads.retry(idOf('flyer.pdf'));
    await fixture.start();
    await fixture.clock.settle();
    await fixture.finishAll();
    expect(listed()).toEqual([
      'notes.jpg failed CW-609',
      'flyer.pdf uploaded',
      'really a png.jpg failed CW-610',
    ]);
    expect(fixture.service.arrived('anna')).toHaveLength(1);
    await fixture.uploads.retryFailed('CW-609');
    await fixture.uploads.retryFailed('CW-610');
    await fixture.clock.settle();
    await fixture.finishAll();
    expect(fixture.service.arrived('anna')).toHaveLength(3);
  });

  it('is restored unchanged when its removal is undone', async () => {
    await add(TEXT, PNG);
    await fixture.uploads.removeAll();
    await fixture.uploads.undoRemoval();
    await fixture.clock.settle();
    expect(listed()).toEqual(['notes.jpg failed CW-609', 'really a png.jpg failed CW-610']);
    expect(fixture.network.open).toEqual([]);
  });

  it('needs no confirmation when the app exported it', async () => {
    await fixture.uploads.importer.addDocument(() =>
      Promise.resolve(memoryPhoto(fixture.storage, PDF[0], new Uint8Array(Buffer.from(PDF[1])))),
    );
    await fixture.clock.settle();
    await fixture.finishAll();
    expect(listed()).toEqual(['flyer.pdf uploaded']);
  });

  it('reads its first bytes once, when it is added, however large it is', async () => {
    const looked: number[] = [];
    fixture.detectProblem = (name, start) => {
      looked.push(start.length);
      return detectProblem(name, start);
    };
    fixture.uploads.pause();
    await add(JPEG, ['large.jpg', `\xff\xd8\xff${'x'.repeat(1_000_000)}`]);
    await fixture.start();
    await fixture.clock.settle();
    expect(looked).toEqual([JPEG[1].length, HEADER_BYTES]);
  });
});
