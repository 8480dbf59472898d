import * as nodeFs from 'node:fs';
import * as nodePath from 'node:path';
import type { File } from './entries.js';
import type { Lifetime } from './lifetime.js';
import { HostFailure } from './lifetime.js';
import type { Action, RecordedStep } from './photoshop-action.js';
import { createAction } from './photoshop-action.js';
import type {
  CountGroup,
  FileFormat,
  LayerObject,
  PhotoshopDocument,
  SimulatedDocument,
  SimulatedPhotoshopLayer,
} from './photoshop-document.js';
import type { Bounds } from './photoshop-picture.js';
import { saveFormats, Work } from './photoshop-document.js';
import type { Imaging } from './photoshop-imaging.js';
import { createImaging } from './photoshop-imaging.js';
import { strict } from './strict.js';

/**
 * What happens to a step of the plugin: a call that changes documents, or a save. It is carried out, fails, or never
 * settles, before or after it was carried out. `run late`: it is carried out in spite of Escape, after the scope has ended.
 */
export type StepFault = 'run' | 'fail' | 'hang' | 'run and hang' | 'run late';

/** A document as it is. */
export interface DocumentState {
  readonly name: string;
  readonly saved: boolean;
  readonly history: readonly number[];
  readonly selection: string;
}

/** One save that was carried out. */
interface SaveCall {
  readonly document: string;
  readonly format: FileFormat;
  readonly fileName: string;
  readonly options: unknown;
  /** False means that the user's document now points at the saved file: a plugin must not do that. */
  readonly asCopy: boolean;
}

/** The test's hand on Photoshop. */
export interface PhotoshopControl {
  /** Opens a document and makes it the active one. */
  openDocument(document: SimulatedDocument): void;
  /** Closes all documents. */
  closeDocuments(): void;
  /** Brings an open document to the front. */
  select(name: string): void;
  /** The user changes the active document: a new history state. */
  edit(): void;
  /** The user undoes the last change: the history state before is active. */
  undo(): void;
  /** The user saves the active document, under another name as a new document of the XMP. */
  save(as?: { readonly name: string; readonly documentId: string }): void;
  /** Fires events of a save with these descriptors, whatever the documents are. */
  fireSave(...descriptors: readonly object[]): void;
  /** The user closes the active document. */
  close(): void;
  /** The user starts to record an Action. Steps that the plugin records are added to the list. */
  recordAction(): readonly RecordedStep[];
  /**
   * Photoshop plays a recorded step: it calls the global function of the plugin inside a modal scope, in which no events
   * are fired. @returns the function's answer. @throws the error that stops the Action
   */
  playStep(step: RecordedStep): Promise<unknown>;
  /** The messages that the plugin has shown. */
  readonly alerts: string[];
  /** How many image data the plugin has not disposed of. */
  readonly undisposedImages: number;
  /** The behaviour of `app.activeDocument` without a document, which is not documented. Default 'null'. */
  withoutDocument: 'null' | 'throw';
  /**
   * Something else is modal: the id of another plugin, `dialog`, or null for nothing. Requests for a scope are tried
   * again for their `timeOut` in milliseconds (the shorter reading), then refused with error number 9.
   */
  modal: string | null;
  /** The behaviour of `saveAs`: it may run until the user presses Escape, or for ever. Default `end`. */
  saves: 'end' | 'go on until Escape' | 'go on for ever';
  /** The user presses Escape: the running modal scope is cancelled. False when there is none. */
  cancelModal(): boolean;
  readonly copies: SaveCall[];
  /** The `commandName` of every modal scope entered. */
  readonly modalScopes: string[];
  /** How often a modal scope was requested. */
  modalRequests: number;
  /** How many modal scopes are open. */
  readonly openScopes: number;
  /** The steps of the plugin so far: calls that change documents or the active document, and saves. */
  readonly steps: string[];
  /** Decides about every step from now on. Called before the step. */
  stepFault: (step: string, index: number) => StepFault;
  /** The groups of counts in the active document, and the names of the steps of its history since it was opened. */
  counts(): readonly CountGroup[];
  historyNames(): readonly string[];
  /** The user changes groups of counts, or the geometry of the active document. */
  change(
    to: Partial<{
      groups: readonly CountGroup[];
      width: number;
      height: number;
      layers: readonly SimulatedPhotoshopLayer[];
    }>,
  ): void;
  /** Commands about smart objects, which no page documents: refused (default), or as seen in practice. */
  placesFiles: boolean;
  /** What `placeEvent` makes of `linked: true`. Default 'linked'. */
  placesAs: 'linked' | 'embedded' | 'nothing';
  /** Width and height of pictures by file name. Default: 10 by 10. */
  readonly pictureSizes: Map<string, readonly [number, number]>;
  /** A smart object keeps its place with other content. Default false: it keeps its scale. */
  relinkFits: boolean;
  /** `scale` and `translate` do nothing. */
  ignoresTransforms: boolean;
  /** Whether the app has the corners of smart objects, which were seen in practice. */
  givesCorners: boolean;
  /** The ids of the selected layers. */
  selectLayers(...ids: readonly number[]): void;
  selectedLayers(): readonly number[];
  /** How often `batchPlay` was called. */
  plays(): number;
  /** The layers and the XMP of the active document. */
  content(): { readonly layers: readonly SimulatedPhotoshopLayer[]; readonly xmp: string };
  /** Another program writes the XMP of the active document. */
  writeXmp(packet: string): void;
  /** A new group of counts becomes the active one (default); the page does not say so. */
  activatesNewGroup: boolean;
  /** All open documents, and the name of the active one. */
  state(): { readonly documents: readonly DocumentState[]; readonly active: string | null };
}

