import type { VNode } from 'preact';
import type { Account } from '../account/current-account.js';
import type { DeviceIdentity } from '../features/device/device.js';
import type { CircuitState } from '../api/circuit-breaker.js';
import type { Clock } from '../util/clock.js';
import type { CwError } from '../util/errors.js';
import type { ReadableObservable } from '../util/observable.js';
import type { AppPreset, ExportableDocument, ExportOffer, Host } from '../host/host.js';
import type { SessionState } from '../oauth/session/token-store.js';
import type { DeviceSignIn, SignInState } from '../oauth/device-flow/sign-in.js';
import type { BatchEntry, BatchState } from '../features/documents/document-batch.js';
import type { DestinationState } from '../features/destinations/destinations.js';
import type { ProjectRef } from '../api/project.js';
import type { FolderState } from '../features/folder/folder-watch.js';
import type { OpenDocumentState } from '../features/documents/document-state.js';
import type { OnSaveMode, OnSaveState } from '../features/on-save/upload-on-save.js';
import type { Preset } from '../features/presets/preset.js';
import type { PresetsState } from '../features/presets/presets.js';
import type { ServiceAccess } from '../account/service-access.js';
import type { ShareLink, ShareOptions, ShareTarget } from '../features/links/share-links.js';
import type { UploadedPhoto } from '../features/history/upload-history.js';
import type { UploadManager, UploadManagerState } from '../features/uploads/upload-manager.js';
import type { UploadItem, UploadSummary } from '../features/queue/upload-item.js';
import type { Progress } from '../features/uploads/progress.js';
import type { PressHandler } from '../ui/controls.js';
import type { Translations } from '../ui/i18n/translations.js';

/** Everything the panel shows at one moment. */
export interface PanelState {
  readonly session: SessionState;
  /** The session's account; null while it is unknown. */
  readonly account: Account | null;
  /** Null before storage was read. */
  readonly device: DeviceIdentity | null;
  readonly signIn: SignInState;
  /** Whether the sign-in is for another account, while the session continues. */
  readonly isForAnother: boolean;
  readonly queue: CircuitState;
  readonly uploadState: UploadManagerState;
  readonly summary: UploadSummary;
  readonly progress: Progress;
  /** The photos of the list. */
  readonly photos: readonly UploadItem[];
  /** The uploaded photos of the connected account that are no longer on the list, the newest first. */
  readonly earlier: readonly UploadedPhoto[];
  /** The uploaded photos of the connected account, by the id that each had on the list. */
  readonly uploadedById: ReadonlyMap<string, UploadedPhoto>;
  readonly destinations: DestinationState;
  readonly sharing: ServiceAccess;
  /** Whether the service signs receipts. */
  readonly offersReceipts: boolean;
  readonly openDocument: OpenDocumentState | null;
  /** Null in a host that has no folders. */
  readonly folder: FolderState | null;
  readonly onSave: OnSaveState;
  readonly presets: PresetsState;
  readonly batch: BatchState;
  /** The scope that the sign-in under way was begun for; null when it was begun for an account. */
  readonly requestedScope: string | null;
  /** The last removal, while it can be undone here. */
  readonly removal: UploadManagerState['removal'];
  /** Whether a sign-in has succeeded while this panel showed it, and there have been no photos since. */
  readonly justApproved: boolean;
  /** Wall-clock time in milliseconds. */
  readonly now: number;
}

/** The state that the panel reads. */
export interface PanelStores {
  readonly session: ReadableObservable<SessionState>;
  readonly account: ReadableObservable<Account | null>;
  /** This computer; null before storage was read. */
  readonly device: ReadableObservable<DeviceIdentity | null>;
  readonly signIn: ReadableObservable<SignInState>;
  readonly isForAnother: () => boolean;
  readonly queue: ReadableObservable<CircuitState>;
  readonly uploadState: ReadableObservable<UploadManagerState>;
  readonly summary: ReadableObservable<UploadSummary>;
  /** Up to `count` photos from place `start` of the list. */
  photos(start: number, count: number): readonly UploadItem[];
  /** A number that changes with the history of uploaded photos. */
  readonly history: ReadableObservable<number>;
  /** The uploaded photos of the connected account, the newest first. */
  delivered(): readonly UploadedPhoto[];
  readonly destinations: ReadableObservable<DestinationState>;
  /** Whether links can be made. */
  readonly sharing: ReadableObservable<ServiceAccess>;
  /** Whether the service signs receipts; absent where it never does. */
  readonly receipts?: ReadableObservable<boolean>;
  /** The app's open document; null when there is none, or the app does not report it. */
  readonly openDocument: ReadableObservable<OpenDocumentState | null>;
  /** The watched folder; absent in a host that has no folders. */
  readonly folder?: ReadableObservable<FolderState>;
  readonly onSave: ReadableObservable<OnSaveState>;
  readonly presets: ReadableObservable<PresetsState>;
  /** The scope that the sign-in under way was begun for; null when it was begun for an account. */
  readonly requestedScope: () => string | null;
  /** When the last report of what waits here was sent, for diagnostics. Milliseconds; null for not in this run. */
  readonly lastReportAt?: () => number | null;
  /** How far several documents are that are uploaded together. */
  readonly batch: ReadableObservable<BatchState>;
  /** Small pictures of the photos on the list; absent where there are none. */
  readonly pictures?: RowPictures;
}

