import { expect, it } from '@jest/globals';
import {
  nextState,
  PHOTO_STATES,
  phaseOf,
  type PhotoEvent,
  type PhotoState,
} from '../../../src/features/queue/photo-state.js';

/** Each accepted event: the states before it, and the state after it. */
const ACCEPTED: Readonly<Record<PhotoEvent, readonly [PhotoState[], PhotoState]>> = {
  pass: [['unchecked'], 'ready'],
  ask: [['unchecked'], 'asking'],
  answer: [['asking'], 'ready'],
  refuse: [['unchecked', 'after-version', 'ready', 'uploading'], 'refused'],
  permit: [['refused'], 'unchecked'],
  hold: [['ready'], 'after-version'],
  release: [['after-version'], 'ready'],
  take: [['ready'], 'uploading'],
  interrupt: [['uploading'], 'unchecked'],
  finish: [['uploading'], 'uploaded'],
  fail: [['unchecked', 'refused', 'uploading'], 'failed'],
  retry: [['failed'], 'unchecked'],
  redirect: [['unchecked', 'asking', 'refused', 'after-version', 'ready'], 'unchecked'],
  recheck: [['asking', 'after-version', 'ready'], 'unchecked'],
};

const EVENTS = Object.keys(ACCEPTED) as PhotoEvent[];
const CASES = PHOTO_STATES.flatMap((state) => EVENTS.map((event) => [state, event] as const));

it.each(CASES)('leads a photo that is %s on after %s, or throws', (state, event) => {
  const [states, next] = ACCEPTED[event];
  if (states.includes(state)) {
    expect(nextState(state, event)).toBe(next);
  } else {
    expect(() => nextState(state, event)).toThrow(
      `a photo that is ${state} does not accept ${event}`,
    );
  }
});

it('has one of four phases for each state', () => {
  expect(PHOTO_STATES.map((state) => [state, phaseOf(state)])).toEqual([
    ['unchecked', 'waiting'],
    ['asking', 'waiting'],
    ['refused', 'waiting'],
    ['after-version', 'waiting'],
    ['ready', 'waiting'],
    ['uploading', 'uploading'],
    ['failed', 'failed'],
    ['uploaded', 'uploaded'],
  ]);
});
