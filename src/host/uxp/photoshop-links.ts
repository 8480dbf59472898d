import { CancelledError } from '../../util/cancel.js';
import type { Clock } from '../../util/clock.js';
import { CwError, toCwError } from '../../util/errors.js';
import { isJsonObject, numberField, textField } from '../../util/json.js';
import type { DownloadedFile } from '../downloads.js';
import type { PlacedFile, PlacedFiles, PlacedIdentity } from '../placed-files.js';
import { readIdentity, writeIdentity } from '../placed-identity.js';
import { hasEntry } from './downloads.js';
import type { FileSystem } from './files.js';
import type { PhotoshopDocument, PhotoshopLayer, PhotoshopModule } from './photoshop-module.js';
import type { UxpModule } from './uxp-module.js';
import { frontDocument } from './photoshop-front.js';
import { runModal } from './photoshop-modal.js';
import { propertyIn, withProperty } from './xmp-property.js';

/** The property of the document's XMP that has the identities. */
const OWN = { namespace: 'http://ns.creative-workspace.app/placed/1.0/', prefix: 'cwPlaced' };
const PROPERTY = 'Files';

/** A smart object, as its descriptor has it. */
interface SmartObject {
  readonly layer: number;
  /** Name of its file. */
  readonly name: string;
  readonly path: string | null;
  readonly state: PlacedFile['state'];
}

/** What the XMP has about a layer. The name guards against ids of other documents, into which layers were copied. */
interface Entry {
  readonly layer: number;
  readonly name: string;
  readonly identity: PlacedIdentity;
}

/**
 * Linked smart objects. Photoshop documents the XMP of a document ("Writing to an active document" of the XMP page) and ids
 * of layers. `placeEvent` and the descriptor of a smart object were seen in practice only, so their results are checked.
 */
export function createPhotoshopLinks(
  photoshop: PhotoshopModule,
  files: Pick<FileSystem, 'createSessionToken'>,
  { xmp }: Pick<UxpModule, 'xmp'>,
  clock: Clock,
): PlacedFiles {
  return {
    async list(documentKey) {
      const document = Array.from(photoshop.app.documents).find(
        ({ id }) => String(id) === documentKey,
      );
      if (!document) {
        throw new CwError('CW-803', 'the document is not open');
      }
      try {
        const objects = await smartObjectsIn(photoshop, document);
        const entries =
          objects.length > 0 ? entriesIn(xmp, await readXmp(photoshop, document)) : [];
        return objects.map((object) => ({
          key: String(object.layer),
          name: object.name,
          path: object.path,
          identity: identityOf(object, entries),
          state: object.state,
        }));
      } catch (error) {
        throw toCwError(error, 'CW-815', 'Photoshop does not give its smart objects');
      }
    },

    async place(documentKey, file, identity, stepName) {
      const document = frontDocument(photoshop, documentKey);
      if (!hasEntry(file)) {
        throw new CwError('CW-815', 'the file is not one of this host');
      }
      try {
        const token = files.createSessionToken(file.entry);
        await asStep(photoshop, clock, document, stepName, async () => {
          const layer = await placeLinked(photoshop, document, token);
          const [object] = await smartObjectsOf(photoshop, document, [layer]);
          mustShow(object, file);
          const packet = await readXmp(photoshop, document);
          const entries = entriesIn(xmp, packet).filter((entry) => entry.layer !== layer);
          const entry = { layer, name: file.name, identity };
          await writeXmp(photoshop, document, withEntries(xmp, packet, [...entries, entry]));
        });
      } catch (error) {
        if (error instanceof CancelledError) {
          throw error;
        }
        throw toCwError(error, 'CW-815', 'Photoshop did not place the file');
      }
    },
  };
}

/** Carries out `work` as one step of the history. After a failure, the document is in the state before. */
export async function asStep(
  photoshop: PhotoshopModule,
  clock: Clock,
  { id }: PhotoshopDocument,
  name: string,
  work: () => Promise<void>,
): Promise<void> {
  await runModal(photoshop, clock, name, async ({ hostControl }) => {
    const suspension = await hostControl.suspendHistory({ documentID: id, name });
    try {
      await work();
    } catch (error) {
      await hostControl.resumeHistory(suspension, false);
      throw error;
    }
    await hostControl.resumeHistory(suspension, true);
  });
}

/** @returns the id of the new layer. @throws {Error} when there is none */
async function placeLinked(
  photoshop: PhotoshopModule,
  document: PhotoshopDocument,
  token: string,
): Promise<number> {
  const before = new Set(layersIn(document.layers).map(({ id }) => id));
  await play(photoshop, [
    {
      _obj: 'placeEvent',
      null: { _path: token, _kind: 'local' },
      linked: true,
      _options: { dialogOptions: 'dontDisplay' },
    },
  ]);
  const added = layersIn(document.layers).filter(({ id }) => !before.has(id));
  const [layer] = added;
  if (!layer || added.length > 1) {
    throw new Error(`Photoshop added ${added.length} layers`);
  }
  return layer.id;
}

