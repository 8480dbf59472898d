import fc from '../../support/properties.js';

/**
 * Random histories of one sign-in: what callers, the clock, the network, restarts and kills do to a session.
 * Nobody steals anything in them, so no session may end.
 */
export type Step =
  /** Callers of the running instance, all at once; `refused` of them are answered 401. */
  | { readonly kind: 'requests'; readonly count: number; readonly refused: number }
  | { readonly kind: 'pass'; readonly ms: number }
  /** The access token's time runs out. */
  | { readonly kind: 'expire' }
  /** The next so many refreshes fail before the service has seen them. */
  | { readonly kind: 'trouble'; readonly times: number; readonly how: Trouble }
  /** A new instance gets the calls; the old one finishes its own. */
  | { readonly kind: 'reload' }
  /** The old instance is called once more, though a newer one runs. */
  | { readonly kind: 'old-instance-request' }
  | { readonly kind: 'jump'; readonly ms: number }
  /** The next so many refreshes reach the service, which answers; the answers are lost. */
  | { readonly kind: 'lost'; readonly times: number }
  /** The instance dies after so many steps of storage and network, and the next one starts. */
  | { readonly kind: 'kill'; readonly after: number }
  /** A proxy sends the next refresh a second time: at once, or so much later, but before the one after it. */
  | { readonly kind: 'duplicate'; readonly ms: number };

export type Trouble = 'cut' | '503' | '429' | 'silence' | 'page';

const ordinarySteps: readonly fc.WeightedArbitrary<Step>[] = [
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('requests' as const),
      count: fc.integer({ min: 1, max: 8 }),
      refused: fc.integer({ min: 0, max: 3 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.integer({ min: 0, max: 3_000 }),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'expire' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('trouble' as const),
      times: fc.integer({ min: 1, max: 3 }),
      how: fc.constantFrom<Trouble>('cut', '503', '429', 'silence', 'page'),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'reload' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'old-instance-request' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('jump' as const),
      ms: fc.integer({ min: -600_000, max: 600_000 }),
    }),
  },
];

/** Steps that a session survives only with `refresh_attempt`. */
const lostAnswers: readonly fc.WeightedArbitrary<Step>[] = [
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('lost' as const),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('kill' as const),
      after: fc.integer({ min: 0, max: 14 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('duplicate' as const),
      ms: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60_000 })),
    }),
  },
];

const LENGTHS = { minLength: 3, maxLength: 18 };
export const history = fc.array(fc.oneof(...ordinarySteps, ...lostAnswers), LENGTHS);
/** Without what an older service takes for theft. */
export const historyOfOlderService = fc.array(fc.oneof(...ordinarySteps), LENGTHS);
