import type { Clock } from '../../util/clock.js';
import { CancelledError } from '../../util/cancel.js';
import { toCwError } from '../../util/errors.js';
import { numberField, parseJsonObject } from '../../util/json.js';
import type { DocumentComment, DocumentComments } from '../document-comments.js';
import type { PhotoshopCounts, PhotoshopDocument, PhotoshopModule } from './photoshop-module.js';
import { mapOf } from './photoshop-canvas.js';
import { frontDocument } from './photoshop-front.js';
import { runModal } from './photoshop-modal.js';

/** In pixels. */
interface Point {
  readonly x: number;
  readonly y: number;
}

/** A count on the document. */
interface Count extends Point {
  readonly group: number;
}

/**
 * Comments as numbered counts in a group of their own (CountItems page): they are saved in the document, change no pixel and are
 * not exported. Photoshop gives no names of groups, so a group is recognised by its index and its counts. It has no
 * documented way to scroll the view.
 */
export function createPhotoshopComments(
  photoshop: PhotoshopModule,
  clock: Clock,
): DocumentComments {
  /** Replaces our group by these counts in one step; without any, removes it. */
  const replace = async (
    document: PhotoshopDocument,
    group: readonly Count[],
    points: readonly Point[],
    name: string,
  ): Promise<void> => {
    try {
      await runModal(photoshop, clock, name, async ({ hostControl }) => {
        const suspension = await hostControl.suspendHistory({ documentID: document.id, name });
        try {
          const { countItems } = document;
          await removeGroup(countItems, group);
          await addGroup(countItems, points, name);
        } catch (error) {
          await hostControl.resumeHistory(suspension, false);
          throw error;
        }
        await hostControl.resumeHistory(suspension, true);
      });
    } catch (error) {
      if (error instanceof CancelledError) {
        throw error;
      }
      throw toCwError(error, 'CW-814', 'Photoshop did not change the counts');
    }
  };
  return {
    canGoTo: false,

    goTo: () => Promise.resolve(false),

    async show(documentKey, comments, marks, name) {
      const document = frontDocument(photoshop, documentKey);
      const { points, uncertain, unplaced } = placed(document, comments);
      const wanted = [...points.values()];
      const group = groupOf(document, marks, wanted);
      const isSame =
        group.length === wanted.length &&
        wanted.every((point, index) => isNear(point, group[index]));
      if (!isSame) {
        await replace(document, group, wanted, name);
      }
      return { marks: marksOf(document, [...points.keys()], wanted), uncertain, unplaced };
    },

    async remove(documentKey, comments, marks, name) {
      const document = frontDocument(photoshop, documentKey);
      const { points } = placed(document, comments);
      const group = groupOf(document, marks, [...points.values()]);
      if (group.length > 0) {
        await replace(document, group, [], name);
      }
    },
  };
}

/** Where the comments are in the document now, in whole pixels, by their ids. */
function placed(
  document: PhotoshopDocument,
  comments: readonly DocumentComment[],
): {
  readonly points: ReadonlyMap<string, Point>;
  readonly uncertain: readonly string[];
  readonly unplaced: readonly string[];
} {
  const maps = new Map<string | null, ReturnType<typeof mapOf>>();
  const points = new Map<string, Point>();
  const uncertain: string[] = [];
  const { width, height } = document;
  for (const { id, place } of comments) {
    const { source, spot } = place;
    const map = maps.has(source) ? maps.get(source) : mapOf(source, document);
    maps.set(source, map ?? null);
    const exact = spot && map ? map.toDocument(spot) : null;
    const point = exact && { x: Math.round(exact.x), y: Math.round(exact.y) };
    // What was cropped off is gone.
    if (point && point.x >= 0 && point.y >= 0 && point.x <= width && point.y <= height) {
      points.set(id, point);
      if (map?.isCertain === false) {
        uncertain.push(id);
      }
    }
  }
  return {
    points,
    uncertain,
    unplaced: comments.flatMap(({ id }) => (points.has(id) ? [] : [id])),
  };
}

function countsOf({ countItems }: PhotoshopDocument): readonly Count[] {
  return Array.from(countItems.getAll(), ({ groupIndex, position: { x, y } }) => ({
    group: groupIndex,
    x,
    y,
  }));
}

/** The counts by group. */
function groupsOf(document: PhotoshopDocument): readonly (readonly Count[])[] {
  const groups = new Map<number, Count[]>();
  for (const count of countsOf(document)) {
    const group = groups.get(count.group);
    if (group) {
      group.push(count);
    } else {
      groups.set(count.group, [count]);
    }
  }
  return [...groups.values()];
}

/**
 * The counts of our group; none when it is gone. It has as many counts as were put there. If the user has removed a group
 * before it, its index is another one, but the counts are where they were. A run that was killed may have left no marks:
 * then it is a group that has nothing but counts at places of comments.
 */
function groupOf(
  document: PhotoshopDocument,
  marks: ReadonlyMap<string, string>,
  wanted: readonly Point[],
): readonly Count[] {
  const noted = [...marks.values()].flatMap((text) => {
    const body = parseJsonObject(text);
    const [group, x, y] = ['group', 'x', 'y'].map((name) => body && numberField(body, name));
    return typeof group === 'number' && typeof x === 'number' && typeof y === 'number'
      ? [{ group, x, y }]
      : [];
  });
  const groups = groupsOf(document);
  const alike = groups.filter((counts) => counts.length === noted.length);
  const index = noted[0]?.group;
  const places = new Set(wanted.map(({ x, y }) => `${x} ${y}`));
  return (
    alike.find((counts) => noted.every((count, at) => isNear(count, counts[at]))) ??
    alike.find(([first]) => first?.group === index) ??
    groups.find((counts) => counts.every(({ x, y }) => places.has(`${x} ${y}`))) ??
    []
  );
}

function isNear(one: Point, other: Point | undefined): boolean {
  return other !== undefined && Math.abs(one.x - other.x) <= 1 && Math.abs(one.y - other.y) <= 1;
}

/** @throws {Error} when something else was removed */
async function removeGroup(items: PhotoshopCounts, group: readonly Count[]): Promise<void> {
  const [first] = group;
  if (first) {
    const before = items.getAll().length;
    await items.removeGroupByIndex(first.group);
    if (items.getAll().length !== before - group.length) {
      throw new Error('Photoshop removed other counts');
    }
  }
}

/** @throws {Error} when the counts did not get a group of their own */
async function addGroup(
  items: PhotoshopCounts,
  points: readonly Point[],
  name: string,
): Promise<void> {
  if (points.length === 0) {
    return;
  }
  const others = new Set(Array.from(items.getAll(), ({ groupIndex }) => groupIndex));
  await items.createGroup(name);
  for (const { x, y } of points) {
    await items.add({ x, y });
  }
  const own = Array.from(items.getAll()).filter(({ groupIndex }) => !others.has(groupIndex));
  if (own.length !== points.length) {
    throw new Error('Photoshop added the counts to another group');
  }
}

/** What is kept of the group at these places, to find it again. */
function marksOf(
  document: PhotoshopDocument,
  ids: readonly string[],
  wanted: readonly Point[],
): ReadonlyMap<string, string> {
  let own: readonly Count[] | undefined;
  try {
    own = groupsOf(document).find(
      (counts) =>
        counts.length === wanted.length && wanted.every((point, at) => isNear(point, counts[at])),
    );
  } catch {
    // The counts are there. The next call finds them by their places.
  }
  return new Map(ids.map((id, index) => [id, JSON.stringify(own?.[index] ?? {})]));
}