/** All layers, also those in groups. */
export function layersIn(layers: readonly PhotoshopLayer[]): readonly PhotoshopLayer[] {
  return Array.from(layers).flatMap((layer) => [layer, ...layersIn(layer.layers ?? [])]);
}

function smartObjectsIn(
  photoshop: PhotoshopModule,
  document: PhotoshopDocument,
): Promise<readonly SmartObject[]> {
  const ids = layersIn(document.layers).flatMap(({ id, kind }) =>
    kind === 'smartObject' ? [id] : [],
  );
  return ids.length > 0 ? smartObjectsOf(photoshop, document, ids) : Promise.resolve([]);
}

export async function smartObjectsOf(
  photoshop: PhotoshopModule,
  { id: document }: PhotoshopDocument,
  layers: readonly number[],
): Promise<readonly SmartObject[]> {
  const results = await photoshop.action.batchPlay(
    layers.map((id) => ({
      _obj: 'get',
      _target: [
        { _property: 'smartObject' },
        { _ref: 'layer', _id: id },
        { _ref: 'document', _id: document },
      ],
    })),
    { continueOnError: true },
  );
  return layers.flatMap((layer, index) => {
    const object = results[index]?.['smartObject'];
    const name = isJsonObject(object) ? textField(object, 'fileReference') : null;
    if (!isJsonObject(object) || name === null) {
      return [];
    }
    const { link } = object;
    const path = isJsonObject(link) ? textField(link, '_path') : null;
    return [{ layer, name, path, state: stateOf(object) }];
  });
}

function stateOf(object: Readonly<Record<string, unknown>>): PlacedFile['state'] {
  if (object['linked'] !== true) {
    return object['linked'] === false ? 'embedded' : 'unknown';
  }
  if (object['linkMissing'] === true) {
    return 'missing';
  }
  return object['linkChanged'] === true ? 'changed' : 'present';
}

/** @throws {Error} when the layer is not linked to this file */
function mustShow(object: SmartObject | undefined, { name }: DownloadedFile): void {
  if (object?.name.normalize() !== name.normalize() || object.state !== 'present') {
    throw new Error('Photoshop placed another file, or did not link it');
  }
}

/** By the layer, else by the file: a copy of a layer has another id. */
export function identityOf(object: SmartObject, entries: readonly Entry[]): PlacedIdentity | null {
  const alike = entries.filter(({ name }) => name.normalize() === object.name.normalize());
  const own = alike.find(({ layer }) => layer === object.layer);
  const [first] = alike;
  const isOne = alike.every(({ identity }) => identity.sha256 === first?.identity.sha256);
  return (own ?? (isOne ? first : undefined))?.identity ?? null;
}

/** @throws {Error} when one of the commands fails */
export async function play(
  { action }: PhotoshopModule,
  commands: readonly object[],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const results = await action.batchPlay(
    [...commands] as Parameters<typeof action.batchPlay>[0],
    {},
  );
  const failed = results.find(({ _obj }) => _obj === 'error');
  if (failed) {
    throw new Error(`Photoshop refused the command: ${String(failed['result'])}`);
  }
  return results;
}

export async function readXmp(
  photoshop: PhotoshopModule,
  { id }: PhotoshopDocument,
): Promise<string> {
  const [result] = await play(photoshop, [
    { _obj: 'get', _target: [{ _property: 'XMPMetadataAsUTF8' }, { _ref: 'document', _id: id }] },
  ]);
  const packet = result?.['XMPMetadataAsUTF8'];
  return typeof packet === 'string' ? packet : '';
}

export async function writeXmp(
  photoshop: PhotoshopModule,
  { id }: PhotoshopDocument,
  packet: string,
): Promise<void> {
  await play(photoshop, [
    {
      _obj: 'set',
      _target: [{ _property: 'XMPMetadataAsUTF8' }, { _ref: 'document', _id: id }],
      to: { _obj: 'XMPMetadataAsUTF8', XMPMetadataAsUTF8: packet },
    },
  ]);
}

/** What a packet has about layers. Anybody may have written it. */
export function entriesIn(xmp: UxpModule['xmp'], packet: string): readonly Entry[] {
  let list: unknown;
  try {
    list = JSON.parse(propertyIn(xmp, packet, OWN.namespace, PROPERTY) ?? '[]');
  } catch {
    return [];
  }
  return (Array.isArray(list) ? (list as unknown[]) : []).flatMap((entry) => {
    const body = isJsonObject(entry) ? entry : {};
    const [layer, name] = [numberField(body, 'layer'), textField(body, 'name')];
    const identity = readIdentity(JSON.stringify(body['file'] ?? null));
    return layer !== null && name !== null && identity ? [{ layer, name, identity }] : [];
  });
}

/** @throws {Error} in a host without the XMP module */
export function withEntries(
  xmp: UxpModule['xmp'],
  packet: string,
  entries: readonly Entry[],
): string {
  const list = entries.map(({ layer, name, identity }) => ({
    layer,
    name,
    file: JSON.parse(writeIdentity(identity)) as unknown,
  }));
  return withProperty(xmp, packet, OWN, PROPERTY, JSON.stringify(list));
}
