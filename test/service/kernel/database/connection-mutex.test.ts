import { describe, expect, it } from '@jest/globals';
import { ConnectionMutex } from '../../../../service/kernel/database/connection-mutex.js';

describe('the connection mutex of the embedded database', () => {
  /** Schedules a task that ends on command, and records its name when it starts. */
  function makeWork(mutex: ConnectionMutex) {
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const ask = (name: string, waitMs?: number): Promise<string> =>
      mutex.run(() => {
        begun.push(name);
        return new Promise<string>((resolve) => {
          ends.push(() => {
            resolve(name);
          });
        });
      }, waitMs);
    const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const endOne = async (): Promise<void> => {
      await settle();
      ends.shift()?.();
      await settle();
    };
    return { begun, ask, endOne };
  }

  it('runs one task at a time, in order', async () => {
    const { begun, ask, endOne } = makeWork(new ConnectionMutex());
    const names = ['one', 'two', 'three', 'four'];
    const all = names.map((name) => ask(name));

    for (let ended = 0; ended < names.length; ended += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      expect(begun).toEqual(names.slice(0, ended + 1));
      await endOne();
    }

    expect(await Promise.all(all)).toEqual(names);
  });

  it('continues after a failed task', async () => {
    const mutex = new ConnectionMutex();
    await expect(mutex.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await mutex.run(() => Promise.resolve('next'))).toBe('next');
  });

  it('refuses only callers that waited too long', async () => {
    const { begun, ask, endOne } = makeWork(new ConnectionMutex());
    const first = ask('one');
    const late = ask('late', 10);
    const patient = ask('two');

    await expect(late).rejects.toThrow('busy for too long');
    await endOne();
    await endOne();

    expect(begun).toEqual(['one', 'two']);
    await Promise.all([first, patient]);
  });

  it('closes after the running task and refuses all others', async () => {
    const mutex = new ConnectionMutex();
    const { begun, ask, endOne } = makeWork(mutex);
    const running = ask('one');
    const waiting = ask('two');
    let closed = false;
    const closing = mutex.close().then(() => {
      closed = true;
    });

    await expect(waiting).rejects.toThrow('closed');
    await expect(ask('three')).rejects.toThrow('closed');
    expect(closed).toBe(false);
    await endOne();
    await closing;
    expect(begun).toEqual(['one']);
    await running;
  });
});