export interface RowPictures {
  /** Another number after each change. */
  readonly changes: ReadableObservable<number>;
  /** A data URL; null while there is none. Call it for rows that are shown, at each drawing. */
  thumbnailOf(photoId: string): string | null;
}

/** The buttons' calls to the uploads. */
export type UploadControls = Pick<
  UploadManager,
  | 'pause'
  | 'resume'
  | 'cancelAdding'
  | 'retry'
  | 'retryFailed'
  | 'makeNext'
  | 'remove'
  | 'removeAll'
  | 'removeFailed'
  | 'clearUploaded'
  | 'undoRemoval'
  | 'clearHistory'
  | 'answerQuestion'
  | 'answerFound'
  | 'answerPrevious'
  | 'undoVersions'
  | 'dismissVersions'
  | 'dismissNotAdded'
  | 'setDestination'
  | 'retryStorage'
  | 'dismissRefused'
>;

/** The buttons' calls to the sign-in. */
export type SignInControls = Pick<
  DeviceSignIn,
  'start' | 'startForScope' | 'startOver' | 'cancel' | 'checkNow' | 'openBrowser' | 'chooseNumber'
>;

/** The part of the host that the panel uses. */
export type PanelHost = Pick<Host, 'info' | 'copyText'>;

/** Actions that combine several parts of the plugin. All others are calls to one part. */
export interface PanelActions {
  /** Opens the picker and starts to add the chosen photos. Settles when the picker has closed. */
  addPhotos(): Promise<void>;
  /**
   * Saves a copy of the app's open document and queues it. If that fails, the upload state's `documentError` holds the
   * reason.
   * @param title  shown by the app during the export: the label of the button
   */
  uploadDocument(preset: Preset, title: string): Promise<void>;
  /** All open documents; none where the app exports only the one in front. Never fails. */
  openDocuments(): Promise<readonly ExportableDocument[]>;
  /** Uploads documents one after the other. Settles when all have ended. Never fails: the batch has the failures. */
  uploadDocuments(entries: readonly BatchEntry[], preset: Preset, title: string): Promise<void>;
  /** Exports no more of them. */
  cancelDocuments(): void;
  /** Clears their failures. */
  dismissDocuments(): void;
  /** Chooses the preset for the next upload. @throws {CwError} CW-702 to CW-704; it then counts until the next start */
  choosePreset(id: string): Promise<void>;
  /** The app's own presets, where an export takes one of a list. Never fails. */
  appPresets(): Promise<readonly AppPreset[]>;
  /** Lets the user pick a preset file of the app; null when cancelled. @throws {CwError} CW-802 */
  pickAppPreset(): Promise<AppPreset | null>;
  /** Stores a changed preset. @throws {CwError} CW-702 to CW-704 */
  savePreset(preset: Preset): Promise<void>;
  /** Stores a copy of a preset under another name. @throws {CwError} CW-702 to CW-704 */
  duplicatePreset(preset: Preset, name: string): Promise<Preset>;
  /** Removes a preset of the user, or resets a built-in one. @throws {CwError} CW-702 to CW-704 */
  removePreset(id: string): Promise<void>;
  /** Switches upload on save on or off. @param documentId  identity of the document in front */
  chooseOnSave(mode: OnSaveMode, documentId: string | null): Promise<void>;
  /** Switches upload on save off for every document. */
  switchOnSaveOff(): Promise<void>;
  chooseOnSavePreset(id: string): Promise<void>;
  /** Exports a saved document that was missed. @throws {CwError} CW-803 when it is not open */
  retrySave(documentId: string): Promise<void>;
  /** Forgets a saved document that was missed. */
  dismissSave(documentId: string): Promise<void>;
  /**
   * Adds an upload with this preset, to the destination of the document in front, to the Action that is being recorded.
   * @param name  shown in the list of the Action's steps
   * @throws {CwError} CW-808
   */
  recordStep(name: string, preset: Preset): Promise<void>;
  /** Shows a photo of the history in the browser. @throws {CwError} CW-105; CW-304 for an address elsewhere */
  openPage(address: string): Promise<void>;
  /** Opens the photos of all users of the workspace in the browser. @throws {CwError} CW-105 */
  openPhotos(): Promise<void>;
  /** Loads the projects again. Never fails: the destinations' state has the error. */
  loadDestinations(): Promise<void>;
  /** Chooses the project for new photos; null for none. */
  selectDestination(project: ProjectRef | null): Promise<void>;
  /** Creates a project, or gives the one that has this name already. @throws {CwError} CW-203, CW-613 */
  createProject(name: string): Promise<ProjectRef>;
  /** Makes a link. @throws {CwError} CW-203, CW-614 */
  createShareLink(target: ShareTarget, options: ShareOptions): Promise<ShareLink>;
  /** Saves a receipt where the user chooses. @returns false when the user cancels @throws {CwError} CW-615, CW-802, CW-811 */
  saveReceipt(target: ShareTarget, name: string): Promise<boolean>;
  /** The user's links to this, the newest first. @throws {CwError} */
  shareLinks(target: ShareTarget): Promise<readonly ShareLink[]>;
  /** Ends a link. @throws {CwError} */
  revokeShareLink(id: string): Promise<void>;
  /** Lets the user choose the watched folder. @throws {CwError} CW-802, CW-705 */
  chooseFolder(): Promise<void>;
  /** Changes where new files of the watched folder go; null for no project. */
  setFolderProject(project: ProjectRef | null): Promise<void>;
  /** Changes whether uploaded files of the watched folder are moved into a subfolder. */
  setFolderMoves(moves: boolean): Promise<void>;
  /** Ends the watch. Files that were taken are still uploaded. */
  stopFolder(): Promise<void>;
  /**
   * Changes the name of this computer, here and at the service. An empty one restores the first name.
   * @throws {CwError} CW-204 when the service refuses it, a transient error, or CW-702 to CW-704
   */
  renameDevice(name: string): Promise<void>;
  /** Ends the session. Photos that are not uploaded yet stay on the list. */
  disconnect(): Promise<void>;
}

