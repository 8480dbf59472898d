import { describe, expect, it } from '@jest/globals';
import { DocumentBatch, type BatchEntry } from '../../../src/features/documents/document-batch.js';
import type { DocumentUpload } from '../../../src/features/documents/document-uploads.js';
import type { DocumentOutcome } from '../../../src/features/import/photo-importer.js';
import { presetOfFormat } from '../../../src/features/presets/preset.js';
import { CwError } from '../../../src/util/errors.js';

const REQUEST = { preset: presetOfFormat('jpg'), title: 'Upload', project: null };

const entry = (name: string): BatchEntry => ({
  target: { documentKey: name, partId: null },
  name,
});

/** A batch over exports whose end a test decides. */
function batchOf(outcomeOf: (name: string) => DocumentOutcome | Promise<DocumentOutcome>): {
  readonly batch: DocumentBatch;
  readonly asked: DocumentUpload[];
} {
  const asked: DocumentUpload[] = [];
  const batch = new DocumentBatch({
    upload: async (request) => {
      asked.push(request);
      return outcomeOf(request.target.documentKey ?? '');
    },
  });
  return { batch, asked };
}

describe('several documents that are uploaded together', () => {
  it('are exported one after the other with one preset and destination, and one failure stops no other', async () => {
    const failure = new CwError('CW-805', 'no');
    const { batch, asked } = batchOf((name) => (name === 'b' ? failure : 'queued'));
    const seen: string[] = [];
    batch.state.subscribe(({ done, total }) => seen.push(`${done} of ${total}`));
    await batch.upload(['a', 'b', 'c'].map(entry), REQUEST);
    expect(asked).toEqual(
      ['a', 'b', 'c'].map((name) => ({ ...REQUEST, target: entry(name).target, isQuiet: true })),
    );
    expect(seen).toEqual(['0 of 3', '1 of 3', '2 of 3', '3 of 3', '0 of 0']);
    expect(batch.state.get().failures).toEqual([{ name: 'b', error: failure }]);
    batch.dismiss();
    expect(batch.state.get()).toEqual({ done: 0, total: 0, failures: [] });
  });

  it('end when the user stops one in the app', async () => {
    const { batch, asked } = batchOf((name) => (name === 'b' ? 'cancelled' : 'queued'));
    await batch.upload(['a', 'b', 'c'].map(entry), REQUEST);
    expect(asked).toHaveLength(2);
    expect(batch.state.get()).toEqual({ done: 0, total: 0, failures: [] });
  });

  it('end after the present one by Cancel', async () => {
    let release = (): void => undefined;
    const held = new Promise<DocumentOutcome>((resolve) => {
      release = () => {
        resolve('queued');
      };
    });
    const { batch, asked } = batchOf(() => held);
    const uploading = batch.upload(['a', 'b'].map(entry), REQUEST);
    batch.cancel();
    expect(batch.state.get().total).toBe(0);
    release();
    await uploading;
    expect(asked).toHaveLength(1);
    expect(batch.state.get()).toEqual({ done: 0, total: 0, failures: [] });
  });
});
