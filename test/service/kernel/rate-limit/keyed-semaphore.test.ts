import { expect, it } from '@jest/globals';
import { KeyedSemaphore } from '../../../../service/kernel/rate-limit/keyed-semaphore.js';

it('keeps no place in the line for a caller that has waited too long', async () => {
  const semaphore = new KeyedSemaphore({ places: 1, waiting: 1, waitingInAll: 1, waitMs: 1 });
  const release = await semaphore.acquire('one');
  for (let again = 0; again < 3; again += 1) {
    expect(await semaphore.acquire('one')).toBeUndefined();
  }
  const next = semaphore.acquire('one');
  release?.();
  const releaseNext = await next;
  expect(releaseNext).toBeDefined();
  releaseNext?.();
  expect(await semaphore.run('one', () => Promise.resolve('done'))).toEqual({ result: 'done' });
});
