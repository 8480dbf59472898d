import type { Clock } from '../../util/clock.js';
import { CwError, toCwError } from '../../util/errors.js';
import type { LinkChange, LinkOutcome, PlacedFileUpdates } from '../placed-files.js';
import { writeIdentity } from '../placed-identity.js';
import { hasEntry } from './downloads.js';
import type { FileSystem } from './files.js';
import type { PhotoshopDocument, PhotoshopModule } from './photoshop-module.js';
import type { UxpModule } from './uxp-module.js';
import { frontDocument } from './photoshop-front.js';
import { keepingPlacement } from './photoshop-placement.js';
import {
  asStep,
  entriesIn,
  identityOf,
  play,
  readXmp,
  smartObjectsOf,
  withEntries,
  writeXmp,
} from './photoshop-links.js';

/**
 * Gives smart objects other files. Photoshop keeps their masks and effects. `placedLayerRelinkToFile` and
 * `placedLayerReplaceContents` were seen in practice only, so their results are checked.
 */
export function createPhotoshopRelinks(
  photoshop: PhotoshopModule,
  files: Pick<FileSystem, 'createSessionToken'>,
  { xmp }: Pick<UxpModule, 'xmp'>,
  clock: Clock,
): PlacedFileUpdates {
  /** @throws {Error} when Photoshop does not do it */
  const replace = async (document: PhotoshopDocument, { key, file }: LinkChange): Promise<void> => {
    const layer = Number(key);
    const [before] = await smartObjectsOf(photoshop, document, [layer]);
    if (!before || !hasEntry(file)) {
      throw new Error('there is no such smart object, or the file is not one of this host');
    }
    const isEmbedded = before.state === 'embedded';
    const token = files.createSessionToken(file.entry);
    await keepingPlacement(photoshop, document, layer, async () => {
      await play(photoshop, [
        selecting(layer),
        {
          _obj: isEmbedded ? 'placedLayerReplaceContents' : 'placedLayerRelinkToFile',
          null: { _path: token, _kind: 'local' },
          _options: QUIET,
        },
      ]);
    });
    const [after] = await smartObjectsOf(photoshop, document, [layer]);
    const hasFile = after?.name.normalize() === file.name.normalize();
    if (!hasFile || after.state !== (isEmbedded ? 'embedded' : 'present')) {
      throw new Error('the smart object does not have the file');
    }
  };
  /** Replaces all in one step, or none. @returns why some could not be replaced */
  const attempt = async (
    document: PhotoshopDocument,
    wanted: readonly LinkChange[],
    stepName: string,
  ): Promise<ReadonlyMap<string, CwError>> => {
    const failures = new Map<string, CwError>();
    const layers = wanted.map(({ key }) => Number(key));
    await asStep(photoshop, clock, document, stepName, async () => {
      const packet = await readXmp(photoshop, document);
      const others = entriesIn(xmp, packet).filter(({ layer }) => !layers.includes(layer));
      // Whatever fails from here on: no identity names another file than its layer shows.
      await writeXmp(photoshop, document, withEntries(xmp, packet, others));
      const selected = Array.from(document.activeLayers, ({ id }) => id);
      for (const change of wanted) {
        await replace(document, change).catch((error: unknown) => {
          failures.set(change.key, toCwError(error, 'CW-818', 'a smart object was not replaced'));
        });
      }
      await selectAgain(photoshop, selected);
      const [failure] = failures.values();
      if (failure) {
        throw failure;
      }
      const added = wanted.map(({ key, file, identity }) => ({
        ...{ layer: Number(key), name: file.name, identity },
      }));
      await writeXmp(photoshop, document, withEntries(xmp, packet, [...others, ...added]));
    }).catch((error: unknown) => {
      const failure = toCwError(error, 'CW-818', 'no smart object was replaced');
      for (const { key } of failures.size > 0 ? [] : wanted) {
        failures.set(key, failure);
      }
    });
    return failures;
  };
  return {
    canUndo: true,

    async relink(documentKey, changes, stepName) {
      const document = frontDocument(photoshop, documentKey);
      const first = await attempt(document, changes, stepName);
      const others = changes.filter(({ key }) => !first.has(key));
      const second =
        first.size > 0 && others.length > 0 ? await attempt(document, others, stepName) : first;
      // Going back in the history may have failed, too: what counts is in the document.
      const replaced = await replacedIn(photoshop, xmp, document, changes);
      return changes.map(({ key }): LinkOutcome => {
        const failure = first.get(key) ?? second.get(key);
        const error = failure ?? new CwError('CW-818', 'the smart object was not replaced');
        return { key, error: replaced.has(key) ? null : error };
      });
    },
  };
}

const QUIET = { dialogOptions: 'dontDisplay' };

function selecting(layer: number): object {
  return {
    _obj: 'select',
    _target: [{ _ref: 'layer', _id: layer }],
    makeVisible: false,
    _options: QUIET,
  };
}

/** Selects the layers that the user had selected. Never rejects: without that, the document is as wanted, too. */
async function selectAgain(
  photoshop: PhotoshopModule,
  [first, ...others]: readonly number[],
): Promise<void> {
  const none = {
    _obj: 'selectNoLayers',
    _target: [{ _ref: 'layer', _enum: 'ordinal', _value: 'targetEnum' }],
    _options: QUIET,
  };
  const added = { _enum: 'selectionModifierType', _value: 'addToSelection' };
  await play(photoshop, [
    first === undefined ? none : selecting(first),
    ...others.map((layer) => ({ ...selecting(layer), selectionModifier: added })),
  ]).catch(() => undefined);
}

/** The keys of changes whose layers have the file and its identity. */
async function replacedIn(
  photoshop: PhotoshopModule,
  xmp: UxpModule['xmp'],
  document: PhotoshopDocument,
  changes: readonly LinkChange[],
): Promise<ReadonlySet<string>> {
  const layers = changes.map(({ key }) => Number(key));
  try {
    const objects = await smartObjectsOf(photoshop, document, layers);
    const entries = entriesIn(xmp, await readXmp(photoshop, document));
    const done = changes.filter(({ key, file, identity }) => {
      const object = objects.find(({ layer }) => String(layer) === key);
      const found = object && identityOf(object, entries);
      return (
        object?.name.normalize() === file.name.normalize() &&
        found &&
        writeIdentity(found) === writeIdentity(identity)
      );
    });
    return new Set(done.map(({ key }) => key));
  } catch {
    return new Set();
  }
}
