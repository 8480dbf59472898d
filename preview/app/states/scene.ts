import type { Account } from '../../../src/account/current-account.js';
import type { DeviceIdentity } from '../../../src/features/device/device.js';
import type { CircuitState } from '../../../src/api/circuit-breaker.js';
import type { ErrorCode } from '../../../src/util/errors.js';
import type { SessionState } from '../../../src/oauth/session/token-store.js';
import type { SignInState } from '../../../src/oauth/device-flow/sign-in.js';
import type { BatchState } from '../../../src/features/documents/document-batch.js';
import { NO_FILES, type LibraryState } from '../../../src/features/library/library.js';
import type { OnSaveState } from '../../../src/features/on-save/upload-on-save.js';
import type { DestinationState } from '../../../src/features/destinations/destinations.js';
import type { WatchedFolder } from '../../../src/features/folder/folder-watch.js';
import type { InDocumentState } from '../../../src/features/feedback/comments-in-document.js';
import type { PlacingState } from '../../../src/features/placing/placing.js';
import type { DocumentFeedbackState } from '../../../src/features/feedback/document-feedback.js';
import type { LinkedFilesState } from '../../../src/features/placed-files/linked-files.js';
import type { PlacedUpdatesState } from '../../../src/features/placed-files/placed-updates.js';
import type { PlacedStatusState } from '../../../src/features/placed-files/placed-status.js';
import { NO_SELECTS, type SelectsState } from '../../../src/features/selects/selects-state.js';
import type { OpenDocumentState } from '../../../src/features/documents/document-state.js';
import type { ServiceAccess } from '../../../src/account/service-access.js';
import type { UploadedPhoto } from '../../../src/features/history/upload-history.js';
import type { UploadManagerState } from '../../../src/features/uploads/upload-manager.js';
import type { UploadItem } from '../../../src/features/queue/upload-item.js';
import type { PanelParts } from '../../../src/panel/view.js';
import type { ExportOffer } from '../../../src/host/document-export.js';
import type { FileLength } from '../../../src/host/photo-source.js';
import type { TextKey } from '../../../src/ui/i18n/catalog.js';

/** The state of everything that the panel shows, at one moment. */
export interface Situation {
  readonly session: SessionState;
  readonly account: Account | null;
  readonly device: DeviceIdentity | null;
  readonly signIn: SignInState;
  /** Whether the sign-in is for another account. */
  readonly isForAnother: boolean;
  readonly queue: CircuitState;
  readonly uploader: UploadManagerState;
  readonly items: readonly UploadItem[];
  readonly delivered: readonly UploadedPhoto[];
  readonly destinations: DestinationState;
  readonly sharing: ServiceAccess;
  readonly openDocument: OpenDocumentState | null;
  readonly documentFeedback: DocumentFeedbackState;
  readonly inDocument: InDocumentState;
  readonly placedStatus: PlacedStatusState;
  readonly placedUpdates: PlacedUpdatesState;
  readonly linkedFiles: LinkedFilesState;
  readonly library: LibraryState;
  readonly placing: PlacingState;
  readonly selects: SelectsState;
  readonly batch: BatchState;
  readonly onSave: OnSaveState;
  readonly folder: WatchedFolder | null;
  /** The name of a preset of the user's own; null for none. */
  readonly ownPreset: string | null;
  /** The chosen preset. */
  readonly presetId: string;
}

/** A state of the panel that the preview can show, and how the panel gets there. */
export interface Scene {
  /** Shown in the preview's menu. */
  readonly title: string;
  /**
   * Situations that follow one another, three seconds apart; the last one is shown. What one leaves out is as in
   * {@link SIGNED_OUT}.
   * @param now the time of the first one, in milliseconds since 1970
   */
  situations(now: number): readonly Partial<Situation>[];
  /** Buttons that are pressed afterwards, by the keys of their words. */
  readonly press?: readonly (
    | TextKey
    | 'delivered'
    | 'Instagram'
    | 'PDF'
    | 'Poster.psd'
    | {
        readonly key: 'needLook' | 'openComments' | 'newerVersions' | 'placedCount';
        readonly count: number;
      }
  )[];
  /** The actions that fail, and with which code; all others succeed. */
  readonly refuses?: Partial<
    Record<keyof PanelParts['context']['actions'] | 'copyText', ErrorCode>
  >;
  /** Whether the creative app is too old for the plugin. */
  readonly isOldHost?: boolean;
  /** Whether the creative app has Actions. */
  readonly recordsSteps?: boolean;
  /** What the creative app exports, and how much the document in front would give; an app for pictures when left out. */
  readonly offers?: readonly ExportOffer[];
  readonly length?: FileLength;
}

/** Not connected, and without photos. */
export const SIGNED_OUT: Situation = {
  session: { kind: 'signed-out' },
  account: null,
  device: { id: 'a3f2'.repeat(8), name: 'Mac · A3F2', shortId: 'A3F2' },
  signIn: { kind: 'idle' },
  isForAnother: false,
  queue: { kind: 'closed' },
  uploader: {
    paused: false,
    adding: null,
    rejected: [],
    storageError: null,
    question: null,
    willAsk: false,
    removal: null,
    documentError: null,
    isUnread: false,
    orphans: 0,
    notAdded: [],
    versions: [],
    previous: [],
    waitingForPermission: 0,
    lastBatch: null,
    space: { kind: 'closed' },
  },
  destinations: {
    availability: 'unsupported',
    projects: [],
    selected: null,
    isLoading: false,
    error: null,
  },
  sharing: 'unsupported',
  openDocument: null,
  documentFeedback: { entries: [], unseen: 0, needsPermission: false },
  inDocument: {
    canShow: true,
    canGoTo: true,
    isWorking: false,
    last: null,
    numbers: new Map(),
    uncertain: 0,
    unplaced: 0,
    error: null,
  },
  placedUpdates: { canUpdate: true, canUndo: true, progress: null, result: null },
  linkedFiles: { canRead: true, progress: null, unread: new Map(), error: null },
  placedStatus: {
    rows: [],
    others: [],
    checkedAt: null,
    isChecking: false,
    isAway: false,
    needsPermission: false,
    error: null,
  },
  library: { ...NO_FILES, access: 'unsupported' },
  placing: {
    canPlace: true,
    canOpen: false,
    folder: null,
    current: null,
    needsPermission: false,
    failure: null,
  },
  selects: NO_SELECTS,
  batch: { done: 0, total: 0, failures: [] },
  // A literal: the module of this type needs a package that the browser does not find.
  onSave: {
    isAvailable: false,
    all: false,
    documents: [],
    preset: null,
    last: null,
    missed: [],
  },
  folder: null,
  ownPreset: null,
  presetId: 'print',
  items: [],
  delivered: [],
};

/** Scenes by the name that the address has for them. */
export type Scenes = Readonly<Record<string, Scene>>;
