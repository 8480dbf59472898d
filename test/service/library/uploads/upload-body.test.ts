import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { BearerCheck, type Principal } from '../../../../service/oauth/tokens/bearer.js';
import { DiskSpace } from '../../../../service/library/uploads/storage/disk-space.js';
import { UploadBody } from '../../../../service/library/uploads/tus/upload-body.js';
import { watchUpload } from '../../../../service/library/uploads/tus/upload-watchdog.js';

describe('a request that takes bytes', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const CALLER: Principal = {
    accountId: 'one',
    workspaceId: 'studio',
    clientId: 'app',
    scopes: new Set(),
    permission: { kind: 'grant', id: 'grant' },
  };

  /** Watches one while `stillMay` permits it, with this much free disk above the reserve. */
  function watched(
    stillMay: () => Promise<boolean>,
    free = 1,
  ): { body: UploadBody; end: () => void; asked: () => number } {
    let asked = 0;
    const bearer = Object.create(BearerCheck.prototype, {
      invalidToken: { value: { status: 401 } },
      isStillAuthorized: {
        value: () => {
          asked += 1;
          return stillMay();
        },
      },
    }) as BearerCheck;
    const body = new UploadBody(new IncomingMessage(new Socket()), 1e9);
    const space = new DiskSpace(() => Promise.resolve(free), 1);
    const endWatch = watchUpload(body, CALLER, { bearer, space, recheckSeconds: 10 });
    const end = (): void => {
      endWatch();
      body.end();
    };
    return { body, end, asked: () => asked };
  }

  it.each([
    ['as long as its sender may', () => Promise.resolve(true), 1, undefined],
    ['where nobody can say whether', () => Promise.reject(new Error('away')), 1, undefined],
    ['until its sender may not', () => Promise.resolve(false), 1, 401],
    ['until the disk is full', () => Promise.resolve(true), 0, 507],
  ])('continues %s', async (_case, stillMay, free, status) => {
    const { body, end } = watched(stillMay, free);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(body.stoppedFor?.status).toBe(status);
    end();
  });

  it('is checked every ten seconds until it ends', async () => {
    const { end, asked } = watched(() => Promise.resolve(true));
    await jest.advanceTimersByTimeAsync(30_000);
    expect(asked()).toBe(3);
    end();
    await jest.advanceTimersByTimeAsync(60_000);
    expect([asked(), jest.getTimerCount()]).toEqual([3, 0]);
  });

  it('stays ended when it ends during a check', async () => {
    let answer: (may: boolean) => void = () => undefined;
    const { end } = watched(() => new Promise((resolve) => (answer = resolve)));
    await jest.advanceTimersByTimeAsync(10_000);
    end();
    answer(true);
    await jest.advanceTimersByTimeAsync(0);
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('a body whose sender is faster than the disk', () => {
  it('is slowed down, with little in memory and no byte lost', async () => {
    const request = new IncomingMessage(new Socket());
    const body = new UploadBody(request, 60_000);
    let given = 0;
    const piece = Buffer.alloc(64 * 1024, 7);
    const reader = body.stream.getReader();
    // More than Node itself keeps of a request is given only while it is wanted.
    while (!request.isPaused() && given < 100) {
      request.push(piece);
      given += 1;
      await turn();
    }
    expect(given).toBeLessThan(20);
    request.push(null);
    let bytes = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.length;
    }
    expect(bytes).toBe(given * piece.length);
  });
});
