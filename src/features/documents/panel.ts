import type { DestinationsNeeds } from '../destinations/index.js';
import type { ExportableDocument } from '../../host/document-export.js';
import type { FileLength } from '../../host/photo-source.js';
import type { PanelPart, ViewContext, ViewProps, ViewState } from '../../ui/view.js';
import type { Preset, PresetsPanel } from '../presets/index.js';
import type { BatchEntry, BatchState, DocumentBatch } from './document-batch.js';
import type { OpenDocumentState } from './document-state.js';

export interface DocumentsPanel extends PanelPart {
  readonly state: {
    /** The app's open document; null when there is none, or the app does not report it. */
    readonly openDocument: OpenDocumentState | null;
    /** How far several documents are that are uploaded together. */
    readonly batch: BatchState;
  };
  readonly context: {
    /** Whether the app has Actions that take steps. */
    readonly recordsSteps: boolean;
    readonly actions: {
      /**
       * Saves a copy of the app's open document and queues it. If that fails, the upload state's `documentError` holds
       * the reason.
       * @param title  shown by the app during the export: the label of the button
       */
      uploadDocument(preset: Preset, title: string): Promise<void>;
      /**
       * How much the document in front would give with a preset; null where that is not known.
       * @throws {CwError} CW-813
       */
      lengthOf(preset: Preset): Promise<FileLength | null>;
      /** All open documents; none where the app exports only the one in front. Never fails. */
      openDocuments(): Promise<readonly ExportableDocument[]>;
      /** Uploads documents one after the other. Settles when all have ended. Never fails: the batch has the failures. */
      uploadDocuments(entries: readonly BatchEntry[], preset: Preset, title: string): Promise<void>;
      readonly cancelDocuments: DocumentBatch['cancel'];
      readonly dismissDocuments: DocumentBatch['dismiss'];
      /**
       * Adds an upload with this preset, to the destination of the document in front, to the Action that is being recorded.
       * @param name  shown in the list of the Action's steps
       * @throws {CwError} CW-808
       */
      recordStep(name: string, preset: Preset): Promise<void>;
    };
  };
}

/** The parts that the views of this feature need. */
export type DocumentsNeeds = DocumentsPanel & PresetsPanel & DestinationsNeeds;
export type Props = ViewProps<DocumentsNeeds>;
export type Context = ViewContext<DocumentsNeeds>;
export type State = ViewState<DocumentsNeeds>;