interface ExecutionContext {
  isCancelled: boolean;
  onCancel: (() => void) | undefined;
  reportProgress(progress: { value?: number; commandName?: string }): void;
  readonly hostControl: {
    suspendHistory(options: { documentID: number; name: string }): Promise<unknown>;
    resumeHistory(suspension: unknown, commit?: boolean): Promise<void>;
    registerAutoCloseDocument(id: number): Promise<void>;
    unregisterAutoCloseDocument(id: number): Promise<void>;
  };
}

/** The part of `require('photoshop')` that a sign-in and upload panel needs. */
export interface PhotoshopModule {
  readonly app: {
    activeDocument: PhotoshopDocument | null;
    readonly documents: readonly PhotoshopDocument[];
    open(file: Pick<File, 'nativePath'>): Promise<PhotoshopDocument>;
    showAlert(message: string): Promise<void>;
    bringToFront(): void;
  };
  readonly core: {
    executeAsModal(
      target: (context: ExecutionContext, descriptor?: unknown) => Promise<unknown>,
      options: {
        commandName: string;
        descriptor?: object;
        interactive?: boolean;
        timeOut?: number;
      },
    ): Promise<unknown>;
    isModal(): boolean;
    showAlert(options: { message: string }): Promise<void>;
  };
  readonly action: Action;
  readonly imaging: Imaging;
}

/**
 * @param write stores bytes in a file entry as the host itself does, past the plugin's permissions
 * @param entryOf the file of a session token
 * @param globalOf a property of the plugin's global object
 */
