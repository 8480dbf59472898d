import { CwError, toCwError } from '../../util/errors.js';
import type { Clock } from '../../util/clock.js';
import type { PlacedFile, PlacedFiles } from '../placed-files.js';
import { readFileIdentity, writeFileIdentity } from '../placed-identity.js';
import { withinLimit } from './export-file.js';
import type {
  PremiereAction,
  PremiereItem,
  PremiereModule,
  PremiereProject,
} from './premiere-module.js';
import type { UxpModule } from './uxp-module.js';
import { premiereDocumentId } from './premiere-document.js';
import { ANSWER_MS } from './premiere-sequence.js';
import { propertyIn, withProperty } from './xmp-property.js';

/** The namespace of fields that users and plugins add to items of a project, as Adobe's samples have it. */
const FIELDS = {
  namespace: 'http://ns.adobe.com/premierePrivateProjectMetaData/1.0/',
  prefix: 'premierePrivateProjectMetaData',
};
const FIELD = 'CreativeWorkspaceFile';
export const LABEL = 'Creative Workspace';

/** How long an import may take. Milliseconds. */
const IMPORT_MS = 10 * 60_000;

/** An item with a file. */
export interface PremiereClip {
  readonly item: PremiereItem;
  readonly path: string;
}

/**
 * Items of the project (Project, FolderItem, ClipProjectItem and Metadata pages). A field of the metadata of an item has its
 * identity. `importFiles` is no action, so a failure after it removes the item.
 */
export function createPremiereLinks(
  premiere: PremiereModule,
  { xmp }: Pick<UxpModule, 'xmp'>,
  clock: Clock,
): PlacedFiles {
  const read = async ({ item, path }: PremiereClip): Promise<PlacedFile> => {
    const isOffline = await premiere.ClipProjectItem.cast(item).isOffline();
    return {
      key: item.getId(),
      name: nameIn(path),
      path,
      identity: readFileIdentity(await fieldOf(premiere, xmp, item), nameIn(path)),
      state: isOffline ? 'missing' : 'present',
    };
  };
  return {
    async list(documentKey) {
      const project = await projectOf(premiere, documentKey, clock);
      try {
        return await Promise.all((await clipsIn(premiere, project)).map(read));
      } catch (error) {
        throw toCwError(error, 'CW-815', 'Premiere does not give its items');
      }
    },

    async place(documentKey, file, identity, stepName) {
      const project = await projectOf(premiere, documentKey, clock);
      try {
        const present = await clipsIn(premiere, project);
        let item = present.find(({ path }) => isSame(path, file.path))?.item ?? null;
        const isNew = item === null;
        item ??= await importFile(premiere, project, file.path, present, stepName, clock);
        try {
          const field = writeFileIdentity(file, identity);
          await writeFields(premiere, xmp, project, new Map([[item, field]]), stepName);
          if ((await fieldOf(premiere, xmp, item)) !== field) {
            throw new Error('Premiere did not keep the metadata');
          }
        } catch (error) {
          if (isNew) {
            remove(premiere, project, [item], stepName);
          }
          throw error;
        }
      } catch (error) {
        throw toCwError(error, 'CW-815', 'Premiere did not import the file');
      }
    },
  };
}

/** What the metadata of an item have about it; null when that is nothing. @throws {unknown} what Premiere throws */
export async function fieldOf(
  { Metadata }: PremiereModule,
  xmp: UxpModule['xmp'],
  item: PremiereItem,
): Promise<string | null> {
  return propertyIn(xmp, await Metadata.getProjectMetadata(item), FIELDS.namespace, FIELD);
}

/** Writes fields in one step. @throws {unknown} what Premiere throws; some of them may be written then */
export async function writeFields(
  premiere: PremiereModule,
  xmp: UxpModule['xmp'],
  project: PremiereProject,
  fields: ReadonlyMap<PremiereItem, string>,
  stepName: string,
): Promise<void> {
  const { Metadata } = premiere;
  await Metadata.addPropertyToProjectMetadataSchema(FIELD, LABEL, Metadata.METADATA_TYPE_TEXT);
  const changed = await Promise.all(
    [...fields].map(async ([item, field]) => {
      const packet = await Metadata.getProjectMetadata(item);
      return [item, withProperty(xmp, packet, FIELDS, FIELD, field)] as const;
    }),
  );
  run(project, stepName, () =>
    changed.map(([item, packet]) => Metadata.createSetProjectMetadataAction(item, packet, [FIELD])),
  );
}