/** Transient view state: opened by the user, lost with the panel. */
export interface PanelUi {
  /** A menu or a list over the panel. */
  readonly layer: Layer | null;
  /** Whether Disconnect was chosen while photos are not uploaded. */
  readonly isDisconnecting: boolean;
  readonly help: 'folded' | 'open' | 'diagnostics';
  /** The outcome of the last press: an error or a confirmation. */
  readonly outcome: { readonly title: string; readonly error: CwError | null } | null;
  /** The share target, with its name. */
  readonly sharing: { readonly target: ShareTarget; readonly name: string } | null;
  /** What takes the place of the list; null for nothing. */
  readonly sheet: Sheet | null;
  /** Ids at the service of the photos chosen for a link; null while none are being chosen. */
  readonly selection: readonly string[] | null;
  /** What waits for a destination during the sign-in for its permission. */
  readonly choosing: SelectionMode | null;
}

/** The list of presets, one of them, or documents that are uploaded together. */
export type Sheet =
  | { readonly for: 'presets' }
  | { readonly for: 'automatic' | 'device' }
  | { readonly for: 'preset'; readonly preset: Preset; readonly isNew: boolean }
  | { readonly for: 'documents' | 'artboards'; readonly entries: readonly BatchEntry[] };

/** New photos, files of the watched folder, or a photo on the list by its id. */
export type SelectionMode =
  | { readonly for: 'new photos' }
  | { readonly for: 'folder' }
  | { readonly for: 'photo'; readonly id: string };

export interface Layer {
  /** The control that opened it: the layer is next to it, and gives the focus back to it. */
  readonly anchor: HTMLElement;
  /** How wide: as its content, or as the panel. */
  readonly width: 'content' | 'panel';
  readonly content: (state: PanelState) => VNode;
}

/** The dependencies of every view. */
export interface ViewContext {
  readonly strings: Translations;
  readonly uploads: UploadControls;
  readonly signIn: SignInControls;
  readonly actions: PanelActions;
  readonly pictures: RowPictures | null;
  readonly clock: Clock;
  readonly host: PanelHost;
  /** The ways in which the app can export the open document. */
  readonly exportOffers: readonly ExportOffer[];
  /** Whether the app has Actions that take steps. */
  readonly recordsSteps: boolean;
  /** Gives the text for support about the plugin's state now. */
  readonly diagnostics: () => string;
  readonly ui: PanelUi;
  /** Changes the view state, and redraws. */
  readonly change: (ui: Partial<PanelUi>) => void;
  readonly disconnect: () => void | Promise<void>;
  /** For controls: errors are shown at the bottom of the panel until the next press. */
  readonly on: PressHandler;
}

/** The props of every view. */
export interface ViewProps {
  readonly context: ViewContext;
  readonly state: PanelState;
}

export type ViewName = 'busy' | 'welcome' | 'code' | 'number' | 'connected';

export function viewFor({
  session,
  signIn,
  isForAnother,
}: Pick<PanelState, 'session' | 'signIn' | 'isForAnother'>): ViewName {
  // A sign-in that has just succeeded still shows its code briefly: the session has priority.
  if (session.kind === 'signed-in' && !isForAnother) {
    return 'connected';
  }
  if (signIn.kind === 'code') {
    return signIn.numbers ? 'number' : 'code';
  }
  if (signIn.kind === 'requesting' || session.kind === 'loading') {
    return 'busy';
  }
  return session.kind === 'signed-in' ? 'connected' : 'welcome';
}
