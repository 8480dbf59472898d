import type { File } from './entries.js';
import type { Lifetime } from './lifetime.js';
import { HostFailure } from './lifetime.js';
import type { Action, RecordedStep } from './photoshop-action.js';
import { createAction } from './photoshop-action.js';
import type { Imaging } from './photoshop-imaging.js';
import { createImaging } from './photoshop-imaging.js';

type SaveFormat = 'psd' | 'psb' | 'jpg' | 'png' | 'gif' | 'bmp';

const saveFormats: readonly SaveFormat[] = ['psd', 'psb', 'jpg', 'png', 'gif', 'bmp'];

/** A document as the test opens it. */
interface SimulatedDocument {
  readonly name: string;
  readonly width?: number;
  readonly height?: number;
  readonly saved?: boolean;
  /** DocumentID in its XMP; null (default) in a document that has none, as before its first save. */
  readonly documentId?: string | null;
  /** The bytes that a save writes, by format; a format without bytes fails. */
  readonly bytes: Partial<Record<SaveFormat, Uint8Array>>;
}

/** One `saveAs` that was carried out. */
interface SaveCall {
  readonly document: string;
  readonly format: SaveFormat;
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
}

interface ExecutionContext {
  isCancelled: boolean;
  onCancel: (() => void) | undefined;
  reportProgress(progress: { value?: number; commandName?: string }): void;
  readonly hostControl: object;
}

