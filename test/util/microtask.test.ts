import { describe, expect, it } from '@jest/globals';
import queueMicrotask from '../../src/util/microtask.js';

describe('queueMicrotask', () => {
  it('runs tasks after the current code and before any timer, in order', async () => {
    const order: string[] = [];
    const timer = new Promise<void>((resolve) => {
      setImmediate(() => {
        order.push('timer');
        resolve();
      });
    });
    queueMicrotask(() => order.push('first'));
    queueMicrotask(() => order.push('second'));
    order.push('now');
    await timer;
    expect(order).toEqual(['now', 'first', 'second', 'timer']);
  });
});