export function createPhotoshopModule(
  lifetime: Lifetime,
  write: (entry: File, bytes: Uint8Array) => void,
  entryOf: (token: string) => File,
  globalOf: (name: string) => unknown = () => undefined,
): { photoshop: PhotoshopModule; control: PhotoshopControl } {
  const { realm } = lifetime;
  const documents: PhotoshopDocument[] = [];
  const works = new Map<number, Work>();
  const saves: SaveCall[] = [];
  const steps: string[] = [];
  const modalScopes: string[] = [];
  /** The open documents as their windows are behind each other: the active one is the last. */
  const order: PhotoshopDocument[] = [];
  let depth = 0;
  let running: ExecutionContext | undefined;
  /** Documents that are closed when the modal scope ends. */
  const autoClosed = new Set<number>();
  let nextId = 59;
  let nextState = 1000;
  /** Documents whose history is off, by their ids: what they were, and the name of the step. */
  const suspended = new Map<
    number,
    {
      readonly name: string;
      readonly groups: readonly CountGroup[];
      readonly active: number;
      readonly layers: readonly SimulatedPhotoshopLayer[];
      readonly descriptions: string;
    }
  >();
  const historyNames = new Map<number, string[]>();
  /** What steps of plugins have changed. */
  const undone = new Map<
    number,
    { readonly layers: readonly SimulatedPhotoshopLayer[]; readonly descriptions: string }[]
  >();
  const resume = (id: number, commit: boolean): void => {
    const before = suspended.get(id);
    const work = works.get(id);
    if (before === undefined || work === undefined) throw new Error('the history is not suspended');
    suspended.delete(id);
    if (!commit) {
      work.groups = before.groups;
      work.activeGroup = before.active;
      work.layers = before.layers;
      work.descriptions = before.descriptions;
    } else if (
      work.groups !== before.groups ||
      work.layers !== before.layers ||
      work.descriptions !== before.descriptions
    ) {
      undone.set(id, [...(undone.get(id) ?? []), before]);
      work.change();
      historyNames.set(id, [...(historyNames.get(id) ?? []), before.name]);
    }
  };
  /** Ends the `saveAs` calls that run until Escape. */
  let endSaves: (() => void)[] = [];

  const activeDocument = (): PhotoshopDocument | undefined => order[order.length - 1];
  const activate = (document: PhotoshopDocument | undefined): void => {
    const at = order.findIndex((other) => other === document);
    if (document === undefined || at < 0) throw new Error('the document is not open');
    order.splice(at, 1);
    order.push(document);
  };
  const close = (id: number): void => {
    for (const list of [documents, order]) {
      const at = list.findIndex((document) => document.id === id);
      if (at >= 0) list.splice(at, 1);
    }
  };
  const endScope = (): void => {
    running = undefined;
    for (const id of autoClosed) close(id);
    autoClosed.clear();
  };
  lifetime.onEnd(endScope);

  /** What a step meets. Everything that changes documents needs a modal scope, and fails after Escape. */
  const begin = (step: string): StepFault => {
    if (depth === 0)
      throw new Error(`${step} is only allowed from inside a modal scope (executeAsModal)`);
    const fault = control.stepFault(step, steps.length);
    steps.push(step);
    if (!lifetime.alive) return 'hang';
    checkCancelled();
    if (fault === 'fail') throw new Error(`${step} failed`);
    return fault;
  };
  const checkCancelled = (): void => {
    if (running?.isCancelled === true) throw new Error('the operation was cancelled by the user');
  };
  const never = (): Promise<never> => new Promise(() => undefined);
  const stepOf = <T>(step: string, run: () => Promise<T> | T): Promise<T> =>
    lifetime.call(async () => {
      const fault = begin(step);
      if (fault === 'hang') return never();
      if (fault === 'run late') await new Promise((resolve) => setTimeout(resolve, 30));
      const result = await run();
      if (fault === 'run and hang') return never();
      return result;
    });

  const save = async (
    work: Work,
    format: FileFormat,
    entry: File,
    options: unknown,
    asCopy: boolean,
  ): Promise<void> => {
    if (control.saves !== 'end')
      await new Promise<void>((resolve) => {
        if (control.saves === 'go on until Escape') endSaves.push(resolve);
      });
    checkCancelled();
    const bytes = await work.file(format, options);
    if (!lifetime.alive) return;
    write(entry, bytes);
    saves.push({ document: work.name, format, fileName: entry.name, options, asCopy });
  };

  /** CountItems page. Groups have no names here; everything that changes counts needs a modal scope. */
  const countItemsOf = (
    work: Work,
    document: PhotoshopDocument,
  ): PhotoshopDocument['countItems'] => {
    const change = (step: string, run: () => readonly CountGroup[]): Promise<void> =>
      stepOf(step, () => {
        if (activeDocument() !== document) throw new Error(`${step}: the document is not active`);
        work.groups = run();
        if (!suspended.has(work.id)) work.change();
      });
    return {
      getAll: () =>
        work.groups.flatMap(({ counts }, groupIndex) =>
          counts.map((position, itemIndex) =>
            strict('CountItem', { groupIndex, itemIndex, position: { ...position } }, realm.Error),
          ),
        ),
      add: ({ x, y }) =>
        change('countItems.add', () => {
          if (!Number.isFinite(x) || !Number.isFinite(y)) throw new Error('no position');
          const groups = work.groups.length > 0 ? work.groups : [{ name: 'Count', counts: [] }];
          return groups.map((group, index) =>
            index === work.activeGroup ? { ...group, counts: [...group.counts, { x, y }] } : group,
          );
        }),
      createGroup: (name) =>
        change('countItems.createGroup', () => {
          if (control.activatesNewGroup) work.activeGroup = work.groups.length;
          return [...work.groups, { name, counts: [] }];
        }),
      removeGroupByIndex: (at) =>
        change('countItems.removeGroupByIndex', () => {
          if (work.groups[at] === undefined) throw new Error('no such group');
          work.activeGroup = 0;
          return work.groups.filter((_, index) => index !== at);
        }),
    };
  };

  const changeLayer = (
    work: Work,
    layerId: unknown,
    change: (layer: SimulatedPhotoshopLayer) => SimulatedPhotoshopLayer,
  ): void => {
    const changed = (layer: SimulatedPhotoshopLayer): SimulatedPhotoshopLayer =>
      layer.id === layerId
        ? change(layer)
        : { ...layer, ...(layer.layers && { layers: layer.layers.map(changed) }) };
    work.layers = work.layers.map(changed);
    if (!suspended.has(work.id)) work.change();
  };
  /** Moves a layer, with its mask where that is linked. */
  const moveLayer = (
    work: Work,
    layerId: number,
    step: string,
    moved: (bounds: Bounds, about: Bounds) => Bounds,
  ): Promise<void> =>
    stepOf(step, () => {
      changeLayer(work, layerId, (layer) => ({
        ...layer,
        bounds: control.ignoresTransforms ? layer.bounds : moved(layer.bounds, layer.bounds),
        ...(layer.mask?.isLinked === true && {
          mask: { ...layer.mask, bounds: moved(layer.mask.bounds, layer.bounds) },
        }),
      }));
    });
  const layerOf =
    (work: Work) =>
    ({ id, bounds, mask, smartObject, layers }: SimulatedPhotoshopLayer): LayerObject => {
      const kind = layers ? 'group' : smartObject ? 'smartObject' : 'pixel';
      const members: LayerObject = {
        id,
        kind,
        // What a mask hides does not count.
        boundsNoEffects: mask?.bounds ?? bounds,
        layers: layers?.map(layerOf(work)) ?? null,
        scale: (width, height) =>
          moveLayer(work, id, 'scale', (one, about) => {
            const [x, y] = [(about.left + about.right) / 2, (about.top + about.bottom) / 2];
            const [across, down] = [width / 100, height / 100];
            return {
              left: x + (one.left - x) * across,
              top: y + (one.top - y) * down,
              right: x + (one.right - x) * across,
              bottom: y + (one.bottom - y) * down,
            };
          }),
        translate: (across, down) =>
          moveLayer(work, id, 'translate', (one) => ({
            left: one.left + across,
            top: one.top + down,
            right: one.right + across,
            bottom: one.bottom + down,
          })),
      };
      return strict('Layer', members, realm.Error);
    };
  const stampOf = (path: string): string | null => {
    const stat = nodeFs.statSync(path, { throwIfNoEntry: false });
    return stat ? `${stat.size} ${stat.mtimeMs}` : null;
  };
  const findLayer = (documentId: unknown, layerId: unknown): SimulatedPhotoshopLayer | undefined =>
    (works.get(Number(documentId))?.layers ?? [])
      .flatMap((layer) => [layer, ...(layer.layers ?? [])])
      .find(({ id }) => id === layerId);
  const placement: Parameters<typeof createAction>[1]['placement'] = (documentId, layerId) => {
    const { bounds, mask, smartObject: object } = findLayer(documentId, layerId) ?? {};
    if (!bounds || !control.placesFiles) return undefined;
    const { left, top, right, bottom } = bounds;
    const [width, height] = object?.size ?? [10, 10];
    return {
      ...(object &&
        control.givesCorners && {
          smartObjectMore: {
            transform: [left, top, right, top, right, bottom, left, bottom],
            size: { width, height },
          },
        }),
      ...(mask && { userMaskLinked: mask.isLinked }),
    };
  };
  const smartObject = (documentId: unknown, layerId: unknown): object | undefined => {
    const object = findLayer(documentId, layerId)?.smartObject;
    if (!object || !control.placesFiles) return undefined;
    const now = stampOf(object.path);
    return {
      _obj: 'smartObject',
      fileReference: nodePath.basename(object.path),
      linked: object.isLinked,
      ...(object.isLinked && {
        link: { _kind: 'local', _path: object.path },
        linkMissing: now === null,
        linkChanged: now !== null && now !== object.stamp,
      }),
    };
  };
  /** As seen in practice: the file becomes a layer of the active document. */
  const place = async (command: Readonly<Record<string, unknown>>): Promise<object> => {
    const {
      null: { _path: token } = {},
      linked,
      _options: options,
    } = command as {
      readonly null?: { readonly _path?: string; readonly _kind?: string };
      readonly linked?: boolean;
      readonly _options?: { readonly dialogOptions?: string };
    };
    const work = works.get(activeDocument()?.id ?? 0);
    if (!control.placesFiles || work === undefined || token === undefined)
      throw new Error('The command “Place” is not simulated.');
    if (options?.dialogOptions !== 'dontDisplay') return never();
    const { nativePath: path } = entryOf(token);
    await stepOf('place', () => {
      if (control.placesAs === 'nothing') return;
      const isLinked = linked === true && control.placesAs === 'linked';
      const object = { path, stamp: stampOf(path) ?? '', isLinked };
      const bounds = { left: 0, top: 0, right: 10, bottom: 10 };
      work.layers = [{ id: nextId++, bounds, smartObject: object }, ...work.layers];
      if (!suspended.has(work.id)) work.change();
    });
    return {};
  };
  const select = (layerId: unknown, isAdded: boolean): Promise<object> => {
    const work = works.get(activeDocument()?.id ?? 0);
    if (work)
      work.selectedLayers =
        typeof layerId === 'number' ? [...(isAdded ? work.selectedLayers : []), layerId] : [];
    return Promise.resolve({});
  };
  const linkMask = async (layerId: unknown, isLinked: unknown): Promise<object> => {
    const work = works.get(activeDocument()?.id ?? 0);
    if (!control.placesFiles || work === undefined || typeof isLinked !== 'boolean')
      throw new Error('The command is not simulated.');
    await stepOf('link mask', () => {
      changeLayer(work, layerId, (layer) => ({
        ...layer,
        ...(layer.mask && { mask: { ...layer.mask, isLinked } }),
      }));
    });
    return {};
  };
  /** As seen in practice: the selected smart object shows another file, and a linked one stays linked. */
  const relink = async (command: Readonly<Record<string, unknown>>): Promise<object> => {
    const { null: { _path: token } = {}, _options: options } = command as {
      readonly null?: { readonly _path?: string };
      readonly _options?: { readonly dialogOptions?: string };
    };
    const work = works.get(activeDocument()?.id ?? 0);
    if (!control.placesFiles || work === undefined || token === undefined)
      throw new Error('The command is not simulated.');
    if (options?.dialogOptions !== 'dontDisplay') return never();
    const { nativePath: path } = entryOf(token);
    const isForLinked = command['_obj'] === 'placedLayerRelinkToFile';
    await stepOf('relink', () => {
      const stamp = stampOf(path);
      if (stamp === null) throw new Error('The file is gone.');
      if (control.placesAs === 'nothing') return;
      const found: number[] = [];
      const changed = (layer: SimulatedPhotoshopLayer): SimulatedPhotoshopLayer => {
        const { smartObject: object, layers } = layer;
        const isIt =
          layer.id === work.selectedLayers[0] &&
          work.selectedLayers.length === 1 &&
          object?.isLinked === isForLinked;
        if (isIt) found.push(layer.id);
        const size = control.pictureSizes.get(nodePath.basename(path)) ?? [10, 10];
        const [width, height] = object?.size ?? [10, 10];
        const { left, top, right, bottom } = layer.bounds;
        return {
          ...layer,
          ...(object && isIt && { smartObject: { ...object, path, stamp, size } }),
          // As seen in practice: the scale stays, so other content has another size.
          ...(isIt &&
            !control.relinkFits && {
              bounds: {
                left,
                top,
                right: left + ((right - left) * size[0]) / width,
                bottom: top + ((bottom - top) * size[1]) / height,
              },
            }),
          ...(layers && { layers: layers.map(changed) }),
        };
      };
      work.layers = work.layers.map(changed);
      if (found.length === 0) throw new Error('The command is not currently available.');
      if (!suspended.has(work.id)) work.change();
    });
    return {};
  };
  const setXmp = (documentId: unknown, packet: unknown): Promise<void> =>
    stepOf('set XMP', () => {
      const work = works.get(Number(documentId));
      if (work === undefined || typeof packet !== 'string') throw new Error('no such document');
      work.setXmp(packet);
    });

  const open = (work: Work): PhotoshopDocument => {
    works.set(work.id, work);
    /** A command that changes this document, which has to be the active one. */
    const change = (step: string, run: () => Promise<void> | void): Promise<void> =>
      stepOf(step, async () => {
        if (activeDocument() !== document) throw new Error(`${step}: the document is not active`);
        await run();
        work.change();
      });
    const document: PhotoshopDocument = {
      id: work.id,
      get name() {
        return work.name;
      },
      get title() {
        return work.name;
      },
      get path() {
        return `/Users/photographer/${work.name}`;
      },
      get saved() {
        return work.saved;
      },
      cloudDocument: false,
      get width() {
        return work.width;
      },
      get height() {
        return work.height;
      },
      resolution: 300,
      get mode() {
        return work.mode as never;
      },
      get bitsPerChannel(): never {
        return `bitDepth${work.bits}` as never;
      },
      set bitsPerChannel(bits: string) {
        // A property is set at once, so it cannot hang.
        if (begin('bitsPerChannel') === 'hang') return;
        work.setBits(Number(/\d+/.exec(bits)));
        work.change();
      },
      get colorProfileName() {
        return work.profile;
      },
      artboards: work.artboards,
      get activeHistoryState() {
        return { id: work.history[work.history.length - 1] ?? 0 };
      },
      get activeLayers() {
        return work.selectedLayers.flatMap((id) => {
          const layer = findLayer(work.id, id);
          return layer ? [layerOf(work)(layer)] : [];
        });
      },
      get layers() {
        return work.layers.map(layerOf(work));
      },
      get countItems() {
        return strict('CountItems', countItemsOf(work, document), realm.Error);
      },
      duplicate: (name = `${work.name} copy`, mergeLayersOnly = false) =>
        stepOf('duplicate', () => {
          if (activeDocument() !== document)
            throw new Error('duplicate: the document is not active');
          return open(work.duplicate(name, mergeLayersOnly));
        }),
      flatten: () =>
        change('flatten', () => {
          work.hasLayers = false;
        }),
      crop: (bounds) => change('crop', () => work.crop(bounds)),
      changeMode: (mode) => change('changeMode', () => work.changeMode(mode)),
      convertProfile: (profile) =>
        change('convertProfile', () => {
          if (work.mode !== 'RGBColorMode') throw new Error('the profile is for RGB');
          work.profile = profile;
        }),
      resizeImage: (width = work.width, height = work.height) =>
        change('resizeImage', () => work.resize(width, height)),
      closeWithoutSaving: () => stepOf('close', () => close(work.id)),
      saveAs: Object.fromEntries(
        saveFormats.map((format) => [
          format,
          (entry: File, options?: unknown, asCopy = false) =>
            stepOf('save', () => save(work, format, entry, options, asCopy)),
        ]),
      ) as PhotoshopDocument['saveAs'],
    };
    documents.push(document);
    order.push(document);
    return document;
  };

  /** The command that saves a TIFF file: of the active document, whichever it names. */
  const saveTiff = async (command: Readonly<Record<string, unknown>>): Promise<object> => {
    const {
      as: { _obj: format } = {},
      in: { _path: token } = {},
      _options: { dialogOptions } = {},
      as,
      copy,
    } = command as {
      as?: { _obj?: string };
      in?: { _path?: string };
      copy?: boolean;
      _options?: { dialogOptions?: string };
    };
    const work = works.get(activeDocument()?.id ?? 0);
    if (format !== 'TIFF' || token === undefined || work === undefined || depth === 0)
      throw new Error('The command “Save” is not currently available.');
    // With a dialog it would wait for the user.
    if (dialogOptions !== 'dontDisplay') return never();
    await stepOf('save', () => save(work, 'tif', entryOf(token), as, copy === true));
    return {};
  };

  const newState = (): number => {
    nextState += 1;
    return nextState;
  };
  const activeWork = (): Work => {
    const work = works.get(activeDocument()?.id ?? 0);
    if (work === undefined) throw new Error('no document is open');
    return work;
  };
  const isModal = (): boolean => depth > 0;
  const { action, ...events } = createAction(lifetime, {
    xmpOf: (id) => {
      const open = documents.find((document) => document.id === id);
      const work = works.get(open?.id ?? 0);
      return work?.xmp();
    },
    isModal,
    save: saveTiff,
    setXmp,
    smartObject,
    placement,
    linkMask,
    place,
    select,
    relink,
  });
  const { imaging, undisposed } = createImaging(lifetime, {
    documents: () => documents,
    isModal,
  });

  const control: PhotoshopControl = {
    openDocument(document) {
      const { id } = open(
        new Work(document, {
          id: () => nextId++,
          state: newState,
        }),
      );
      events.fire('open', { documentID: id });
    },
    closeDocuments() {
      for (const { id } of documents) events.fire('close', { documentID: id });
      documents.length = 0;
      order.length = 0;
    },
    select(name) {
      activate(documents.find((document) => document.name === name));
      events.fire('select', { documentID: activeDocument()?.id });
    },
    edit() {
      const work = activeWork();
      work.history.push(newState());
      work.saved = false;
    },
    undo() {
      const work = activeWork();
      work.history.pop();
      Object.assign(work, undone.get(work.id)?.pop());
    },
    save(as) {
      const work = activeWork();
      Object.assign(work, as);
      work.saves += 1;
      work.saved = true;
      // Listeners are called twice for one save.
      for (const saveStage of ['saveBegin', 'saveSucceeded'])
        events.fire('save', { documentID: activeDocument()?.id, saveStage });
    },
    fireSave(...descriptors) {
      for (const descriptor of descriptors) events.fire('save', descriptor);
    },
    close() {
      const { id } = activeWork();
      close(id);
      events.fire('close', { documentID: id });
    },
    alerts: [],
    recordAction: () => events.record(),
    playStep: (step) =>
      photoshop.core.executeAsModal(
        (context) => {
          const play = globalOf(step.methodName);
          // `let` and functions of a module are no properties of the global object.
          if (typeof play !== 'function') throw new Error('Script action failed.');
          const run = play as (context: unknown, info: unknown) => Promise<unknown>;
          return run(context, { ...step.info });
        },
        { commandName: step.name },
      ),
    get undisposedImages() {
      return undisposed();
    },
    withoutDocument: 'null',
    modal: null,
    saves: 'end',
    cancelModal() {
      if (running === undefined) return false;
      running.isCancelled = true;
      running.onCancel?.();
      for (const end of endSaves) end();
      endSaves = [];
      return true;
    },
    copies: saves,
    modalScopes,
    modalRequests: 0,
    get openScopes() {
      return depth;
    },
    steps,
    stepFault: () => 'run',
    counts: () => activeWork().groups,
    historyNames: () => historyNames.get(activeWork().id) ?? [],
    change: (to) => {
      Object.assign(activeWork(), to);
    },
    activatesNewGroup: true,
    placesFiles: false,
    placesAs: 'linked',
    pictureSizes: new Map(),
    relinkFits: false,
    ignoresTransforms: false,
    givesCorners: true,
    selectLayers: (...ids) => {
      activeWork().selectedLayers = ids;
    },
    plays: () => events.plays(),
    selectedLayers: () => activeWork().selectedLayers,
    writeXmp: (packet) => activeWork().setXmp(packet),
    content: () => ({ layers: activeWork().layers, xmp: activeWork().xmp() }),
    state: () => ({
      documents: documents.flatMap(({ id }) => {
        const work = works.get(id);
        return work ? [{ ...work.state() }] : [];
      }),
      active: activeDocument()?.name ?? null,
    }),
  };

  /** Refuses undocumented arguments. */
  const checkRequest = (target: unknown, options: Readonly<Record<string, unknown>>): void => {
    const { commandName, descriptor = {}, interactive = false, timeOut = 0, ...others } = options;
    if (
      typeof target !== 'function' ||
      typeof commandName !== 'string' ||
      commandName === '' ||
      typeof descriptor !== 'object' ||
      typeof interactive !== 'boolean' ||
      !(typeof timeOut === 'number' && timeOut >= 0) ||
      Object.keys(others).length > 0
    )
      throw new HostFailure(new realm.TypeError('executeAsModal: not the documented arguments'));
  };

  const untilFree = async (timeOut: number): Promise<void> => {
    if (control.modal !== null) await new Promise((resolve) => setTimeout(resolve, timeOut));
    if (control.modal === null) return;
    const refusal: Error & { number?: number } = new realm.Error(
      control.modal === 'dialog'
        ? 'host is in a modal state'
        : `Plugin: ${control.modal} is running a modal command`,
    );
    refusal.number = 9;
    throw new HostFailure(refusal);
  };

  const photoshop: PhotoshopModule = {
    app: {
      get activeDocument() {
        const active = activeDocument();
        if (active === undefined && control.withoutDocument === 'throw') {
          throw new realm.Error('there is no active document');
        }
        return active ?? null;
      },
      set activeDocument(document) {
        if (begin('activate') !== 'hang') activate(document ?? undefined);
      },
      get documents() {
        return [...documents];
      },
      open: (entry) =>
        stepOf('open', () => {
          const { nativePath: path } = entry;
          if (stampOf(path) === null) throw new Error('The file is gone.');
          const settings = { id: () => nextId++, state: newState };
          const document = open(
            new Work({ name: nodePath.basename(path), documentId: null, bytes: {} }, settings),
          );
          events.fire('open', { documentID: document.id });
          return document;
        }),
      showAlert: () => lifetime.call(() => undefined),
      bringToFront: () => undefined,
    },
    core: {
      executeAsModal(target, options) {
        return lifetime.call(async () => {
          control.modalRequests += 1;
          checkRequest(target, { ...options });
          await untilFree(options.timeOut ?? 1000);
          modalScopes.push(options.commandName);
          running ??= {
            isCancelled: false,
            onCancel: undefined,
            reportProgress: () => undefined,
            hostControl: {
              suspendHistory: ({ documentID, name }) =>
                stepOf('suspendHistory', () => {
                  const work = works.get(documentID);
                  if (work === undefined || suspended.has(documentID) || name === '')
                    throw new Error('the history cannot be suspended');
                  const { groups, activeGroup: active, layers, descriptions } = work;
                  suspended.set(documentID, { name, groups, active, layers, descriptions });
                  return { historySuspensionID: documentID };
                }),
              resumeHistory: (suspension, commit = true) =>
                stepOf('resumeHistory', () => {
                  const { historySuspensionID: id = 0 } = suspension as {
                    historySuspensionID?: number;
                  };
                  resume(id, commit);
                }),
              registerAutoCloseDocument: (id) =>
                stepOf('register', () => {
                  autoClosed.add(id);
                }),
              unregisterAutoCloseDocument: (id) =>
                lifetime.call(() => {
                  autoClosed.delete(id);
                }),
            },
          };
          const scope = running;
          depth += 1;
          let isOk = false;
          try {
            const result = await target(scope, options.descriptor);
            isOk = true;
            return result;
          } finally {
            depth -= 1;
            // Suspended histories are committed after a return, and dropped after an exception (media/executeasmodal).
            for (const id of depth === 0 ? [...suspended.keys()] : []) resume(id, isOk);
            if (depth === 0) endScope();
          }
        });
      },
      isModal: () => depth > 0,
      showAlert: ({ message }) => lifetime.call(() => void control.alerts.push(message)),
    },
    action,
    imaging,
  };
  return { photoshop, control };
}
