import { describe, expect, it, jest } from '@jest/globals';
import {
  CancelledError,
  CancelSource,
  NEVER_CANCELLED,
  throwIfCancelled,
} from '../../src/util/cancel.js';

describe('CancelSource', () => {
  it('notifies every listener once', () => {
    const source = new CancelSource();
    const first = jest.fn();
    const second = jest.fn();
    source.signal.onCancel(first);
    source.signal.onCancel(second);
    expect(source.signal.cancelled).toBe(false);
    source.cancel();
    source.cancel();
    expect(source.signal.cancelled).toBe(true);
    expect(first).toHaveBeenCalledTimes(1);
    expect(second).toHaveBeenCalledTimes(1);
  });

  it('notifies at once when it has fired already', () => {
    const source = new CancelSource();
    source.cancel();
    const listener = jest.fn();
    source.signal.onCancel(listener)();
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it('does not tell who stopped listening', () => {
    const source = new CancelSource();
    const listener = jest.fn();
    source.signal.onCancel(listener)();
    source.cancel();
    expect(listener).not.toHaveBeenCalled();
  });

  it('is already cancelled when its listeners hear of it', () => {
    const source = new CancelSource();
    const seen: boolean[] = [];
    source.signal.onCancel(() => seen.push(source.signal.cancelled));
    source.cancel();
    expect(seen).toEqual([true]);
  });

  it('lets a listener add another, which is told at once', () => {
    const source = new CancelSource();
    const late = jest.fn();
    source.signal.onCancel(() => void source.signal.onCancel(late));
    source.cancel();
    expect(late).toHaveBeenCalledTimes(1);
  });
});

describe('throwIfCancelled', () => {
  it('throws only once the signal has fired', () => {
    const source = new CancelSource();
    expect(() => throwIfCancelled(source.signal)).not.toThrow();
    source.cancel();
    expect(() => throwIfCancelled(source.signal)).toThrow(CancelledError);
  });
});

describe('NEVER_CANCELLED', () => {
  it('never notifies anybody', () => {
    const listener = jest.fn();
    NEVER_CANCELLED.onCancel(listener)();
    expect(NEVER_CANCELLED.cancelled).toBe(false);
    expect(listener).not.toHaveBeenCalled();
  });
});
