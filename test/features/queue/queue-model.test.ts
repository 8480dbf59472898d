import { expect, it } from '@jest/globals';
import type { ErrorCode } from '../../../src/util/errors.js';
import type { ProjectRef } from '../../../src/api/project.js';
import { NEVER_CANCELLED } from '../../../src/util/cancel.js';
import type { PhotoState } from '../../../src/features/queue/photo-state.js';
import fc from '../../support/properties.js';
import { all, counted, ListFixture, type List } from './queue-fixture.js';

const PROJECT: ProjectRef = { id: '0'.repeat(32), name: 'Harbour' };
const FAILURES = ['CW-603', 'CW-611', 'CW-612'] as const satisfies readonly ErrorCode[];

/** What happened to a photo, without its state. */
interface Facts {
  readonly position: number;
  readonly document: string | null;
  inProject: boolean;
  phase: 'waiting' | 'uploading' | 'failed' | 'uploaded';
  failure: ErrorCode | null;
  hasUrl: boolean;
  sendAgain: boolean;
  isChecked: boolean;
  isAsked: boolean;
  /** Whether its upload is under way or interrupted. */
  isStarted: boolean;
}

/** The list as it should be: facts of each photo, read as a whole for each question. */
class Model {
  readonly photos = new Map<string, Facts>();
  removals: Map<string, Facts>[] = [];
  isRefused = false;

  state(id: string): PhotoState | null {
    const photo = this.photos.get(id);
    if (photo?.phase !== 'waiting') return photo?.phase ?? null;
    if (photo.isAsked) return 'asking';
    if (this.isRefused && photo.inProject && !photo.hasUrl) return 'refused';
    if (!photo.hasUrl && !photo.sendAgain && !photo.isChecked) return 'unchecked';
    const isHeld = [...this.photos.values()].some(
      ({ document, position, phase }) =>
        document !== null &&
        document === photo.document &&
        position < photo.position &&
        (phase === 'waiting' || phase === 'uploading'),
    );
    return isHeld ? 'after-version' : 'ready';
  }

  of(state: PhotoState): string[] {
    return [...this.photos.keys()].filter((id) => this.state(id) === state).sort();
  }

  retry(photo: Facts): void {
    if (photo.phase !== 'failed') return;
    photo.sendAgain ||= photo.failure === 'CW-611';
    Object.assign(photo, { phase: 'waiting', failure: null, isChecked: false, isStarted: false });
  }

  recheck(): void {
    for (const photo of this.photos.values()) {
      photo.isChecked &&= photo.isStarted;
      photo.isAsked = false;
    }
  }
}

type Act = (id: string, photo: Facts, number: number) => Promise<void> | void;

/** Each command, with the state of the photos that it may be given; null for any. */
function commands(
  model: Model,
  list: () => List,
  restart: () => Promise<void>,
): Readonly<Record<string, readonly [states: readonly PhotoState[] | null, act: Act]>> {
  return {
    pass: [
      ['unchecked'],
      () => {
        const ids = list().unchecked(3);
        list().pass(ids.map(({ id }) => id));
        for (const { id } of ids) Object.assign(model.photos.get(id) ?? {}, { isChecked: true });
      },
    ],
    ask: [
      ['unchecked'],
      (id, photo) => {
        list().askAbout([id]);
        photo.isAsked = true;
      },
    ],
    answer: [
      ['asking'],
      async (id, photo) => {
        await list().setReplaces(new Map([[id, 'none']]));
        Object.assign(photo, { isAsked: false, isChecked: true });
      },
    ],
    take: [
      null,
      () => {
        const id = list().takeNext()?.record.id;
        const photo = model.photos.get(id ?? '');
        if (id !== undefined) expect(model.state(id)).toBe('ready');
        if (photo) Object.assign(photo, { phase: 'uploading', isChecked: true, isStarted: true });
      },
    ],
    url: [
      ['uploading'],
      async (id, photo, number) => {
        await list().setUploadUrl(id, `https://service.example/${number}`);
        photo.hasUrl = true;
      },
    ],
    putBack: [
      ['uploading'],
      (id, photo) => {
        list().putBack(id);
        photo.phase = 'waiting';
      },
    ],
    putLast: [
      ['uploading'],
      (id, photo) => {
        list().putLast(id);
        photo.phase = 'waiting';
      },
    ],
    fail: [
      ['uploading', 'unchecked', 'refused'],
      async (id, photo, number) => {
        const failure = FAILURES[number % FAILURES.length] ?? 'CW-603';
        await list().fail(id, failure);
        Object.assign(photo, { phase: 'failed', failure, isStarted: false });
      },
    ],
    finish: [
      ['uploading'],
      (id, photo) => {
        list().finish(id);
        Object.assign(photo, { phase: 'uploaded', isStarted: false });
      },
    ],
    refuse: [
      ['uploading'],
      (id, photo) => {
        if (!photo.inProject || photo.hasUrl) return;
        list().refuseProject(id);
        model.isRefused = true;
        Object.assign(photo, { phase: 'waiting', isStarted: false });
      },
    ],
    permit: [
      null,
      () => {
        list().allowProjects();
        model.isRefused = false;
      },
    ],
    redirect: [
      null,
      async (id, photo, number) => {
        const inProject = number % 2 === 0;
        const isOpen = photo.phase === 'waiting' || photo.phase === 'failed';
        const isMoved = photo.inProject !== inProject || photo.failure === 'CW-612';
        await list().setProject([id], inProject ? PROJECT : null);
        if (!isOpen || photo.hasUrl || !isMoved) return;
        if (photo.failure === 'CW-612') model.retry(photo);
        Object.assign(photo, { inProject, isChecked: false, isAsked: false, isStarted: false });
      },
    ],
    recheck: [
      null,
      () => {
        list().recheckAll();
        model.recheck();
      },
    ],
    forgetAnswers: [
      null,
      async () => {
        await list().forgetAnswers();
        for (const photo of model.photos.values()) {
          if (photo.phase === 'uploaded') continue;
          const isOld = photo.failure === 'CW-611' || photo.failure === 'CW-612';
          if (isOld) Object.assign(photo, { phase: 'waiting', failure: null });
          Object.assign(photo, { isStarted: false, sendAgain: false, hasUrl: false });
        }
        model.recheck();
      },
    ],
    retry: [
      null,
      async (id, photo) => {
        await list().retry(id);
        model.retry(photo);
      },
    ],
    makeNext: [
      null,
      async (id, photo) => {
        await list().makeNext(id);
        model.retry(photo);
      },
    ],
    remove: [
      null,
      async (id, photo) => {
        if (photo.phase === 'uploading') return;
        await list().remove([id]);
        if (photo.phase === 'uploaded') return;
        model.photos.delete(id);
        model.removals.push(new Map([[id, photo]]));
      },
    ],
    undo: [
      null,
      async () => {
        await list().undoRemoval();
        for (const [id, photo] of model.removals.pop() ?? []) {
          Object.assign(photo, { isChecked: false, isAsked: false, isStarted: false });
          model.photos.set(id, photo);
        }
      },
    ],
    // Seldom, since everything begins again.
    restart: [
      ['failed'],
      async () => {
        await list().store.clearUploaded();
        await restart();
        model.removals = [];
        model.isRefused = false;
        for (const [id, photo] of model.photos) {
          if (photo.phase === 'uploaded') model.photos.delete(id);
          if (photo.phase === 'uploading') photo.phase = 'waiting';
          Object.assign(photo, { isChecked: false, isAsked: false, isStarted: false });
        }
      },
    ],
  };
}

