import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { RequestRelease } from '@tus/server';
import { UploadLocks } from '../../../../service/library/uploads/locks/upload-locks.js';
import { outcomeOf } from '../../../support/outcome.js';

/** Requests that want the same upload, one after the other. */
describe('the lock of one upload', () => {
  let locks: UploadLocks;

  beforeEach(() => {
    locks = new UploadLocks();
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  interface Asking {
    readonly name: string;
    readonly lock: ReturnType<UploadLocks['newLock']>;
    readonly outcome: {
      readonly state: 'pending' | 'resolved' | 'rejected';
      readonly error: unknown;
    };
    readonly abort: AbortController;
    /** How often its release was requested. */
    readonly asked: () => number;
  }

  function ask(name: string, abort = new AbortController()): Asking {
    let asked = 0;
    const release: RequestRelease = () => {
      asked += 1;
    };
    const lock = locks.newLock('one');
    const outcome = outcomeOf(lock.lock(abort.signal, release));
    return { name, lock, outcome, abort, asked: () => asked };
  }

  const settle = async (): Promise<void> => {
    for (let round = 0; round < 10; round += 1) await Promise.resolve();
  };

  it('passes on in request order, and requests its release from each holder', async () => {
    const all = ['first', 'second', 'third', 'fourth'].map((name) => ask(name));
    await settle();
    for (const [index, holder] of all.entries()) {
      expect(all.map(({ outcome }) => outcome.state)).toEqual(
        all.map((_, other) => (other <= index ? 'resolved' : 'pending')),
      );
      const isLast = index === all.length - 1;
      expect({ holder: holder.name, asked: holder.asked() > 0 }).toEqual({
        holder: holder.name,
        asked: !isLast,
      });
      await holder.lock.unlock();
      await settle();
    }
    const next = ask('next');
    await settle();
    expect(next.outcome.state).toBe('resolved');
  });

  it('is never given to an aborted request or after its timeout', async () => {
    const holder = ask('holder');
    const gone = ask('gone');
    await jest.advanceTimersByTimeAsync(9_000);
    const living = ask('living');
    gone.abort.abort();
    await settle();
    expect(gone.outcome.state).toBe('rejected');
    await holder.lock.unlock();
    await settle();
    expect(living.outcome.state).toBe('resolved');

    const late = ask('late');
    await jest.advanceTimersByTimeAsync(9_000);
    const later = ask('later');
    await jest.advanceTimersByTimeAsync(1_000);
    expect(late.outcome.state).toBe('rejected');
    expect(later.outcome.state).toBe('pending');
    await living.lock.unlock();
    await settle();
    expect(later.outcome.state).toBe('resolved');
    await later.lock.unlock();
  });

  it('does not queue a request that was aborted before', async () => {
    const holder = ask('holder');
    const left = new AbortController();
    left.abort();
    const gone = ask('gone', left);
    await settle();
    expect([gone.outcome.state, holder.asked()]).toEqual(['rejected', 0]);
  });

  it('is free again when all waiting requests were aborted', async () => {
    const holder = ask('holder');
    const waiting = [ask('one'), ask('two')];
    for (const { abort } of waiting) abort.abort();
    await settle();
    await holder.lock.unlock();
    const next = ask('next');
    await settle();
    expect(next.outcome.state).toBe('resolved');
    expect(next.asked()).toBe(0);
  });

  it('queues eight requests, and refuses the next at once', async () => {
    ask('holder');
    const waiting = Array.from({ length: 8 }, (_, index) => ask(String(index)));
    const refused = ask('one too many');
    await settle();
    expect(refused.outcome.state).toBe('rejected');
    // It passes: its client comes again.
    expect(refused.outcome.error).toMatchObject({ status_code: 503 });
    waiting[3]?.abort.abort();
    await settle();
    expect(ask('in its place').outcome.state).toBe('pending');
  });
});
