import type { File } from './entries.js';
import type { Lifetime } from './lifetime.js';
import { HostFailure } from './lifetime.js';

type SaveFormat = 'psd' | 'psb' | 'jpg' | 'png' | 'gif' | 'bmp';

const saveFormats: readonly SaveFormat[] = ['psd', 'psb', 'jpg', 'png', 'gif', 'bmp'];

/** A document as the test opens it. */
interface SimulatedDocument {
  readonly name: string;
  readonly width?: number;
  readonly height?: number;
  readonly saved?: boolean;
  /** What saving in a format writes; a format without bytes fails to save. */
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
  /** What `app.activeDocument` does without a document; the page does not say. Default 'null'. */
  withoutDocument: 'null' | 'throw';
  /**
   * Something else is modal: the id of another plugin, `dialog`, or null for nothing. Requests for a scope are tried
   * again for their `timeOut` in milliseconds (the shorter reading), then refused with error number 9.
   */
  modal: string | null;
  /** What `saveAs` does: it may go on until the user presses Escape, or for ever. Default `end`. */
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
  /** Pixels are not simulated; what is, is that they need a modal scope. */
  readonly imaging: { getPixels(options: object): Promise<never> };
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
  readonly saveAs: Readonly<
    Record<SaveFormat, (entry: File, options?: unknown, asCopy?: boolean) => Promise<void>>
  >;
}

/** @param write stores bytes in a file entry as the host itself does, past the plugin's permissions */
export function createPhotoshopModule(
  lifetime: Lifetime,
  write: (entry: File, bytes: Uint8Array) => void,
): { photoshop: PhotoshopModule; control: PhotoshopControl } {
  const { realm } = lifetime;
  const documents: PhotoshopDocument[] = [];
  const saves: SaveCall[] = [];
  const modalScopes: string[] = [];
  let active: PhotoshopDocument | undefined;
  let depth = 0;
  let running: ExecutionContext | undefined;
  let nextId = 59;
  /** Ends the `saveAs` calls that go on until Escape. */
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

  const control: PhotoshopControl = {
    openDocument(document) {
      const id = nextId;
      nextId += 1;
      const { name, width = 3000, height = 2000, saved = true } = document;
      const saveAs = Object.fromEntries(
        saveFormats.map((format) => [
          format,
          (entry: File, options?: unknown, asCopy = false) =>
            save(document, format, entry, options, asCopy),
        ]),
      ) as PhotoshopDocument['saveAs'];
      active = {
        id,
        name,
        title: name,
        path: `/Users/photographer/${name}`,
        saved,
        cloudDocument: false,
        width,
        height,
        resolution: 300,
        saveAs,
      };
      documents.push(active);
    },
    closeDocuments() {
      documents.length = 0;
      active = undefined;
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

  /** Refuses what the page does not have. */
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
      showAlert: () => lifetime.call(() => undefined),
    },
    imaging: {
      getPixels: () =>
        lifetime.call(() => {
          throw new Error(
            depth === 0
              ? 'getPixels is only allowed from inside a modal scope (executeAsModal)'
              : 'imaging is documented for UXP, but not simulated',
          );
        }),
    },
  };
  return { photoshop, control };
}
