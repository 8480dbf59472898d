import { beforeEach, describe, expect, it } from '@jest/globals';
import { Rig, textOf } from '../fixture.js';
import { CwError } from '../../../src/util/errors.js';

let rig: Rig;

beforeEach(async () => {
  rig = new Rig();
  await rig.start();
});

function texts(phase?: string): string[] {
  return rig.unsent.filter((item) => phase === undefined || item.phase === phase).map(textOf);
}

describe('adding photos', () => {
  it('counts photos, and reports those that could not be queued without stopping the others', async () => {
    const counts: unknown[] = [];
    rig.uploader.state.subscribe(({ adding }) =>
      counts.push(adding && `${adding.done}/${adding.total}`),
    );
    await rig.uploader.addPhotos([rig.photo('a'), rig.photo(''), rig.photo('c')]);
    await rig.finishAll();
    expect(counts.find((count) => count !== null)).toBe('0/3');
    expect(counts).toContain('2/3');
    expect(rig.uploader.state.get().adding).toBeNull();
    expect(rig.uploader.state.get().rejected).toMatchObject([
      { name: '.jpg', error: { code: 'CW-601' } },
    ]);
    expect(rig.arrived()).toEqual(['a', 'c']);
    rig.uploader.dismissRefused();
    expect(rig.uploader.state.get().rejected).toEqual([]);
  });

  it('counts several picks together', async () => {
    const first = rig.uploader.addPhotos([rig.photo('a'), rig.photo('b')]);
    const second = rig.uploader.addPhotos([rig.photo('c')]);
    expect(rig.uploader.state.get().adding).toEqual({ done: 0, total: 3 });
    await Promise.all([first, second]);
    expect(rig.uploader.state.get().adding).toBeNull();
  });

  it('shows the newest twenty refusals at most', async () => {
    rig.storage.fail('spool.copy', new CwError('CW-703', 'full'));
    await rig.uploader.addPhotos(
      Array.from({ length: 25 }, (_, index) => rig.photo(String(index))),
    );
    const { rejected: refused } = rig.uploader.state.get();
    expect(refused.map(({ name }) => name)).toEqual(
      Array.from({ length: 20 }, (_, index) => `${index + 5}.jpg`),
    );
    expect(refused.every(({ error }) => error.code === 'CW-703')).toBe(true);
  });

  it('changes nothing when no photo is added', async () => {
    await rig.uploader.addPhotos([]);
    expect(rig.phases()).toEqual([]);
    expect(rig.uploader.state.get().adding).toBeNull();
  });
});

describe('queuing three hundred photos', () => {
  const many = Array.from({ length: 300 }, (_, index) => `photo ${index}`);

  it('reports progress photo by photo', async () => {
    rig.uploader.pause();
    const seen = new Set<string>();
    rig.uploader.state.subscribe(({ adding }) => {
      if (adding) seen.add(`${adding.done}/${adding.total}`);
    });
    await rig.queue(...many);
    expect([...seen]).toEqual(many.map((_, index) => `${index}/300`));
    expect(rig.uploader.state.get().adding).toBeNull();
    expect(texts()).toEqual(many);
  });

  it('keeps queued photos on Cancel and leaves nothing of the others', async () => {
    const stop = rig.uploader.state.subscribe(({ adding }) => {
      if (adding?.done === 100) rig.uploader.cancelAdding();
    });
    const adding = rig.uploader.addPhotos(many.map((text) => rig.photo(text)));
    const later = rig.uploader.addPhotos([rig.photo('also cancelled')]);
    await Promise.all([adding, later]);
    stop();
    await rig.clock.settle();
    expect(rig.uploader.state.get()).toMatchObject({ adding: null, refused: [] });
    const kept = many.slice(0, 100);
    await rig.queue('after all');
    await rig.finishAll();
    expect([...rig.arrived()].sort()).toEqual([...kept, 'after all'].sort());
    expect(rig.left).toBe(0);
  });
});

describe('a photo chosen to be next', () => {
  it('uploads the chosen photo next and continues active uploads', async () => {
    await rig.queue('a', 'b', 'c', 'd', 'e');
    await rig.uploader.makeNext(rig.idOf('e'));
    await rig.uploader.makeNext(rig.idOf('d'));
    expect(texts('uploading')).toEqual(['a', 'b']);
    expect(texts('waiting')).toEqual(['d', 'e', 'c']);
    await rig.respondTo(rig.network.open[0]);
    expect(texts('uploading')).toEqual(['b', 'd']);
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['a', 'b', 'd', 'e', 'c']);
  });

  it('uploads the chosen photo next after a restart', async () => {
    rig.uploader.pause();
    await rig.queue('a', 'b', 'c');
    await rig.uploader.makeNext(rig.idOf('c'));
    await rig.start();
    await rig.clock.settle();
    expect(texts()).toEqual(['c', 'a', 'b']);
    rig.uploader.resume();
    await rig.clock.settle();
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['c', 'a', 'b']);
  });

  it('shows the chosen photo before all waiting ones, also when it was first already', async () => {
    await rig.queue('a', 'b', 'c', 'd');
    await rig.uploader.makeNext(rig.idOf('d'));
    rig.network.open[0]?.respond(415, { 'Tus-Resumable': '1.0.0' });
    await rig.clock.settle();
    expect(texts('failed')).toEqual(['a']);
    await rig.uploader.retry(rig.idOf('a'));
    expect(texts('waiting')).toEqual(['c', 'a']);
    await rig.uploader.makeNext(rig.idOf('c'));
    expect(texts('waiting')).toEqual(['c', 'a']);
  });

  it('retries a failed photo that is chosen to be next', async () => {
    await rig.queue('a', 'b', 'c');
    rig.network.open[0]?.respond(415, { 'Tus-Resumable': '1.0.0' });
    await rig.clock.settle();
    expect(texts('failed')).toEqual(['a']);
    await rig.uploader.makeNext(rig.idOf('a'));
    expect(texts('waiting')).toEqual(['a']);
    await rig.finishAll();
    expect([...rig.arrived()].sort()).toEqual(['a', 'b', 'c']);
  });
});
