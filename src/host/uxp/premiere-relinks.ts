import type { Clock } from '../../util/clock.js';
import { CwError, toCwError } from '../../util/errors.js';
import type { LinkChange, LinkOutcome, PlacedFileUpdates } from '../placed-files.js';
import { readFileIdentity, writeFileIdentity, writeIdentity } from '../placed-identity.js';
import { withinLimit } from './export-file.js';
import type { PremiereItem, PremiereModule, PremiereProject } from './premiere-module.js';
import type { UxpModule } from './uxp-module.js';
import {
  clipsIn,
  fieldOf,
  isSame,
  LABEL,
  projectOf,
  writeFields,
  type PremiereClip,
} from './premiere-links.js';

/** How long a change of a path may take. Milliseconds. */
const CHANGE_MS = 60_000;

/** A change with its item. */
interface Work extends LinkChange {
  readonly clip: PremiereClip;
  /** What the metadata of the item have before the change. */
  readonly field: string;
}

/** What an item shows. */
type Shown = 'new' | 'old' | 'unknown';

/**
 * Gives items of the project other files (ClipProjectItem page). `changeMediaFilePath` is no action and cannot be undone:
 * the way back is the former path. Premiere keeps In and Out points and effects of clips, as long as it takes the file
 * without `overrideCompatibilityCheck`.
 */
export function createPremiereRelinks(
  premiere: PremiereModule,
  { xmp }: Pick<UxpModule, 'xmp'>,
  clock: Clock,
): PlacedFileUpdates {
  const within = <T>(work: Promise<T>): Promise<T> => withinLimit(clock, work, CHANGE_MS);

  const workFor = async (clip: PremiereClip | undefined, change: LinkChange): Promise<Work> => {
    if (!clip || !(await within(premiere.ClipProjectItem.cast(clip.item).canChangeMediaPath()))) {
      throw new Error('Premiere cannot change the path of this item');
    }
    return { ...change, clip, field: (await fieldOf(premiere, xmp, clip.item)) ?? '' };
  };

  const shownBy = async ({ clip: { item, path }, file }: Work): Promise<Shown> => {
    const media = premiere.ClipProjectItem.cast(item);
    const shown = await within(media.getMediaFilePath());
    if (isSame(shown, file.path) && !(await within(media.isOffline()))) {
      return 'new';
    }
    return isSame(shown, path) ? 'old' : 'unknown';
  };

  /** @returns false when Premiere does not answer in time. Never rejects */
  const isAnswered = async (call: Promise<unknown>): Promise<boolean> => {
    const answer = { isThere: false };
    const settled = call.finally(() => {
      answer.isThere = true;
    });
    await within(settled).catch(() => undefined);
    return answer.isThere;
  };

  /**
   * Changes the path of an item, or leaves it as it was. What Premiere answers does not count, but what the item shows.
   * @throws {Error} when Premiere does not answer
   */
  const change = async (work: Work): Promise<Shown> => {
    const media = premiere.ClipProjectItem.cast(work.clip.item);
    const changeTo = async (path: string): Promise<Shown> => {
      const isSettled = await isAnswered(media.changeMediaFilePath(path, false));
      // Pictures in the cache of the app are those of the former file.
      await (isSettled && isAnswered(media.refreshMedia()));
      const shown = await shownBy(work).catch((): Shown => 'unknown');
      if (!isSettled && shown !== 'new') {
        throw new Error('Premiere does not answer');
      }
      return shown;
    };
    const shown = await changeTo(work.file.path);
    return shown === 'unknown' ? await changeTo(work.clip.path) : shown;
  };

  /** Writes fields in one step, or each in its step where that fails. Never rejects. */
  const write = async (
    project: PremiereProject,
    fields: ReadonlyMap<PremiereItem, string>,
  ): Promise<void> => {
    const writing = async (some: typeof fields): Promise<void> => {
      await writeFields(premiere, xmp, project, some, LABEL);
    };
    if (fields.size === 0) {
      return;
    }
    await writing(fields).catch(async () => {
      for (const field of fields) {
        await writing(new Map([field])).catch(() => undefined);
      }
    });
  };

  /** Whether the item shows the new file and has its identity. */
  const isDone = async (work: Work): Promise<boolean> => {
    const field = await fieldOf(premiere, xmp, work.clip.item);
    const identity = readFileIdentity(field, work.file.name);
    return (
      (await shownBy(work)) === 'new' &&
      identity !== null &&
      writeIdentity(identity) === writeIdentity(work.identity)
    );
  };

  return {
    canUndo: false,

    async relink(documentKey, changes) {
      const project = await projectOf(premiere, documentKey, clock);
      const clips = new Map(
        (await clipsIn(premiere, project)).map((clip) => [clip.item.getId(), clip]),
      );
      const failures = new Map<string, CwError>();
      const failed =
        ({ key }: LinkChange) =>
        (error: unknown): null => {
          failures.set(key, toCwError(error, 'CW-818', 'Premiere did not change the path'));
          return null;
        };
      const found = await Promise.all(
        changes.map((one) => workFor(clips.get(one.key), one).catch(failed(one))),
      );
      const works = found.filter((work) => work !== null);
      // Whatever fails from here on: no identity names another file than its item shows.
      await write(project, new Map(works.map(({ clip }) => [clip.item, ''])));
      const fields = new Map(works.map(({ clip, field }) => [clip.item, field]));
      try {
        for (const work of works) {
          const { item } = work.clip;
          if ((await fieldOf(premiere, xmp, item)) === null) {
            fields.delete(item);
            const shown = await change(work);
            if (shown !== 'unknown') {
              fields.set(
                item,
                shown === 'new' ? writeFileIdentity(work.file, work.identity) : work.field,
              );
            }
          }
        }
      } catch {
        // The items after this one stay as they are.
      }
      await write(project, fields);
      const done = await Promise.all(
        works.map(async (work) => ((await isDone(work).catch(() => false)) ? work.key : null)),
      );
      return changes.map(({ key }): LinkOutcome => {
        const error = failures.get(key) ?? new CwError('CW-818', 'the item does not show the file');
        return { key, error: done.includes(key) ? null : error };
      });
    },
  };
}
