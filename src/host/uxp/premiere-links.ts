import { CwError, toCwError } from '../../util/errors.js';
import type { Clock } from '../../util/clock.js';
import type { PlacedFile, PlacedFiles } from '../host.js';
import { readIdentity, writeIdentity } from '../placed-identity.js';
import { withinLimit } from './export-file.js';
import type {
  PremiereAction,
  PremiereItem,
  PremiereModule,
  PremiereProject,
  UxpModule,
} from './modules.js';
import { premiereDocumentId } from './premiere-document.js';
import { ANSWER_MS } from './premiere-sequence.js';
import { propertyIn, withProperty } from './xmp-property.js';

/** The namespace of fields that users and plugins add to items of a project, as Adobe's samples have it. */
const FIELDS = {
  namespace: 'http://ns.adobe.com/premierePrivateProjectMetaData/1.0/',
  prefix: 'premierePrivateProjectMetaData',
};
const FIELD = 'CreativeWorkspaceFile';
const LABEL = 'Creative Workspace';

/** How long an import may take. Milliseconds. */
const IMPORT_MS = 10 * 60_000;

/** An item with a file. */
interface Clip {
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
  const read = async ({ item, path }: Clip): Promise<PlacedFile> => {
    const isOffline = await premiere.ClipProjectItem.cast(item).isOffline();
    return {
      key: item.getId(),
      name: path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1),
      path,
      identity: readIdentity(await fieldOf(item)),
      state: isOffline ? 'missing' : 'present',
    };
  };
  const fieldOf = async (item: PremiereItem): Promise<string | null> =>
    propertyIn(xmp, await premiere.Metadata.getProjectMetadata(item), FIELDS.namespace, FIELD);

  const setField = async (
    project: PremiereProject,
    item: PremiereItem,
    value: string,
    stepName: string,
  ): Promise<void> => {
    const { Metadata } = premiere;
    await Metadata.addPropertyToProjectMetadataSchema(FIELD, LABEL, Metadata.METADATA_TYPE_TEXT);
    const packet = await Metadata.getProjectMetadata(item);
    const changed = withProperty(xmp, packet, FIELDS, FIELD, value);
    run(project, stepName, () => Metadata.createSetProjectMetadataAction(item, changed, [FIELD]));
    if ((await fieldOf(item)) !== value) {
      throw new Error('Premiere did not keep the metadata');
    }
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
        item ??= await importFile(premiere, project, file.path, present, clock);
        try {
          await setField(project, item, writeIdentity(identity), stepName);
        } catch (error) {
          if (isNew) {
            remove(premiere, project, item, stepName);
          }
          throw error;
        }
      } catch (error) {
        throw toCwError(error, 'CW-815', 'Premiere did not import the file');
      }
    },
  };
}

/** The project of the sequence in front. @throws {CwError} CW-803 */
async function projectOf(
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
async function clipsIn(
  { FolderItem, ClipProjectItem, ProjectItem }: PremiereModule,
  project: PremiereProject,
): Promise<readonly Clip[]> {
  const within = async (folder: {
    getItems(): Promise<PremiereItem[]>;
  }): Promise<readonly Clip[]> => {
    const items = await folder.getItems();
    const found = await Promise.all(
      items.map(async (item): Promise<readonly Clip[]> => {
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

/** Imports a file into the bin that the user works in. @throws {Error} when it does not become one item */
async function importFile(
  premiere: PremiereModule,
  project: PremiereProject,
  path: string,
  present: readonly Clip[],
  clock: Clock,
): Promise<PremiereItem> {
  const bin = await project.getInsertionBin();
  const isDone = await withinLimit(clock, project.importFiles([path], true, bin, false), IMPORT_MS);
  const before = new Set(present.map(({ item }) => item.getId()));
  const added = (await clipsIn(premiere, project)).filter(({ item }) => !before.has(item.getId()));
  const own = added.filter((clip) => isSame(clip.path, path));
  const [clip] = own;
  if (!isDone || !clip || own.length > 1) {
    throw new Error(`Premiere imported ${own.length} items`);
  }
  return clip.item;
}

/** Never throws: what is left is an item that the user can remove. */
function remove(
  { FolderItem, ProjectItem }: PremiereModule,
  project: PremiereProject,
  item: PremiereItem,
  stepName: string,
): void {
  try {
    const parent = item.getParentBin();
    run(project, stepName, () =>
      FolderItem.cast(ProjectItem.cast(parent)).createRemoveItemAction(item),
    );
  } catch {
    return;
  }
}

/** Carries out an action as one step. @throws {unknown} what Premiere throws, or when it refuses */
function run(project: PremiereProject, name: string, create: () => PremiereAction): void {
  const outcome = { isDone: false };
  project.lockedAccess(() => {
    outcome.isDone = project.executeTransaction((compound) => {
      compound.addAction(create());
    }, name);
  });
  if (!outcome.isDone) {
    throw new Error('Premiere refused the change');
  }
}

/** Premiere gives paths in another Unicode form than names. */
function isSame(one: string, other: string): boolean {
  return one.normalize('NFC') === other.normalize('NFC');
}
