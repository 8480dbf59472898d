import { describe, expect, it, jest } from '@jest/globals';
import { Observable } from '../../src/util/observable.js';

describe('Store', () => {
  it('gives its listeners each new value, in order', () => {
    const store = new Observable(1);
    const seen: number[] = [];
    store.subscribe((value) => seen.push(value));
    store.set(2);
    store.set(3);
    expect(store.get()).toBe(3);
    expect(seen).toEqual([2, 3]);
  });

  it('does not report a value that is the same', () => {
    const store = new Observable(Number.NaN);
    const listener = jest.fn();
    store.subscribe(listener);
    store.set(Number.NaN);
    expect(listener).not.toHaveBeenCalled();
  });

  it('does not notify a listener that has stopped, also in the middle of a change', () => {
    const store = new Observable(1);
    const listener = jest.fn();
    const stop = store.subscribe(listener);
    stop();
    stop();
    store.set(2);
    expect(listener).not.toHaveBeenCalled();

    const late = jest.fn();
    store.subscribe(() => stopLate());
    const stopLate = store.subscribe(late);
    store.set(3);
    expect(late).not.toHaveBeenCalled();
  });

  it('has the new value when its listeners hear of it', () => {
    const store = new Observable(1);
    const seen: number[] = [];
    store.subscribe(() => seen.push(store.get()));
    store.set(2);
    expect(seen).toEqual([2]);
  });

  it('never ends by telling an outdated value when a listener sets another', () => {
    const store = new Observable(0);
    const seen: number[] = [];
    store.subscribe((value) => {
      if (value === 1) store.set(2);
    });
    store.subscribe((value) => seen.push(value));
    store.set(1);
    expect(store.get()).toBe(2);
    expect(seen.at(-1)).toBe(2);
    expect(seen).not.toContain(1);
  });
});
