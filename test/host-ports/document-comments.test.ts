import { afterEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainSettings } from '../../src/features/presets/preset.js';
import type {
  DocumentComment,
  DocumentComments,
  FilePlace,
  ShownComments,
} from '../../src/host/document-comments.js';
import type { Host } from '../../src/host/host.js';
import { createUxpHost } from '../../src/host/uxp.js';
import type { InDesignModule } from '../../src/host/uxp/indesign-module.js';
import type { PremiereModule } from '../../src/host/uxp/premiere-module.js';
import type { UxpModules } from '../../src/host/uxp/modules.js';
import type { Clock } from '../../src/util/clock.js';
import { createHostModules, type HostModules, NO_NETWORK } from '../host/modules/index.js';
import { hurriedClock } from './implementations.js';

const TICKS = 254_016_000_000;
const FRAME = TICKS / 25;
const NAME = 'Client comments · v2 · k3x9qa';

/** A comment as it is in the document: its text, and where it is. */
interface Found {
  readonly text: string;
  readonly at: readonly (number | string)[];
}

/** An app with a document in front that has content of the user's own. */
interface AppUnderTest {
  readonly comments: DocumentComments;
  readonly host: Host;
  readonly key: string;
  /** The source of a file that was exported now. */
  readonly source: string;
  /** A place of the file, different for each number. */
  place(number: number): FilePlace;
  /** Where that place is in the document. */
  expected(number: number): Found['at'];
  found(): readonly Found[];
  /** Everything that the document has. */
  snapshot(): unknown;
  /** The names of the steps that can be undone. */
  steps(): readonly string[];
  undo(): void;
  /** Calls that change something, so far. */
  calls(): number;
  /** Makes a call fail: 1 for the next one, 0 for none. */
  failAt(next: number): void;
  /** The same document with another run of the plugin. */
  restart(): DocumentComments;
  end(): void;
}

/** The real time, a hundred times as fast: the port waits up to twenty seconds for a busy app. */
const quickClock: Clock = {
  now: () => Date.now(),
  startTimer: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs / 100);
    return () => clearTimeout(timer);
  },
};

const NO_PLACE: FilePlace = { page: null, start: null, end: null, spot: null, source: null };

