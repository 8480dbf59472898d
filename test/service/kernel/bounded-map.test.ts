import { expect, it } from '@jest/globals';
import { BoundedMap } from '../../../service/kernel/bounded-map.js';

it('evicts the entry that was set longest ago', () => {
  const newest = new BoundedMap<number>(3);
  for (const [index, name] of ['a', 'b', 'c', 'a', 'd'].entries()) newest.set(name, index);
  expect(['a', 'b', 'c', 'd'].map((name) => newest.get(name))).toEqual([3, undefined, 2, 4]);
  newest.delete('c');
  newest.set('e', 5);
  expect(['a', 'c', 'd', 'e'].map((name) => newest.get(name))).toEqual([3, undefined, 4, 5]);
});
