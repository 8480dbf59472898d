import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { UploadFixture, textOf, type Account } from '../fixture.js';

const unreachable = new CwError('CW-301', 'unreachable');

let fixture: UploadFixture;

beforeEach(async () => {
  fixture = new UploadFixture();
  await fixture.start();
});

describe('removing', () => {
  it('aborts the request of an active photo, and deletes its upload after a restart', async () => {
    await fixture.queue('a photo of several chunks', 'b');
    const [first] = fixture.network.open;
    if (first) fixture.respond(first);
    await fixture.clock.settle();
    const id = fixture.idOf('a photo of several chunks');
    const removed = fixture.uploads.remove(id);
    await fixture.clock.settle();
    expect(fixture.phases()).toEqual(['b uploading']);
    await fixture.finishAll();
    await removed;
    // After Undo it would continue at its offset.
    expect(fixture.network.exchanges.map(({ request }) => request.method)).not.toContain('DELETE');
    expect(fixture.arrived()).toEqual(['b']);
    await fixture.start();
    expect(fixture.phases()).toEqual([]);
    expect(fixture.storage.records.has(id) || fixture.storage.spool.has(id)).toBe(false);
    await fixture.finishAll();
    expect(fixture.network.exchanges.map(({ request }) => request.method)).toContain('DELETE');
    expect(
      [...fixture.service.uploadsOf('anna').values()].map(({ clientUploadId }) => clientUploadId),
    ).not.toContain(id);
    expect(fixture.arrived()).toEqual(['b']);
  });

  it('sends no request for a waiting photo', async () => {
    fixture.uploads.pause();
    await fixture.queue('a');
    await fixture.uploads.remove(fixture.idOf('a'));
    expect(fixture.phases()).toEqual([]);
    await fixture.start();
    expect(fixture.network.exchanges).toHaveLength(0);
    fixture.uploads.resume();
    await fixture.clock.settle();
    expect(fixture.network.exchanges).toHaveLength(0);
    expect(fixture.left).toBe(0);
  });

  it('removes photos at once while the service is unreachable', async () => {
    await fixture.queue('a', 'b', 'c');
    for (const exchange of fixture.network.open) exchange.fail(unreachable);
    await fixture.clock.settle();
    for (const text of ['a', 'b', 'c']) {
      void fixture.uploads.remove(fixture.idOf(text));
      await fixture.clock.settle();
    }
    expect(fixture.phases()).toEqual([]);
    await fixture.start();
    expect(fixture.phases()).toEqual([]);
    expect(fixture.left).toBe(0);
  });

  it('does nothing for an unknown photo', async () => {
    await fixture.uploads.remove('nothing');
    expect(fixture.network.exchanges).toHaveLength(0);
  });
});