/** The project of the sequence in front. @throws {CwError} CW-803 */
export async function projectOf(
  { Project }: PremiereModule,
  documentKey: string,
  clock: Clock,
): Promise<PremiereProject> {
  const find = async (): Promise<PremiereProject | null> => {
    const project = await Project.getActiveProject();
    const sequence = await project?.getActiveSequence();
    return project && sequence && premiereDocumentId(sequence) === documentKey ? project : null;
  };
  const project = await withinLimit(clock, find(), ANSWER_MS).catch((error: unknown) => {
    throw new CwError('CW-803', 'Premiere does not give the sequence', { cause: error });
  });
  if (!project) {
    throw new CwError('CW-803', 'the sequence is not in front');
  }
  return project;
}

/** All items with a file, in bins too. */
export async function clipsIn(
  { FolderItem, ClipProjectItem, ProjectItem }: PremiereModule,
  project: PremiereProject,
): Promise<readonly PremiereClip[]> {
  const within = async (folder: {
    getItems(): Promise<PremiereItem[]>;
  }): Promise<readonly PremiereClip[]> => {
    const items = await folder.getItems();
    const found = await Promise.all(
      items.map(async (item): Promise<readonly PremiereClip[]> => {
        if (item.type === ProjectItem.TYPE_BIN) {
          return await within(FolderItem.cast(item));
        }
        // A sequence has no file.
        const path = await ClipProjectItem.cast(item)
          .getMediaFilePath()
          .catch(() => '');
        return path === '' ? [] : [{ item, path }];
      }),
    );
    return found.flat();
  };
  return await within(await project.getRootItem());
}

/**
 * Imports a file into the bin that the user works in.
 * @throws {Error} when Premiere refuses, or it does not become exactly one item; its items are removed then
 */
async function importFile(
  premiere: PremiereModule,
  project: PremiereProject,
  path: string,
  present: readonly PremiereClip[],
  stepName: string,
  clock: Clock,
): Promise<PremiereItem> {
  const before = new Set(present.map(({ item }) => item.getId()));
  const bin = await project.getInsertionBin();
  const isDone = await withinLimit(clock, project.importFiles([path], true, bin, false), IMPORT_MS);
  // The user may have imported others at that time.
  const added = (await clipsIn(premiere, project)).filter(
    (clip) => !before.has(clip.item.getId()) && isSame(clip.path, path),
  );
  const [clip, second] = added;
  if (isDone && clip && !second) {
    return clip.item;
  }
  remove(
    premiere,
    project,
    added.map(({ item }) => item),
    stepName,
  );
  throw new Error(`Premiere returned ${String(isDone)} and imported ${added.length} items`);
}

/** Never throws: what is left are items that the user can remove. */
function remove(
  { FolderItem, ProjectItem }: PremiereModule,
  project: PremiereProject,
  items: readonly PremiereItem[],
  stepName: string,
): void {
  if (items.length === 0) {
    return;
  }
  try {
    run(project, stepName, () =>
      items.map((item) =>
        FolderItem.cast(ProjectItem.cast(item.getParentBin())).createRemoveItemAction(item),
      ),
    );
  } catch {
    return;
  }
}

/** Carries out actions as one step. @throws {unknown} what Premiere throws, or when it refuses */
function run(
  project: PremiereProject,
  name: string,
  create: () => readonly PremiereAction[],
): void {
  const outcome = { isDone: false };
  project.lockedAccess(() => {
    outcome.isDone = project.executeTransaction((compound) => {
      for (const action of create()) {
        compound.addAction(action);
      }
    }, name);
  });
  if (!outcome.isDone) {
    throw new Error('Premiere refused the change');
  }
}

function nameIn(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** Premiere gives paths in another Unicode form than names. */
export function isSame(one: string, other: string): boolean {
  return one.normalize('NFC') === other.normalize('NFC');
}