/** The part of `require('photoshop')` that a sign-in and upload panel needs. */
export interface PhotoshopModule {
  readonly app: {
    readonly activeDocument: PhotoshopDocument | null;
    readonly documents: readonly PhotoshopDocument[];
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

interface PhotoshopDocument {
  readonly id: number;
  readonly name: string;
  readonly title: string;
  readonly path: string;
  readonly saved: boolean;
  readonly cloudDocument: boolean;
  readonly width: number;
  readonly height: number;
  readonly resolution: number;
  readonly activeHistoryState: { readonly id: number };
  readonly saveAs: Readonly<
    Record<SaveFormat, (entry: File, options?: unknown, asCopy?: boolean) => Promise<void>>
  >;
}

/** What the user does to a document. */
interface Work {
  name: string;
  saved: boolean;
  documentId: string | null;
  /** Counts the saves: each gives the XMP another InstanceID. */
  saves: number;
  /** The ids of its history states; the last one is active. */
  readonly history: number[];
}

/** XMP as Photoshop writes it. */
function xmpOf({ documentId, saves }: Work): string {
  const ids =
    documentId === null
      ? ''
      : ` xmpMM:InstanceID="xmp.iid:${documentId}-${saves}" xmpMM:DocumentID="${documentId}"`;
  return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description rdf:about=""${ids}/></rdf:RDF></x:xmpmeta>`;
}

/**
 * @param write stores bytes in a file entry as the host itself does, past the plugin's permissions
 * @param globalOf a property of the plugin's global object
 */
export function createPhotoshopModule(
  lifetime: Lifetime,
  write: (entry: File, bytes: Uint8Array) => void,
  globalOf: (name: string) => unknown = () => undefined,
): { photoshop: PhotoshopModule; control: PhotoshopControl } {
  const { realm } = lifetime;
  const documents: PhotoshopDocument[] = [];
  const works = new Map<number, Work>();
  const saves: SaveCall[] = [];
  const modalScopes: string[] = [];
  let active: PhotoshopDocument | undefined;
  let depth = 0;
  let running: ExecutionContext | undefined;
  let nextId = 59;
  let nextState = 1000;
  /** Ends the `saveAs` calls that run until Escape. */
  let endSaves: (() => void)[] = [];

  const save = (
    document: SimulatedDocument,
    format: SaveFormat,
    entry: File,
    options: unknown,
    asCopy: boolean,
  ): Promise<void> =>
    lifetime.call(async () => {
      if (depth === 0)
        throw new Error('saveAs is only allowed from inside a modal scope (executeAsModal)');
      if (control.saves !== 'end')
        await new Promise<void>((resolve) => {
          if (control.saves === 'go on until Escape') endSaves.push(resolve);
        });
      if (running?.isCancelled === true) throw new Error('the operation was cancelled by the user');
      const bytes = document.bytes[format];
      if (bytes === undefined) throw new Error(`the document cannot be saved as ${format}`);
      write(entry, bytes);
      saves.push({ document: document.name, format, fileName: entry.name, options, asCopy });
    });

  const newState = (): number => {
    nextState += 1;
    return nextState;
  };
  const activeWork = (): Work => {
    const work = works.get(active?.id ?? 0);
    if (work === undefined) throw new Error('no document is open');
    return work;
  };
  const isModal = (): boolean => depth > 0;
  const { action, ...events } = createAction(lifetime, {
    xmpOf: (id) => {
      const open = documents.find((document) => document.id === id);
      const work = works.get(open?.id ?? 0);
      return work && xmpOf(work);
    },
    isModal,
  });
  const { imaging, undisposed } = createImaging(lifetime, {
    documents: () => documents,
    isModal,
  });

  const control: PhotoshopControl = {
    openDocument(document) {
      const id = nextId;
      nextId += 1;
      const { width = 3000, height = 2000, saved = true, documentId = null } = document;
      const work: Work = {
        name: document.name,
        saved,
        documentId,
        saves: 0,
        history: [newState()],
      };
      works.set(id, work);
      const saveAs = Object.fromEntries(
        saveFormats.map((format) => [
          format,
          (entry: File, options?: unknown, asCopy = false) =>
            save(document, format, entry, options, asCopy),
        ]),
      ) as PhotoshopDocument['saveAs'];
      active = {
        id,
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
        width,
        height,
        resolution: 300,
        get activeHistoryState() {
          return { id: work.history[work.history.length - 1] ?? 0 };
        },
        saveAs,
      };
      documents.push(active);
      events.fire('open', { documentID: id });
    },
    closeDocuments() {
      for (const { id } of documents) events.fire('close', { documentID: id });
      documents.length = 0;
      active = undefined;
    },
    select(name) {
      active = documents.find((document) => document.name === name);
      events.fire('select', { documentID: active?.id });
    },
    edit() {
      const work = activeWork();
      work.history.push(newState());
      work.saved = false;
    },
    undo() {
      activeWork().history.pop();
    },
    save(as) {
      const work = activeWork();
      Object.assign(work, as);
      work.saves += 1;
      work.saved = true;
      // Listeners are called twice for one save.
      for (const saveStage of ['saveBegin', 'saveSucceeded'])
        events.fire('save', { documentID: active?.id, saveStage });
    },
    fireSave(...descriptors) {
      for (const descriptor of descriptors) events.fire('save', descriptor);
    },
    close() {
      const at = documents.findIndex((document) => document === active);
      if (at >= 0) documents.splice(at, 1);
      events.fire('close', { documentID: active?.id });
      active = documents[documents.length - 1];
    },
    alerts: [],
    recordAction: () => events.record(),
    playStep: (step) =>
      photoshop.core.executeAsModal(
        async (context) => {
          const play = globalOf(step.methodName);
          // `let` and functions of a module are no properties of the global object.
          if (typeof play !== 'function') throw new Error('Script action failed.');
          return (play as (context: unknown, info: unknown) => unknown)(context, { ...step.info });
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
        if (active === undefined && control.withoutDocument === 'throw') {
          throw new realm.Error('there is no active document');
        }
        return active ?? null;
      },
      get documents() {
        return [...documents];
      },
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
            hostControl: {},
          };
          const scope = running;
          depth += 1;
          try {
            return await target(scope, options.descriptor);
          } finally {
            depth -= 1;
            if (depth === 0) running = undefined;
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