/** Every filter of the list. */
function filters(list: List): unknown {
  return {
    states: all(list).map(({ record, state }) => [record.id, state]),
    unchecked: list
      .unchecked(Infinity)
      .map(({ id }) => id)
      .sort(),
    refused: list.waitingForPermission,
    isIdle: list.isIdle,
    failed: FAILURES.map((failure) => [...list.failedFor(failure)].sort()),
    pending: [...list.pendingOf(() => true)].sort(),
    owned: list.owners.get(null) ?? 0,
    sums: list.summary.get(),
  };
}

/** The same, from the facts. */
function expected(model: Model, list: List): unknown {
  const busy = (['uploading', 'ready', 'unchecked'] as const).flatMap((state) => model.of(state));
  const pending = [...model.photos].filter(([, { phase }]) => phase !== 'uploaded');
  return {
    states: list.all.map((id) => [id, model.state(id)]),
    unchecked: model.of('unchecked'),
    refused: model.of('refused').length,
    isIdle: busy.length === 0,
    failed: FAILURES.map((failure) =>
      model.of('failed').filter((id) => model.photos.get(id)?.failure === failure),
    ),
    pending: pending.map(([id]) => id).sort(),
    owned: pending.length,
    sums: counted(list),
  };
}

function check(model: Model, list: List): void {
  const [actual, wanted] = [filters(list), expected(model, list)];
  // `expect` is slow, and called thousands of times here.
  if (JSON.stringify(actual) !== JSON.stringify(wanted)) expect(actual).toEqual(wanted);
}

it('gives each photo the state that its history demands, in every filter', async () => {
  const step = fc.tuple(fc.nat(99), fc.nat(999), fc.boolean());
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 90 }), async (steps) => {
      const fixture = new ListFixture(true);
      const model = new Model();
      let list = await fixture.filled();
      const table = commands(
        model,
        () => list,
        async () => {
          list = await fixture.restarted();
        },
      );
      const open = (states: readonly PhotoState[] | null): string[] =>
        [...model.photos.keys()].filter(
          (id) => states === null || states.some((state) => state === model.state(id)),
        );
      for (const [which, number, isAdded] of steps) {
        if (isAdded && model.photos.size < 8) {
          const inProject = number % 3 === 0;
          const document = number % 4 === 0 ? null : `xmp.did:${number % 2}`;
          const photo = { ...fixture.photo(`${number}.jpg`), document };
          const picked = list.store.pick(photo, inProject ? PROJECT : null);
          await list.add(await list.store.copy(picked, NEVER_CANCELLED));
          const record = list.get(picked.id)?.record;
          model.photos.set(picked.id, {
            position: record?.position ?? -1,
            document: record?.document ?? null,
            inProject,
            phase: 'waiting',
            failure: null,
            ...{ hasUrl: false, sendAgain: false },
            ...{ isChecked: false, isAsked: false, isStarted: false },
          });
        } else {
          const possible = Object.values(table).filter(([states]) => open(states).length > 0);
          const [states, act] = possible[which % Math.max(1, possible.length)] ?? [];
          const ids = open(states ?? null);
          const id = ids[number % Math.max(1, ids.length)];
          const photo = id === undefined ? undefined : model.photos.get(id);
          if (id !== undefined && photo) await act?.(id, photo, number);
        }
        // A photo that waits for permission is checked again afterwards.
        for (const id of model.of('refused')) {
          const photo = model.photos.get(id);
          if (photo) Object.assign(photo, { isChecked: false, isStarted: false });
        }
        check(model, list);
      }
      const ready = model.of('ready');
      const taken: string[] = [];
      for (let next = list.takeNext(); next; next = list.takeNext()) taken.push(next.record.id);
      expect(taken.sort()).toEqual(ready);
    }),
    { numRuns: 150 },
  );
});
