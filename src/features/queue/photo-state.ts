/** What happens to a photo on the list, from which its {@link PhotoState} follows. */
export type PhotoEvent =
  /** It needs no duplicate check, or the service does not have it. */
  | 'pass'
  /** It may be a new version of an upload with the same name. */
  | 'ask'
  /** The user has decided that. */
  | 'answer'
  /** The session lacks the scope to upload to its project. */
  | 'refuse'
  /** The session may have that scope now. */
  | 'permit'
  /** An earlier version of its document waits or is being uploaded. */
  | 'hold'
  /** No earlier version does any more. */
  | 'release'
  | 'take'
  /** Its upload stops, and continues later. */
  | 'interrupt'
  | 'finish'
  | 'fail'
  | 'retry'
  /** It has another project now. */
  | 'redirect'
  /** The result of its check no longer counts. */
  | 'recheck';

/** Each state of a photo on the list, with the events that it accepts and the states that follow. */
const TRANSITIONS = {
  /** Waits for the duplicate check. */
  unchecked: {
    pass: 'ready',
    ask: 'asking',
    refuse: 'refused',
    fail: 'failed',
    redirect: 'unchecked',
  },
  /** Waits until the user has decided whether it is a new version. */
  asking: { answer: 'ready', redirect: 'unchecked', recheck: 'unchecked' },
  /** Waits until the session may upload to its project. */
  refused: { permit: 'unchecked', fail: 'failed', redirect: 'unchecked' },
  /** Waits for an earlier version: the service takes the last one to arrive for the newest. */
  'after-version': {
    release: 'ready',
    refuse: 'refused',
    redirect: 'unchecked',
    recheck: 'unchecked',
  },
  /** Waits for its turn. */
  ready: {
    take: 'uploading',
    hold: 'after-version',
    refuse: 'refused',
    redirect: 'unchecked',
    recheck: 'unchecked',
  },
  uploading: {
    finish: 'uploaded',
    fail: 'failed',
    interrupt: 'unchecked',
    refuse: 'refused',
  },
  /** The user decides about it. */
  failed: { retry: 'unchecked' },
  uploaded: {},
} as const satisfies Readonly<Record<string, Readonly<Partial<Record<PhotoEvent, string>>>>>;

export type PhotoState = keyof typeof TRANSITIONS;

/** The state of a photo as the panel shows it. */
export type PhotoPhase = 'waiting' | 'uploading' | 'uploaded' | 'failed';

/** All states, in the order in which a photo may pass through them. */
export const PHOTO_STATES = Object.keys(TRANSITIONS) as readonly PhotoState[];

/** The state after an event. @throws {Error} for an event that the state does not accept */
export function nextState(state: PhotoState, event: PhotoEvent): PhotoState {
  const row: Readonly<Partial<Record<PhotoEvent, PhotoState>>> = TRANSITIONS[state];
  const next = row[event];
  if (next === undefined) {
    throw new Error(`a photo that is ${state} does not accept ${event}`);
  }
  return next;
}

export function phaseOf(state: PhotoState): PhotoPhase {
  return state === 'uploading' || state === 'uploaded' || state === 'failed' ? state : 'waiting';
}