describe('a removal that is undone', () => {
  async function change(work: Promise<void>): Promise<void> {
    void work;
    await fixture.clock.settle();
  }

  async function signOutAndInAs(account: Account): Promise<void> {
    await fixture.signOut();
    fixture.account = account;
    fixture.uploads.onSignedIn();
    await fixture.clock.settle();
  }

  const state = () => fixture.uploads.state.get();

  it('resumes the upload at its offset and completes it once', async () => {
    await fixture.queue('a photo of several chunks');
    const [first] = fixture.network.open;
    if (first) fixture.respond(first);
    await fixture.clock.settle();
    await change(fixture.uploads.removeAll());
    expect(fixture.list.all).toEqual([]);
    expect(fixture.network.open).toEqual([]);
    expect(state().removal).toEqual({ photos: 1 });
    await change(fixture.uploads.undoRemoval());
    expect(fixture.network.open.map(({ request }) => request.method)).toEqual(['HEAD']);
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['a photo of several chunks']);
    expect(state().removal).toBeNull();
    expect(fixture.network.exchanges.map(({ request }) => request.method)).not.toContain('DELETE');
  });

  it('starts no upload while the whole queue is being removed', async () => {
    await fixture.queue('a', 'b', 'c', 'd', 'e');
    await change(fixture.uploads.removeAll());
    expect(fixture.network.exchanges).toHaveLength(2);
    expect(fixture.network.open).toEqual([]);
    await fixture.clock.advance(60_000);
    expect(fixture.network.exchanges).toHaveLength(2);
    await change(fixture.uploads.undoRemoval());
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('restores photos that failed for one reason, and leaves the others in place', async () => {
    await fixture.queue('a', 'b');
    for (const exchange of fixture.network.open)
      exchange.respond(415, { 'Tus-Resumable': '1.0.0' });
    await fixture.clock.settle();
    await fixture.queue('c');
    fixture.network.open[0]?.respond(400, { 'Tus-Resumable': '1.0.0' });
    await fixture.clock.settle();
    await change(fixture.uploads.removeFailed('CW-605'));
    expect(fixture.unsent.map(textOf)).toEqual(['c']);
    await change(fixture.uploads.undoRemoval());
    expect(fixture.list.failedFor('CW-605')).toHaveLength(2);
  });

  it('prompts first when another account may be connected', async () => {
    await fixture.queue('of anna');
    await change(fixture.uploads.removeAll());
    await signOutAndInAs('ben');
    expect(state().question).toBeNull();
    await fixture.queue('of ben');
    await fixture.finishAll();
    await change(fixture.uploads.undoRemoval());
    expect(state().question).toEqual({ photos: 1 });
    await fixture.clock.advance(60_000);
    expect(fixture.arrived()).toEqual(['of ben']);
    // A restart in between does not send it either.
    await fixture.start();
    await fixture.clock.settle();
    expect(state().question).toEqual({ photos: 1 });
    await change(fixture.uploads.answerQuestion(true));
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['of ben', 'of anna']);
  });

  it('prompts again about photos that were refused to this account', async () => {
    await fixture.queue('of anna');
    await signOutAndInAs('ben');
    await change(fixture.uploads.answerQuestion(false));
    expect(state().removal).toEqual({ photos: 1 });
    await change(fixture.uploads.undoRemoval());
    expect(state().question).toEqual({ photos: 1 });
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual([]);
  });

  it.each([
    ['all', () => fixture.uploads.removeAll()],
    ['one', () => fixture.uploads.remove(fixture.list.all[0] ?? '')],
  ])('prompts again when it had removed the photos of the prompt: %s', async (_which, remove) => {
    await fixture.queue('of anna');
    await signOutAndInAs('ben');
    await fixture.queue('of ben');
    await change(remove());
    expect(state().question).toBeNull();
    await change(fixture.uploads.undoRemoval());
    expect(state().question).toEqual({ photos: 1 });
    // A restart in between does not send it either.
    await fixture.start();
    await fixture.clock.settle();
    await fixture.finishAll();
    expect(fixture.arrived()).not.toContain('of anna');
    await change(fixture.uploads.answerQuestion(false));
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['of ben']);
  });

  it('prompts when it is undone before an account is connected again', async () => {
    await fixture.queue('of anna');
    await fixture.signOut();
    await change(fixture.uploads.removeAll());
    fixture.account = 'ben';
    fixture.uploads.onSignedIn();
    await fixture.clock.settle();
    await change(fixture.uploads.undoRemoval());
    expect(state().question).toEqual({ photos: 1 });
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual([]);
  });

  it('shows no prompt when no prompt concerned its photos', async () => {
    await fixture.queue('of anna');
    await signOutAndInAs('ben');
    await fixture.queue('of ben');
    const [, ofBen = ''] = fixture.list.all;
    await change(fixture.uploads.remove(ofBen));
    await change(fixture.uploads.answerQuestion(true));
    await change(fixture.uploads.undoRemoval());
    expect(state().question).toBeNull();
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['of anna', 'of ben']);
  });

  it('is no longer offered when its photos were deleted to free space', async () => {
    fixture.uploads.pause();
    await fixture.queue('a');
    await change(fixture.uploads.removeAll());
    fixture.storage.fail('spool.copy', new CwError('CW-703', 'full'), 1);
    await fixture.queue('b');
    expect(state().removal).toBeNull();
    expect(fixture.unsent.map(textOf)).toEqual(['b']);
  });
});
