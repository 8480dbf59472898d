import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { Rig, textOf, type Account } from '../fixture.js';

const unreachable = new CwError('CW-301', 'unreachable');

let rig: Rig;

beforeEach(async () => {
  rig = new Rig();
  await rig.start();
});

describe('removing', () => {
  it('aborts the request of an active photo, and deletes its upload after a restart', async () => {
    await rig.queue('a photo of several chunks', 'b');
    const [first] = rig.network.open;
    if (first) rig.respond(first);
    await rig.clock.settle();
    const id = rig.idOf('a photo of several chunks');
    const removed = rig.uploader.remove(id);
    await rig.clock.settle();
    expect(rig.phases()).toEqual(['b uploading']);
    await rig.finishAll();
    await removed;
    // Put back, it would go on where it was.
    expect(rig.network.exchanges.map(({ request }) => request.method)).not.toContain('DELETE');
    expect(rig.arrived()).toEqual(['b']);
    await rig.start();
    expect(rig.phases()).toEqual([]);
    expect(rig.storage.records.has(id) || rig.storage.spool.has(id)).toBe(false);
    await rig.finishAll();
    expect(rig.network.exchanges.map(({ request }) => request.method)).toContain('DELETE');
    expect(
      [...rig.service.uploadsOf('anna').values()].map(({ clientUploadId }) => clientUploadId),
    ).not.toContain(id);
    expect(rig.arrived()).toEqual(['b']);
  });

  it('sends no request for a waiting photo', async () => {
    rig.uploader.pause();
    await rig.queue('a');
    await rig.uploader.remove(rig.idOf('a'));
    expect(rig.phases()).toEqual([]);
    await rig.start();
    expect(rig.network.exchanges).toHaveLength(0);
    rig.uploader.resume();
    await rig.clock.settle();
    expect(rig.network.exchanges).toHaveLength(0);
    expect(rig.left).toBe(0);
  });

  it('removes photos at once while the service is unreachable', async () => {
    await rig.queue('a', 'b', 'c');
    for (const exchange of rig.network.open) exchange.fail(unreachable);
    await rig.clock.settle();
    for (const text of ['a', 'b', 'c']) {
      void rig.uploader.remove(rig.idOf(text));
      await rig.clock.settle();
    }
    expect(rig.phases()).toEqual([]);
    await rig.start();
    expect(rig.phases()).toEqual([]);
    expect(rig.left).toBe(0);
  });

  it('does nothing for an unknown photo', async () => {
    await rig.uploader.remove('nothing');
    expect(rig.network.exchanges).toHaveLength(0);
  });
});

