import { CwError, toCwError } from '../../util/errors.js';
import type { Clock } from '../../util/clock.js';
import { parseJsonObject, textField } from '../../util/json.js';
import type {
  DocumentComment,
  DocumentComments,
  FilePlace,
  ShownComments,
} from '../document-comments.js';
import { withinLimit } from './export-file.js';
import type {
  PremiereMarker,
  PremiereMarkers,
  PremiereModule,
  PremiereProject,
  PremiereSequence,
} from './premiere-module.js';
import { premiereDocumentId } from './premiere-document.js';
import { ANSWER_MS } from './premiere-sequence.js';

/** Premiere's unit of time (TickTime page). */
const TICKS_PER_SECOND = 254_016_000_000;

/** The service keeps times in milliseconds, so a time may be one before its frame. Seconds. */
const TOLERANCE = 0.001;

/** A marker as it is, or as it is to be. `guid` is null before 26.3. */
interface Mark {
  readonly name: string;
  readonly ticks: string;
  readonly duration: string;
  readonly text: string;
  readonly guid: string | null;
}

/** The active sequence with its markers. */
interface Timeline {
  readonly project: PremiereProject;
  readonly sequence: PremiereSequence;
  readonly markers: PremiereMarkers;
  /** Ticks of one frame. */
  readonly frame: number;
}

type Marks = ReadonlyMap<PremiereMarker, Mark>;

/** What a transaction does. */
interface Plan {
  readonly removed: readonly PremiereMarker[];
  readonly added: readonly Mark[];
}

/**
 * Comments as markers of the active sequence, at the frames that they are about (Markers, Marker and Project pages). Markers
 * are recognised by their GUID, which exists since 26.3, else by name, time and comment.
 */
export function createPremiereComments(premiere: PremiereModule, clock: Clock): DocumentComments {
  const change = async (
    documentKey: string,
    name: string,
    planFor: (before: Marks, frame: number) => Plan,
  ): Promise<Timeline> => {
    const timeline = await timelineOf(premiere, documentKey, clock);
    let before: Marks | null = null;
    try {
      before = read(timeline.markers);
      run(premiere, timeline, planFor(before, timeline.frame), name);
    } catch (error) {
      if (before) {
        putBack(premiere, timeline, before, name);
      }
      throw toCwError(error, 'CW-814', 'Premiere did not change the markers');
    }
    return timeline;
  };
  return {
    canGoTo: true,

    async goTo(documentKey, place) {
      const go = async (): Promise<boolean> => {
        const { sequence, frame } = await timelineOf(premiere, documentKey, clock);
        const found = ticksOf(place, frame);
        return (
          found !== null &&
          (await sequence.setPlayerPosition(premiere.TickTime.createWithTicks(String(found.ticks))))
        );
      };
      return withinLimit(clock, go(), ANSWER_MS).catch(() => false);
    },

    async show(documentKey, comments, marks, name) {
      const { markers, frame } = await change(documentKey, name, (before, perFrame) => {
        const wanted = wantedMarks(comments, perFrame);
        const found = match(before, wanted, marks);
        const kept = new Set(found.values());
        return {
          added: [...wanted].flatMap(([id, mark]) => (found.has(id) ? [] : [mark])),
          removed: marked(before, marks).filter((marker) => !kept.has(marker)),
        };
      });
      return shownIn(markers, comments, marks, frame);
    },

    async remove(documentKey, comments, marks, name) {
      await change(documentKey, name, (before, frame) => {
        const found = match(before, wantedMarks(comments, frame), marks);
        return {
          added: [],
          removed: [...new Set([...found.values(), ...marked(before, marks)])],
        };
      });
    },
  };
}

/** @throws {CwError} CW-803 when the sequence is not in front */
async function timelineOf(
  premiere: PremiereModule,
  documentKey: string,
  clock: Clock,
): Promise<Timeline> {
  const find = async (): Promise<Timeline | null> => {
    const project = await premiere.Project.getActiveProject();
    const sequence = await project?.getActiveSequence();
    if (!project || !sequence || premiereDocumentId(sequence) !== documentKey) {
      return null;
    }
    const frame = Number(await sequence.getTimebase());
    return frame > 0
      ? { project, sequence, markers: await premiere.Markers.getMarkers(sequence), frame }
      : null;
  };
  const timeline = await withinLimit(clock, find(), ANSWER_MS).catch((error: unknown) => {
    throw new CwError('CW-803', 'Premiere does not give the sequence', { cause: error });
  });
  if (!timeline) {
    throw new CwError('CW-803', 'the sequence is not in front');
  }
  return timeline;
}

/** Carries out a plan as one step. @throws {unknown} what Premiere throws, or when it refuses */
function run(
  { TickTime, Marker }: PremiereModule,
  { project, markers }: Timeline,
  { removed, added }: Plan,
  name: string,
): void {
  if (removed.length + added.length === 0) {
    return;
  }
  // Whether the host lets an exception out of a callback is not documented.
  const outcome: { isDone: boolean; failure?: unknown } = { isDone: false };
  project.lockedAccess(() => {
    try {
      const time = (ticks: string) => TickTime.createWithTicks(ticks);
      const actions = [
        ...removed.map((marker) => markers.createRemoveMarkerAction(marker)),
        ...added.map((mark) =>
          markers.createAddMarkerAction(
            mark.name,
            Marker.MARKER_TYPE_COMMENT,
            time(mark.ticks),
            time(mark.duration),
            mark.text,
          ),
        ),
      ];
      outcome.isDone = project.executeTransaction((compound) => {
        for (const action of actions) {
          if (!compound.addAction(action)) {
            throw new Error('Premiere took no action');
          }
        }
      }, name);
    } catch (error) {
      outcome.isDone = false;
      outcome.failure = error;
    }
  });
  if (!outcome.isDone) {
    throw new CwError('CW-814', 'Premiere did not run the transaction', {
      cause: outcome.failure,
    });
  }
}

