import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { UploadFixture, textOf } from '../fixture.js';
import { CwError } from '../../../src/util/errors.js';

let fixture: UploadFixture;

beforeEach(async () => {
  fixture = new UploadFixture();
  await fixture.start();
});

function texts(phase?: string): string[] {
  return fixture.unsent.filter((item) => phase === undefined || item.phase === phase).map(textOf);
}

describe('adding photos', () => {
  it('counts photos, and reports those that could not be queued without stopping the others', async () => {
    const counts: unknown[] = [];
    fixture.uploads.state.subscribe(({ adding }) =>
      counts.push(adding && `${adding.done}/${adding.total}`),
    );
    await fixture.uploads.addPhotos([fixture.photo('a'), fixture.photo(''), fixture.photo('c')]);
    await fixture.finishAll();
    expect(counts.find((count) => count !== null)).toBe('0/3');
    expect(counts).toContain('2/3');
    expect(fixture.uploads.state.get().adding).toBeNull();
    expect(fixture.uploads.state.get().rejected).toMatchObject([
      { name: '.jpg', error: { code: 'CW-601' } },
    ]);
    expect(fixture.arrived()).toEqual(['a', 'c']);
    fixture.uploads.importer.dismissRejected();
    expect(fixture.uploads.state.get().rejected).toEqual([]);
  });

  it('counts several picks together', async () => {
    const first = fixture.uploads.addPhotos([fixture.photo('a'), fixture.photo('b')]);
    const second = fixture.uploads.addPhotos([fixture.photo('c')]);
    expect(fixture.uploads.state.get().adding).toEqual({ done: 0, total: 3 });
    await Promise.all([first, second]);
    expect(fixture.uploads.state.get().adding).toBeNull();
  });

  it('shows the newest twenty refusals at most', async () => {
    fixture.storage.fail('spool.copy', new CwError('CW-703', 'full'));
    await fixture.uploads.addPhotos(
      Array.from({ length: 25 }, (_, index) => fixture.photo(String(index))),
    );
    const { rejected: refused } = fixture.uploads.state.get();
    expect(refused.map(({ name }) => name)).toEqual(
      Array.from({ length: 20 }, (_, index) => `${index + 5}.jpg`),
    );
    expect(refused.every(({ error }) => error.code === 'CW-703')).toBe(true);
  });

  it('changes nothing when no photo is added', async () => {
    await fixture.uploads.addPhotos([]);
    expect(fixture.phases()).toEqual([]);
    expect(fixture.uploads.state.get().adding).toBeNull();
  });
});

describe('queuing three hundred photos', () => {
  const many = Array.from({ length: 300 }, (_, index) => `photo ${index}`);

  it('reads no other photo of the list for a new one', async () => {
    fixture.uploads.pause();
    const readsAfter = async (queued: readonly string[]): Promise<number> => {
      await fixture.uploads.addPhotos(queued.map((text) => fixture.photo(text)));
      const reads = jest.spyOn(fixture.list, 'get');
      await fixture.uploads.addPhotos([fixture.photo(`after ${queued.length}`)]);
      const { length } = reads.mock.calls;
      reads.mockRestore();
      return length;
    };
    const few = await readsAfter(many.slice(0, 3));
    expect(await readsAfter(many.slice(3))).toBe(few);
  });

  it('reports progress photo by photo', async () => {
    fixture.uploads.pause();
    const seen = new Set<string>();
    fixture.uploads.state.subscribe(({ adding }) => {
      if (adding) seen.add(`${adding.done}/${adding.total}`);
    });
    await fixture.queue(...many);
    expect([...seen]).toEqual(many.map((_, index) => `${index}/300`));
    expect(fixture.uploads.state.get().adding).toBeNull();
    expect(texts()).toEqual(many);
  });

  it('keeps queued photos on Cancel and leaves nothing of the others', async () => {
    const stop = fixture.uploads.state.subscribe(({ adding }) => {
      if (adding?.done === 100) fixture.uploads.importer.cancel();
    });
    const adding = fixture.uploads.addPhotos(many.map((text) => fixture.photo(text)));
    const later = fixture.uploads.addPhotos([fixture.photo('also cancelled')]);
    await Promise.all([adding, later]);
    stop();
    await fixture.clock.settle();
    expect(fixture.uploads.state.get()).toMatchObject({ adding: null, rejected: [] });
    const kept = many.slice(0, 100);
    await fixture.queue('after all');
    await fixture.finishAll();
    expect([...fixture.arrived()].sort()).toEqual([...kept, 'after all'].sort());
    expect(fixture.left).toBe(0);
  });
});

describe('a photo chosen to be next', () => {
  it('uploads the chosen photo next and continues active uploads', async () => {
    await fixture.queue('a', 'b', 'c', 'd', 'e');
    await fixture.uploads.makeNext(fixture.idOf('e'));
    await fixture.uploads.makeNext(fixture.idOf('d'));
    expect(texts('uploading')).toEqual(['a', 'b']);
    expect(texts('waiting')).toEqual(['d', 'e', 'c']);
    await fixture.respondTo(fixture.network.open[0]);
    expect(texts('uploading')).toEqual(['b', 'd']);
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['a', 'b', 'd', 'e', 'c']);
  });

  it('uploads the chosen photo next after a restart', async () => {
    fixture.uploads.pause();
    await fixture.queue('a', 'b', 'c');
    await fixture.uploads.makeNext(fixture.idOf('c'));
    await fixture.start();
    await fixture.clock.settle();
    expect(texts()).toEqual(['c', 'a', 'b']);
    fixture.uploads.resume();
    await fixture.clock.settle();
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['c', 'a', 'b']);
  });

  it('shows the chosen photo before all waiting ones, also when it was first already', async () => {
    await fixture.queue('a', 'b', 'c', 'd');
    await fixture.uploads.makeNext(fixture.idOf('d'));
    fixture.network.open[0]?.respond(415, { 'Tus-Resumable': '1.0.0' });
    await fixture.clock.settle();
    expect(texts('failed')).toEqual(['a']);
    await fixture.uploads.retry(fixture.idOf('a'));
    expect(texts('waiting')).toEqual(['c', 'a']);
    await fixture.uploads.makeNext(fixture.idOf('c'));
    expect(texts('waiting')).toEqual(['c', 'a']);
  });

  it('retries a failed photo that is chosen to be next', async () => {
    await fixture.queue('a', 'b', 'c');
    fixture.network.open[0]?.respond(415, { 'Tus-Resumable': '1.0.0' });
    await fixture.clock.settle();
    expect(texts('failed')).toEqual(['a']);
    await fixture.uploads.makeNext(fixture.idOf('a'));
    expect(texts('waiting')).toEqual(['a']);
    await fixture.finishAll();
    expect([...fixture.arrived()].sort()).toEqual(['a', 'b', 'c']);
  });
});