describe('a removal that is undone', () => {
  async function change(work: Promise<void>): Promise<void> {
    void work;
    await rig.clock.settle();
  }

  async function signOutAndInAs(account: Account): Promise<void> {
    await rig.signOut();
    rig.account = account;
    rig.uploader.onSignedIn();
    await rig.clock.settle();
  }

  const state = () => rig.uploader.state.get();

  it('resumes the upload at its offset and completes it once', async () => {
    await rig.queue('a photo of several chunks');
    const [first] = rig.network.open;
    if (first) rig.respond(first);
    await rig.clock.settle();
    await change(rig.uploader.removeAll());
    expect(rig.list.all).toEqual([]);
    expect(rig.network.open).toEqual([]);
    expect(state().removal).toEqual({ photos: 1 });
    await change(rig.uploader.undoRemoval());
    expect(rig.network.open.map(({ request }) => request.method)).toEqual(['HEAD']);
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['a photo of several chunks']);
    expect(state().removal).toBeNull();
    expect(rig.network.exchanges.map(({ request }) => request.method)).not.toContain('DELETE');
  });

  it('starts no upload while the whole queue is being removed', async () => {
    await rig.queue('a', 'b', 'c', 'd', 'e');
    await change(rig.uploader.removeAll());
    expect(rig.network.exchanges).toHaveLength(2);
    expect(rig.network.open).toEqual([]);
    await rig.clock.advance(60_000);
    expect(rig.network.exchanges).toHaveLength(2);
    await change(rig.uploader.undoRemoval());
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('restores photos that failed for one reason, and leaves the others in place', async () => {
    await rig.queue('a', 'b');
    for (const exchange of rig.network.open) exchange.respond(507);
    await rig.clock.settle();
    await rig.queue('c');
    rig.network.open[0]?.respond(415);
    await rig.clock.settle();
    await change(rig.uploader.removeFailed('CW-606'));
    expect(rig.unsent.map(textOf)).toEqual(['c']);
    await change(rig.uploader.undoRemoval());
    expect(rig.list.failedFor('CW-606')).toHaveLength(2);
  });

  it('asks first when another account may be connected', async () => {
    await rig.queue('of anna');
    await change(rig.uploader.removeAll());
    await signOutAndInAs('ben');
    expect(state().question).toBeNull();
    await rig.queue('of ben');
    await rig.finishAll();
    await change(rig.uploader.undoRemoval());
    expect(state().question).toEqual({ photos: 1 });
    await rig.clock.advance(60_000);
    expect(rig.arrived()).toEqual(['of ben']);
    // A restart in between does not send it either.
    await rig.start();
    await rig.clock.settle();
    expect(state().question).toEqual({ photos: 1 });
    await change(rig.uploader.answerQuestion(true));
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['of ben', 'of anna']);
  });

  it('asks again about photos that were refused to this account', async () => {
    await rig.queue('of anna');
    await signOutAndInAs('ben');
    await change(rig.uploader.answerQuestion(false));
    expect(state().removal).toEqual({ photos: 1 });
    await change(rig.uploader.undoRemoval());
    expect(state().question).toEqual({ photos: 1 });
    await rig.finishAll();
    expect(rig.arrived()).toEqual([]);
  });

  it.each([
    ['all', () => rig.uploader.removeAll()],
    ['one', () => rig.uploader.remove(rig.list.all[0] ?? '')],
  ])('asks again when it had taken away what was asked about: %s', async (_which, remove) => {
    await rig.queue('of anna');
    await signOutAndInAs('ben');
    await rig.queue('of ben');
    await change(remove());
    expect(state().question).toBeNull();
    await change(rig.uploader.undoRemoval());
    expect(state().question).toEqual({ photos: 1 });
    // A restart in between does not send it either.
    await rig.start();
    await rig.clock.settle();
    await rig.finishAll();
    expect(rig.arrived()).not.toContain('of anna');
    await change(rig.uploader.answerQuestion(false));
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['of ben']);
  });

  it('asks when it is undone before an account is connected again', async () => {
    await rig.queue('of anna');
    await rig.signOut();
    await change(rig.uploader.removeAll());
    rig.account = 'ben';
    rig.uploader.onSignedIn();
    await rig.clock.settle();
    await change(rig.uploader.undoRemoval());
    expect(state().question).toEqual({ photos: 1 });
    await rig.finishAll();
    expect(rig.arrived()).toEqual([]);
  });

  it('asks nothing when no question concerned its photos', async () => {
    await rig.queue('of anna');
    await signOutAndInAs('ben');
    await rig.queue('of ben');
    const [, ofBen = ''] = rig.list.all;
    await change(rig.uploader.remove(ofBen));
    await change(rig.uploader.answerQuestion(true));
    await change(rig.uploader.undoRemoval());
    expect(state().question).toBeNull();
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['of anna', 'of ben']);
  });

  it('is no longer offered when its photos were deleted to free space', async () => {
    rig.uploader.pause();
    await rig.queue('a');
    await change(rig.uploader.removeAll());
    rig.storage.fail('spool.copy', new CwError('CW-703', 'full'), 1);
    await rig.queue('b');
    expect(state().removal).toBeNull();
    expect(rig.unsent.map(textOf)).toEqual(['b']);
  });
});
