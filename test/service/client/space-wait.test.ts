import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SpaceWait } from '../../../service/client/space-wait.js';

describe('files without space at the service', () => {
  const start = jest.fn();
  let space: SpaceWait<string>;
  beforeEach(() => {
    jest.useFakeTimers();
    start.mockClear();
    space = new SpaceWait(start);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('are tried one at a time, a minute after each refusal, until one is accepted', () => {
    expect(space.atOnce(3)).toBe(3);
    for (let tries = 0; tries < 3; tries += 1) {
      space.refuse('full');
      expect(space.reason).toBe('full');
      expect(space.atOnce(3)).toBe(0);
      jest.advanceTimersByTime(59_999);
      expect(space.atOnce(3)).toBe(0);
      jest.advanceTimersByTime(1);
      expect(start).toHaveBeenCalledTimes(tries + 1);
      expect(space.atOnce(3)).toBe(1);
      space.begin('a');
    }
    space.accept('a');
    expect(space.reason).toBeUndefined();
    expect(space.atOnce(3)).toBe(3);
    expect(start).toHaveBeenCalledTimes(4);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('wait on when one from before the refusal is accepted', () => {
    space.begin('early');
    space.refuse('full');
    space.accept('early');
    expect(space.atOnce(3)).toBe(0);
  });

  it('wait on when one is accepted that a refusal came before', () => {
    space.refuse('full');
    space.tryNow();
    space.begin('a');
    space.refuse('full');
    space.accept('a');
    expect(space.atOnce(3)).toBe(0);
  });

  it('are tried at once when the user wants it, and a refusal then counts for a minute', () => {
    space.refuse('full');
    jest.advanceTimersByTime(59_000);
    space.tryNow();
    expect(space.atOnce(3)).toBe(1);
    space.begin('a');
    space.refuse('the service is full');
    expect(space.reason).toBe('the service is full');
    jest.advanceTimersByTime(59_999);
    expect(space.atOnce(3)).toBe(0);
  });

  it('are no reason to wait for later ones', () => {
    space.refuse('full');
    space.end();
    expect(space.reason).toBeUndefined();
    expect(space.atOnce(3)).toBe(3);
    expect(jest.getTimerCount()).toBe(0);
  });
});