/** Undoes a part of a transaction that failed. Does nothing where Premiere has undone it. Never throws. */
function putBack(premiere: PremiereModule, timeline: Timeline, before: Marks, name: string): void {
  try {
    const missing = [...before.values()];
    const removed = [...read(timeline.markers)].flatMap(([marker, mark]) => {
      const at = missing.findIndex((one) => isSame(one, mark));
      missing.splice(at, at < 0 ? 0 : 1);
      return at < 0 ? [marker] : [];
    });
    run(premiere, timeline, { removed, added: missing }, name);
  } catch {
    // The next call finds what is there.
    return;
  }
}

/** Each call of Premiere may make new objects, so one reading is compared with itself only. */
function read(markers: PremiereMarkers): Marks {
  return new Map(markers.getMarkers().map((marker) => [marker, readMark(marker)]));
}

function readMark(marker: PremiereMarker): Mark {
  return {
    name: marker.getName(),
    ticks: marker.getStart().ticks,
    duration: marker.getDuration().ticks,
    text: marker.getComments(),
    guid: guidOf(marker),
  };
}

/** Null before 26.3. */
function guidOf(marker: PremiereMarker): string | null {
  try {
    const text: unknown = marker.guid.toString();
    return typeof text === 'string' && text !== '' ? text : null;
  } catch {
    return null;
  }
}

function isSame(one: Mark, other: Mark): boolean {
  return one.name === other.name && one.ticks === other.ticks && one.text === other.text;
}

/** What is kept of a marker to find it again. */
function markText({ guid, ticks, name }: Mark): string {
  return guid ?? `${ticks} ${name}`;
}

/** The markers that these texts name. */
function marked(before: Marks, marks: ReadonlyMap<string, string>): readonly PremiereMarker[] {
  const texts = new Set(marks.values());
  return [...before].flatMap(([marker, mark]) => {
    const byPlace = markText({ ...mark, guid: null });
    return texts.has(markText(mark)) || texts.has(byPlace) ? [marker] : [];
  });
}

/** By the id of its comment, the marker that shows it. */
function match(
  before: Marks,
  wanted: ReadonlyMap<string, Mark>,
  marks: ReadonlyMap<string, string>,
): ReadonlyMap<string, PremiereMarker> {
  const free = new Map(before);
  const found = new Map<string, PremiereMarker>();
  const take = (id: string, is: (mark: Mark) => boolean): void => {
    for (const [marker, mark] of found.has(id) ? [] : free) {
      if (is(mark)) {
        free.delete(marker);
        found.set(id, marker);
        return;
      }
    }
  };
  const byGuid = new Map([...free].map(([marker, { guid }]) => [guid, marker]));
  for (const id of wanted.keys()) {
    const marker = byGuid.get(marks.get(id) ?? '');
    if (marker && free.delete(marker)) {
      found.set(id, marker);
    }
  }
  for (const [id, mark] of wanted) {
    take(id, (one) => isSame(one, mark));
  }
  return found;
}

/** The markers that comments are to have, by the ids of the comments. Those without a time are missing. */
function wantedMarks(
  comments: readonly DocumentComment[],
  frame: number,
): ReadonlyMap<string, Mark> {
  return new Map(
    comments.flatMap(({ id, place, title, text }) => {
      const found = ticksOf(place, frame);
      return found
        ? [
            [
              id,
              {
                name: title,
                ticks: String(found.ticks),
                duration: String(found.duration),
                text,
                guid: null,
              },
            ] as const,
          ]
        : [];
    }),
  );
}

function shownIn(
  markers: PremiereMarkers,
  comments: readonly DocumentComment[],
  marks: ReadonlyMap<string, string>,
  frame: number,
): ShownComments {
  const wanted = wantedMarks(comments, frame);
  const now = readOrNone(markers);
  const found = match(now, wanted, marks);
  return {
    marks: new Map(
      [...wanted].map(([id, mark]) => {
        const marker = found.get(id);
        return [id, markText((marker && now.get(marker)) ?? mark)];
      }),
    ),
    uncertain: comments.flatMap(({ id, place }) =>
      wanted.has(id) && place.source === null ? [id] : [],
    ),
    unplaced: comments.flatMap(({ id }) => (wanted.has(id) ? [] : [id])),
  };
}

/** The markers are there: what cannot be read of them now is found by name and time. */
function readOrNone(markers: PremiereMarkers): Marks {
  try {
    return read(markers);
  } catch {
    return new Map();
  }
}

/** The first frame of a place and its length, in ticks of the sequence; null for a place without a time. */
function ticksOf(
  { start, end, source }: FilePlace,
  frame: number,
): { readonly ticks: number; readonly duration: number } | null {
  const body = parseJsonObject(source ?? '') ?? {};
  const at = textField(body, 'at');
  if (at !== null) {
    return /^\d{1,16}$/.test(at) ? { ticks: Number(at), duration: 0 } : null;
  }
  if (start === null) {
    return null;
  }
  const from = textField(body, 'in') ?? '0';
  const offset = /^\d{1,16}$/.test(from) ? Number(from) : 0;
  const frameAt = (seconds: number): number =>
    Math.floor((offset + (seconds + TOLERANCE) * TICKS_PER_SECOND) / frame) * frame;
  const ticks = frameAt(start);
  return { ticks, duration: end === null ? 0 : Math.max(0, frameAt(end) - ticks) };
}