function openApp(
  pick: (modules: HostModules) => UxpModules,
  clock = hurriedClock(),
): {
  modules: HostModules;
  host: Host;
  comments: DocumentComments;
  restart: () => DocumentComments;
  end: () => void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'document-comments-'));
  const modules = createHostModules({ storageDir: folder, uxpVersion: '9.3.0' });
  const start = (): Host => createUxpHost(pick(modules), NO_NETWORK, clock);
  const commentsOf = ({ documentComments }: Host): DocumentComments => {
    if (!documentComments) throw new Error('no comments');
    return documentComments;
  };
  const host = start();
  return {
    modules,
    host,
    comments: commentsOf(host),
    restart: () => commentsOf(start()),
    end: () => {
      modules.control.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const OWN_MARKER = { name: 'Title', ticks: String(TICKS), comments: 'mine' };

async function openPremiere(): Promise<AppUnderTest & { readonly modules: HostModules }> {
  const app = openApp(({ uxp, fs, os, otherApps }) => ({
    uxp,
    fs,
    os,
    premierepro: otherApps.premierepro as PremiereModule,
  }));
  const { premiere } = app.modules.control;
  premiere.openProject({ name: 'Trip', seconds: 3, bytes: {}, markers: [OWN_MARKER] });
  const document = await app.host.openDocument?.current();
  const source = '{"in":"0"}';
  return {
    ...app,
    key: document?.key ?? '',
    source,
    place: (number) => ({ ...NO_PLACE, start: 1 + number * 0.04, source }),
    expected: (number) => [String(Math.round((25 + number) * FRAME))],
    found: () =>
      premiere
        .markers()
        .filter(({ name }) => name !== OWN_MARKER.name)
        .map(({ comments, ticks }) => ({ text: comments, at: [ticks] })),
    snapshot: () => premiere.markers().map(({ name, ticks, comments }) => [name, ticks, comments]),
    steps: () => premiere.undoSteps,
    undo: () => premiere.undo(),
    calls: () => premiere.markerCalls.length,
    failAt: (next) => {
      premiere.failsAt = next === 0 ? 0 : premiere.markerCalls.length + next;
    },
  };
}

async function openInDesign(
  more: object = {},
): Promise<AppUnderTest & { readonly modules: HostModules }> {
  const app = openApp(({ uxp, fs, os, otherApps }) => ({
    uxp,
    fs,
    os,
    indesign: otherApps.indesign as InDesignModule,
  }));
  const { indesign } = app.modules.control;
  indesign.openDocument({
    name: 'Book.indd',
    pages: ['1', '2', '3'],
    bytes: {},
    layers: ['Text', 'Pictures'],
    ...more,
  });
  const document = await app.host.openDocument?.current();
  const source = `{"pages":"${[200, 201, 202].map((id) => id.toString(36)).join(' ')}"}`;
  return {
    ...app,
    key: document?.key ?? '',
    source,
    place: (number) => ({
      ...NO_PLACE,
      page: 1 + (number % 3),
      spot: { x: (number % 100) / 200, y: 0.25 },
      source,
    }),
    expected: (number) => [200 + (number % 3), ((number % 100) / 200) * 600, 200],
    found: () =>
      indesign.content().frames.map(({ contents, page, bounds: [top = 0, left = 0] }) => ({
        text: contents.split('\r').slice(1).join('\n'),
        at: [page, left, top],
      })),
    snapshot: () => indesign.content(),
    steps: () => indesign.undoSteps(),
    undo: () => indesign.undo(),
    calls: () => indesign.calls.length,
    failAt: (next) => {
      indesign.failsAt = next === 0 ? 0 : indesign.calls.length + next;
    },
  };
}

const CANVAS = { width: 1000, height: 500 };
const LAYERS = [
  { id: 7, bounds: { left: 100, top: 50, right: 400, bottom: 150 } },
  { id: 8, bounds: { left: 600, top: 300, right: 650, bottom: 450 } },
  { id: 9, bounds: { left: 0, top: 0, right: 1000, bottom: 500 } },
];
const OWN_COUNTS = { name: 'Birds', counts: [{ x: 1, y: 2 }] };
const CANVAS_SOURCE = JSON.stringify({
  canvas: [1000, 500],
  layers: LAYERS.map(({ id, bounds: { left, top, right, bottom } }) => [
    id,
    left,
    top,
    right,
    bottom,
  ]),
});

async function openPhotoshop(
  more: object = {},
  clock = hurriedClock(),
): Promise<AppUnderTest & { readonly modules: HostModules }> {
  const app = openApp(({ uxp, fs, os, photoshop }) => ({ uxp, fs, os, photoshop }), clock);
  const { photoshop } = app.modules.control;
  photoshop.openDocument({ name: 'Lake.psd', ...CANVAS, layers: LAYERS, ...more });
  photoshop.change({ groups: [OWN_COUNTS] });
  const document = await app.host.openDocument?.current();
  const places = (number: number): { x: number; y: number } => ({
    x: 10 + (number % 90) * 10,
    y: 20 + Math.floor(number / 90) * 20,
  });
  return {
    ...app,
    key: document?.key ?? '',
    source: CANVAS_SOURCE,
    place: (number) => {
      const { x, y } = places(number);
      return { ...NO_PLACE, spot: { x: x / 1000, y: y / 500 }, source: CANVAS_SOURCE };
    },
    expected: (number) => [places(number).x, places(number).y],
    // The order gives the number. Photoshop's counts have no text.
    found: () =>
      photoshop
        .counts()
        .slice(1)
        .flatMap(({ counts }) => counts.map(({ x, y }) => ({ text: '', at: [x, y] }))),
    snapshot: () => photoshop.counts(),
    steps: () => photoshop.historyNames(),
    undo: () => {
      photoshop.change({ groups: [OWN_COUNTS] });
      photoshop.undo();
    },
    calls: () => photoshop.steps.length,
    failAt: (next) => {
      const at = photoshop.steps.length + next - 1;
      photoshop.stepFault = (_, index) => (next > 0 && index === at ? 'fail' : 'run');
    },
  };
}

const APPS = { Premiere: openPremiere, InDesign: openInDesign, Photoshop: openPhotoshop };

let app: AppUnderTest | null = null;
afterEach(() => app?.end());

function comment(on: AppUnderTest, number: number): DocumentComment {
  return {
    id: `c${number}`,
    place: on.place(number),
    title: `Mia · v${number}`,
    text: `t${number}`,
  };
}

function commentsFor(on: AppUnderTest, ...numbers: readonly number[]): DocumentComment[] {
  return numbers.map((number) => comment(on, number));
}

/** What is to be found of these comments. */
function expectedOf(on: AppUnderTest, name: string, ...numbers: readonly number[]): Found[] {
  return numbers.map((number) => ({
    text: name === 'Photoshop' ? '' : `t${number}`,
    at: on.expected(number),
  }));
}

const show = (
  on: AppUnderTest,
  comments: readonly DocumentComment[],
  marks: ShownComments['marks'] = new Map(),
): Promise<ShownComments> => on.comments.show(on.key, comments, marks, NAME);

describe.each(Object.entries(APPS))('comments in a document of %s', (name, open) => {
  it('are at their places, in one step', async () => {
    app = await open();
    const shown = await show(app, commentsFor(app, 1, 2, 3));
    expect(app.found()).toEqual(expectedOf(app, name, 1, 2, 3));
    expect([...shown.marks.keys()]).toEqual(['c1', 'c2', 'c3']);
    expect([shown.uncertain, shown.unplaced]).toEqual([[], []]);
    expect(app.steps()).toEqual([NAME]);
  });

  it('are not added again', async () => {
    app = await open();
    const comments = commentsFor(app, 1, 2, 3);
    const { marks } = await show(app, comments);
    expect((await show(app, comments, marks)).marks).toEqual(marks);
    // A run that was killed before it could note anything.
    const again = await app.restart().show(app.key, comments, new Map(), NAME);
    expect(again.marks).toEqual(marks);
    expect(app.steps()).toEqual([NAME]);
    expect(app.found()).toHaveLength(3);
  });

  it('follow the list', async () => {
    app = await open();
    const { marks } = await show(app, commentsFor(app, 1, 2, 3));
    const next = await show(app, commentsFor(app, 1, 3, 4), marks);
    expect(app.found()).toEqual(expectedOf(app, name, 1, 3, 4));
    expect([...next.marks.keys()]).toEqual(['c1', 'c3', 'c4']);
    expect(app.steps()).toEqual([NAME, NAME]);
  });

  it('go without a trace', async () => {
    app = await open();
    const before = app.snapshot();
    const comments = commentsFor(app, 1, 2);
    const { marks } = await show(app, comments);
    await app.comments.remove(app.key, comments, marks, NAME);
    expect(app.snapshot()).toEqual(before);
    await show(app, comments);
    await app.restart().remove(app.key, comments, new Map(), NAME);
    expect(app.snapshot()).toEqual(before);
    const steps = app.steps().length;
    await app.comments.remove(app.key, comments, marks, NAME);
    expect(app.steps()).toHaveLength(steps);
  });

  it('come back after an undo', async () => {
    app = await open();
    const before = app.snapshot();
    const comments = commentsFor(app, 1, 2);
    const { marks } = await show(app, comments);
    app.undo();
    expect(app.snapshot()).toEqual(before);
    await show(app, comments, marks);
    expect(app.found()).toEqual(expectedOf(app, name, 1, 2));
  });

  it.each<[string, readonly number[]]>([
    ['shown', [2, 3, 4]],
    ['removed', []],
  ])('that are %s leave the document as it was, whichever call fails', async (_, left) => {
    app = await open();
    const shown = commentsFor(app, 1, 2);
    const { marks } = await show(app, shown);
    const before = app.snapshot();
    let failures = 0;
    for (let next = 1; ; next += 1) {
      app.failAt(next);
      const work =
        left.length > 0
          ? show(app, commentsFor(app, ...left), marks)
          : app.comments.remove(app.key, shown, marks, NAME);
      const failed = await work.then(
        () => null,
        (error: unknown) => error,
      );
      app.failAt(0);
      if (failed === null) break;
      failures += 1;
      expect(failed).toMatchObject({ code: expect.stringMatching(/^CW-8(03|14)$/) });
      expect(app.snapshot()).toEqual(before);
    }
    expect(failures).toBeGreaterThan(2);
    expect(app.found()).toEqual(left.length > 0 ? expectedOf(app, name, ...left) : []);
  });

  it('are not shown in another document', async () => {
    app = await open();
    const work = app.comments.show('another', commentsFor(app, 1), new Map(), NAME);
    await expect(work).rejects.toMatchObject({ code: 'CW-803' });
    const removal = app.comments.remove('another', [], new Map(), NAME);
    await expect(removal).rejects.toMatchObject({ code: 'CW-803' });
    expect(await app.comments.goTo('another', app.place(1))).toBe(false);
    expect(app.steps()).toEqual([]);
  });

  it('without a place are left out', async () => {
    app = await open();
    const whole = { ...comment(app, 1), place: { ...NO_PLACE, source: app.source } };
    const shown = await show(app, [whole, comment(app, 2)]);
    expect(shown.unplaced).toEqual(['c1']);
    expect(app.found()).toEqual(expectedOf(app, name, 2));
  });

  it('are a thousand in few calls', async () => {
    app = await open();
    const numbers = Array.from({ length: 1000 }, (_, number) => number);
    const comments = commentsFor(app, ...numbers);
    const calls = app.calls();
    const { marks } = await show(app, comments);
    expect(app.found()).toHaveLength(1000);
    expect(app.calls() - calls).toBeLessThan(2_100);
    const more = app.calls();
    await show(app, comments, marks);
    expect(app.calls() - more).toBeLessThan(10);
    expect(app.steps()).toHaveLength(1);
  });
});

/** Markers that were put back are the last ones. */
const sorted = (markers: unknown): string[] => (markers as unknown[]).map(String).sort();

describe('markers of Premiere', () => {
  it.each([
    [{ start: 0 }, 0, 0],
    [{ start: 0.0399 }, 1, 0],
    [{ start: 1.999, end: 3.52 }, 50, 38],
    [{ start: 2.01, end: 1 }, 50, 0],
    [{ start: 2, source: `{"in":"${TICKS * 10}"}` }, 300, 0],
    [{ start: null, source: `{"at":"${TICKS * 3}"}` }, 75, 0],
  ])('are at the frame of %j', async (place, frame, duration) => {
    const premiere = await openPremiere();
    app = premiere;
    const one = { ...comment(premiere, 1), place: { ...premiere.place(1), ...place } };
    await show(premiere, [one]);
    const { control } = premiere.modules;
    expect(control.premiere.markers()[1]).toMatchObject({
      ticks: String(frame * FRAME),
      duration: String(duration * FRAME),
      name: 'Mia · v1',
    });
    expect(await premiere.comments.goTo(premiere.key, one.place)).toBe(true);
    expect(control.premiere.playhead()).toBe(String(frame * FRAME));
  });

  it('are at frames of 29.97 per second', async () => {
    const premiere = await openPremiere();
    app = premiere;
    const { control } = premiere.modules;
    const timebase = 8_475_667_200;
    control.premiere.openProject({ name: 'Trip', seconds: 0, bytes: {}, timebase });
    // The service keeps milliseconds: frame 1799 begins at 60.02663 s.
    await show(premiere, [
      { ...comment(premiere, 1), place: { ...premiere.place(1), start: 60.026 } },
    ]);
    expect(control.premiere.markers()[0]?.ticks).toBe(String(1799 * timebase));
  });

  it('are found after the user has changed them', async () => {
    const premiere = await openPremiere();
    app = premiere;
    const { control } = premiere.modules;
    const { marks } = await show(premiere, commentsFor(premiere, 1, 2));
    control.premiere.changeMarker('Mia · v1', { name: 'Seen', ticks: '0', comments: '' });
    expect((await show(premiere, commentsFor(premiere, 1, 2), marks)).marks).toEqual(marks);
    expect(control.premiere.markers()).toHaveLength(3);
    await premiere.comments.remove(premiere.key, [], marks, NAME);
    expect(control.premiere.markers()).toMatchObject([OWN_MARKER]);
  });

  it('have no guid before 26.3', async () => {
    const premiere = await openPremiere();
    app = premiere;
    const { control } = premiere.modules;
    control.premiere.hasGuids = false;
    const { marks } = await show(premiere, commentsFor(premiere, 1, 2));
    await show(premiere, commentsFor(premiere, 2, 3), marks);
    expect(premiere.found()).toEqual(expectedOf(premiere, 'Premiere', 2, 3));
  });

  it('are put back where a transaction that fails leaves a half', async () => {
    const premiere = await openPremiere();
    app = premiere;
    const { control } = premiere.modules;
    control.premiere.transactions = 'half';
    const { marks } = await show(premiere, commentsFor(premiere, 1));
    const before = premiere.snapshot();
    for (let next = 1; next < 12; next += 1) {
      premiere.failAt(next);
      const work = show(premiere, commentsFor(premiere, 2, 3), marks).catch(() => undefined);
      if ((await work) !== undefined) break;
      expect(sorted(premiere.snapshot())).toEqual(sorted(before));
    }
  });

  it('are not certain for a file of an earlier version of the plugin', async () => {
    const premiere = await openPremiere();
    app = premiere;
    const one = { ...comment(premiere, 1), place: { ...premiere.place(1), source: null } };
    expect(await show(premiere, [one])).toMatchObject({ uncertain: ['c1'], unplaced: [] });
  });
});

describe('frames of InDesign', () => {
  it('are on a layer that does not print, and leaves the others alone', async () => {
    const indesign = await openInDesign();
    app = indesign;
    const { control } = indesign.modules;
    await show(indesign, commentsFor(indesign, 1));
    expect(control.indesign.content().layers).toMatchObject([
      { name: NAME, printable: false, locked: true },
      { name: 'Text', printable: true, locked: false },
      { name: 'Pictures', printable: true, locked: false },
    ]);
    expect(control.indesign.view().layer).toBe(50);
    expect(control.indesign.content().frames[0]?.contents).toBe('Mia · v1\rt1');
  });

  it('leave what the user drew between them', async () => {
    const indesign = await openInDesign();
    app = indesign;
    const { control } = indesign.modules;
    const { marks } = await show(indesign, commentsFor(indesign, 1));
    const [layer] = control.indesign.content().layers;
    control.indesign.draw({ layer: layer?.id ?? 0, contents: 'mine' });
    await indesign.comments.remove(indesign.key, [], marks, NAME);
    expect(control.indesign.content().frames).toMatchObject([{ contents: 'mine' }]);
    await show(indesign, commentsFor(indesign, 2));
    expect(control.indesign.content().layers).toHaveLength(3);
  });

  const id = (place: number): string => (200 + place).toString(36);
  it.each<[string, object, Partial<FilePlace>, { page: number; bounds?: number[] }, boolean]>([
    ['a range', {}, { page: 2, source: `{"pages":"${id(1)} ${id(2)}"}` }, { page: 202 }, true],
    ['one page', {}, { page: null, source: `{"pages":"${id(1)}"}` }, { page: 201 }, true],
    [
      'the left page of a spread',
      { facing: true },
      { page: 2, spot: { x: 0.25, y: 0.5 }, source: `{"pages":"${id(0)} ${id(1)}+${id(2)}"}` },
      { page: 201, bounds: [400, 300, 464, 480] },
      true,
    ],
    [
      'the right page of a spread',
      { facing: true },
      { page: 2, spot: { x: 0.75, y: 0.5 }, source: `{"pages":"${id(0)} ${id(1)}+${id(2)}"}` },
      { page: 202, bounds: [400, 900, 464, 1080] },
      true,
    ],
    [
      'a right page with separate rulers',
      { facing: true, rulers: 'page' },
      { page: 2, spot: { x: 0.75, y: 0.5 }, source: `{"pages":"${id(0)} ${id(1)}+${id(2)}"}` },
      { page: 202, bounds: [400, 300, 464, 480] },
      true,
    ],
    [
      'a file with marks around the pages',
      {},
      { page: 1, spot: { x: 0, y: 0 }, source: `{"pages":"${id(2)}","edge":true}` },
      { page: 202 },
      false,
    ],
    ['a file that notes nothing', {}, { page: 3, source: null }, { page: 202 }, false],
  ])('are on %s', async (_, more, place, frame, isCertain) => {
    const indesign = await openInDesign(more);
    app = indesign;
    const { control } = indesign.modules;
    const one = { ...comment(indesign, 1), place: { ...indesign.place(1), ...place } };
    const shown = await show(indesign, [one]);
    expect(control.indesign.content().frames).toMatchObject([frame]);
    expect(shown.uncertain).toEqual(isCertain ? [] : ['c1']);
    expect(await indesign.comments.goTo(indesign.key, one.place)).toBe(true);
    expect(control.indesign.view()).toMatchObject({ page: frame.page, zoom: 2053534832 });
  });

  it.each([
    { page: 9, source: null },
    { page: 9, source: `{"pages":"${id(0)}"}` },
    { page: 1, source: `{"pages":"zz"}` },
  ])('are left out on a page that is gone: %j', async (place) => {
    const indesign = await openInDesign();
    app = indesign;
    const one = { ...comment(indesign, 1), place: { ...indesign.place(1), ...place } };
    expect(await show(indesign, [one])).toMatchObject({ unplaced: ['c1'] });
    expect(await indesign.comments.goTo(indesign.key, one.place)).toBe(false);
  });

  it('are repaired by the next call, where nothing can be undone', async () => {
    const indesign = await openInDesign();
    app = indesign;
    const { control } = indesign.modules;
    control.indesign.refusesUndo = true;
    indesign.failAt(6);
    await expect(show(indesign, commentsFor(indesign, 1, 2, 3))).rejects.toMatchObject({
      code: 'CW-814',
    });
    indesign.failAt(0);
    expect(indesign.found().length).toBeLessThan(3);
    await show(indesign, commentsFor(indesign, 1, 2, 3));
    expect(indesign.found()).toEqual(expectedOf(indesign, 'InDesign', 1, 2, 3));
    expect(control.indesign.content().layers).toHaveLength(3);
  });
});

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The layers after a change of every corner. */
function movedLayers(to: (x: number, y: number) => readonly [number, number]) {
  return LAYERS.map(({ id, bounds: { left, top, right, bottom } }) => {
    const [a, b] = [to(left, top), to(right, bottom)];
    const bounds: Box = {
      left: Math.round(Math.min(a[0], b[0])),
      top: Math.round(Math.min(a[1], b[1])),
      right: Math.round(Math.max(a[0], b[0])),
      bottom: Math.round(Math.max(a[1], b[1])),
    };
    return { id, bounds };
  });
}

describe('counts of Photoshop', () => {
  /** Canvas, and where a point of the exported picture is now. */
  const CHANGES: readonly [
    string,
    readonly [number, number],
    (x: number, y: number) => readonly [number, number],
  ][] = [
    ['nothing', [1000, 500], (x, y) => [x, y]],
    ['a crop', [600, 400], (x, y) => [x - 120, y - 40]],
    ['a larger canvas', [1400, 900], (x, y) => [x + 200, y + 100]],
    ['half the size', [500, 250], (x, y) => [x / 2, y / 2]],
    ['a crop and twice the size', [1200, 800], (x, y) => [(x - 120) * 2, (y - 40) * 2]],
    ['a quarter turn', [500, 1000], (x, y) => [500 - y, x]],
    ['a quarter turn back', [500, 1000], (x, y) => [y, 1000 - x]],
    ['half a turn', [1000, 500], (x, y) => [1000 - x, 500 - y]],
    ['a flip', [1000, 500], (x, y) => [1000 - x, y]],
    ['a turn, a crop and another size', [200, 350], (x, y) => [(500 - y - 50) / 2, (x - 150) / 2]],
  ];
  it.each(CHANGES)('are at their places after %s', async (_, [width, height], to) => {
    const photoshop = await openPhotoshop();
    app = photoshop;
    const { control } = photoshop.modules;
    control.photoshop.change({ width, height, layers: movedLayers(to) });
    const one = {
      ...comment(photoshop, 1),
      place: { ...photoshop.place(1), spot: { x: 0.4, y: 0.3 } },
    };
    const shown = await show(photoshop, [one]);
    const [x, y] = to(400, 150);
    const [at] = photoshop.found();
    expect(Math.abs(Number(at?.at[0]) - x)).toBeLessThanOrEqual(1);
    expect(Math.abs(Number(at?.at[1]) - y)).toBeLessThanOrEqual(1);
    expect(shown.uncertain).toEqual([]);
  });

  it('are in a group with this name, beside the groups of the user', async () => {
    const photoshop = await openPhotoshop();
    app = photoshop;
    await show(photoshop, commentsFor(photoshop, 1, 2));
    expect(photoshop.modules.control.photoshop.counts()).toEqual([
      OWN_COUNTS,
      {
        name: NAME,
        counts: [1, 2]
          .map((number) => photoshop.place(number))
          .map(({ spot }) => ({ x: (spot?.x ?? 0) * 1000, y: (spot?.y ?? 0) * 500 })),
      },
    ]);
  });

  it('are found after the user has removed another group', async () => {
    const photoshop = await openPhotoshop();
    app = photoshop;
    const { control } = photoshop.modules;
    const { marks } = await show(photoshop, commentsFor(photoshop, 1, 2));
    control.photoshop.change({ groups: control.photoshop.counts().slice(1) });
    await photoshop.comments.remove(photoshop.key, [], marks, NAME);
    expect(control.photoshop.counts()).toEqual([]);
  });

  it('are refused where the new group is not the active one', async () => {
    const photoshop = await openPhotoshop();
    app = photoshop;
    const { control } = photoshop.modules;
    control.photoshop.activatesNewGroup = false;
    await expect(show(photoshop, commentsFor(photoshop, 1))).rejects.toMatchObject({
      code: 'CW-814',
    });
    expect(control.photoshop.counts()).toEqual([OWN_COUNTS]);
    expect(photoshop.steps()).toEqual([]);
  });

  const BACKGROUND = [{ id: 9, bounds: { left: 0, top: 0, right: 1000, bottom: 500 } }];
  const flat = (width: number, height: number) => ({
    width,
    height,
    layers: [{ id: 9, bounds: { left: 0, top: 0, right: width, bottom: height } }],
  });
  const ONE_LAYER = '{"canvas":[1000,500],"layers":[[9,0,0,1000,500]]}';
  it.each<[string, ReturnType<typeof flat>, string | null, 'certain' | 'uncertain' | 'left out']>([
    ['an unchanged picture', flat(1000, 500), ONE_LAYER, 'certain'],
    ['a picture of one layer in another size', flat(500, 250), ONE_LAYER, 'uncertain'],
    ['a picture of one layer with other sides', flat(700, 300), ONE_LAYER, 'left out'],
    ['a picture of one layer on its side', flat(500, 1000), ONE_LAYER, 'left out'],
    ['a file that notes nothing', flat(1000, 500), null, 'uncertain'],
  ])('say of %s whether the place is certain', async (_, now, source, outcome) => {
    const photoshop = await openPhotoshop({ layers: BACKGROUND });
    app = photoshop;
    photoshop.modules.control.photoshop.change(now);
    const one = { ...comment(photoshop, 1), place: { ...photoshop.place(1), source } };
    const shown = await show(photoshop, [one]);
    expect([shown.uncertain.length, shown.unplaced.length]).toEqual(
      { certain: [0, 0], uncertain: [1, 0], 'left out': [0, 1] }[outcome],
    );
  });

  it('are on the artboard of the file, and follow it', async () => {
    const photoshop = await openPhotoshop({
      artboards: [{ name: 'Story', bounds: { left: 200, top: 100, right: 400, bottom: 200 } }],
      bytes: { jpg: new Uint8Array([1]) },
      picture: undefined,
    });
    app = photoshop;
    const exporter = photoshop.host.documentExporter;
    const [open] = (await exporter?.documents()) ?? [];
    const target = { documentKey: photoshop.key, partId: open?.parts[0]?.id ?? null };
    const photo = await exporter?.exportDocument(plainSettings('jpg'), 'Upload', target);
    photoshop.modules.control.photoshop.change({
      width: 900,
      layers: movedLayers((x, y) => [x - 100, y]),
    });
    const place = { ...NO_PLACE, spot: { x: 0.5, y: 0.5 }, source: photo?.source ?? null };
    const shown = await show(photoshop, [{ ...comment(photoshop, 1), place }]);
    expect(photoshop.found()).toEqual([{ text: '', at: [200, 150] }]);
    expect(shown.uncertain).toEqual([]);
  });

  it('are left out where they were cropped off', async () => {
    const photoshop = await openPhotoshop();
    app = photoshop;
    photoshop.modules.control.photoshop.change({
      width: 300,
      height: 300,
      layers: movedLayers((x, y) => [x - 500, y - 200]),
    });
    expect(await show(photoshop, commentsFor(photoshop, 1))).toMatchObject({ unplaced: ['c1'] });
  });

  it('are dropped when the user presses Escape', async () => {
    const photoshop = await openPhotoshop();
    app = photoshop;
    const { control } = photoshop.modules;
    control.photoshop.stepFault = (step) => {
      if (step === 'countItems.add') control.photoshop.cancelModal();
      return 'run';
    };
    await expect(show(photoshop, commentsFor(photoshop, 1, 2))).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(control.photoshop.counts()).toEqual([OWN_COUNTS]);
  });

  it('wait for the app', async () => {
    const photoshop = await openPhotoshop({}, quickClock);
    app = photoshop;
    photoshop.modules.control.photoshop.modal = 'com.example.other';
    await expect(show(photoshop, commentsFor(photoshop, 1))).rejects.toMatchObject({
      code: 'CW-807',
    });
    expect(await photoshop.comments.goTo(photoshop.key, photoshop.place(1))).toBe(false);
  });
});
